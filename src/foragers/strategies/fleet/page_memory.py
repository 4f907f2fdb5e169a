"""What a fleet knows of the pages it has seen: when, in which version, how often they change.

Pages change at random times, at a rate that is estimated from how many of the checks found
a change (after Cho and Garcia-Molina).  Half a change is added, so that a page that never
changed is still looked at, less and less often.  A page not checked twice is taken to
change `FIRST_RATE` times a second.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foragers.core import exact
from foragers.core.types import Ids
from foragers.frontier.columns import grown

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

FIRST_RATE = 1 / 3600.0
"""How often a page is thought to change of which nothing is known: once an hour."""


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


@dataclass(slots=True)
class PageMemory:
    """Columns over URLs."""

    seen: Floats = field(default_factory=lambda: np.full(64, -np.inf))
    pages: Ids = field(default_factory=lambda: np.full(64, -1, np.int32))
    states: Ids = field(default_factory=lambda: np.zeros(64, np.int32))
    leads: Flags = field(default_factory=lambda: np.zeros(64, np.bool_))
    checks: Floats = field(default_factory=lambda: np.zeros(64))
    changes: Floats = field(default_factory=lambda: np.zeros(64))
    watched: Floats = field(default_factory=lambda: np.zeros(64))

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

    def note(self, urls: Ids, pages: Ids, states: Ids, times: Floats, leads: Flags) -> None:
        """Take in downloads of different URLs, as the columns of `Sights`."""
        self.reach(int(urls.max()))
        before = self.seen[urls]
        known = before > -np.inf
        self.checks[urls] += known
        self.changes[urls] += known & (self.pages[urls] != pages)
        self.watched[urls] += np.where(known, times - before, 0.0)
        self.seen[urls] = times
        self.pages[urls] = pages
        self.states[urls] = states
        self.leads[urls] = leads

    def rates(self, urls: Ids) -> Floats:
        """Return how often pages change, in changes a second: -ln((n - X + ½) / (n + 1)) / I."""
        checks = self.checks[urls]
        interval = self.watched[urls] / np.maximum(checks, 1.0)
        still = (checks - self.changes[urls] + 0.5) / (checks + 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            rates = -exact.log(still) / interval
        found: Floats = np.where((checks > 0) & (interval > 0), rates, FIRST_RATE)
        return found

    def new(self, urls: Ids, now: float, chance: float) -> Flags:
        """Say which URLs were never fetched, or had no page and may have one by now."""
        self.reach(int(urls.max()))
        new = np.isneginf(self.seen[urls])
        gone = ~new & (self.pages[urls] < 0)
        if gone.any():
            new[gone] = self.due(urls[gone], now, chance)
        return new

    def due(self, urls: Ids, now: float, chance: float) -> Flags:
        """Say which URLs are new, or have changed since they were seen with at least a chance."""
        self.reach(int(urls.max()))
        waited = now - self.seen[urls]
        return -exact.expm1(-self.rates(urls) * waited) >= chance

    def worth(self, urls: Ids, weights: Floats, now: float) -> Floats:
        """Return what it is worth to fetch pages now, if new content is what counts.

        The frequencies f that find most new content for a budget satisfy
        w [1 - (1 + λ/f) exp(-λ/f)] = μ.  So the page for which the left side, with the time
        since it was last fetched for 1/f, is largest is the one to fetch.
        """
        self.reach(int(urls.max()))
        expected = self.rates(urls) * np.minimum(now - self.seen[urls], 1e12)
        found: Floats = weights * (1.0 - (1.0 + expected) * exact.exp(-expected))
        return found
