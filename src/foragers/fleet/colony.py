"""A colony: one reinforcing agent, and one or several fleets that work for it in turns.

The steps of Algorithms 9 to 12 are here, over arrays, without a word on how pages are
downloaded: the strategy that asks a world page by page (`strategies.foragers`) and the
replay that reads whole steps from an archive (`fleet.replay`) both call them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from foragers.fleet.agent import ReinforcingAgent, profit
from foragers.fleet.fleet import Fleet
from foragers.fleet.forager import Forager
from foragers.fleet.memory import Memory
from foragers.types import Ids, UrlId

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]

NO_FLAGS: Flags = np.zeros(0, np.bool_)
LEAST_VALUE = 1.0
"""What a starting URL counts at least when one is chosen by refresh: all are looked at in time."""


@dataclass(slots=True)
class Colony:
    """Fleets under one reinforcing agent.

    Several fleets share the downloads by what each earns, relevant pages a download, to the
    power of `keenness`; what was `lasting` downloads ago counts half; and none gets less
    than `least_share`.
    """

    fleets: list[Fleet]
    width: int
    rng: np.random.Generator
    least_share: float = 0.05
    lasting: float = 500.0
    keenness: float = 2.0
    agent: ReinforcingAgent = field(default_factory=ReinforcingAgent)
    memory: Memory | None = None
    born: int = 0

    @property
    def foragers(self) -> list[Forager]:
        """All foragers alive."""
        return [one for fleet in self.fleets for one in fleet.population.members]

    def begin(self, seeds: Iterable[UrlId], now: float) -> None:
        """Make the first foragers of every fleet (Algorithm 9)."""
        urls = list(seeds)
        if self.memory is None and any(remembers(fleet) for fleet in self.fleets):
            self.memory = Memory()
        for fleet in self.fleets:
            self.born = fleet.begin(urls, self.born, self.width, now, self.rng)

    def start_turn(self, now: float) -> Forager | None:
        """Choose who works next; None if nobody rests."""
        ready = [fleet for fleet in self.fleets if fleet.resting]
        if not ready:
            return None
        return max(ready, key=lambda one: one.credit).start_turn(now, self.rng)

    def _share(self, forager: Forager, downloads: int, found: int) -> None:
        """Charge a fleet for downloads, and give every fleet credit by what it earns."""
        rates = [
            ((fleet.earned + 1.0) / (fleet.spent + 100.0)) ** self.keenness for fleet in self.fleets
        ]
        free = 1.0 - self.least_share * len(rates)
        keep = 0.5 ** (downloads / self.lasting)
        for fleet, rate in zip(self.fleets, rates, strict=True):
            fleet.credit += downloads * (self.least_share + free * rate / sum(rates))
            fleet.earned *= keep
            fleet.spent *= keep
        working = self.fleet_of(forager)
        working.credit -= downloads
        working.spent += downloads
        working.earned += found

    def end_turn(self, forager: Forager, now: float) -> None:
        """Stop a forager, and let it multiply or die (Algorithm 8)."""
        self.born += self.fleet_of(forager).end_turn(forager, now, self.born, self.rng)

    def fleet_of(self, forager: Forager) -> Fleet:
        """Return the fleet of a forager."""
        for fleet in self.fleets:
            if fleet.settings is forager.settings:
                return fleet
        raise LookupError(f"forager {forager.name} is of no fleet here")

    def next_page(self, forager: Forager, now: float) -> tuple[UrlId, float]:
        """Choose the page that a forager steps to, and begin the step (Algorithm 11)."""
        if forager.at_end:
            forager.end_path()
            url, promise = self._start(forager, now)
            forager.path.visit(url)
        else:
            url, promise = forager.choose(self.rng)
        if not forager.settings.weblog_update:
            forager.weblog.note(url)
        return url, promise

    def _start(self, forager: Forager, now: float) -> tuple[UrlId, float]:
        """Choose where a path starts."""
        weblog = forager.weblog
        if forager.settings.starts == "refresh" and self.memory is not None:
            urls = np.fromiter(weblog.values, np.int32, len(weblog))
            values = np.fromiter(weblog.values.values(), np.float64, len(weblog))
            worth = self.memory.worth(urls, np.maximum(values, LEAST_VALUE), now)
            ties = np.flatnonzero(worth == worth.max())
            url = urls.item(ties.item(int(self.rng.random() * len(ties))))
        else:
            starting = weblog.starting
            url = starting[int(self.rng.random() * len(starting))]
        return url, weblog.values[url]

    def looks(self, forager: Forager, links: Ids, now: float) -> Ids:
        """Return which links of a page are to be downloaded."""
        how = forager.settings.looks
        if how == "all" or not len(links):
            return links
        if how == "unvisited":
            return links[forager.path.unvisited(links)]
        assert self.memory is not None
        choose = self.memory.new if how == "new" else self.memory.due
        return links[choose(links, now, forager.settings.due_chance)]

    def remember(
        self,
        forager: Forager,
        urls: Ids,
        pages: Ids,
        numbers: Ids,
        times: Floats,
        leads: Flags,
        links: Ids,
        states: NDArray[np.float32],
    ) -> None:
        """Put what a step saw into the frontier: linked pages that came back (Algorithm 12).

        `urls` are the downloads, the page stepped to first, with the pages they showed (-1
        for none), the numbers of their states, and whether they have links themselves.  Of other
        `links` the memory may know.
        """
        leaves, memory = forager.settings.leaves, self.memory
        if forager.settings.ordering == "random":
            numbers = np.zeros_like(numbers)  # who goes anywhere sees no difference
        if memory is not None:
            memory.note(urls, pages, numbers, times, leads)
            if len(links) and forager.goes_on:
                memory.reach(int(links.max()))
                known = links[(memory.pages[links] >= 0) & (leaves | memory.leads[links])]
                forager.path.add(known, memory.states[known], states)
        elif len(urls) > 1 and forager.goes_on:
            urls, numbers = urls[1:], numbers[1:]
            if pages.min() < 0 or not leaves:
                there = (pages[1:] >= 0) & (leaves | leads[1:])
                urls, numbers = urls[there], numbers[there]
            forager.path.add(urls, numbers, states)

    def settle(
        self,
        forager: Forager,
        states: NDArray[np.float32],
        number: int,
        downloads: int,
        pages: Ids,
        wanted: Flags | None = None,
    ) -> tuple[Flags, Flags]:
        """Reinforce a step: `pages` are those young enough, `wanted` those that are asked for.

        The page stepped to has the state of this number.  Returns which of the pages were
        sent, and which were relevant (Algorithms 4, 5 and 7).
        """
        sent = relevant = NO_FLAGS
        gain, found = 0.0, 0
        if len(pages):
            relevant = sent = forager.select(pages)
            if count := int(np.count_nonzero(sent)):
                asked = None if wanted is None else wanted[sent]
                good = self.agent.receive(forager, pages[sent], asked)
                relevant = sent.copy()
                relevant[sent] = good
                found = int(np.count_nonzero(good))
                gain = profit(forager.settings, count, found)
        forager.learn(states, number, gain)
        if len(self.fleets) > 1:
            self._share(forager, downloads, found)
        return sent, relevant


def remembers(fleet: Fleet) -> bool:
    """Say whether a fleet needs to know when pages were seen before."""
    return fleet.settings.looks in ("new", "due") or fleet.settings.starts == "refresh"
