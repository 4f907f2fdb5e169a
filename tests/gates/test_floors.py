"""What gates are made of."""

from __future__ import annotations

import pytest

from gates.floors import Mean


def test_a_mean_lies_within_its_interval_and_that_within_the_values() -> None:
    mean = Mean.of([1.0, 2.0, 6.0])
    assert mean.value == 3
    assert 1 <= mean.low < 3 < mean.high <= 6
    assert str(mean).startswith("3.000 [")
    assert str(mean).endswith("over 3")


def test_values_that_are_all_the_same_leave_no_doubt() -> None:
    assert Mean.of([0.5] * 4) == Mean(0.5, 0.5, 0.5, 4)


def test_twice_as_much_and_half_as_much_are_the_same_on_the_mean_of_ratios() -> None:
    assert Mean.of_ratios([2.0, 0.5]).value == pytest.approx(1)
    assert Mean.of_ratios([1.0, 4.0]).value == pytest.approx(2)


def test_a_gate_breaks_below_its_floor_only() -> None:
    Mean.of([0.4, 0.6]).hold("itself", 0.5)
    with pytest.raises(AssertionError, match=r"itself: 0.490 .* floor 0.5"):
        Mean.of([0.39, 0.59]).hold("itself", 0.5)
