"""Paired differences, by hand."""

from __future__ import annotations

from math import atan, cos, pi, sin, sqrt

import numpy as np
import pytest

from foragers.evaluation.metrics.significance import Difference, paired


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
    assert (one.mean, one.p) == (-other.mean, pytest.approx(other.p))
    assert (one.low, one.high) == (pytest.approx(-other.high), pytest.approx(-other.low))


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
    assert paired(ours, theirs) == Difference(pytest.approx(0.1), 3)


def test_interval_covers_the_truth_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(300):
        found = paired(rng.normal(1.0, 2.0, 6).tolist(), [0.0] * 6)
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= 1.0 <= found.high
    assert 275 <= covered <= 296
