"""Paired differences, by hand."""

from __future__ import annotations

from math import atan, cos, pi, sin, sqrt

import numpy as np
import pytest
from scipy import stats

from foragers.evaluation.metrics.significance import Difference, apart, bootstrap, holm, paired


def two_sided(t: float) -> float:
    """Return Student's p for three degrees of freedom, where it has a closed form."""
    angle = atan(t / sqrt(3))
    return 1 - 2 / pi * (angle + sin(angle) * cos(angle))


def test_difference_is_tested_pair_by_pair() -> None:
    # Differences 1, 2, 3, 4: mean 2.5, standard error sqrt(5/3)/2, three degrees of freedom.
    found = paired([11, 22, 33, 44], [10, 20, 30, 40])
    error = sqrt(5 / 3) / 2
    assert found.mean == 2.5
    assert found.low == pytest.approx(2.5 - 3.182446 * error, abs=1e-5)
    assert found.high == pytest.approx(2.5 + 3.182446 * error, abs=1e-5)
    assert found.p == pytest.approx(two_sided(2.5 / error))


def test_pairing_matters() -> None:
    # The same numbers, but the differences are now -29, -8, 13, 34: squares of 2205 about 2.5.
    found = paired([11, 22, 33, 44], [40, 30, 20, 10])
    assert found.mean == 2.5
    assert found.p == pytest.approx(two_sided(2.5 / sqrt(2205 / 3 / 4)))


def test_difference_the_other_way_round_is_its_mirror() -> None:
    one, other = paired([1, 2, 4], [3, 3, 3]), paired([3, 3, 3], [1, 2, 4])
    assert other.low is not None
    assert other.high is not None
    assert one.mean == -other.mean
    assert (one.p, one.low, one.high) == pytest.approx((other.p, -other.high, -other.low))


@pytest.mark.parametrize(
    ("ours", "theirs", "mean"),
    [([5.0], [3.0], 2.0), ([5, 6], [3, 4], 2.0), ([1, 2, 3], [1, 2, 3], 0.0)],
)
def test_equal_differences_have_no_interval(
    ours: list[float], theirs: list[float], mean: float
) -> None:
    assert paired(ours, theirs) == Difference(mean, len(ours))


def test_differences_that_only_rounding_makes_unequal_count_as_equal() -> None:
    ours = [0.1 + 0.2, 1.1 + 2.2, 0.7 + 0.1]
    theirs = [0.2, 3.2, 0.7]
    assert np.ptp(np.array(ours) - np.array(theirs)) > 0
    found = paired(ours, theirs)
    assert found == Difference(found.mean, 3)
    assert found.mean == pytest.approx(0.1)


def test_interval_covers_the_truth_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(300):
        found = paired(rng.normal(1.0, 2.0, 6).tolist(), [0.0] * 6)
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= 1.0 <= found.high
    assert 275 <= covered <= 296


def test_a_bootstrap_draws_worlds_and_then_their_topics() -> None:
    # Two worlds with one topic each: the means drawn are 0, ½ and 1, with chances ¼, ½ and ¼.
    assert bootstrap([[0.0], [1.0]], share=0.95) == (0.0, 1.0)
    assert bootstrap([[0.0], [1.0]], share=0.4) == (0.5, 0.5)
    # One world with two topics: the same by topics.
    assert bootstrap([[0.0, 1.0]], share=0.4) == (0.5, 0.5)
    # A world whose topics agree does not vary, however many it has.
    assert bootstrap([[0.3, 0.3, 0.3]]) == pytest.approx((0.3, 0.3))


def test_a_bootstrap_is_the_same_every_time_and_says_nothing_of_one_value() -> None:
    groups = [[0.1, 0.5, 0.2], [0.9], [0.4, 0.6]]
    assert bootstrap(groups) == bootstrap(groups)
    assert bootstrap(groups, share=0.6) != bootstrap(groups, share=0.6, rounds=101, seed=1)
    assert bootstrap([[0.5]]) is None


def test_a_bootstrap_interval_is_about_that_of_the_normal_distribution() -> None:
    values = np.linspace(-1.0, 1.0, 101)
    found = bootstrap([[float(value)] for value in values])
    assert found is not None
    error = 1.96 * float(values.std()) / sqrt(len(values))
    assert found == pytest.approx((-error, error), rel=0.15)


def test_holm_multiplies_the_smallest_p_by_the_number_of_tests() -> None:
    # 3 · 0.01, 2 · 0.02, 1 · 0.03: the last may not be below the one before it.
    assert holm([0.03, 0.01, 0.02]) == [
        pytest.approx(0.04),
        pytest.approx(0.03),
        pytest.approx(0.04),
    ]
    assert holm([0.5, None, 0.8]) == [1.0, None, 1.0]
    assert holm([0.04]) == [0.04]
    assert holm([]) == []


def test_runs_that_share_nothing_are_compared_by_welch() -> None:
    # Means 3 and 1, variances 1 and 4 of 3 and 2 runs: error² = 1/3 + 4/2 = 7/3; degrees of freedom
    # (7/3)² / ((1/3)²/2 + 2²/1) = 5.4444 / 4.0556 = 1.3425.
    found = apart([2.0, 3.0, 4.0], [1 - 2**0.5, 1 + 2**0.5])
    assert found.mean == pytest.approx(2.0)
    assert found.runs == 2
    error, freedom = (7 / 3) ** 0.5, (49 / 9) / (1 / 18 + 4)
    assert found.p == pytest.approx(2 * stats.t.sf(2 / error, freedom))
    half = stats.t.ppf(0.975, freedom) * error
    assert (found.low, found.high) == pytest.approx((2 - half, 2 + half))


def test_single_or_equal_runs_have_no_interval() -> None:
    assert apart([2.0], [1.0, 3.0]).p is None
    assert apart([2.0, 2.0], [1.0, 1.0]) == Difference(1.0, 2)
