"""What a number of requests a day will show, by what a watch has learned.

A page that shows new pages at a rate r and is looked at every t seconds shows min(1, hour / t) of
them within the hour.  New pages that sweeps found late, and new links for which no request was
left, lower the share.  The interval is that of a share of so many observed pages (Wilson), widened
for the errors of the model.
"""

from __future__ import annotations

from math import sqrt

import msgspec
import numpy as np

from foragers.core.exact import exp
from foragers.strategies.watch.settings import DEFAULT_WATCH
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
            return f"with {self.requests:,} requests a day: no new page was seen yet"
        return (
            f"with {self.requests:,} requests a day you will see {self.share:.0%}"
            f" ({self.low:.0%} to {self.high:.0%}) of new pages within 1 h"
        )


def forecast(watch: Watch, number: int, requests: int) -> Forecast:
    """Return the share for the site with a number."""
    site, settings = watch.sites[number], DEFAULT_WATCH
    site.rates_of(watch.sources, watch.now)
    rate = requests * (1 - settings.first_burst) / settings.day
    speed, site.speed = site.speed, 0.0
    price = site.price_for(rate, watch.now)
    rates = exp(site.logs)
    looks = site.looks(site.logs, price)
    site.speed = speed
    seen = float((rates * np.minimum(1.0, looks * settings.within)).sum())
    share = seen / max(float(rates.sum()), 1e-15)
    known, missed = site.credited, site.missed + site.left_waiting(watch.now)
    share *= (known + 1.0) / (known + missed + 1.0)
    spread = settings.model_error
    low, high = wilson(share, known + missed, settings.interval)
    return Forecast(
        requests,
        share,
        low * (1 - spread),
        min(1.0, high + spread * (1 - high)),
        int(known + missed),
    )


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
