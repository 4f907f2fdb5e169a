"""Whether a difference between two strategies is more than chance."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np


class Difference(msgspec.Struct, frozen=True):
    """The mean of paired differences, its 95 % interval, and Student's p.

    Interval and p are None if all differences are equal, as with deterministic strategies: such a
    difference is exact, for this world and these seeds. With a single run there is neither.
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


def apart(ours: Sequence[float], theirs: Sequence[float]) -> Difference:
    """Compare runs that have nothing in common: Welch's t-test, and its 95 % interval."""
    one, other = np.array(ours, float), np.array(theirs, float)
    mean, runs = float(one.mean() - other.mean()), min(len(one), len(other))
    rounding = 1e-12 * float(np.abs(np.concatenate((one, other))).max(initial=0.0))
    if runs < 2 or max(float(np.ptp(one)), float(np.ptp(other))) <= rounding:
        return Difference(mean, runs)
    # Imported here since it takes most of a second, which every command would pay.
    from scipy import stats

    errors = np.array([one.var(ddof=1) / len(one), other.var(ddof=1) / len(other)])
    error = float(np.sqrt(errors.sum()))
    freedom = errors.sum() ** 2 / (errors**2 / (len(one) - 1, len(other) - 1)).sum()
    half = float(stats.t.ppf(0.975, freedom)) * error
    p = 2 * float(stats.t.sf(abs(mean) / error, freedom))
    return Difference(mean, runs, mean - half, mean + half, p)


ROUNDS = 2000
"""Resamples of a bootstrap; each end of a 95 % interval then depends on fifty of them."""


def bootstrap(
    groups: Sequence[Sequence[float]], share: float = 0.95, rounds: int = ROUNDS, seed: int = 0
) -> tuple[float, float] | None:
    """Return an interval for the mean of the groups' means, or None for a single value.

    Groups are webs and their values are topics.  Each round draws as many webs as there are, with
    replacement, and within each of them as many topics as it has.  The interval is the middle
    `share` of the rounds.
    """
    if sum(len(group) for group in groups) < 2:
        return None
    rng = np.random.default_rng(seed)
    columns = [np.array(group, float) for group in groups]
    # One row for each round, one column for each draw: the mean of the web drawn.
    drawn = rng.integers(len(columns), size=(rounds, len(columns)))
    means = np.empty(drawn.shape)
    for number, column in enumerate(columns):
        chosen = drawn == number
        count = int(np.count_nonzero(chosen))
        topics = rng.integers(len(column), size=(count, len(column)))
        means[chosen] = column[topics].mean(axis=1)
    tail = 50 * (1 - share)
    low, high = np.percentile(means.mean(axis=1), (tail, 100 - tail))
    return float(low), float(high)


def holm(ps: Sequence[float | None]) -> list[float | None]:
    """Return p-values corrected for their number by Holm's method; None stays None."""
    tested = sorted((p, index) for index, p in enumerate(ps) if p is not None)
    corrected: list[float | None] = [None] * len(ps)
    largest = 0.0
    for rank, (p, index) in enumerate(tested):
        largest = max(largest, min(1.0, (len(tested) - rank) * p))
        corrected[index] = largest
    return corrected
