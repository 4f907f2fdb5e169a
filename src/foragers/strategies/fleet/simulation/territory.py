"""Division of work: which foragers visit which pages, and whether they take the same paths.

In every window, a page is a forager's own if no other forager visited it.  A *trajectory* is
a page and the next two steps from it; or, by the other reading of the paper, a page and the next
step, which is a *pair*.  Both are compared where they start from a page from which several
foragers' start; one is a forager's own if no other took it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from foragers.core.types import UrlId

SHARED = -1
"""Stands for several foragers instead of one."""


class TerritoryTally(NamedTuple):
    """One window: the numbers of pages and trajectories, and how many are a forager's own.

    `areas` has the number of different pages that each forager visited.
    """

    end: float
    pages: int
    own_pages: dict[int, int]
    trajectories: int
    own_trajectories: dict[int, int]
    pairs: int
    own_pairs: dict[int, int]
    areas: dict[int, int]


@dataclass(slots=True)
class Territory:
    """The visits of foragers in the current window, and the finished windows."""

    start: float
    window: float
    windows: list[TerritoryTally] = field(default_factory=list)
    edge: float = field(init=False)
    _pages: dict[UrlId, int] = field(default_factory=dict)
    _ways: dict[tuple[UrlId, UrlId, UrlId], int] = field(default_factory=dict)
    _starts: dict[UrlId, int] = field(default_factory=dict)
    _pairs: dict[tuple[UrlId, UrlId], int] = field(default_factory=dict)
    _pair_starts: dict[UrlId, int] = field(default_factory=dict)
    _areas: set[tuple[int, UrlId]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.edge = self.start + self.window

    def step(self, forager: int, path: list[UrlId], time: float) -> None:
        """Record the last step of a forager's path."""
        while time >= self.edge:
            self.close()
        url = path[-1]
        if self._pages.setdefault(url, forager) != forager:
            self._pages[url] = SHARED
        self._areas.add((forager, url))
        if len(path) > 1:
            take(forager, (path[-2], url), self._pairs, self._pair_starts)
        if len(path) > 2:
            take(forager, (path[-3], path[-2], url), self._ways, self._starts)

    def close(self) -> None:
        """End the current window."""
        pages = Counter(self._pages.values())
        ways = from_shared(self._ways, self._starts)
        pairs = from_shared(self._pairs, self._pair_starts)
        areas = Counter(forager for forager, _ in self._areas)
        tally = TerritoryTally(
            self.edge,
            len(self._pages),
            own(pages),
            sum(ways.values()),
            own(ways),
            sum(pairs.values()),
            own(pairs),
            own(areas),
        )
        self.windows.append(tally)
        for held in (self._pages, self._ways, self._starts, self._pairs, self._pair_starts):
            held.clear()
        self._areas.clear()
        self.edge = self.start + self.window * (len(self.windows) + 1)


Way = TypeVar("Way", tuple[UrlId, UrlId], tuple[UrlId, UrlId, UrlId])


def take(forager: int, way: Way, ways: dict[Way, int], starts: dict[UrlId, int]) -> None:
    """Record that a forager took a way, and where the way starts."""
    if starts.setdefault(way[0], forager) != forager:
        starts[way[0]] = SHARED
    if ways.setdefault(way, forager) != forager:
        ways[way] = SHARED


def from_shared(ways: dict[Way, int], starts: dict[UrlId, int]) -> Counter[int]:
    """Return how many ways each forager took alone, of those that start from a shared page."""
    return Counter(forager for way, forager in ways.items() if starts[way[0]] == SHARED)


def own(counts: Counter[int]) -> dict[int, int]:
    """Return what single foragers have."""
    return {one: count for one, count in sorted(counts.items()) if one != SHARED}
