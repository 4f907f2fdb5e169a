"""The path of a forager: the pages visited since it started, and the frontier.

Pages of the frontier with the same state have the same value.  They are kept together, one *kind*
of page for each state.  So the cost of a choice depends on the number of kinds only, ties do
not depend on rounding, and a page is drawn from a kind in constant time.  The *gate* of a kind is
closed (minus infinity) while it has no pages.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foragers.core.exact import times
from foragers.core.types import Ids, UrlId
from foragers.frontier.columns import States, grown
from foragers.strategies.fleet.library import LIBRARY

VISITED = -1
"""In place of the kind of a page: it was visited."""

Floats = NDArray[np.float64]


@dataclass(slots=True)
class Path:
    """Frontier and visited pages of one path.

    `urls` and `rewards` are its steps so far, `waiting` is the number of pages in the frontier.
    The values of the first `_valued` kinds are up to date.
    """

    urls: list[UrlId] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    waiting: int = 0
    _kind_of: dict[UrlId, int] = field(default_factory=dict)
    _members: list[list[UrlId]] = field(default_factory=list)
    _kinds: dict[int, int] = field(default_factory=dict)
    _table: Floats = field(default_factory=lambda: np.empty((0, 0)))
    _gates: Floats = field(default_factory=lambda: np.empty(0))
    _values: Floats = field(default_factory=lambda: np.empty(0))
    _valued: int = 0
    _top: int = -1

    def restart(self) -> None:
        """Clear the visited pages and the frontier."""
        self.urls, self.rewards = [], []
        self.waiting = 0
        self._kind_of.clear()
        if self._kinds:
            self._members.clear()
            self._kinds.clear()
        self._valued, self._top = 0, -1

    def visit(self, url: UrlId) -> None:
        """Record that a page is visited, and keep it out of the frontier."""
        self.block(url)
        self.urls.append(url)

    def block(self, url: UrlId) -> None:
        """Keep a page out of the frontier, though it is no step of the path."""
        kind = self._kind_of.get(url, VISITED)
        if kind != VISITED:
            self._leave(url, kind)
            self.waiting -= 1
        self._kind_of[url] = VISITED

    def unvisited(self, urls: Ids) -> NDArray[np.bool_]:
        """Return which URLs this path has not visited."""
        kind_of = self._kind_of
        return np.array([kind_of.get(url) != VISITED for url in urls.tolist()], np.bool_)

    def add(self, urls: Ids, numbers: Ids, states: States) -> None:
        """Put pages that are not visited into the frontier, each with the number of its state."""
        kind_of, members = self._kind_of, self._members
        self._top = -1
        if LIBRARY is not None:
            frontier = kind_of, members, self._kinds
            found = states, urls, numbers
            added: int | None = LIBRARY.place(*frontier, self._gates, self._table, *found)
            if added is None:
                self._reach(len(members) + len(urls), states.shape[1])
                added = LIBRARY.place(*frontier, self._gates, self._table, *found)
            assert added is not None
            self.waiting += added
            return
        for url, kind in zip(urls.tolist(), self._kinds_of(numbers, states), strict=True):
            before = kind_of.get(url)
            if before is None:
                self.waiting += 1
            elif before in (VISITED, kind):
                continue
            else:  # the page has changed
                self._leave(url, before)
            kind_of[url] = kind
            pages = members[kind]
            if not pages:
                self._gates[kind] = 0.0
            pages.append(url)

    def see(self, memory: Any, links: Ids, leaves: bool, states: States) -> bool:
        """Put links to pages that a memory knows into the frontier, if there is room for them.

        Without compiled functions, or without room, it does nothing and returns False.
        """
        if LIBRARY is None:
            return False
        frontier = self._kind_of, self._members, self._kinds, self._gates, self._table
        added: int | None = LIBRARY.see(memory, links, leaves, *frontier, states)
        if added is None:
            return False
        self._top = -1
        self.waiting += added
        return True

    def _leave(self, url: UrlId, kind: int) -> None:
        """Take a page out of its kind."""
        self._members[kind].remove(url)
        self._top = -1
        if not self._members[kind]:
            self._gates[kind] = -np.inf

    def _kinds_of(self, numbers: Ids, states: States) -> list[int]:
        """Return the kinds of pages by the numbers of their states, and add new kinds."""
        kinds = self._kinds
        first = len(kinds)
        of_pages = [kinds.setdefault(number, len(kinds)) for number in numbers.tolist()]
        count = len(kinds)
        if count > first:
            self._reach(count, states.shape[1])
            self._gates[first:count] = -np.inf
            self._table[first:count] = states[list(islice(kinds, first, None))]
            self._members += [[] for _ in range(first, count)]
        return of_pages

    def _reach(self, count: int, width: int) -> None:
        """Make room for so many kinds."""
        if self._table.shape[1] != width:
            self._table = np.zeros((64, width))
        self._table = grown(self._table, count, 0.0)
        self._gates = grown(self._gates, count, -np.inf)
        self._values = grown(self._values, count, 0.0)

    def reweigh(self) -> None:
        """Recompute values, since the weights have changed."""
        self._valued = 0
        self._top = -1

    def go_best(self, weights: Floats, rng: np.random.Generator) -> tuple[UrlId, float]:
        """Visit the page of highest value, ties at random, and return the value (Algorithm 3)."""
        top = self._top
        if top < 0:
            top = self._best_kind(weights, rng)
        return self._take(top, rng), self._values.item(top)

    def go_anywhere(self, rng: np.random.Generator) -> UrlId:
        """Visit a page of the frontier at random."""
        return self._take(self._draw_kind(range(len(self._members)), rng), rng)

    def _take(self, kind: int, rng: np.random.Generator) -> UrlId:
        """Visit a page of a kind, drawn at random."""
        members = self._members[kind]
        if (count := len(members)) > 1:
            index = int(rng.random() * count)
            members[index], members[-1] = members[-1], members[index]
        url = members.pop()
        if not members:
            self._gates[kind] = -np.inf
            self._top = -1
        self._kind_of[url] = VISITED
        self.waiting -= 1
        self.urls.append(url)
        return url

    def _best_kind(self, weights: Floats, rng: np.random.Generator) -> int:
        """Find the kind of the highest value, and remember it until something changes."""
        first, count = self._valued, len(self._members)
        self._valued = count
        if LIBRARY is not None:
            single: int | None = LIBRARY.best(
                self._table, weights, self._values, self._gates, first, count
            )
            if single is not None:
                self._top = single
                return single
        elif first < count:
            self._values[first:count] = times(self._table[first:count], weights)
        open_values = self._values[:count] + self._gates[:count]
        kind = int(open_values.argmax())
        equal = open_values == open_values[kind]
        if np.count_nonzero(equal) > 1:  # different states of the same value
            return self._draw_kind(equal.nonzero()[0].tolist(), rng)
        self._top = kind
        return kind

    def _draw_kind(self, kinds: range | list[int], rng: np.random.Generator) -> int:
        """Draw one of several kinds, in proportion to their numbers of pages."""
        members = self._members
        lot = int(rng.random() * sum(len(members[kind]) for kind in kinds))
        for kind in kinds:
            lot -= len(members[kind])
            if lot < 0:
                break
        return kind
