"""The bags of words that speak of a link (the spider paper, section 3).

`related` has four with separate vocabularies: *head*, the title and the headings of the page that
the link stands on; *link*, its own words; *url*, directories, file name and query of where
it leads; *near*, the words just before and after it.  `full-page` has two: *page*, all the
text of the page, and *link+url*, the link's own words together with those of its URL.
The name of a host is in none of them, since it says nothing about other sites.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from foragers.text.words import is_unspaced, url_words, words, words_apart
from foragers.types import Document

TEXTS: Mapping[str, tuple[str, ...]] = {
    "related": ("head", "link", "url", "near"),
    "full-page": ("page", "link+url"),
}
"""What can be read of a link, and in which bags."""

OF_PAGE = ("head", "page")
"""The bags that all links of a page share."""

MOST_WORDS = 2000
"""How many words of a page, MOST_URL_LETTERS how much of a URL, are read."""
MOST_URL_LETTERS = 500
MOST_LETTERS = 10 * MOST_WORDS
"""In how much of a text as many words are looked for, at first."""
SAMPLE = 500
"""By so many letters is told how many words others have, in scripts without spaces."""
NEAR_LETTERS = 120
"""How much of the text around a link is near it: some ten words before it and after it."""


class Spoken(Protocol):
    """A link with the words that speak of it."""

    @property
    def anchor(self) -> str:
        """The words of the link itself."""
        ...

    @property
    def around(self) -> str:
        """The words before and after it."""
        ...


def page_words(bag: str, document: Document) -> list[str]:
    """Return the words of a page that are in a bag."""
    if bag == "head":
        return words(" ".join((document.title, *document.headings)))[:MOST_WORDS]
    return (words(document.title) + first_words(document.text))[:MOST_WORDS]


def first_words(text: str) -> list[str]:
    """Return the first words of a text, without reading the rest of a long one."""
    letters = MOST_LETTERS
    if len(text) > 2 * SAMPLE and not text.isascii() and is_unspaced(sample := text[:SAMPLE]):
        # Nearly every letter begins a word there, so a short part is enough.
        letters = 2 * SAMPLE + int(SAMPLE * MOST_WORDS / max(len(words(sample)), 1))
    end = text.find(" ", letters) if len(text) > letters else -1
    if end < 0:
        # The judge has often cut the same text into words just before.
        return words_apart(text).decode("utf-8", "surrogatepass").split()
    found = words(text[:end])
    return found if len(found) >= MOST_WORDS else words(text)


def link_words(bag: str, link: Spoken, href: str) -> list[str]:
    """Return the words of a link to an address that are in a bag."""
    if bag == "link":
        return words(link.anchor)
    if bag == "near":
        return words(nearest(link.around))
    if bag == "url":
        return path_words(href)
    return words(link.anchor) + path_words(href)


def nearest(around: str) -> str:
    """Return of the text around a link, which is as long before it as after it, the middle."""
    spare = (len(around) - NEAR_LETTERS) // 2
    if spare <= 0:
        return around
    first, last = around.find(" ", spare), around.rfind(" ", 0, len(around) - spare)
    return around[first + 1 : last] if 0 <= first < last else around[spare:-spare]


def path_words(href: str) -> list[str]:
    """Return the words of an address behind its host."""
    return words_of_path(path_of(href))


def path_of(href: str) -> str:
    """Return what stands behind the host of an address."""
    host = href.find("/", href.find("//") + 2)
    return href[host:MOST_URL_LETTERS] if host >= 0 else ""


def words_of_path(path: str) -> list[str]:
    """Return the words of a path."""
    # The space keeps what follows two slashes from being taken for a host.
    return url_words(f" {path}")
