"""Replaying a fleet over an archive, a whole step at a time.

It makes the same downloads in the same order, at the same times and with the same random
numbers, as the strategy of `fleet.strategy` on a `Recorded` world with one connection, and is
an order of magnitude faster.  Downloads are counted and not kept, so memory does not grow with
them; a `record` gets them all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foragers.core.types import Ids, UrlId
from foragers.frontier.columns import Places
from foragers.judges.novelty import DAY
from foragers.strategies.fleet.colony import Colony
from foragers.strategies.fleet.fleet import Fleet
from foragers.strategies.fleet.forager import Forager
from foragers.strategies.fleet.library import LIBRARY
from foragers.strategies.fleet.page_memory import Sights
from foragers.strategies.fleet.settings import FleetSettings
from foragers.strategies.fleet.simulation.outcome import FleetRun, NewStart, Record
from foragers.strategies.fleet.simulation.territory import Territory
from foragers.strategies.fleet.simulation.web import CurrentVersions, SimulatedWeb
from foragers.strategies.fleet.simulation.windows import StepRecord, WindowCounter

__all__ = ["FleetRun", "Record", "Replay", "StepRecord", "simulate"]

Floats = NDArray[np.float64]


NO_IDS: Ids = np.empty(0, np.int32)


@dataclass(slots=True)
class Replay:
    """A colony at work on a simulated web, one forager at a time."""

    ground: SimulatedWeb
    colony: Colony
    now: float
    seconds_per_page: float
    tally: WindowCounter
    territory: Territory | None = None
    record: Record | None = None
    starts: list[NewStart] = field(default_factory=list)
    paths: dict[int, list[UrlId]] = field(default_factory=dict)
    kinds: dict[int, str] = field(default_factory=dict)
    steps: int = 0
    sent: int = 0
    downloaded: int = 0
    _shown: CurrentVersions = field(init=False)
    _ticks: Floats = field(init=False)
    _columns: Any = None

    def __post_init__(self) -> None:
        self._shown = CurrentVersions(self.ground)
        self._ticks = np.full(64, self.seconds_per_page)
        ground = self.ground
        if LIBRARY is not None and ground.redirects is None:
            self._columns = LIBRARY.Columns(
                "diibiiid",
                *(ground.born, ground.pages, ground.numbers, ground.leads, self._shown.current),
                *(ground.event_urls, ground.events, ground.event_clock),
            )

    def run(self, until: float, downloads: float) -> None:
        """Let foragers work in turns, to a time or to a number of downloads."""
        colony = self.colony
        colony.begin(self.ground.seeds, self.now)
        while self.now < until and self.downloaded < downloads:
            forager = colony.start_turn(self.now)
            if forager is None:
                break
            self.kinds[forager.number] = forager.settings.kind
            last, step = min(forager.until, until), self.step
            while self.now < last and self.downloaded < downloads:
                step(forager)
            colony.end_turn(forager, self.now)
        while self.tally.edge <= until:
            self.tally.close(colony.foragers)
        if self.territory is not None:
            self.territory.close()

    def step(self, forager: Forager) -> None:
        """Make one step of a forager: visit a page, and look at those it links to."""
        ground, colony = self.ground, self.colony
        if self.territory is not None and forager.at_end:
            self._end_path(forager)
        url, _ = colony.next_page(forager, self.now)
        if self.record is not None and len(forager.path.urls) == 1:
            self.record.path(forager.number)
        moment = self.now + self.seconds_per_page
        version = self._visit(forager, url, moment)
        self.steps += 1
        first, last = ground.link_starts[version], ground.link_starts[version + 1]
        links = ground.targets[first:last] if first < last else NO_IDS
        if ground.redirects is not None and ground.finals.item(version) != url:
            links = links[links != url]
        looked = links
        if len(links) and forager.settings.looks != "all":
            looked = colony.looks(forager, links, moment)
        if not len(looked) and moment < self.tally.edge:
            self._stand(forager, url, version, moment, links)
            return
        sights, versions, young = self._look(forager, url, version, moment, looked)
        self.now = sights.times.item(-1)
        self._finish(forager, sights, versions, links, young)

    def _stand(self, forager: Forager, url: UrlId, version: int, moment: float, links: Ids) -> None:
        """Make a step of one download, as most are, in the same way but without arrays."""
        ground, tally = self.ground, self.tally
        self.now = moment
        page = ground.pages.item(version)
        young = moment - ground.born.item(version) <= forager.settings.new_within
        if young and page not in forager.sent:
            sights, versions, young_ones = self._look(forager, url, version, moment, NO_IDS)
            self._finish(forager, sights, versions, links, young_ones)
            return
        number, leads = ground.numbers.item(version), ground.leads.item(version)
        self.colony.pass_by(forager, url, page, number, moment, leads, links, ground.states)
        self.downloaded += 1
        tally.downloaded += 1
        if tally.discovered.item(url) < 0:
            tally.discover(np.array([url], np.int32))
        if self.record is not None:
            self.record.stand(forager.number, moment, url, page)
        if self.territory is not None:
            self.territory.step(forager.number, forager.path.urls, moment)

    def _visit(self, forager: Forager, url: UrlId, moment: float) -> int:
        """Return the version of the page of a step."""
        shown = self._shown
        if moment >= shown.following:
            shown.advance(moment)
        version = shown.current.item(url)
        if self.ground.redirects is not None and self.ground.redirects[version] >= 0:
            version = shown.final(np.array([url], np.int32), np.array([moment])).item()
            if version != self.ground.nothing:
                forager.path.block(self.ground.finals.item(version))
        return version

    def _look(
        self, forager: Forager, url: UrlId, version: int, moment: float, looked: Ids
    ) -> tuple[Sights, Ids, Places]:
        """Download the pages of a step; return their versions, and the indexes of young ones."""
        within = forager.settings.new_within
        if LIBRARY is None or self._columns is None:
            return self._look_by_arrays(url, version, moment, looked, within)
        count = len(looked) + 1
        times, young = np.empty(count), np.empty(count, np.intp)
        rows, leads = np.empty((4, count), np.int32), np.empty(count, np.bool_)
        first, seconds = self._shown.next_event, self.seconds_per_page
        step = first, url, version, moment, seconds, within, looked
        number = LIBRARY.look(self._columns, *step, times, rows, leads, young)
        urls, versions, pages, numbers = rows
        return Sights(urls, pages, numbers, times, leads), versions, young[:number]

    def _look_by_arrays(
        self, url: UrlId, version: int, moment: float, looked: Ids, within: float
    ) -> tuple[Sights, Ids, Places]:
        """Do the same with numpy, and follow redirects."""
        ground = self.ground
        times, urls, versions = self._download(url, version, moment, looked)
        pages = ground.pages[versions]
        young = (times - ground.born[versions] <= within).nonzero()[0]
        if ground.redirects is not None and len(young) > 1:  # two URLs may lead to one page
            young = young[np.sort(np.unique(pages[young], return_index=True)[1])]
        sights = Sights(urls, pages, ground.numbers[versions], times, ground.leads[versions])
        return sights, versions, young

    def _download(
        self, url: UrlId, version: int, moment: float, looked: Ids
    ) -> tuple[Floats, Ids, Ids]:
        """Return times, URLs and versions of a step's downloads."""
        count = len(looked) + 1
        if count > len(self._ticks):
            self._ticks = np.full(2 * count, self.seconds_per_page)
        self._ticks[0] = moment
        # Added one by one, like the clock of a world: the times are equal to the last bit.
        times = np.add.accumulate(self._ticks[:count])
        urls, versions = np.empty(count, np.int32), np.empty(count, np.int32)
        urls[0], versions[0] = url, version
        if count > 1:
            urls[1:] = looked
            versions[1:] = self._shown.final(looked, times[1:])
        return times, urls, versions

    def _finish(
        self, forager: Forager, sights: Sights, versions: Ids, links: Ids, young: Places
    ) -> None:
        """End a step: let the forager learn, and count."""
        ground = self.ground
        urls, pages, times = sights.urls, sights.pages, sights.times
        wanted = None if ground.wanted is None else ground.wanted[versions[young]]
        sent, relevant = self.colony.finish(forager, sights, links, ground.states, young, wanted)
        self._count(StepRecord(forager.number, times, urls, versions, pages, sent, relevant))
        if self.territory is not None:
            self.territory.step(forager.number, forager.path.urls, times.item(0))

    def _count(self, step: StepRecord) -> None:
        """Count a step, window by window, and record it."""
        self.sent += len(step.sent)
        self.downloaded += len(step.urls)
        if step.times.item(-1) >= self.tally.edge:
            self.tally.cross(step, self.colony.foragers)
        else:
            self.tally.count(step)
        if self.record is not None:
            self.record.add(step)

    def _end_path(self, forager: Forager) -> None:
        """Record the path that is over, and the URLs that it adds to the starting list."""
        if not forager.path.urls:
            return
        self.paths[forager.number] = forager.path.urls
        if forager.settings.weblog_update:
            before = set(forager.weblog.starting)
            forager.end_path()
            self.starts += [
                NewStart(self.now, forager.number, url)
                for url in forager.weblog.starting
                if url not in before
            ]


