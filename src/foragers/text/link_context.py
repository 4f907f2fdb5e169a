"""Link context: the words by which a link is judged (Pant and Srinivasan).

*window*: the anchor and the words around it.  *node*: the words of the smallest part of the
page that holds the link and at least `LEAST_WORDS` words.  A page is kept here as a list of
links with their tag paths, not as a tree, so the part is found among those: it grows from the
link over its neighbours in the order of the page, as long as they stand under the same
element, and one element further up each time that is not enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from foragers.outlinks import Outlinks
from foragers.text.words import words
from foragers.types import Links

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


def window(outlinks: Outlinks, place: int) -> str:
    """Return the anchor and the words around it."""
    return f"{outlinks.anchors[place]} {outlinks.around(place)}"


def node(
    outlinks: Outlinks, place: int, lengths: Sequence[int], paths: Sequence[Sequence[str]]
) -> str:
    """Return the words of the part of the page that a link stands in."""
    first = last = place
    count = lengths[place]
    for level in range(1, MOST_LEVELS + 1):
        if count >= LEAST_WORDS:
            break
        first, last = spread(paths, first, last, paths[place][:-level])
        count = sum(lengths[first : last + 1])
    inside = " ".join(outlinks.anchors[first : last + 1])
    return inside if count >= LEAST_WORDS else f"{inside} {outlinks.around(place)}"


def spread(
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
