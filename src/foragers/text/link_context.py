"""Link context: the words by which a link is judged (Pant and Srinivasan).

*window*: the anchor and the words around it.  *node*: the words of the smallest part of the
page that holds the link and at least `LEAST_WORDS` words.  A page is kept here as a list of
links with their tag paths, not as a tree, so the part is found among those: it grows from the
link over its neighbours in the order of the page, as long as they stand under the same
element, and one element further up each time that is not enough.
"""

from __future__ import annotations

from collections.abc import Sequence

from foragers.text.words import words
from foragers.types import Link

LEAST_WORDS = 20
MOST_LEVELS = 3
"""How far up the tree a part may reach: beyond that it is the whole page."""


def window(link: Link) -> str:
    """Return the anchor and the words around it."""
    return f"{link.anchor} {link.around}"


def nodes(links: Sequence[Link]) -> list[str]:
    """Return the words of the part of the page that each link stands in."""
    lengths = [len(words(link.anchor)) for link in links]
    paths = [link.path.split() for link in links]
    found: list[str] = []
    for place, link in enumerate(links):
        first = last = place
        count = lengths[place]
        for level in range(1, MOST_LEVELS + 1):
            if count >= LEAST_WORDS:
                break
            first, last = spread(paths, first, last, paths[place][:-level])
            count = sum(lengths[first : last + 1])
        inside = " ".join(near.anchor for near in links[first : last + 1])
        found.append(inside if count >= LEAST_WORDS else f"{inside} {link.around}")
    return found


def spread(
    paths: Sequence[Sequence[str]], first: int, last: int, top: list[str]
) -> tuple[int, int]:
    """Return how far the links under an element reach to both sides."""
    depth = len(top)
    while top and first > 0 and paths[first - 1][:depth] == top:
        first -= 1
    while top and last + 1 < len(paths) and paths[last + 1][:depth] == top:
        last += 1
    return first, last
