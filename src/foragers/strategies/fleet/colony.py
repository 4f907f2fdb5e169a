"""A colony: one reinforcing agent, and one or several fleets that work for it in turns.

The reinforcing agent decides what is news, and keeps the scores of the foragers.

The steps of Algorithms 9 to 12 are here, over arrays, independent of how pages are downloaded: the
strategy that asks a world page by page (`fleet.dialogue`) and the replay that reads whole steps
from an archive (`fleet.simulation.replay`) both use them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from foragers.core.exact import power_of
from foragers.core.types import Ids, UrlId
from foragers.frontier.columns import Marks, Places, States
from foragers.strategies.fleet.fleet import Fleet
from foragers.strategies.fleet.forager import Forager
from foragers.strategies.fleet.library import LIBRARY
from foragers.strategies.fleet.page_memory import PageMemory, Sights
from foragers.strategies.fleet.prospects import Prospects
from foragers.strategies.fleet.saved import Inheritance, SavedFleets
from foragers.strategies.fleet.settings import DEFAULT_TUNING, FleetSettings, FleetTuning

Flags = NDArray[np.bool_]


@dataclass(slots=True)
class ReinforcingAgent:
    """Rewards a page once, to the first forager that sends it."""

    relevants: Marks = field(default_factory=Marks)

    def receive(self, forager: Forager, pages: Ids, wanted: Flags | None = None) -> Places:
        """Return the indexes of the relevant pages, and update the forager's score (Algorithm 7).

        All pages are young enough.  `wanted` says which of them are relevant, if that is more than
        being new.
        """
        unseen = self.relevants.missing(pages)
        relevant = (unseen if wanted is None else unseen & wanted).nonzero()[0]
        self.relevants.add(pages[relevant])
        settings = forager.settings
        forager.score -= settings.score_sent * len(pages)
        forager.score += settings.score_relevant * len(relevant)
        return relevant


def profit(settings: FleetSettings, sent: int, relevant: int) -> float:
    """Return the reinforcement for a step, from the numbers of pages sent and of relevant ones.

    `selection`: a reward for each relevant page, a penalty for each other.  `evolution`: a penalty
    for each page, and a reward for each relevant one; so two pages of which one is relevant bring
    98 (its Figure 1).
    """
    paid_for = sent if settings.scheme == "evolution" else sent - relevant
    return settings.reward * relevant + settings.penalty * paid_for


Floats = NDArray[np.float64]

NO_PLACES: Places = np.empty(0, np.intp)
NO_IDS: Ids = np.empty(0, np.int32)


@dataclass(slots=True)
class Colony:
    """Fleets under one reinforcing agent.

    Several fleets share the downloads in proportion to their earnings (relevant pages per
    download) to the power of `keenness`; earnings of `lasting` downloads ago count half; and no
    fleet gets less than `least_share`.  `saved` are the foragers of an earlier crawl that go on in
    this one, and `inheritance` the URLs of theirs that it has not met.
    """

    fleets: list[Fleet]
    width: int
    rng: np.random.Generator
    least_share: float = 0.02
    lasting: float = 500.0
    keenness: float = 4.0
    tuning: FleetTuning = DEFAULT_TUNING
    agent: ReinforcingAgent = field(default_factory=ReinforcingAgent)
    memory: PageMemory | None = None
    prospects: Prospects | None = None
    born: int = 0
    saved: SavedFleets | None = None
    inheritance: Inheritance = field(default_factory=Inheritance)

    @property
    def foragers(self) -> list[Forager]:
        """All foragers alive."""
        return [member for fleet in self.fleets for member in fleet.population.members]

    def begin(self, seeds: Iterable[UrlId], now: float) -> None:
        """Make the first foragers of every fleet (Algorithm 9)."""
        urls = list(seeds)
        if self.memory is None and any(remembers(fleet) for fleet in self.fleets):
            self.memory = PageMemory(self.tuning)
        watching = [fleet.settings for fleet in self.fleets if fleet.settings.starts == "worth"]
        if watching and self.memory is not None:
            self.prospects = Prospects(self.memory, watching[0].new_within, self.tuning)
            self.prospects.begin(np.array(urls, np.int32), now)
        for fleet in self.fleets:
            before = self.saved.foragers.get(fleet.settings.kind, ()) if self.saved else ()
            self.born = fleet.begin(urls, self.born, self.width, now, self.rng, before)
            for forager, one in zip(fleet.population.members, before, strict=False):
                if fleet.settings.weblog_update:
                    self.inheritance.add(forager, one.weblog)
        self.saved = None

    def start_turn(self, now: float) -> Forager | None:
        """Start the turn of the next forager; None if all are at work."""
        ready = [fleet for fleet in self.fleets if fleet.resting]
        if not ready:
            return None
        return max(ready, key=lambda fleet: fleet.credit).start_turn(now, self.rng)

    def _share(self, forager: Forager, downloads: int, relevant: int) -> None:
        """Charge a fleet for downloads, and give every fleet credit by its earnings."""
        keep = _kept(downloads / self.lasting)
        if LIBRARY is None:
            self._give_credit(downloads, keep)
        else:
            LIBRARY.share(self.fleets, downloads, keep, self.least_share, self.keenness)
        working = self.fleet_of(forager)
        working.credit -= downloads
        working.spent += downloads
        working.earned += relevant

    def _give_credit(self, downloads: int, keep: float) -> None:
        """Give every fleet credit by its earnings, and let earlier earnings fade."""
        fleets, least, keenness = self.fleets, self.least_share, self.keenness
        rates = [power_of((one.earned + 1.0) / (one.spent + 100.0), keenness) for one in fleets]
        free, whole = 1.0 - least * len(rates), sum(rates)
        for fleet, rate in zip(fleets, rates, strict=True):
            fleet.credit += downloads * (least + free * rate / whole)
            fleet.earned *= keep
            fleet.spent *= keep

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
        settings = forager.settings
        if forager.at_end:
            forager.end_path()
            url, promise = self._start(forager, now)
            forager.path.visit(url)
        elif settings.ordering == "random":
            url, promise = forager.path.go_anywhere(self.rng), 0.0
        else:
            url, promise = forager.path.go_best(forager.weights, self.rng)
        if not settings.weblog_update and not settings.starts_with_links:
            forager.weblog.note(url)
        return url, promise

    def _start(self, forager: Forager, now: float) -> tuple[UrlId, float]:
        """Choose where a path starts."""
        weblog = forager.weblog
        if forager.settings.starts == "worth" and self.prospects is not None:
            return self.prospects.choose(now, self.rng)
        if forager.settings.starts == "refresh" and self.memory is not None:
            urls = np.fromiter(weblog.values, np.int32, len(weblog))
            values = np.fromiter(weblog.values.values(), np.float64, len(weblog))
            worth = self.memory.worth(urls, np.maximum(values, self.tuning.min_start_value), now)
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
        if how == "worth":
            assert self.prospects is not None
            return self.prospects.promising(forager.path.urls[-1], links, now)
        if how == "due":
            return self.memory.due_among(links, now, forager.settings.due_chance)
        return links[self.memory.new(links, now, forager.settings.due_chance)]

    def finish(
        self,
        forager: Forager,
        sights: Sights,
        links: Ids,
        states: States,
        young: Places,
        wanted: Flags | None = None,
    ) -> tuple[Places, Places]:
        """End a step (Algorithm 12): put its pages into the frontier, and reinforce it.

        `links` are those of the page stepped to, `young` the indexes of pages young enough,
        each once, `wanted` says which of them are wanted.  Returns the indexes of the
        downloads that were sent, and of those that were relevant.
        """
        prospects = self.prospects
        if forager.settings.starts_with_links:
            forager.reach(sights.urls.item(0), bool(sights.leads.item(0)))
        if prospects is not None and len(links) and forager.settings.looks != "worth":
            prospects.sight(sights.urls.item(0), links, sights.times.item(0))
        pages = sights.pages[young] if len(young) else NO_IDS
        sent, relevant = self.settle(
            forager, states, sights.numbers.item(0), len(sights.urls), pages, wanted
        )
        if len(sent):
            sent, relevant = young[sent], young[relevant]
        if prospects is not None:
            prospects.note(sights.urls, sights.pages, sights.times, relevant)
        if self.memory is not None:
            self.memory.note(*sights)
        if forager.goes_on:
            self._see(forager, sights, links, states)
        return sent, relevant

    def pass_by(
        self,
        forager: Forager,
        url: UrlId,
        page: int,
        number: int,
        time: float,
        leads: bool,
        links: Ids,
        states: States,
    ) -> None:
        """End a step of one download, whose page is not sent, in the same way without arrays."""
        prospects, memory = self.prospects, self.memory
        if forager.settings.starts_with_links:
            forager.reach(url, leads)
        if prospects is not None and len(links) and forager.settings.looks != "worth":
            prospects.sight(url, links, time)
        forager.learn(states, number, 0.0)
        if len(self.fleets) > 1:
            self._share(forager, 1, 0)
        if prospects is not None:
            prospects.pass_by(url, page, time)
        if memory is not None:
            memory.note_one(url, page, number, time, leads)
            if len(links) and forager.goes_on:
                self._see_known(forager, memory, links, states)

    def _see(self, forager: Forager, sights: Sights, links: Ids, states: States) -> None:
        """Put linked pages that were fetched, or that the memory knows, into the frontier."""
        if self.memory is not None:
            if len(links):
                self._see_known(forager, self.memory, links, states)
            return
        leaves = forager.settings.leaves
        urls, numbers, pages = sights.urls[1:], sights.numbers[1:], sights.pages[1:]
        if len(urls) and (not leaves or np.minimum.reduce(pages) < 0):
            there = (pages >= 0) & (leaves | sights.leads[1:])
            urls, numbers = urls[there], numbers[there]
        self._put(forager, urls, numbers, states)

    def _see_known(self, forager: Forager, memory: PageMemory, links: Ids, states: States) -> None:
        """Put linked pages that the memory knows into the frontier."""
        leaves = forager.settings.leaves
        if forager.settings.ordering == "random" or not forager.path.see(
            memory.columns, links, leaves, states
        ):
            self._put(forager, *memory.known(links, leaves), states)

    def _put(self, forager: Forager, urls: Ids, numbers: Ids, states: States) -> None:
        """Put pages into the frontier."""
        if forager.settings.ordering == "random":
            numbers = np.zeros_like(numbers)  # who goes anywhere sees no difference
        forager.path.add(urls, numbers, states)

    def settle(
        self,
        forager: Forager,
        states: States,
        number: int,
        downloads: int,
        pages: Ids,
        wanted: Flags | None = None,
    ) -> tuple[Places, Places]:
        """Reinforce a step: `pages` are those young enough, `wanted` says which are wanted.

        The page stepped to has the state of this number.  Returns the indexes of the pages
        that were sent, and of those that were relevant (Algorithms 4, 5 and 7).
        """
        sent = relevant = NO_PLACES
        gain = 0.0
        if len(pages):
            sent = forager.select(pages)
            if len(sent):
                asked = None if wanted is None else wanted[sent]
                relevant = sent[self.agent.receive(forager, pages[sent], asked)]
                gain = profit(forager.settings, len(sent), len(relevant))
        forager.learn(states, number, gain)
        if len(self.fleets) > 1:
            self._share(forager, downloads, len(relevant))
        return sent, relevant


@lru_cache(maxsize=256)
def _kept(half_lives: float) -> float:
    """Return what is left after some half-lives."""
    return power_of(0.5, half_lives)


def remembers(fleet: Fleet) -> bool:
    """Return whether a fleet needs to know when pages were seen before."""
    settings = fleet.settings
    return settings.looks in ("new", "due", "worth") or settings.starts in ("refresh", "worth")
