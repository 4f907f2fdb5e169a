"""What a fleet achieved, window by window, while it is being replayed.

A download belongs to the window of its time; a window does not hold its end.  *Freshness*
is the share of the relevant documents found that are still as they were found, at the
end of a window, and *age* the time since a document that is no longer so was last
refreshed on the web (0 for one that is), on average.  The store that they speak of can be
understood in three ways: for each URL the last document found, every document found, or
those found in the window.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foragers.fleet.forager import Forager
from foragers.fleet.ground import Ground, Shown
from foragers.fleet.growing import grown
from foragers.types import Ids

Floats = NDArray[np.float64]
Places = NDArray[np.integer]

HOURS = 3600.0


class WindowTally(NamedTuple):
    """One window: what was done in it, and how things stood at its end; ages in hours."""

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
        """When they were found."""
        return self._times[: self.count]

    @property
    def versions(self) -> Ids:
        """Which versions they are."""
        return self._versions[: self.count]

    @property
    def foragers(self) -> Ids:
        """Who found them: the numbers of foragers."""
        return self._foragers[: self.count]

    def add(self, times: Floats, versions: Ids, forager: int) -> None:
        """Add what a forager found."""
        first, last = self.count, self.count + len(versions)
        self._times = grown(self._times, last, 0.0)
        self._versions = grown(self._versions, last, 0)
        self._foragers = grown(self._foragers, last, 0)
        self._times[first:last] = times
        self._versions[first:last] = versions
        self._foragers[first:last] = forager
        self.count = last


@dataclass(slots=True)
class Tally:
    """Counts of the window under way, and all windows that are over."""

    ground: Ground
    start: float
    window: float
    windows: list[WindowTally] = field(default_factory=list)
    scores: list[ScoreTally] = field(default_factory=list)
    finds: Finds = field(default_factory=Finds)
    edge: float = field(init=False)
    downloaded: int = 0
    sent: int = 0
    _closed: int = 0
    _urls: int = 0
    _order: Ids = field(init=False)
    _last: Ids = field(init=False)
    _shown: Shown = field(init=False)

    def __post_init__(self) -> None:
        self.edge = self.start + self.window
        self._order = np.full(self.ground.url_count, -1, np.int32)
        self._last = np.full(self.ground.url_count, -1, np.int32)
        self._shown = Shown(self.ground)

    @property
    def discovered(self) -> Ids:
        """For every URL its place in the order in which they were first fetched, or -1."""
        return self._order

    def discover(self, urls: Ids) -> None:
        """Number URLs in the order of their first download."""
        order = self._order[urls]
        if order.min() < 0:
            new = urls[order < 0]
            self._order[new] = np.arange(self._urls, self._urls + len(new))
            self._urls += len(new)

    def find(self, forager: Forager, times: Floats, versions: Ids) -> None:
        """Take in relevant documents."""
        self.finds.add(times, versions, forager.number)
        self._last[self.ground.finals[versions]] = versions

    def count(
        self,
        forager: Forager,
        times: Floats,
        urls: Ids,
        versions: Ids,
        sent: Places,
        relevant: Places,
    ) -> None:
        """Count a step, or part of one: `sent` and `relevant` are places among its downloads."""
        self.downloaded += len(urls)
        self.discover(urls)
        self.sent += len(sent)
        if len(relevant):
            self.find(forager, times[relevant], versions[relevant])

    def cross(
        self,
        forager: Forager,
        times: Floats,
        urls: Ids,
        versions: Ids,
        sent: Places,
        relevant: Places,
        foragers: list[Forager],
    ) -> None:
        """Count a step that goes on over the end of a window, or of several."""
        first = 0
        while first < len(urls):
            last = int(np.searchsorted(times, self.edge))
            if last > first:
                part = slice(first, last)
                some = sent[(sent >= first) & (sent < last)] - first
                found = relevant[(relevant >= first) & (relevant < last)] - first
                self.count(forager, times[part], urls[part], versions[part], some, found)
            first = last
            if first < len(urls):
                self.close(foragers)

    def close(self, foragers: list[Forager]) -> None:
        """End the window under way."""
        self._shown.advance(float(np.nextafter(self.edge, -np.inf)))
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
        age = np.where(fresh, 0.0, self.edge - self._shown.since[urls]) / HOURS
        return float(fresh.mean()), float(age.mean())
