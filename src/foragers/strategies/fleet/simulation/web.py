"""The web of a simulation: an archive's columns, prepared for whole steps.

Foragers look at hundreds of pages, so everything that a step needs is a look-up in an
array: the current version of a URL, when it was born, its state, its links.  The version after the
last one stands for "no page"; its page is -1.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from foragers.core.types import Ids, UrlId
from foragers.frontier.columns import StateTable
from foragers.strategies.fleet.settings import DEFAULT_TUNING

if TYPE_CHECKING:
    from foragers.worlds.archive import Archive

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class NewsRules:
    """What counts as news in a recording, as far as the papers leave it open.

    With `changes` off, only the first version of a page is news.  With `changed_hubs` off, a
    changed version of a page with `hub_links` links or more is no news.  With `links_are_news` off,
    a version that has the words of the one before, so that only its links changed, is as old as
    the words.
    """

    changes: bool = True
    changed_hubs: bool = True
    hub_links: int = 10
    links_are_news: bool = True


@dataclass
class SimulatedWeb:
    """A web for fleets: columns over versions, with one more for "no page", and over URLs.

    `is_page` says which versions can be seen as pages at some time, `leads` which have links.
    """

    seeds: tuple[UrlId, ...]
    url_count: int
    start: float
    end: float
    born: Floats
    pages: Ids
    finals: Ids
    numbers: Ids
    states: Floats
    leads: Flags
    is_page: Flags
    link_starts: list[int]
    targets: Ids
    redirects: Ids | None
    wanted: Flags | None
    events: Ids
    event_urls: Ids
    event_list: list[tuple[int, UrlId]]
    event_times: list[float]
    event_clock: Floats

    @property
    def nothing(self) -> int:
        """The version that stands for no page."""
        return len(self.born) - 1

    @classmethod
    def of(
        cls,
        archive: Archive,
        states: NDArray[np.float32],
        rules: NewsRules | None = None,
        *,
        wanted: Flags | None = None,
    ) -> SimulatedWeb:
        """Prepare an archive; `states` has a row for every version.

        `wanted` says for every version whether it is on topic, if being new is not enough.
        """
        rules = rules or NewsRules()
        count = archive.versions
        urls = np.repeat(
            np.arange(len(archive.book), dtype=np.int32), np.diff(archive.version_starts)
        )
        table = StateTable(states.shape[1])
        numbers = np.array([table.number(state) for state in states] + [0], np.int32)
        redirected = bool(len(archive.redirects)) and bool((archive.redirects >= 0).any())
        shown = ((archive.codes // 100) == 2) | (archive.redirects >= 0)
        order = np.argsort(archive.times, kind="stable")
        events = np.where(shown, np.arange(count), count)[order].astype(np.int32)
        link_starts, targets = distinct_links(archive, urls)
        return cls(
            seeds=tuple(archive.seeds),
            url_count=len(archive.book),
            start=archive.start,
            end=archive.end,
            born=np.append(births(archive, rules), np.nan),
            pages=np.append(archive.same_as, -1).astype(np.int32),
            finals=np.append(urls, -1).astype(np.int32),
            numbers=numbers,
            states=table.states.astype(np.float64),
            leads=np.append(np.diff(archive.link_starts) > 0, False),
            is_page=np.append(pages_in(archive, urls), False),
            link_starts=[*link_starts.tolist(), int(link_starts[-1])],
            targets=targets,
            redirects=np.append(archive.redirects, -1).astype(np.int32) if redirected else None,
            wanted=None if wanted is None else np.append(wanted, False),
            events=events,
            event_urls=urls[order],
            event_list=list(zip(events.tolist(), urls[order].tolist(), strict=True)),
            event_times=archive.times[order].tolist(),
            event_clock=archive.times[order],
        )


def pages_in(archive: Archive, urls: Ids) -> Flags:
    """Return which versions are a page at some time: not those replaced at the same moment."""
    hidden = np.zeros(archive.versions, np.bool_)
    hidden[:-1] = (urls[:-1] == urls[1:]) & (archive.times[:-1] == archive.times[1:])
    shown: Flags = (archive.codes // 100 == 2) & (archive.redirects < 0) & ~hidden
    return shown


def distinct_links(archive: Archive, urls: Ids) -> tuple[NDArray[np.int64], Ids]:
    """Return the links of every version without repetitions and links to itself."""
    versions = np.repeat(np.arange(archive.versions), np.diff(archive.link_starts))
    keys = versions * np.int64(len(archive.book)) + archive.targets
    kept = np.zeros(len(keys), np.bool_)
    kept[np.unique(keys, return_index=True)[1]] = True
    kept &= urls[versions] != archive.targets
    counts = np.bincount(versions[kept], minlength=archive.versions)
    starts = np.concatenate(([0], np.cumsum(counts)))
    return starts, np.ascontiguousarray(archive.targets[kept])


def births(archive: Archive, rules: NewsRules) -> Floats:
    """Return when each version appeared; versions that are never news have no time."""
    born: Floats = archive.times.astype(np.float64)
    first = np.zeros(archive.versions, np.bool_)
    first[archive.version_starts[:-1][np.diff(archive.version_starts) > 0]] = True
    if not rules.links_are_news:
        for version in np.flatnonzero(~first).tolist():
            if archive.texts.document(version) == archive.texts.document(version - 1):
                born[version] = born[version - 1]
    if not rules.changes:
        born[~first] = np.nan
    if not rules.changed_hubs:
        born[~first & (np.diff(archive.link_starts) >= rules.hub_links)] = np.nan
    return born


@dataclass
class CurrentVersions:
    """The current version of every URL, as time goes on."""

    ground: SimulatedWeb
    current: Ids = field(init=False)
    following: float = field(init=False)
    _next: int = 0

    def __post_init__(self) -> None:
        self.current = np.full(self.ground.url_count, self.ground.nothing, np.int32)
        self.following = self._time_of(0)

    @property
    def next_event(self) -> int:
        """The index of the first event that has not been applied."""
        return self._next

    def _time_of(self, event: int) -> float:
        times = self.ground.event_times
        return times[event] if event < len(times) else np.inf

    def advance(self, now: float) -> range:
        """Apply all events up to a time, and return them."""
        ground, first = self.ground, self._next
        if now < self.following:
            return range(first, first)
        self._next = last = bisect_right(ground.event_times, now, first)
        current = self.current
        for version, url in ground.event_list[first:last]:
            current[url] = version
        self.following = self._time_of(last)
        return range(first, last)

    def at(self, urls: Ids, times: Floats) -> Ids:
        """Return the versions of URLs at increasing times, without following redirects."""
        versions: Ids = self.current[urls]
        until = float(times[-1])
        if until >= self.following:
            ground, first = self.ground, self._next
            last = bisect_right(ground.event_times, until, first)
            changed, indexes = np.nonzero(urls == ground.event_urls[first:last, None])
            for event, index in zip((changed + first).tolist(), indexes.tolist(), strict=True):
                if ground.event_times[event] <= times[index]:
                    versions[index] = ground.events[event]
        return versions

    def final(self, urls: Ids, times: Floats) -> Ids:
        """Return the versions that downloads of URLs end at, after redirects."""
        versions = self.at(urls, times)
        redirects = self.ground.redirects
        if redirects is None:
            return versions
        for _ in range(DEFAULT_TUNING.max_hops + 1):
            onward = redirects[versions]
            moved = np.flatnonzero(onward >= 0)
            if not len(moved):
                return versions
            versions[moved] = self.at(onward[moved], times[moved])
        versions[moved] = self.ground.nothing
        return versions
