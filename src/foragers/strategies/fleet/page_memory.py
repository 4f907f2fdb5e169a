"""The pages that a fleet has seen: when, in which version, and how often they change.

Pages change at random times, at a rate that is estimated from the checks that found a change
(Cho and Garcia-Molina 2003, "Estimating frequency of change").  Half a change is added, so that a
page that never changed is still visited, less and less often.  A page not checked twice is assumed
to change once an hour.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foragers.core import exact
from foragers.core.types import Ids, UrlId
from foragers.frontier.columns import grown
from foragers.strategies.fleet.library import LIBRARY, OpenColumns
from foragers.strategies.fleet.settings import DEFAULT_TUNING, FleetTuning

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

NO_IDS: Ids = np.empty(0, np.int32)


class Sights(NamedTuple):
    """The downloads of a step, the page stepped to first.

    `pages` are -1 where there was none; `numbers` are those of the states; `leads` says which
    have links.
    """

    urls: Ids
    pages: Ids
    numbers: Ids
    times: Floats
    leads: Flags


@lru_cache(maxsize=64)
def least_changes(chance: float) -> float:
    """Return how many changes are expected where one has happened with this probability."""
    return -exact.log_of(1.0 - chance)


@dataclass(slots=True)
class PageMemory:
    """Columns over URLs.

    `expected` is the number of changes to be expected in the time that a page was `watched`, if
    those that no check could tell apart are counted: -n ln((n - X + ½) / (n + ½)).
    """

    tuning: FleetTuning = DEFAULT_TUNING
    seen: Floats = field(default_factory=lambda: np.full(64, -np.inf))
    pages: Ids = field(default_factory=lambda: np.full(64, -1, np.int32))
    states: Ids = field(default_factory=lambda: np.zeros(64, np.int32))
    leads: Flags = field(default_factory=lambda: np.zeros(64, np.bool_))
    checks: Floats = field(default_factory=lambda: np.zeros(64))
    changes: Floats = field(default_factory=lambda: np.zeros(64))
    watched: Floats = field(default_factory=lambda: np.zeros(64))
    expected: Floats = field(default_factory=lambda: np.zeros(64))
    _rates: Floats = field(init=False)
    _open: OpenColumns = field(default_factory=OpenColumns)
    _found: Ids = field(default_factory=lambda: np.empty(64, np.int32), repr=False)

    def __post_init__(self) -> None:
        self._rates = np.full(64, self.tuning.first_rate)

    @property
    def columns(self) -> Any:
        """The columns as the compiled functions see them."""
        if self._open.columns is None and LIBRARY is not None:
            self._open.columns = LIBRARY.Columns(
                "diibddddd",
                *(self.seen, self.pages, self.states, self.leads),
                *(self.checks, self.changes, self.watched, self._rates, self.expected),
            )
        return self._open.columns

    def reach(self, top: int) -> None:
        """Make room for a URL."""
        if top >= len(self.seen):
            self.seen = grown(self.seen, top + 1, -np.inf)
            self.pages = grown(self.pages, top + 1, -1)
            self.states = grown(self.states, top + 1, 0)
            self.leads = grown(self.leads, top + 1, False)
            self.checks = grown(self.checks, top + 1, 0.0)
            self.changes = grown(self.changes, top + 1, 0.0)
            self.watched = grown(self.watched, top + 1, 0.0)
            self.expected = grown(self.expected, top + 1, 0.0)
            self._rates = grown(self._rates, top + 1, self.tuning.first_rate)
            self._open.columns = None

    def note(self, urls: Ids, pages: Ids, states: Ids, times: Floats, leads: Flags) -> None:
        """Record downloads of different URLs, as the columns of `Sights`."""
        if LIBRARY is not None:
            row = urls, pages, states, times, leads, self.tuning.first_rate
            if LIBRARY.remember(self.columns, *row) is None:
                self.reach(int(urls.max()))
                LIBRARY.remember(self.columns, *row)
            return
        self.reach(int(urls.max()))
        before = self.seen[urls]
        seen_before = before > -np.inf
        self.checks[urls] += seen_before
        self.changes[urls] += seen_before & (self.pages[urls] != pages)
        self.watched[urls] += np.where(seen_before, times - before, 0.0)
        self.seen[urls] = times
        self.pages[urls] = pages
        self.states[urls] = states
        self.leads[urls] = leads
        if seen_before.any():
            self._rates[urls] = self._estimated(urls)
            checks, changes = self.checks[urls], self.changes[urls]
            self.expected[urls] = -checks * exact.log((checks - changes + 0.5) / (checks + 0.5))

    def note_one(self, url: UrlId, page: int, state: int, time: float, leads: bool) -> None:
        """Record one download, in the same way: arrays of one cost ten times as much as numbers."""
        if LIBRARY is not None:
            row = url, page, state, time, leads, self.tuning.first_rate
            if LIBRARY.recall(self.columns, *row) is None:
                self.reach(url)
                LIBRARY.recall(self.columns, *row)
            return
        self.reach(url)
        before = self.seen.item(url)
        if before > -np.inf:
            checks = self.checks.item(url) + 1
            changes = self.changes.item(url) + (self.pages.item(url) != page)
            watched = self.watched.item(url) + (time - before)
            self.checks[url], self.changes[url], self.watched[url] = checks, changes, watched
            interval = watched / checks
            still = (checks - changes + 0.5) / (checks + 1.0)
            rate = -exact.log_of(still) / interval if interval > 0 else self.tuning.first_rate
            self._rates[url] = rate
            odds = (checks - changes + 0.5) / (checks + 0.5)
            self.expected[url] = -checks * exact.log_of(odds)
        self.seen[url], self.pages[url] = time, page
        self.states[url], self.leads[url] = state, leads

    def rates(self, urls: Ids) -> Floats:
        """Return the change rates of pages, per second."""
        return self._rates[urls]

    def _estimated(self, urls: Ids) -> Floats:
        """Estimate the change rates of pages: -ln((n - X + ½) / (n + 1)) / I."""
        checks = self.checks[urls]
        interval = self.watched[urls] / np.maximum(checks, 1.0)
        still = (checks - self.changes[urls] + 0.5) / (checks + 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            rates = -exact.log(still) / interval
        first = self.tuning.first_rate
        estimates: Floats = np.where((checks > 0) & (interval > 0), rates, first)
        return estimates

    def new(self, urls: Ids, now: float, chance: float) -> Flags:
        """Return which URLs were never fetched, or had no page and may have one by now."""
        self.reach(int(urls.max()))
        new = np.isneginf(self.seen[urls])
        gone = ~new & (self.pages[urls] < 0)
        if gone.any():
            new[gone] = self.due(urls[gone], now, chance)
        return new

    def due_among(self, urls: Ids, now: float, chance: float) -> Ids:
        """Return the URLs that have changed since they were seen with at least a probability."""
        if LIBRARY is None:
            return urls[self.due(urls, now, chance)]
        if len(urls) > len(self._found):
            self._found = np.empty(2 * len(urls), np.int32)
        found, least = self._found, least_changes(chance)
        count = LIBRARY.due(self.columns, urls, now, least, found)
        if count is None:
            self.reach(int(urls.max()))
            count = LIBRARY.due(self.columns, urls, now, least, found)
        return found[:count].copy() if count else NO_IDS

    def known(self, links: Ids, leaves: bool) -> tuple[Ids, Ids]:
        """Return the links to pages that were seen, and the numbers of their states.

        Without `leaves`, only pages with links.
        """
        if LIBRARY is None:
            self.reach(int(links.max()))
            urls = links[(self.pages[links] >= 0) & (leaves | self.leads[links])]
            return urls, self.states[urls]
        found, numbers = np.empty_like(links), np.empty_like(links)
        count = LIBRARY.known(self.columns, links, leaves, found, numbers)
        if count is None:
            self.reach(int(links.max()))
            count = LIBRARY.known(self.columns, links, leaves, found, numbers)
        return found[:count], numbers[:count]

    def due(self, urls: Ids, now: float, chance: float) -> Flags:
        """Return which URLs have changed since they were seen with at least a probability."""
        self.reach(int(urls.max()))
        waited = now - self.seen[urls]
        # 1 - exp(-λτ) >= chance, without the exponential.
        due: Flags = self._rates[urls] * waited >= least_changes(chance)
        return due

    def worth(self, urls: Ids, weights: Floats, now: float) -> Floats:
        """Return the value of fetching pages now, if the aim is new content.

        The frequencies f that find most new content for a budget satisfy
        w [1 - (1 + λ/f) exp(-λ/f)] = μ.  So the page to fetch is the one with the largest left
        side, with the time since it was last fetched for 1/f.
        """
        self.reach(int(urls.max()))
        expected = self.rates(urls) * np.minimum(now - self.seen[urls], 1e12)
        found: Floats = weights * (1.0 - (1.0 + expected) * exact.exp(-expected))
        return found
