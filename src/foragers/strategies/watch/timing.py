"""The requests that a site may get, and the hours at which it publishes."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

import numpy as np
from numpy.typing import NDArray

from foragers.strategies.watch.settings import DEFAULT_WATCH, WatchSettings
from foragers.strategies.watch.sources import Floats


@dataclass
class Bucket:
    """Requests that may be made, refilled evenly."""

    rate: float
    most: float
    level: float
    at: float = -inf

    def fill(self, now: float) -> float:
        """Return the requests that may be made now."""
        if now > self.at:
            if self.at > -inf:
                self.level = min(self.most, self.level + (now - self.at) * self.rate)
            self.at = now
        return self.level

    def spend(self, now: float) -> None:
        """Take a request; what a resumed watch did is taken even from an empty bucket."""
        self.fill(now)
        self.level -= 1.0

    def full_at(self, level: float) -> float:
        """Return when there will be some requests."""
        if level <= self.level:
            return self.at
        return self.at + (level - self.level) / self.rate if level <= self.most else inf


@dataclass
class Profile:
    """How many new pages appear at each hour of the day and on each day of the week."""

    settings: WatchSettings = DEFAULT_WATCH
    hours: Floats = field(default_factory=lambda: np.zeros(24))
    days: Floats = field(default_factory=lambda: np.zeros(7))

    def add(self, begin: float, end: float, amount: float) -> None:
        """Spread a new page evenly over the time in which it appeared, a week at most."""
        first, last = int(begin // self.settings.hour), int(end // self.settings.hour)
        first = max(first, last - 7 * 24)
        share = amount / (last - first + 1)
        for hour in range(first, last + 1):
            self.hours[hour % 24] += share
            self.days[day_of(hour)] += share

    def by_hour(self, began: float, now: float) -> Floats:
        """Return the rate of each hour, divided by the mean of the hours that were watched."""
        return shrunk(self.hours, watched(began, now, self.settings) % 24, self.settings)

    def by_day(self, began: float, now: float) -> Floats:
        """Return the rate of each weekday, divided by the mean of those that were watched."""
        return shrunk(self.days, days_of(watched(began, now, self.settings)), self.settings)


def days_of(hours: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the weekdays of hours since 1970, which began on a Thursday."""
    return (hours // 24 + 3) % 7


def day_of(hour: int) -> int:
    """Return the weekday of an hour since 1970."""
    return int(days_of(np.array(hour)))


def watched(began: float, now: float, settings: WatchSettings) -> NDArray[np.int64]:
    """Return the hours that were watched, of the last four weeks at most."""
    first, last = int(began // settings.hour), int(max(began, now) // settings.hour)
    return np.arange(max(first, last - settings.most_hours + 1), last + 1)


def shrunk(counts: Floats, hours: NDArray[np.int64], settings: WatchSettings) -> Floats:
    """Return counts divided by those expected of evenly spread ones, shrunk towards 1.

    `hours` are the watched hours, each with the place of its count.  What was not watched is not
    known to be silent.
    """
    times = np.bincount(hours, minlength=len(counts))
    expected = counts.sum() * times / max(1, len(hours))
    even = settings.sure_hours / len(counts)
    rates: Floats = (counts + even) / (expected + even)
    return rates
