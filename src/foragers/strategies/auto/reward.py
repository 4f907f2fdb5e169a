"""The reward of a followed link: that of its page, and of pages found through it.

    worth = max(worth of the page, hub·(1 − exp(−found)))

`found` counts the relevant pages that were reached from the page; those two or three links away
count a half and a quarter, and other pages what they are worth.  It grows while they come in, and
groups, words and feature weights are corrected.

A page below the threshold of the judge is worth

    worth = similarity · (share of pages less similar)⁸ / (1 + relevant pages found)

If no page has passed the judge yet, the most similar pages show the way; later, similarity below
the threshold says little.  If most pages are as similar, because one word of the topic stands on
every page, similarity is no guide.
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
from foragers.strategies.auto.settings import DEFAULTS, AutoSettings
from foragers.strategies.auto.word_weights import Spoken


class Followed(NamedTuple):
    """A followed link, and the worth of its page `itself`.

    `taught` has the groups and words that were updated, `place` the row of the memory.
    """

    parent: UrlId
    taught: bytes
    place: int
    itself: float


class Raised(NamedTuple):
    """A link that is worth more than before: `worth` in all, `more` than before."""

    taught: bytes
    place: int
    worth: float
    more: float


@dataclass
class Credit:
    """The links that were followed, by the pages they led to.

    Numbers are in columns. The groups and words that a link updated are one bytes object, so a
    link takes 200 bytes.
    """

    settings: AutoSettings = DEFAULTS
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
        self._itself[row], self._found[row] = link.itself, 0.0
        self._taught[row] = link.taught

    def _free_row(self) -> int:
        """Return a row for a page: a new one, or that of the page that came first."""
        row = len(self._pages)
        if row < self.settings.most_followed:
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
        share, hub = worth, self.settings.hub
        for _ in range(self.settings.most_links_back):
            row = self._rows.get(parent)
            if row is None:
                return
            itself, found = self._itself[row], self._found[row]
            before, after = worth_of(itself, found, hub), worth_of(itself, found + share, hub)
            self._found[row] = found + share
            if after > before:
                yield Raised(self._taught[row], self._places[row], after, after - before)
            share *= self.settings.farther
            parent = self._parents[row]


def worth_of(itself: float, found: float, hub: float) -> float:
    """Return what a link is worth by its page and by what was found through that."""
    return max(itself, hub * (1 - exp_of(-found)))


def packed(groups: Lineage, words: Spoken) -> bytes:
    """Return the groups and words that a link taught: how many of each, and then all of them."""
    counts = [len(words), *map(len, words)]
    return array("i", chain(counts, chain.from_iterable(words), groups)).tobytes()


def unpacked(taught: bytes) -> tuple[Lineage, Spoken]:
    """Return the groups and words of a link."""
    numbers = array("i", taught)
    links = numbers[0]
    place, words = links + 1, []
    for count in numbers[1 : links + 1]:
        words.append(tuple(numbers[place : place + count]))
        place += count
    return numbers[place:], tuple(words)


@dataclass
class Likeness:
    """A histogram of the relevance of pages below the threshold; counts relevant pages too."""

    settings: AutoSettings = DEFAULTS
    _counts: array[int] = field(init=False, repr=False)
    _others: int = 0
    _relevant: int = 0

    def __post_init__(self) -> None:
        self._counts = array("q", [0]) * (self.settings.likeness_steps + 1)

    def worth(self, likeness: float, relevant: bool) -> float:
        """Return the worth of a page, and count it."""
        if relevant:
            self._relevant += 1
            return 1.0
        step = int(min(max(likeness, 0.0), 1.0) * self.settings.likeness_steps)
        rare = sum(self._counts[:step]) / (self._others + 1)
        self._counts[step] += 1
        self._others += 1
        for _ in range(self.settings.doublings):
            rare *= rare
        return likeness * rare / (1 + self._relevant)
