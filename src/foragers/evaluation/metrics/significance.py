"""Whether a difference between two strategies is more than chance."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np


class Difference(msgspec.Struct, frozen=True):
    """The mean of paired differences, its 95 % interval, and Student's p.

    Interval and p are None where all differences are equal, as with strategies that
    leave nothing to chance: such a difference is exact, for this world and these seeds.
    With a single run nothing can be said.
    """

    mean: float
    runs: int
    low: float | None = None
    high: float | None = None
    p: float | None = None


def paired(ours: Sequence[float], theirs: Sequence[float]) -> Difference:
    """Compare runs that share their seeds, pair by pair."""
    differences = np.array(ours, float) - np.array(theirs, float)
    mean = float(differences.mean())
    rounding = 1e-12 * float(np.abs([ours, theirs]).max(initial=0.0))
    if len(differences) < 2 or np.ptp(differences) <= rounding:
        return Difference(mean, len(differences))
    # Imported here since it takes most of a second, which every command would pay.
    from scipy import stats

    test = stats.ttest_1samp(differences, 0.0)
    interval = test.confidence_interval(0.95)
    low, high = float(interval.low), float(interval.high)
    return Difference(mean, len(differences), low, high, float(test.pvalue))
