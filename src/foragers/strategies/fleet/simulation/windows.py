"""Statistics of a fleet per window, counted during a simulation.

A download belongs to the window of its time; a window does not include its end.  *Freshness*
is the share of the relevant documents found that are unchanged at the end of a window, and *age*
the mean time since the change of a document (0 for an unchanged one).  The documents can be
understood in three ways: for each URL the last document found, every document found, or
those found in the window.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foragers.core.types import Ids
from foragers.frontier.columns import Places, grown
from foragers.judges.novelty import DAY
from foragers.strategies.fleet.forager import Forager
from foragers.strategies.fleet.library import LIBRARY
from foragers.strategies.fleet.simulation.web import CurrentVersions, SimulatedWeb

Floats = NDArray[np.float64]

HOUR = DAY / 24


class StepRecord(NamedTuple):
    """One step of a forager, or part of one: downloads, the page stepped to first.

    `versions` are those of the web, `pages` their contents (-1 for none); `sent` and `relevant` are
    indexes of downloads.
    """

    forager: int
    times: Floats
    urls: Ids
    versions: Ids
    pages: Ids
    sent: Places
    relevant: Places

    def part(self, first: int, last: int) -> StepRecord:
        """Return the downloads from one index to before another."""
        some = slice(first, last)
        sent, relevant = self.sent, self.relevant
        return StepRecord(
            self.forager,
            self.times[some],
            self.urls[some],
            self.versions[some],
            self.pages[some],
            sent[(sent >= first) & (sent < last)] - first,
            relevant[(relevant >= first) & (relevant < last)] - first,
        )


class WindowTally(NamedTuple):
    """One window: its counts, and the state at its end; ages in hours."""

    end: float
    downloaded: int
    sent: int
    relevant: int
    found_urls: int
    foragers: int
    fresh_by_url: float
    age_by_url: float
    fresh_by_document: float
    age_by_document: float
    fresh_by_window: float
    age_by_window: float


class ScoreTally(NamedTuple):
    """The score of a forager at the end of a window."""

    time: float
    forager: int
    score: float


@dataclass(slots=True)
class Finds:
    """The relevant documents, in the order in which they were found, as columns."""

    count: int = 0
    _times: Floats = field(default_factory=lambda: np.zeros(64))
    _versions: Ids = field(default_factory=lambda: np.zeros(64, np.int32))
    _foragers: Ids = field(default_factory=lambda: np.zeros(64, np.int32))

    def __len__(self) -> int:
        return self.count

    @property
    def times(self) -> Floats:
        """The times when they were found."""
        return self._times[: self.count]

    @property
    def versions(self) -> Ids:
        """Their versions."""
        return self._versions[: self.count]

    @property
    def foragers(self) -> Ids:
        """The numbers of the foragers that found them."""
        return self._foragers[: self.count]

    def add(self, times: Floats, versions: Ids, forager: int | Ids) -> None:
        """Add documents found by a forager, or by one each."""
        first, last = self.count, self.count + len(versions)
        self._times = grown(self._times, last, 0.0)
        self._versions = grown(self._versions, last, 0)
        self._foragers = grown(self._foragers, last, 0)
        self._times[first:last] = times
        self._versions[first:last] = versions
        self._foragers[first:last] = forager
        self.count = last


@dataclass(slots=True)
class WindowCounter:
    """Counts of the current window, and all finished windows.

    `discovered` has for every URL its index in the order of first downloads, or -1.
    """

    ground: SimulatedWeb
    start: float
    window: float
    windows: list[WindowTally] = field(default_factory=list)
    scores: list[ScoreTally] = field(default_factory=list)
    finds: Finds = field(default_factory=Finds)
    edge: float = field(init=False)
    discovered: Ids = field(init=False)
    downloaded: int = 0
    sent: int = 0
    _closed: int = 0
    _urls: int = 0
    _last: Ids = field(init=False)
    _shown: CurrentVersions = field(init=False)
    _since: Floats = field(init=False)
    _order: Any = None

    def __post_init__(self) -> None:
        self.edge = self.start + self.window
        self.discovered = np.full(self.ground.url_count, -1, np.int32)
        self._last = np.full(self.ground.url_count, -1, np.int32)
        self._shown = CurrentVersions(self.ground)
        self._since = np.full(self.ground.url_count, -np.inf)
        if LIBRARY is not None:
            self._order = LIBRARY.Columns("i", self.discovered)

    def discover(self, urls: Ids) -> None:
        """Number URLs in the order of their first download."""
        if LIBRARY is not None:
            self._urls = LIBRARY.discover(self._order, urls, self._urls)
            return
        order = self.discovered[urls]
        if order.item(order.argmin()) < 0:  # faster than the method for it, on few numbers
            new = urls[order < 0]
            self.discovered[new] = np.arange(self._urls, self._urls + len(new))
            self._urls += len(new)

    def count(self, step: StepRecord) -> None:
        """Count a step that ends within the window."""
        self.downloaded += len(step.urls)
        self.discover(step.urls)
        self.sent += len(step.sent)
        if len(step.relevant):
            versions = step.versions[step.relevant]
            self.finds.add(step.times[step.relevant], versions, step.forager)
            self._last[self.ground.finals[versions]] = versions

    def cross(self, step: StepRecord, foragers: list[Forager]) -> None:
        """Count a step that extends over the end of a window, or of several."""
        first = 0
        while first < len(step.urls):
            last = int(np.searchsorted(step.times, self.edge))
            if last > first:
                self.count(step.part(first, last))
            first = last
            if first < len(step.urls):
                self.close(foragers)

    def close(self, foragers: list[Forager]) -> None:
        """End the current window."""
        past = self._shown.advance(float(np.nextafter(self.edge, -np.inf)))
        events = slice(past.start, past.stop)
        self._since[self.ground.event_urls[events]] = self.ground.event_clock[events]
        documents, last = self.finds.versions, self._last
        lately = documents[self._closed :]
        window = WindowTally(
            self.edge,
            self.downloaded,
            self.sent,
            len(lately),
            self._urls,
            len(foragers),
            *self._freshness(last[last >= 0]),
            *self._freshness(documents),
            *self._freshness(lately),
        )
        self.windows.append(window)
        self.scores += [ScoreTally(self.edge, one.number, one.score) for one in foragers]
        self.downloaded = self.sent = 0
        self._closed = len(documents)
        self.edge = self.start + self.window * (len(self.windows) + 1)

    def _freshness(self, held: Ids) -> tuple[float, float]:
        """Return the share of documents that are up to date, and the mean age in hours."""
        if not len(held):
            return float("nan"), float("nan")
        urls = self.ground.finals[held]
        fresh = self.ground.pages[self._shown.current[urls]] == self.ground.pages[held]
        age = np.where(fresh, 0.0, self.edge - self._since[urls]) / HOUR
        return float(fresh.mean()), float(age.mean())
