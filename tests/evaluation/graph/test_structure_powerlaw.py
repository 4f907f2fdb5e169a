"""Maximum likelihood finds the exponents that samples were drawn with."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import zeta

from foragers.evaluation.graph.degrees import PowerLaw, fit_between, fit_from, fit_tail


def bounded_sample(exponent: float, first: int, last: int, size: int) -> NDArray[np.int64]:
    ks = np.arange(first, last + 1)
    weights = ks**-exponent
    return np.random.default_rng(5).choice(ks, size, p=weights / weights.sum())


def within(law: PowerLaw | None, exponent: float, errors: float = 3) -> bool:
    assert law is not None
    return abs(law.exponent - exponent) < errors * law.error


@pytest.mark.parametrize("exponent", [1.6, 2.0, 2.5, 3.2])
def test_all_values_give_back_the_exponent(exponent: float) -> None:
    values = np.random.default_rng(1).zipf(exponent, 20_000)
    law = fit_from(values)
    assert within(law, exponent)
    assert law is not None
    assert law.points == 20_000
    assert law.distance < 0.01


def test_the_tail_is_found_behind_a_head_that_follows_no_law() -> None:
    random = np.random.default_rng(2)
    tail = random.zipf(2.5, 400_000)
    head = random.integers(1, 20, 20_000)
    law = fit_tail(np.concatenate((head, tail[tail >= 20])))
    assert within(law, 2.5)
    assert law is not None
    assert 15 <= law.x_min <= 60
    all_of_it = fit_from(np.concatenate((head, tail[tail >= 20])))
    assert not within(all_of_it, 2.5)


def test_a_bounded_law_gives_back_an_exponent_below_two() -> None:
    law = fit_between(bounded_sample(1.3, 1, 300, 20_000), 1, 300)
    assert within(law, 1.3)
    assert law is not None
    assert (law.x_min, law.x_max, law.bounded) == (1, 300, True)


def test_a_bounded_law_need_not_fall() -> None:
    assert within(fit_between(bounded_sample(-0.5, 1, 50, 20_000), 1, 50), -0.5)


def test_an_endless_law_is_too_steep_for_bounded_values() -> None:
    law = fit_from(bounded_sample(1.3, 1, 300, 20_000))
    assert law is not None
    assert law.exponent > 1.35
    assert law.distance > 0.05


def test_the_error_shrinks_with_the_root_of_the_points() -> None:
    values = np.random.default_rng(1).zipf(2.5, 40_000)
    few, many = fit_from(values[:400]), fit_from(values)
    assert few is not None
    assert many is not None
    assert few.error / many.error == pytest.approx(10, rel=0.2)


def test_the_error_is_the_spread_of_repeated_fits() -> None:
    random = np.random.default_rng(3)
    fits = [fit_from(random.zipf(2.5, 500)) for _ in range(200)]
    exponents = [law.exponent for law in fits if law]
    mean_error = np.mean([law.error for law in fits if law])
    assert np.std(exponents) == pytest.approx(mean_error, rel=0.2)


def test_the_law_sums_to_one() -> None:
    endless = PowerLaw(2.5, 0.0, 3, 100, 1, 0.0)
    bounded = PowerLaw(1.3, 0.0, 3, 100, 1, 0.0, bounded=True)
    ks = np.arange(3, 101)
    beyond = zeta(2.5, 101) / zeta(2.5, 3)
    assert endless.probability(ks).sum() == pytest.approx(1 - beyond)
    assert bounded.probability(ks).sum() == pytest.approx(1)
    assert bounded.survival(np.array([3, 101])) == pytest.approx([1, 0])
    assert endless.survival(np.array([3, 101])) == pytest.approx([1, beyond])


@pytest.mark.parametrize("values", [[], [0, 0], [1, 1, 1], [7]])
def test_values_that_are_all_alike_have_no_tail(values: list[int]) -> None:
    assert fit_tail(np.array(values, np.int64)) is None


@given(st.lists(st.integers(0, 3000) | st.integers(0, 5), max_size=80), st.integers(1, 9))
def test_no_values_break_a_fit(numbers: list[int], x_min: int) -> None:
    values = np.array(numbers, np.int64)
    for law in (fit_tail(values), fit_from(values, x_min), fit_between(values, x_min)):
        if law:
            assert 0 <= law.distance <= 1
            assert law.error > 0
            assert law.points <= len(values)
