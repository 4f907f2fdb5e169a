"""When known articles are looked at again, for changes and removals.

An article is looked at after a gap.  The gap doubles after a look without a change and is halved
after one with a change.  An old article changes less often than a new one, so its gap is at least a
share of its age.  Gaps are multiples of the time between two looks that the user allows, up to an
hour at first: who lets pages be looked at every few seconds wants to hear of changes in minutes.
"""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from foragers.frontier.columns import Places
from foragers.strategies.watch.settings import DEFAULT_WATCH, WatchSettings
from foragers.strategies.watch.sources import Floats


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


def overdue(rows: NDArray[np.void], places: Places, now: float) -> Floats:
    """Return for articles the time since the last look, in gaps; others are never due."""
    shares: Floats = (now - rows["seen"][places]) / rows["gap"][places]
    return np.where(rows["report"][places], shares, -inf)


def ripe_at(rows: NDArray[np.void], places: Places) -> float:
    """Return when the first of some articles is to be looked at again."""
    reports = places[rows["report"][places]]
    times: Floats = rows["seen"][reports] + rows["gap"][reports]
    return float(times.min(initial=inf))
