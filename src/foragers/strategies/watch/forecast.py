"""What a number of requests a day will show, by what a watch has learned.

The share of new articles that were seen within the hour is counted (`sites.Delays`).  Those whose
date lay more than six hours back are a sign of as many that are never found.  For other numbers of
requests a model says how much smaller the rest becomes: a page that shows new pages at a rate r and
is looked at every t seconds shows min(1, hour / t) of them within the hour, as far as it has room
for all that became new between two looks.  New pages that are told by their links need no request
to be seen, but one each to be fetched: how many of them can be is said apart.  The interval is that
of a share of so many observed pages (Wilson), widened for the errors of the estimate, which were
measured on webs.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import msgspec
import numpy as np

from foragers.strategies.watch.looks import Looks
from foragers.strategies.watch.settings import DEFAULT_WATCH
from foragers.strategies.watch.sites import Site
from foragers.strategies.watch.strategy import Watch


class Forecast(msgspec.Struct, frozen=True):
    """The share of new pages seen within an hour, with an interval, for requests a day.

    `pages` are the new pages that the site seems to publish a day, `fetched` the share of them for
    which there are requests, and `enough` the requests a day with which it would be 95 %.
    """

    requests: int
    share: float
    low: float
    high: float
    observed: int
    pages: float = 0.0
    fetched: float = 1.0
    enough: int = 0

    def __str__(self) -> str:
        """Say it in words."""
        if not self.observed:
            return f"with {self.requests:,} requests a day: too few new pages for a promise yet"
        return (
            f"with {self.requests:,} requests a day you will see {self.share:.0%}"
            f" ({self.low:.0%} to {self.high:.0%}) of new pages within 1 h"
        )

    @property
    def lack(self) -> str:
        """What is wrong if requests are too few to fetch the new pages; else nothing."""
        if not self.observed or self.fetched >= DEFAULT_WATCH.all_fetched:
            return ""
        return (
            f"about {rounded(self.pages):,} pages a day seem to be published here, of which"
            f" {self.requests:,} requests a day can fetch {self.fetched:.0%};"
            f" --requests {self.enough}/day would fetch {DEFAULT_WATCH.all_fetched:.0%}"
        )


def forecast(watch: Watch, number: int, requests: int, tells: bool | None = None) -> Forecast:
    """Return the share for the site with a number; `tells` if new links are told unfetched."""
    site, settings = watch.sites[number], DEFAULT_WATCH
    tells = watch.tells if tells is None else tells
    delays, (left, told) = site.delays, site.left_waiting(watch.now, tells)
    site.rates_of(watch.sources, watch.now)
    now, then = (Outlook.of(site, one, watch.now) for one in (int(site.requests), requests))
    count = delays.count + left
    seen = (delays.in_time + told + now.share) / (count + 1.0)
    tail = delays.very_late / (count + 1.0)
    found = 1.0 - min(settings.most_lost, settings.lost_times * tail)
    rest = (1.0 - then.share + settings.least_rest) / (1.0 - now.share + settings.least_rest)
    share = (1.0 - (1.0 - seen * found) * rest) * then.kept
    share = min(max(share, 0.0), 1.0 if tells else then.fetched)
    low, high = wilson(share, count, settings.interval)
    sure = 1 - settings.model_error
    if delays.dated < delays.count / 2:
        sure *= 1 - settings.undated_error
    return Forecast(
        requests,
        share,
        low * sure,
        high + (1 - high) * settings.learning,
        int(count),
        site.published(watch.now) * settings.day,
        then.fetched,
        enough(site, requests, watch.now),
    )


class Outlook(NamedTuple):
    """What some requests a day do, by the rates of pages and of new pages alone.

    `share` of the new pages are looked for within the hour.  `kept` of these are still on the page
    at the next look.  There are requests to fetch `fetched` of all.
    """

    share: float
    kept: float
    fetched: float

    @classmethod
    def of(cls, site: Site, requests: int, now: float) -> Outlook:
        """Return the outlook of a site."""
        settings, rates = DEFAULT_WATCH, site.rates
        rate = requests * (1 - settings.first_burst) / settings.day
        looks = Looks(site.every, settings)
        looks.plan(rates, site.looks_a_second(now, rate, site.published(now)), site.rooms)
        often = looks.of(rates, site.rooms)
        seen = rates * np.minimum(1.0, often * settings.within)
        kept = seen * np.minimum(1.0, often * site.rooms / np.maximum(rates, 1e-15))
        all_seen = float(seen.sum())
        left = rate * (1 - settings.explore) - float(often.sum())
        return cls(
            all_seen / max(float(rates.sum()), 1e-15),
            float(kept.sum()) / all_seen if all_seen else 1.0,
            min(1.0, max(0.0, left) / max(site.published(now), 1e-15)),
        )


def enough(site: Site, requests: int, now: float) -> int:
    """Return the requests a day with which nearly all new pages could be fetched."""
    tried = float(requests)
    while Outlook.of(site, int(tried), now).fetched < DEFAULT_WATCH.all_fetched and tried < 1e7:
        tried *= DEFAULT_WATCH.enough_steps
    return rounded(tried)


def rounded(count: float) -> int:
    """Return a number rounded up to two digits."""
    size = int("1" + "0" * (len(str(int(count))) - 2))
    return -(-int(count) // size) * size


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
