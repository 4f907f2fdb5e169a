"""The text of a link: bags of words, context, and distances from words to links.

**Bags of words** (the spider paper, section 3).  `related` has four with separate vocabularies:
*head*, the title and headings of the page with the link; *link*, the anchor text; *url*, the
directories, file name and query of the target; *near*, the words just before and after the link.
`full-page` has two: *page*, all the text of the page, and *link+url*, the words of the anchor and
of the URL together.  Host names are in none of them, since they do not generalise to other sites.

**Link context** (Pant and Srinivasan).  *window*: the anchor and the words around it.  *node*: the
words of the smallest part of the page with the link and at least `LEAST_WORDS` words.  A page is
stored as a list of links with tag paths, not as a tree.  So the part grows from the link over its
neighbours, in page order, as long as they are under the same element, and then one element up until
there are enough words.

**Distances** of words to links, for the agents of InfoSpiders:

    in_k(l) = Σ 1 / dist(occurrence of word k, l)

over the occurrences at most `FARTHEST` links away.  A word in a link's anchor, or in the words
around it, is at distance 1 from that link, at 2 from its neighbours, and so on.
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
"""The texts that can be used for a link, and their bags."""

OF_PAGE = ("head", "page")
"""The bags that are the same for all links of a page."""

MOST_WORDS = 2000
"""The largest number of words of a page, and of characters of a URL, that are read."""
MOST_URL_CHARS = 500
MOST_CHARS = 10 * MOST_WORDS
"""The number of characters that are first searched for these words."""
SAMPLE = 500
"""Characters from which the length of words is estimated in scripts without spaces."""
NEAR_CHARS = 120
"""Characters of the text around a link that are near it: about ten words on each side."""


NEAR = "near "
"""Followed by a number of letters: as much text around a link, to be tried beside `near`."""


class Spoken(Protocol):
    """A link and its words."""

    @property
    def anchor(self) -> str:
        """The words of the link itself."""
        ...

    @property
    def around(self) -> str:
        """The words before and after it."""
        ...

    @property
    def path(self) -> str:
        """The tags that it stands in."""
        ...


def page_words(bag: str, document: Document) -> list[str]:
    """Return the words of a page for a bag."""
    if bag == "head":
        return words(" ".join((document.title, *document.headings)))[:MOST_WORDS]
    return (words(document.title) + first_words(document.text))[:MOST_WORDS]


def first_words(text: str) -> list[str]:
    """Return the first words of a text; the rest of a long text is not read."""
    chars = MOST_CHARS
    if len(text) > 2 * SAMPLE and not text.isascii() and is_unspaced(sample := text[:SAMPLE]):
        # Nearly every character begins a word there, so a short part is enough.
        chars = 2 * SAMPLE + int(SAMPLE * MOST_WORDS / max(len(words(sample)), 1))
    end = text.find(" ", chars) if len(text) > chars else -1
    if end < 0:
        # The judge has often split the same text just before.
        return words_apart(text).decode("utf-8", "surrogatepass").split()
    found = words(text[:end])
    return found if len(found) >= MOST_WORDS else words(text)


def link_words(bag: str, link: Spoken, href: str) -> list[str]:
    """Return the words of a link for a bag."""
    if bag == "link":
        return words(link.anchor)
    if bag == "near":
        return words(nearest(link.around))
    if bag.startswith(NEAR):
        return words(nearest(link.around, int(bag.removeprefix(NEAR))))
    if bag == "path":
        return tag_words(link.path)
    if bag == "url":
        return path_words(href)
    return words(link.anchor) + path_words(href)


def tag_words(path: str) -> list[str]:
    """Return the elements of a tag path as words, each with its place counted from the link."""
    parts = [part for part in path.replace(">", "/").split("/") if part]
    return [f"{place}:{part}" for place, part in enumerate(reversed(parts))]


def nearest(around: str, chars: int = NEAR_CHARS) -> str:
    """Return the middle of the text around a link, which is equally long on both sides."""
    spare = (len(around) - chars) // 2
    if spare <= 0:
        return around
    first, last = around.find(" ", spare), around.rfind(" ", 0, len(around) - spare)
    return around[first + 1 : last] if 0 <= first < last else around[spare:-spare]


def path_words(href: str) -> list[str]:
    """Return the words of a URL after its host."""
    return words_of_path(path_of(href))


def path_of(href: str) -> str:
    """Return the part of a URL after its host."""
    host = href.find("/", href.find("//") + 2)
    return href[host:MOST_URL_CHARS] if host >= 0 else ""


def words_of_path(path: str) -> list[str]:
    """Return the words of a path."""
    # The space keeps text after two slashes from being read as a host.
    return url_words(f" {path}")


CONTEXTS = ("window", "node")
LEAST_WORDS = 20
MOST_LEVELS = 3
"""The most levels that a part may go up the tree; beyond that it is the whole page."""
WIDEST = 100
"""The most links of a part: an index of thousands is no context."""


def contexts(links: Links, indexes: Iterable[int], how: str) -> list[str]:
    """Return the context of some links of a page, given by index."""
    outlinks = links.outlinks
    if how == "window":
        return [window(outlinks, index) for index in indexes]
    lengths = [len(words(anchor)) for anchor in outlinks.anchors]
    paths = [path.split() for path in outlinks.paths]
    return [node(outlinks, index, lengths, paths) for index in indexes]


def window(outlinks: ParsedLinks, index: int) -> str:
    """Return the anchor and the words around it."""
    return f"{outlinks.anchors[index]} {outlinks.around(index)}"


def node(
    outlinks: ParsedLinks, index: int, lengths: Sequence[int], paths: Sequence[Sequence[str]]
) -> str:
    """Return the words of the part of the page around a link."""
    first = last = index
    count = lengths[index]
    for level in range(1, MOST_LEVELS + 1):
        if count >= LEAST_WORDS:
            break
        first, last = reach_of(paths, first, last, paths[index][:-level])
        count = sum(lengths[first : last + 1])
    inside = " ".join(outlinks.anchors[first : last + 1])
    return inside if count >= LEAST_WORDS else f"{inside} {outlinks.around(index)}"


def reach_of(
    paths: Sequence[Sequence[str]], first: int, last: int, top: Sequence[str]
) -> tuple[int, int]:
    """Return the first and last index of the links under an element."""
    depth, widest = len(top), WIDEST // 2
    before, after = max(first - widest, 0), min(last + widest, len(paths) - 1)
    while top and first > before and paths[first - 1][:depth] == top:
        first -= 1
    while top and last < after and paths[last + 1][:depth] == top:
        last += 1
    return first, last


FARTHEST = 5
MARK = "zzqwindowqzz"
"""A mark between texts that are split into words together."""
_WHOLE = lcm(*range(1, FARTHEST + 1))
_NEAR = _WHOLE / (1.0 + np.abs(np.arange(1 - FARTHEST, FARTHEST)))


def link_inputs(windows: Sequence[str], wanted: AbstractSet[str]) -> dict[str, NDArray[np.float32]]:
    """Return, for each wanted word near some link, its nearness to every link."""
    found: dict[str, NDArray[np.float64]] = {}
    said = words_of_all(windows)
    # Most words do not occur on a page, so only those that do are searched for.
    here = {MARK, *(wanted & set(said))}
    index = -1
    for word in [word for word in said if word in here]:
        if word == MARK:
            index += 1
        else:
            if word not in found:
                found[word] = np.zeros(len(windows))
            found[word][index] = 1.0
    return {word: spread(near) for word, near in found.items()}


def words_of_all(windows: Sequence[str]) -> list[str]:
    """Return the words of texts, with a mark before each text; together, which is much faster."""
    said = words("".join([f" {MARK} {window}" for window in windows]))
    if said.count(MARK) == len(windows):
        return said
    # The page itself contains the mark.
    return [
        word for text in windows for word in (MARK, *(one for one in words(text) if one != MARK))
    ]


def spread(near: NDArray[np.float64]) -> NDArray[np.float32]:
    """Add each occurrence to the links before and after it."""
    # Integers are added, so that the sums are exact in any order.
    whole = np.convolve(near, _NEAR) / _WHOLE
    return whole[FARTHEST - 1 : FARTHEST - 1 + len(near)].astype(np.float32)


def frequent(text: Sequence[str], many: int, without: Collection[str]) -> tuple[str, ...]:
    """Return the most frequent words of a text, without short ones and some others."""
    counted = Counter(text)
    fit = {word: often for word, often in counted.items() if len(word) > 2 and word not in without}
    return tuple(word for word, _ in Counter(fit).most_common(many))
