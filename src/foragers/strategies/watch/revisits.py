"""When known articles are looked at again, for changes and removals.

An article is looked at after a gap.  The gap doubles after a look without a change and is halved
after one with a change.  An old article changes less often than a new one, so its gap is at least a
share of its age.  Gaps are multiples of the time between two looks that the user allows, up to an
hour at first: who lets pages be looked at every few seconds wants to hear of changes in minutes.

Sitemaps and feeds give dates at which pages were modified.  An article with such a date after its
last look is looked at at once, as long as at least half of those that were had changed.
"""

from __future__ import annotations

from datetime import datetime
from math import inf
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from foragers.core.types import Page
from foragers.frontier.columns import Places
from foragers.strategies.watch.outcomes import more
from foragers.strategies.watch.settings import DEFAULT_WATCH, WatchSettings
from foragers.strategies.watch.sources import Floats, Sources

if TYPE_CHECKING:
    from foragers.strategies.watch.sites import Site


def first_gap(every: float, age: float, settings: WatchSettings = DEFAULT_WATCH) -> float:
    """Return the seconds to the first look at an article of an age for changes."""
    soon = max(every, min(settings.first_gap, settings.gap_looks * every))
    return min(max(soon, settings.gap_age * age), settings.longest_gap)


def next_gap(
    gap: float, changed: bool, every: float, age: float, settings: WatchSettings = DEFAULT_WATCH
) -> float:
    """Return the seconds to the next look, after one that found a change or none."""
    gap = gap / settings.gap_grows if changed else gap * settings.gap_grows
    least = max(every, first_gap(every, age, settings) / settings.gap_grows)
    return min(max(gap, least), settings.longest_gap)


def retry_gap(every: float, settings: WatchSettings = DEFAULT_WATCH) -> float:
    """Return the seconds after which a known page that is missing is looked at again."""
    return max(every, min(settings.first_retry, settings.retry_looks * every))


def name_modified(sources: Sources, page: Page) -> None:
    """Note the modification dates that a feed or sitemap gives for pages seen before."""
    outs = page.links.outlinks
    for i, url in enumerate(page.links.targets.tolist()):
        place = sources.places.get(url)
        if place is not None:
            sources.rows["named"][place] = min(date_in(outs.around(i)), page.time)


def prove(site: Site, sources: Sources, place: int, before: float, changed: bool) -> None:
    """Note whether a page had changed that was modified by its date after the look before."""
    if sources.rows["named"][place] > before:
        site.outcomes.named = more(site.outcomes.named, changed)


def date_in(text: str) -> float:
    """Return a date in seconds since 1970, and 0 if there is none."""
    try:
        return datetime.fromisoformat(text).timestamp() if text else 0.0
    except (ValueError, OverflowError):
        return 0.0


def overdue(rows: NDArray[np.void], places: Places, site: Site) -> Floats:
    """Return for articles the time since the last look, in gaps; others are never due."""
    waited = site.all.at - rows["seen"][places]
    shares: Floats = waited / rows["gap"][places]
    shares += is_named(rows, places, site) & (waited >= site.every)
    return np.where(rows["report"][places], shares, -inf)


def ripe_at(rows: NDArray[np.void], places: Places, site: Site) -> float:
    """Return when the first of some articles is to be looked at again."""
    reports = places[rows["report"][places]]
    gaps = np.where(is_named(rows, reports, site), site.every, rows["gap"][reports])
    times: Floats = rows["seen"][reports] + gaps
    return float(times.min(initial=inf))


def is_named(rows: NDArray[np.void], places: Places, site: Site) -> NDArray[np.bool_]:
    """Return which pages have changed by their dates in lists, if these proved right."""
    named: NDArray[np.bool_] = rows["named"][places] > rows["seen"][places]
    return named & site.outcomes.dates_tell
