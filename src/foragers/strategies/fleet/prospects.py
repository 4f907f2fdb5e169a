"""What every page that a fleet knows of promises: how much news a download of it would bring now.

A page that was fetched is news again if it changed since: with its rate of change λ and the
time τ since, with the chance 1 − exp(−λτ); changes longer ago than news may be old do not
count.  What a change is worth is learned: a list brings the new pages that it links to.  The
rate is estimated from all checks, n of them, X with a change, over a time W:
λ = (−n ln((n − X + ½)/(n + ½)) + ½) / (W + ½/λ₀), λ₀ being the rate of all pages of the class:
with links or without, turned up lately or not.  A list is not paid for the new pages in full,
since they have to be fetched: a download has a *price*, what the pages chosen lately promised.

A page that was never fetched is *fresh* if its link turned up on a page that was known
before, and else of the *stock*.  How often such pages are news is counted, for each of the
two and for the pages that link to them.  A link that turned up longer ago than news may be
old is no news any more, unless the page has changed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from foragers.core import exact
from foragers.core.types import Ids, UrlId
from foragers.frontier.columns import Places, grown
from foragers.strategies.fleet.page_memory import FIRST_RATE, PageMemory

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

STOCK, FRESH = 0, 1
HALF = 0.5
"""So many changes are added to those counted, at the rate of all pages of the kind."""

LIKE_ITS_KIND = 3.0
"""So many tries at the rate of its kind are added to those of the links of one page."""

SMOOTH = 0.05
"""How fast the price follows what the pages chosen promise."""

SHORTLIST = 64
"""So many of the most promising pages are compared at each step, the others now and then."""


def pair(stock: float, fresh: float) -> Floats:
    """Return two counts."""
    return np.array([stock, fresh])


@dataclass(slots=True)
class Prospects:
    """Columns over URLs beside those of the memory, and counts of each kind of page."""

    memory: PageMemory
    new_within: float
    sighted: Floats = field(default_factory=lambda: np.full(64, -np.inf))
    asked: Floats = field(default_factory=lambda: np.full(64, -np.inf))
    parents: Ids = field(default_factory=lambda: np.full(64, -1, np.int32))
    kinds: Ids = field(default_factory=lambda: np.zeros(64, np.int32))
    earned: Floats = field(default_factory=lambda: np.zeros(64))
    tries: Floats = field(default_factory=lambda: np.zeros((64, 2)))
    wins: Floats = field(default_factory=lambda: np.zeros((64, 2)))
    all_tries: Floats = field(default_factory=lambda: pair(2.0, 1.0))
    all_wins: Floats = field(default_factory=lambda: pair(1.0, 1.0))
    changes: Floats = field(default_factory=lambda: np.full(4, HALF))
    watched: Floats = field(default_factory=lambda: np.full(4, HALF / FIRST_RATE))
    price: float = 0.1
    _known: Ids = field(default_factory=lambda: np.zeros(64, np.int32))
    _count: int = 0
    _short: Ids = field(default_factory=lambda: np.zeros(0, np.int32))
    _turns: int = 0

    def reach(self, top: int) -> None:
        """Make room for a URL."""
        self.memory.reach(top)
        if top >= len(self.sighted):
            self.sighted = grown(self.sighted, top + 1, -np.inf)
            self.asked = grown(self.asked, top + 1, -np.inf)
            self.parents = grown(self.parents, top + 1, -1)
            self.kinds = grown(self.kinds, top + 1, STOCK)
            self.earned = grown(self.earned, top + 1, 0.0)
            self.tries = grown(self.tries, top + 1, 0.0)
            self.wins = grown(self.wins, top + 1, 0.0)

    def begin(self, seeds: Ids, now: float) -> None:
        """Take in the seeds: the first pages that are known."""
        self._add(seeds, FRESH, -1, now)

    def sight(self, page: UrlId, links: Ids, now: float) -> None:
        """Take in the links of a page, before the memory notes that it was fetched."""
        self.reach(max(page, int(links.max())))
        new = links[np.isneginf(self.sighted[links])]
        if len(new):
            kind = STOCK if np.isneginf(self.memory.seen[page]) else FRESH
            self._add(new, kind, page, now)

    def _add(self, urls: Ids, kind: int, parent: UrlId, now: float) -> None:
        self.reach(int(urls.max()))
        self.sighted[urls] = now
        self.kinds[urls] = kind
        self.parents[urls] = parent
        last = self._count + len(urls)
        self._known = grown(self._known, last, 0)
        self._known[self._count : last] = urls
        self._count = last
        self._short = np.concatenate((self._short, urls))

    def note(self, urls: Ids, pages: Ids, times: Floats, rewarded: Places) -> None:
        """Take in downloads and which were news, before the memory notes them."""
        self.reach(int(urls.max()))
        memory = self.memory
        before = memory.seen[urls]
        again = before > -np.inf
        classes = self._classes(urls, times)
        changed = again & (memory.pages[urls] != pages)
        self.changes += np.bincount(classes, changed, 4)
        self.watched += np.bincount(classes, np.where(again, times - before, 0.0), 4)
        news = np.zeros(len(urls), np.bool_)
        news[rewarded] = True
        self.earned[urls[again]] += news[again]
        self.asked[urls] = times
        first = ~again
        if first.any():
            self._first(urls[first], news[first])

    def _classes(self, urls: Ids, now: float | Floats) -> Places:
        """Return for each page one of four: with links or without, lately turned up or not."""
        recent = (self.kinds[urls] == FRESH) & (now - self.sighted[urls] <= self.new_within)
        return np.asarray(2 * recent + self.memory.leads[urls], np.intp)

    def _first(self, urls: Ids, news: Flags) -> None:
        """Count pages fetched for the first time for their kind and the pages that showed them."""
        kinds, parents = self.kinds[urls], self.parents[urls]
        self.all_tries += np.bincount(kinds, minlength=2)
        self.all_wins += np.bincount(kinds, news, 2)
        linked = parents >= 0
        kinds, parents, news = kinds[linked], parents[linked], news[linked]
        np.add.at(self.tries, (parents, kinds), 1.0)
        np.add.at(self.wins, (parents, kinds), news)
        fresh = kinds == FRESH
        np.add.at(self.earned, parents[fresh], news[fresh] - self.price)

    def worth(self, urls: Ids, now: float) -> Floats:
        """Return how much news a download of each page promises."""
        fetched = self.memory.seen[urls] > -np.inf
        found = np.empty(len(urls))
        found[fetched] = self._again(urls[fetched], now)
        found[~fetched] = self._untried(urls[~fetched], now)
        return found

    def _again(self, urls: Ids, now: float) -> Floats:
        """Return what pages promise that were fetched before."""
        memory = self.memory
        checks, changes = memory.checks[urls], memory.changes[urls]
        events = -checks * exact.log((checks - changes + 0.5) / (checks + 0.5))
        common = (self.changes / self.watched)[self._classes(urls, now)]
        rates = (events + HALF) / (memory.watched[urls] + HALF / common)
        since = np.minimum(now - self.asked[urls], self.new_within)
        value = (self.earned[urls] + 1.0) / (changes + 1.0)
        found: Floats = value * -exact.expm1(-rates * since)
        return found

    def _untried(self, urls: Ids, now: float) -> Floats:
        """Return what pages promise that were never fetched."""
        kinds, parents = self.kinds[urls], self.parents[urls]
        rates = (self.all_wins / self.all_tries)[kinds]
        wins, tries = self.wins[parents, kinds], self.tries[parents, kinds]
        found: Floats = (wins + LIKE_ITS_KIND * rates) / (tries + LIKE_ITS_KIND)
        waited = now - self.sighted[urls]
        late = -exact.expm1_of(-(self.changes / self.watched).item(0) * min(self.new_within, 1e12))
        found = np.where(
            waited > self.new_within, late, found * (1 - 0.5 * waited / self.new_within)
        )
        asked = self.asked[urls]
        again = asked > -np.inf  # and not answered: it may be lost
        found[again] *= -exact.expm1(-FIRST_RATE * (now - asked[again]))
        return found

    def choose(self, now: float, rng: np.random.Generator) -> tuple[UrlId, float]:
        """Return the page that promises most, and how much."""
        if self._turns <= 0:
            self._shorten(now)
        self._turns -= 1
        urls = self._short
        worth = self.worth(urls, now)
        best = worth.max()
        ties = np.flatnonzero(worth == best)
        url = urls.item(ties.item(int(rng.random() * len(ties))))
        self.asked[url] = now
        self.price += SMOOTH * (min(float(best), 1.0) - self.price)
        if len(urls) > 4 * SHORTLIST:
            self._turns = 0
        return url, float(best)

    def _shorten(self, now: float) -> None:
        """Find the most promising of all known pages."""
        known = self._known[: self._count]
        if len(known) > SHORTLIST:
            worth = self.worth(known, now)
            known = known[np.argsort(-worth, kind="stable")[:SHORTLIST]]
        self._short = known
        self._turns = max(16, self._count // 64)

    def promising(self, links: Ids, now: float) -> Flags:
        """Say which links, never fetched, promise more than the price."""
        found = np.isneginf(self.memory.seen[links]) & np.isneginf(self.asked[links])
        if found.any():
            found[found] = self._untried(links[found], now) >= self.price
        return found
