"""Capture and recapture: numbers worked out by hand, and intervals in simulations."""

from __future__ import annotations

import numpy as np
import pytest

from foragers.evaluation.metrics.recall import chao, chapman


def test_chapman_is_what_the_formula_says() -> None:
    # 11 · 16 / 6 − 1, and the variance 11 · 16 · 5 · 10 / (36 · 7) = 34.92 around 8.33 missed:
    # exp(1.645 √log(1 + 34.92 / 69.44)) = 2.857.
    count = chapman(10, 15, 5)
    assert count.value == pytest.approx(28.3333, abs=1e-3)
    assert count.low == pytest.approx(20 + 8.3333 / 2.8572, abs=0.01)
    assert count.high == pytest.approx(20 + 8.3333 * 2.8572, abs=0.01)


def test_samples_that_are_the_same_have_met_all_there_are() -> None:
    count = chapman(12, 12, 12)
    assert (count.value, count.low, count.high) == (12, 12, 12)


def test_samples_without_anything_in_common_leave_all_open() -> None:
    count = chapman(10, 10, 0)
    assert count.value == 120
    assert count.high > 2 * count.value


def test_chao_is_what_the_formula_says() -> None:
    assert chao(20, 8, 3).value == 20 + 8 * 7 / (2 * 4)
    assert chao(20, 0, 7).value == chao(20, 0, 7).high == 20


def test_chapmans_interval_holds_nine_times_out_of_ten_for_samples_by_lot() -> None:
    chance = np.random.default_rng(1)
    held = 0
    for _ in range(400):
        one, other = chance.random((2, 300)) < 0.3
        count = chapman(int(one.sum()), int(other.sum()), int((one & other).sum()))
        held += count.low <= 300 <= count.high
    assert 0.84 <= held / 400 <= 0.96


def test_chao_is_a_lower_bound_where_some_are_met_less_often_than_others() -> None:
    chance = np.random.default_rng(2)
    values = []
    for _ in range(200):
        met = chance.poisson(chance.gamma(0.7, 2.0, 500))
        once, twice = (int((met == times).sum()) for times in (1, 2))
        values.append(chao(int((met > 0).sum()), once, twice).value)
    assert np.mean(np.array(values) < 500) > 0.95
