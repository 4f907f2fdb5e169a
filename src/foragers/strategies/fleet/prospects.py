"""The promise of every page that a fleet knows: the expected news of a download now.

A page that was fetched is news again if it has changed since: with its change rate λ and the time τ
since then, with probability 1 − exp(−λτ).  Changes longer ago than news may be old do not count.
The value of a change is learned: a list brings the new pages that it links to.  The rate is
estimated from n checks over a time W, X of which found a change: λ = (−n ln((n − X + ½)/(n + ½)) +
½) / (W + ½/λ₀), where λ₀ is the rate of all pages of the class: with links or without, found
recently or not.  A list is not credited for the new pages in full, since they have to be fetched: a
download has a *price*, the mean promise of the pages chosen recently.

A page that was never fetched is *fresh* if its link appeared on a page that was known before, and
otherwise of the *stock*.  The share of news among such pages is counted, for both classes and for
the pages that link to them.  A link that appeared longer ago than news may be old is no news any
more, unless the page has changed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from heapq import heapify, heappop
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foragers.core import exact
from foragers.core.types import Ids, UrlId
from foragers.frontier.columns import Places, grown
from foragers.strategies.fleet.library import LIBRARY, OpenColumns
from foragers.strategies.fleet.page_memory import PageMemory
from foragers.strategies.fleet.settings import DEFAULT_TUNING, FleetTuning

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class LinkClass(IntEnum):
    """Pages never fetched: of the stock, or with a fresh link."""

    STOCK = 0
    FRESH = 1


def pair(stock: float, fresh: float) -> Floats:
    """Return two counts."""
    return np.array([stock, fresh])


@dataclass(slots=True)
class Prospects:
    """Columns over URLs besides those of the memory, and counts of each class of pages."""

    memory: PageMemory
    new_within: float
    tuning: FleetTuning = DEFAULT_TUNING
    sighted: Floats = field(default_factory=lambda: np.full(64, -np.inf))
    asked: Floats = field(default_factory=lambda: np.full(64, -np.inf))
    parents: Ids = field(default_factory=lambda: np.full(64, -1, np.int32))
    kinds: Ids = field(default_factory=lambda: np.zeros(64, np.int32))
    earned: Floats = field(default_factory=lambda: np.zeros(64))
    tries: Floats = field(default_factory=lambda: np.zeros((64, 2)))
    wins: Floats = field(default_factory=lambda: np.zeros((64, 2)))
    all_tries: Floats = field(default_factory=lambda: pair(2.0, 1.0))
    all_wins: Floats = field(default_factory=lambda: pair(1.0, 1.0))
    changes: Floats = field(init=False)
    watched: Floats = field(init=False)
    price: float = 0.1
    _known: Ids = field(default_factory=lambda: np.zeros(64, np.int32))
    _count: int = 0
    _short: Ids = field(default_factory=lambda: np.zeros(0, np.int32))
    _turns: int = 0
    _new: list[Ids] = field(default_factory=list)
    _heap: list[tuple[float, float, UrlId]] = field(default_factory=list)
    _scored: float = -np.inf
    _looks: int = 0
    _open: OpenColumns = field(default_factory=OpenColumns)

    def __post_init__(self) -> None:
        prior = self.tuning.prior_changes
        self.changes, self.watched = np.full(4, prior), np.full(4, prior / self.tuning.first_rate)

    @property
    def columns(self) -> Any:
        """The columns as the compiled functions see them."""
        if self._open.columns is None and LIBRARY is not None:
            self._open.columns = LIBRARY.Columns(
                "ddiiddddddd",
                *(self.sighted, self.asked, self.parents, self.kinds, self.earned),
                *(self.tries, self.wins, self.all_tries, self.all_wins),
                *(self.changes, self.watched),
            )
        return self._open.columns

    def _rules(self, now: float) -> tuple[float, float, float, float, float]:
        """Return the numbers that promises depend on besides the columns."""
        tuning = self.tuning
        priors = tuning.prior_changes, tuning.prior_tries
        return now, self.new_within, *priors, tuning.first_rate

    def reach(self, top: int) -> None:
        """Make room for a URL."""
        self.memory.reach(top)
        if top >= len(self.sighted):
            self.sighted = grown(self.sighted, top + 1, -np.inf)
            self.asked = grown(self.asked, top + 1, -np.inf)
            self.parents = grown(self.parents, top + 1, -1)
            self.kinds = grown(self.kinds, top + 1, LinkClass.STOCK)
            self.earned = grown(self.earned, top + 1, 0.0)
            self.tries = grown(self.tries, top + 1, 0.0)
            self.wins = grown(self.wins, top + 1, 0.0)
            self._open.columns = None

    def begin(self, seeds: Ids, now: float) -> None:
        """Add the seeds: the first known pages."""
        self._add(seeds, LinkClass.FRESH, -1, now)

    def sight(self, page: UrlId, links: Ids, now: float) -> None:
        """Add the links of a page, before the memory records that it was fetched."""
        new = self._unsighted(page, links)
        if len(new):
            kind = LinkClass.STOCK if np.isneginf(self.memory.seen[page]) else LinkClass.FRESH
            self._add(new, kind, page, now)

    def _unsighted(self, page: UrlId, links: Ids) -> Ids:
        """Return the links of a page that no page had before."""
        if LIBRARY is not None and page < len(self.sighted):
            found = np.empty_like(links)
            count: int | None = LIBRARY.unsighted(self.columns, links, found)
            if count is not None:
                return found[:count]
        self.reach(max(page, int(links.max())))
        new: Ids = links[self.sighted[links] == -np.inf]
        return new

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
        self._new.append(urls)

    def note(self, urls: Ids, pages: Ids, times: Floats, rewarded: Places) -> None:
        """Record downloads and which were news, before the memory records them."""
        if LIBRARY is not None:
            row = self.new_within, self.price, urls, pages, times, rewarded
            if LIBRARY.note(self.memory.columns, self.columns, *row) is None:
                self.reach(int(urls.max()))
                LIBRARY.note(self.memory.columns, self.columns, *row)
            return
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

    def pass_by(self, url: UrlId, page: int, time: float) -> None:
        """Record one download that was no news, in the same way."""
        if LIBRARY is not None:
            row = self.new_within, self.price, url, page, time
            if LIBRARY.pass_by(self.memory.columns, self.columns, *row) is None:
                self.reach(url)
                LIBRARY.pass_by(self.memory.columns, self.columns, *row)
            return
        self.reach(url)
        memory = self.memory
        before = memory.seen.item(url)
        if before > -np.inf:
            is_fresh = self.kinds.item(url) == LinkClass.FRESH
            is_recent = is_fresh and time - self.sighted.item(url) <= self.new_within
            place = 2 * is_recent + memory.leads.item(url)
            self.changes[place] += memory.pages.item(url) != page
            self.watched[place] += time - before
        else:
            self._first(np.array([url], np.int32), np.zeros(1, np.bool_))
        self.asked[url] = time

    def _classes(self, urls: Ids, now: float | Floats) -> Places:
        """Return the class of each page: with links or without, found recently or not."""
        recent = (self.kinds[urls] == LinkClass.FRESH) & (
            now - self.sighted[urls] <= self.new_within
        )
        return np.asarray(2 * recent + self.memory.leads[urls], np.intp)

    def _first(self, urls: Ids, news: Flags) -> None:
        """Count pages fetched for the first time, for their class and their parent."""
        kinds, parents = self.kinds[urls], self.parents[urls]
        self.all_tries += np.bincount(kinds, minlength=2)
        self.all_wins += np.bincount(kinds, news, 2)
        linked = parents >= 0
        kinds, parents, news = kinds[linked], parents[linked], news[linked]
        np.add.at(self.tries, (parents, kinds), 1.0)
        np.add.at(self.wins, (parents, kinds), news)
        fresh = kinds == LinkClass.FRESH
        np.add.at(self.earned, parents[fresh], news[fresh] - self.price)

    def worth(self, urls: Ids, now: float) -> Floats:
        """Return the promise of each page."""
        if LIBRARY is not None:
            found = np.empty(len(urls))
            LIBRARY.worth(self.memory.columns, self.columns, self._rules(now), urls, found)
            return found
        fetched = self.memory.seen[urls] > -np.inf
        promises = np.empty(len(urls))
        promises[fetched] = self._again(urls[fetched], now)
        promises[~fetched] = self._untried(urls[~fetched], now)
        return promises

    def _again(self, urls: Ids, now: float) -> Floats:
        """Return the promises of pages that were fetched before."""
        memory = self.memory
        common = (self.changes / self.watched)[self._classes(urls, now)]
        prior = self.tuning.prior_changes
        rates = (memory.expected[urls] + prior) / (memory.watched[urls] + prior / common)
        since = np.minimum(now - self.asked[urls], self.new_within)
        value = (self.earned[urls] + 1.0) / (memory.changes[urls] + 1.0)
        promises: Floats = value * -exact.expm1(-rates * since)
        return promises

    def _untried(self, urls: Ids, now: float) -> Floats:
        """Return the promises of pages that were never fetched."""
        kinds, parents = self.kinds[urls], self.parents[urls]
        rates = (self.all_wins / self.all_tries)[kinds]
        wins = np.where(parents >= 0, self.wins[parents, kinds], 0.0)
        tries = np.where(parents >= 0, self.tries[parents, kinds], 0.0)
        prior = self.tuning.prior_tries
        promises: Floats = (wins + prior * rates) / (tries + prior)
        waited = now - self.sighted[urls]
        late = -exact.expm1_of(-(self.changes / self.watched).item(0) * min(self.new_within, 1e12))
        promises = np.where(
            waited > self.new_within, late, promises * (1 - 0.5 * waited / self.new_within)
        )
        asked = self.asked[urls]
        again = asked > -np.inf  # and not answered: it may be lost
        promises[again] *= -exact.expm1(-self.tuning.first_rate * (now - asked[again]))
        return promises

    def choose(self, now: float, rng: np.random.Generator) -> tuple[UrlId, float]:
        """Return the page with the highest promise, and the promise; of equal ones any.

        Promises are computed for a number of choices within a minute, and those of new links at
        once.
        """
        if self._turns <= 0:
            self._shorten(now)
        is_old = now - self._scored > self.tuning.scored_for
        if self._looks <= 0 or is_old or not self._heap:
            self._heap = []
            self._push(self._short, now, rng)
            self._scored, self._looks = now, self.tuning.choices_scored
        elif self._new:
            self._push(np.concatenate(self._new), now, rng)
        self._new = []
        self._turns -= 1
        self._looks -= 1
        promise, _, url = heappop(self._heap)
        while self._heap and self.asked.item(url) > self._scored:  # fetched since it was scored
            promise, _, url = heappop(self._heap)
        self.asked[url] = now
        self.price += self.tuning.price_rate * (min(-promise, 1.0) - self.price)
        if len(self._short) > 4 * self.tuning.shortlist:
            self._turns = 0
        return url, -promise

    def _push(self, urls: Ids, now: float, rng: np.random.Generator) -> None:
        """Score pages, and add them to those that can be chosen."""
        lots, promises = rng.random(len(urls)).tolist(), (-self.worth(urls, now)).tolist()
        self._heap += zip(promises, lots, urls.tolist(), strict=True)
        heapify(self._heap)

    def _shorten(self, now: float) -> None:
        """Find the most promising of all known pages."""
        urls = self._known[: self._count]
        shortlist = self.tuning.shortlist
        if len(urls) > shortlist:
            urls = self._best(urls, now, shortlist)
        self._short = urls
        self._turns, self._looks = max(16, self._count // 64), 0

    def _best(self, urls: Ids, now: float, count: int) -> Ids:
        """Return the most promising pages, the best first, and of equal ones the first."""
        if LIBRARY is None:
            return urls[np.argsort(-self.worth(urls, now), kind="stable")[:count]]
        found = np.empty(count, np.int32)
        LIBRARY.shortlist(self.memory.columns, self.columns, self._rules(now), urls, found)
        return found

    def promising(self, page: UrlId, links: Ids, now: float) -> Ids:
        """Add the links of a page, and return those, never fetched, that promise enough.

        That is as much as the price or more.
        """
        if LIBRARY is not None:
            found, rules = np.empty_like(links), self._rules(now)
            last = rules, self.price, links, found
            count = LIBRARY.promising(self.memory.columns, self.columns, *last)
            if count is None:
                self.sight(page, links, now)
                count = LIBRARY.promising(self.memory.columns, self.columns, *last)
            return found[:count]
        self.sight(page, links, now)
        untried: Flags = np.maximum(self.memory.seen[links], self.asked[links]) == -np.inf
        if untried.item(untried.argmax()):
            untried[untried] = self._untried(links[untried], now) >= self.price
        return links[untried]
