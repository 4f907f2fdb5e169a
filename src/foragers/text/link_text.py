"""The bags of words that speak of a link (the spider paper, section 3).

`related` has four with separate vocabularies: *head*, the title and the headings of the page that
the link stands on; *link*, its own words; *url*, directories, file name and query of where
it leads; *near*, the words just before and after it.  `full-page` has two: *page*, all the
text of the page, and *link+url*, the link's own words together with those of its URL.
The name of a host is in none of them, since it says nothing about other sites.

Link context: the words by which a link is judged (Pant and Srinivasan).

*window*: the anchor and the words around it.  *node*: the words of the smallest part of the
page that holds the link and at least `LEAST_WORDS` words.  A page is kept here as a list of
links with their tag paths, not as a tree, so the part is found among those: it grows from the
link over its neighbours in the order of the page, as long as they stand under the same
element, and one element further up each time that is not enough.

How near words stand to links, by which InfoSpiders' agents judge them.

    in_k(l) = Σ 1 / dist(occurrence of word k, l)

over the occurrences at most `FARTHEST` links away.  A word that stands in a link's anchor, or in
the words around it, is at distance 1 from that link, at 2 from its neighbours, and so on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from math import lcm
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from foragers.core.links import ParsedLinks
from foragers.core.types import Document, Links
from foragers.text.words import is_unspaced, url_words, words, words_apart

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


CONTEXTS = ("window", "node")
LEAST_WORDS = 20
MOST_LEVELS = 3
"""How far up the tree a part may reach: beyond that it is the whole page."""
WIDEST = 100
"""How many links a part may hold: an index of thousands is no context."""


def contexts(links: Links, places: Iterable[int], how: str) -> list[str]:
    """Return the context of the links of a page that stand at some places."""
    outlinks = links.outlinks
    if how == "window":
        return [window(outlinks, place) for place in places]
    lengths = [len(words(anchor)) for anchor in outlinks.anchors]
    paths = [path.split() for path in outlinks.paths]
    return [node(outlinks, place, lengths, paths) for place in places]


def window(outlinks: ParsedLinks, place: int) -> str:
    """Return the anchor and the words around it."""
    return f"{outlinks.anchors[place]} {outlinks.around(place)}"


def node(
    outlinks: ParsedLinks, place: int, lengths: Sequence[int], paths: Sequence[Sequence[str]]
) -> str:
    """Return the words of the part of the page that a link stands in."""
    first = last = place
    count = lengths[place]
    for level in range(1, MOST_LEVELS + 1):
        if count >= LEAST_WORDS:
            break
        first, last = reach_of(paths, first, last, paths[place][:-level])
        count = sum(lengths[first : last + 1])
    inside = " ".join(outlinks.anchors[first : last + 1])
    return inside if count >= LEAST_WORDS else f"{inside} {outlinks.around(place)}"


def reach_of(
    paths: Sequence[Sequence[str]], first: int, last: int, top: Sequence[str]
) -> tuple[int, int]:
    """Return how far the links under an element reach to both sides."""
    depth, widest = len(top), WIDEST // 2
    before, after = max(first - widest, 0), min(last + widest, len(paths) - 1)
    while top and first > before and paths[first - 1][:depth] == top:
        first -= 1
    while top and last < after and paths[last + 1][:depth] == top:
        last += 1
    return first, last


FARTHEST = 5
MARK = "zzqwindowqzz"
"""A word that stands between texts which are cut into words all at once."""
_WHOLE = lcm(*range(1, FARTHEST + 1))
_NEAR = _WHOLE / (1.0 + np.abs(np.arange(1 - FARTHEST, FARTHEST)))


def link_inputs(windows: Sequence[str], wanted: AbstractSet[str]) -> dict[str, NDArray[np.float32]]:
    """Return, for each wanted word that stands near a link, how near it is to every link."""
    found: dict[str, NDArray[np.float64]] = {}
    said = words_of_all(windows)
    # Most words are wanted nowhere: the few that are here are looked for alone.
    here = {MARK, *(wanted & set(said))}
    place = -1
    for word in [word for word in said if word in here]:
        if word == MARK:
            place += 1
        else:
            if word not in found:
                found[word] = np.zeros(len(windows))
            found[word][place] = 1.0
    return {word: spread(near) for word, near in found.items()}


def words_of_all(windows: Sequence[str]) -> list[str]:
    """Return the words of texts, a mark before each text; all at once, which is much faster."""
    said = words("".join([f" {MARK} {window}" for window in windows]))
    if said.count(MARK) == len(windows):
        return said
    # Somebody uses our mark as a word.
    return [
        word for text in windows for word in (MARK, *(one for one in words(text) if one != MARK))
    ]


def spread(near: NDArray[np.float64]) -> NDArray[np.float32]:
    """Let each occurrence be felt at the links before and after it."""
    # Whole numbers are added, so that the sums are exact in whichever order.
    whole = np.convolve(near, _NEAR) / _WHOLE
    return whole[FARTHEST - 1 : FARTHEST - 1 + len(near)].astype(np.float32)


def frequent(text: Sequence[str], many: int, without: Collection[str]) -> tuple[str, ...]:
    """Return the most frequent words of a text, leaving out short ones and some others."""
    counted = Counter(text)
    fit = {word: often for word, often in counted.items() if len(word) > 2 and word not in without}
    return tuple(word for word, _ in Counter(fit).most_common(many))
