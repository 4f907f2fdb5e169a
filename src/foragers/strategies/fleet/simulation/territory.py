"""Division of work: which foragers visit which pages, and whether they take the same paths.

In every window, a page is a forager's own if no other forager visited it.  A *trajectory* is
a page and the next two steps from it.  Trajectories are compared where they start from a page
from which several foragers' trajectories start; one is a forager's own if no other took it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from foragers.core.types import UrlId

SHARED = -1
"""Stands for several foragers instead of one."""


class TerritoryTally(NamedTuple):
    """One window: the numbers of pages and trajectories, and how many are a forager's own."""

    end: float
    pages: int
    own_pages: dict[int, int]
    trajectories: int
    own_trajectories: dict[int, int]


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

    def __post_init__(self) -> None:
        self.edge = self.start + self.window

    def step(self, forager: int, path: list[UrlId], time: float) -> None:
        """Record the last step of a forager's path."""
        while time >= self.edge:
            self.close()
        url = path[-1]
        if self._pages.setdefault(url, forager) != forager:
            self._pages[url] = SHARED
        if len(path) > 2:
            start, way = path[-3], path[-2]
            if self._starts.setdefault(start, forager) != forager:
                self._starts[start] = SHARED
            trajectory = (start, way, url)
            if self._ways.setdefault(trajectory, forager) != forager:
                self._ways[trajectory] = SHARED

    def close(self) -> None:
        """End the current window."""
        pages = Counter(self._pages.values())
        ways = Counter(
            forager for way, forager in self._ways.items() if self._starts[way[0]] == SHARED
        )
        tally = TerritoryTally(
            self.edge,
            len(self._pages),
            {one: count for one, count in sorted(pages.items()) if one != SHARED},
            sum(ways.values()),
            {one: count for one, count in sorted(ways.items()) if one != SHARED},
        )
        self.windows.append(tally)
        self._pages.clear()
        self._ways.clear()
        self._starts.clear()
        self.edge = self.start + self.window * (len(self.windows) + 1)