def simulate(
    ground: SimulatedWeb,
    settings: FleetSettings | Sequence[FleetSettings],
    *,
    seed: int = 0,
    days: float | None = None,
    downloads: float = float("inf"),
    seconds_per_page: float = 2.6,
    window: float = 3 * 3600.0,
    territory: float | None = None,
    record: Record | None = None,
) -> FleetRun:
    """Simulate a fleet, or several under one reinforcing agent, from the start of a web.

    It ends after a number of `days` (by default the whole recording), or of `downloads`; the
    current step is finished.  `window` is the length of a window in seconds.  With `territory`,
    also a length in seconds (the paper's: 4500), the pages visited by each forager are recorded.
    """
    several = (settings,) if isinstance(settings, FleetSettings) else tuple(settings)
    colony = Colony(
        [Fleet(one) for one in several], ground.states.shape[1], np.random.default_rng(seed)
    )
    until = ground.end if days is None else ground.start + days * DAY
    replay = Replay(
        ground,
        colony,
        ground.start,
        seconds_per_page,
        WindowCounter(ground, ground.start, window),
        None if territory is None else Territory(ground.start, territory),
        record,
    )
    replay.run(until, downloads)
    return outcome(replay, until)


def outcome(replay: Replay, until: float) -> FleetRun:
    """Sum up a simulation."""
    colony, tally, territory = replay.colony, replay.tally, replay.territory
    lives = [event for fleet in colony.fleets for event in fleet.population.events]
    return FleetRun(
        start=tally.start,
        end=until,
        downloaded=replay.downloaded,
        sent=replay.sent,
        steps=replay.steps,
        windows=tally.windows,
        scores=tally.scores,
        finds=tally.finds,
        lives=sorted(lives, key=lambda event: event.time),
        kinds=replay.kinds,
        discovered=tally.discovered,
        starts=replay.starts,
        territory=[] if territory is None else territory.windows,
        paths=replay.paths,
        lengths=sum((fleet.lengths for fleet in colony.fleets), Counter()),
    )
