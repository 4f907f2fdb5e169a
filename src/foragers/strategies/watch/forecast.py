"""What a number of requests a day will show, by what a watch has learned.

The share of new articles that were found within the hour is counted.  Those found after more than
six hours are a sign of others that are never found.  For other numbers of requests a model says
how much smaller the rest becomes: a page that shows new pages at a rate r and is looked at every t
seconds shows min(1, hour / t) of them within the hour.  The interval is that of a share of so many
observed pages (Wilson), widened for the errors of the estimate, which were measured on webs.
"""

from __future__ import annotations

from math import sqrt

import msgspec
import numpy as np

from foragers.strategies.watch.looks import Looks
from foragers.strategies.watch.settings import DEFAULT_WATCH
from foragers.strategies.watch.sites import Site
from foragers.strategies.watch.strategy import Watch


class Forecast(msgspec.Struct, frozen=True):
    """The share of new pages seen within an hour, with an interval, for requests a day."""

    requests: int
    share: float
    low: float
    high: float
    observed: int

    def __str__(self) -> str:
        """Say it in words."""
        if not self.observed:
            return f"with {self.requests:,} requests a day: too few new pages for a promise yet"
        return (
            f"with {self.requests:,} requests a day you will see {self.share:.0%}"
            f" ({self.low:.0%} to {self.high:.0%}) of new pages within 1 h"
        )


def forecast(watch: Watch, number: int, requests: int) -> Forecast:
    """Return the share for the site with a number."""
    site, settings = watch.sites[number], DEFAULT_WATCH
    delays, left = site.delays, site.left_waiting(watch.now)
    site.rates_of(watch.sources, watch.now)
    now, then = modelled(site, site.requests, watch.now), modelled(site, requests, watch.now)
    count = delays.count + left
    seen = (delays.in_time + now) / (count + 1.0)
    tail = delays.very_late / (count + 1.0)
    found = 1.0 - min(settings.most_lost, settings.lost_times * tail)
    rest = (1.0 - then + settings.least_rest) / (1.0 - now + settings.least_rest)
    share = 1.0 - (1.0 - seen * found) * rest
    share = min(max(share, 0.0), 1.0)
    low, high = wilson(share, count, settings.interval)
    sure = max(settings.least_sure, 1.0 - settings.tail_error * tail) * (1 - settings.model_error)
    sure = min(sure / found, 1 - settings.model_error)
    if delays.dated < delays.count / 2:
        sure *= 1 - settings.undated_error
    return Forecast(requests, share, low * sure, high + (1 - high) / 3, int(count))


def modelled(site: Site, requests: float, now: float) -> float:
    """Return the share of new pages within the hour by the rates of pages alone."""
    settings, rates = DEFAULT_WATCH, site.rates
    rate = requests * (1 - settings.first_burst) / settings.day
    looks = Looks(site.every, settings)
    looks.plan(rates, site.looks_a_second(now, rate))
    seen = float((rates * np.minimum(1.0, looks.of(rates) * settings.within)).sum())
    return seen / max(float(rates.sum()), 1e-15)


def wilson(share: float, count: float, z: float) -> tuple[float, float]:
    """Return the interval of a share of some cases."""
    if count <= 0:
        return 0.0, 1.0
    square = z * z
    middle = (share + square / (2 * count)) / (1 + square / count)
    half = (
        z / (1 + square / count) * sqrt(share * (1 - share) / count + square / (4 * count * count))
    )
    return max(0.0, middle - half), min(1.0, middle + half)
