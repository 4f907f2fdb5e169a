"""What a followed link was worth in the long run: its page, and what was found through it.

    worth = max(what it is worth itself, HUB·(1 − exp(−found)))

`found` counts the relevant pages that were reached from the page, those two or three links
away for a half and a quarter of one, and others for what they are worth.  It becomes known as
they come in, and is passed back to all that learned from the link.

What a page is worth that is like what is wanted, but not enough to count.

    worth = likeness · (share of pages less alike)⁸ / (1 + relevant pages found)

Where nothing has passed the judge yet, what comes nearest shows the way; the more has passed, the
less likeness says that is not enough.  And what most pages are like leads nowhere: one word of a
topic that stands on every page.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from foragers.core.exact import exp_of
from foragers.core.types import UrlId
from foragers.strategies.auto.group_rates import Lineage
from foragers.strategies.auto.word_weights import Spoken

HUB = 0.7
"""What a page is worth through which very many relevant ones were found."""
FARTHER = 0.5
"""What a relevant page counts for one that is a link farther away."""
MOST_LINKS_BACK = 3
MOST_REMEMBERED = 20_000
"""Of how many pages it is remembered how they were found; the oldest are forgotten first."""


class Followed(NamedTuple):
    """A link that was followed: whom it taught, what its page is worth, and what was found."""

    parent: UrlId
    groups: Lineage
    words: Spoken
    place: int
    itself: float
    found: float = 0.0

    @property
    def worth(self) -> float:
        """What it was worth, as far as is known."""
        return worth_of(self.itself, self.found)


class Raised(NamedTuple):
    """A link that turned out to be worth more than was known."""

    link: Followed
    more: float


@dataclass
class Credit:
    """The links that were followed, by the pages they led to.

    Numbers stand in columns, and whom a link taught in one piece of bytes: 200 bytes a link.
    """

    _rows: dict[UrlId, int] = field(default_factory=dict, repr=False)
    _pages: array[int] = field(default_factory=lambda: array("i"), repr=False)
    _parents: array[int] = field(default_factory=lambda: array("i"), repr=False)
    _places: array[int] = field(default_factory=lambda: array("q"), repr=False)
    _itself: array[float] = field(default_factory=lambda: array("d"), repr=False)
    _found: array[float] = field(default_factory=lambda: array("d"), repr=False)
    _taught: list[bytes] = field(default_factory=list, repr=False)
    _oldest: int = 0

    def add(self, page: UrlId, link: Followed) -> None:
        """Remember by which link a page was found; of too many the oldest is forgotten."""
        row = self._rows.get(page)
        if row is None:
            row = self._rows[page] = self._free_row()
        self._pages[row] = page
        self._parents[row], self._places[row] = link.parent, link.place
        self._itself[row], self._found[row] = link.itself, link.found
        self._taught[row] = packed(link)

    def _free_row(self) -> int:
        """Return a row for a page: a new one, or that of the page that came first."""
        row = len(self._pages)
        if row < MOST_REMEMBERED:
            for column in (self._pages, self._parents, self._places):
                column.append(0)
            self._itself.append(0.0)
            self._found.append(0.0)
            self._taught.append(b"")
            return row
        row, self._oldest = self._oldest, (self._oldest + 1) % row
        del self._rows[self._pages[row]]
        return row

    def pass_back(self, parent: UrlId, worth: float) -> Iterator[Raised]:
        """Credit the pages that led to one of worth, and say whose links are worth more now."""
        share = worth
        for _ in range(MOST_LINKS_BACK):
            row = self._rows.get(parent)
            if row is None:
                return
            itself, found = self._itself[row], self._found[row]
            before, after = worth_of(itself, found), worth_of(itself, found + share)
            self._found[row] = found + share
            if after > before:
                yield Raised(self._link(row), after - before)
            share *= FARTHER
            parent = self._parents[row]

    def _link(self, row: int) -> Followed:
        """Return the link of a row."""
        groups, words = unpacked(self._taught[row])
        numbers = self._parents[row], groups, words, self._places[row]
        return Followed(*numbers, self._itself[row], self._found[row])


def worth_of(itself: float, found: float) -> float:
    """Return what a link is worth by its page and by what was found through that."""
    return max(itself, HUB * (1 - exp_of(-found)))


def packed(link: Followed) -> bytes:
    """Return the groups and words that a link taught: how many of each, and then all of them."""
    counts = [len(link.words), *map(len, link.words)]
    words = chain.from_iterable(link.words)
    return array("i", chain(counts, words, link.groups)).tobytes()


def unpacked(taught: bytes) -> tuple[Lineage, Spoken]:
    """Return the groups and words of a link."""
    numbers = array("i", taught)
    links = numbers[0]
    place, words = links + 1, []
    for count in numbers[1 : links + 1]:
        words.append(tuple(numbers[place : place + count]))
        place += count
    return numbers[place:], tuple(words)


STEPS = 256
DOUBLINGS = 3
"""How often the share is squared: to the eighth power."""


@dataclass
class Likeness:
    """How alike the pages were that did not count, in steps, and how many did."""

    _counts: array[int] = field(default_factory=lambda: array("q", [0]) * (STEPS + 1), repr=False)
    _others: int = 0
    _relevant: int = 0

    def worth(self, likeness: float, relevant: bool) -> float:
        """Return what a page is worth, and take it in."""
        if relevant:
            self._relevant += 1
            return 1.0
        step = int(min(max(likeness, 0.0), 1.0) * STEPS)
        rare = sum(self._counts[:step]) / (self._others + 1)
        self._counts[step] += 1
        self._others += 1
        for _ in range(DOUBLINGS):
            rare *= rare
        return likeness * rare / (1 + self._relevant)
