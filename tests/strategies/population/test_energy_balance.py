"""Energy that balances: the level, the slope, and what pages at the level get."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from math import exp, inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from foragers.strategies.population.balance import Balance

RELEVANCE = st.floats(0, 1) | st.sampled_from([0.0, 0.5, 1.0])
POSITIVE = st.floats(0.01, 50)


def balance_of(values: list[float], cost: float = 0.5, gain: float = 10.0) -> Balance:
    balance = Balance(cost, gain)
    for value in values:
        balance.add(value)
    return balance


@given(st.lists(RELEVANCE, min_size=1, max_size=200), POSITIVE, POSITIVE)
def test_level_is_the_order_statistic(values: list[float], cost: float, gain: float) -> None:
    balance = balance_of(values, cost, gain)
    rank = min(max(round(len(values) / (cost / gain + 1)), 1), len(values))
    assert balance.level == sorted(values)[rank - 1]


@given(st.lists(RELEVANCE, min_size=1, max_size=60), RELEVANCE, POSITIVE, POSITIVE)
def test_energy_stays_between_cost_and_gain(
    values: list[float], value: float, cost: float, gain: float
) -> None:
    energy = balance_of(values, cost, gain).energy(value)
    assert -cost - 1e-9 <= energy <= gain + 1e-9


@given(st.lists(RELEVANCE, min_size=1, max_size=60), RELEVANCE, RELEVANCE)
def test_a_more_relevant_page_never_has_less_energy(
    values: list[float], one: float, other: float
) -> None:
    balance = balance_of(values)
    low, high = sorted((one, other))
    # What balances at the level may lie on either side of the curve beside it.
    if balance.level not in (low, high):
        assert balance.energy(low) <= balance.energy(high)


def test_sigmoid_by_hand() -> None:
    # 21 values, n* = 21 / 1.05 = 20, R = 0.95; the nearer end is 1, so the slope is 8 / 0.05.
    balance = balance_of([place / 20 for place in range(21)])
    assert (balance.rank, balance.level) == (20, 0.95)
    assert balance.slope == pytest.approx(160)
    assert balance.energy(0.95) == pytest.approx(4.75)
    assert balance.energy(1.0) == pytest.approx(10.5 / (1 + exp(-8)) - 0.5)
    assert balance.energy(0.9) == pytest.approx(10.5 / (1 + exp(8)) - 0.5)
    assert balance.energy(0.0) == pytest.approx(-0.5)


def test_one_page_in_twenty_gains() -> None:
    values = np.random.default_rng(1).random(20_000).tolist()
    balance = balance_of(values)
    above = sum(value > balance.level for value in values)
    assert above / len(values) == pytest.approx(1 / 21, abs=0.001)
    # The smooth curve rises above zero a little before the level.
    rewarded = sum(balance.energy(value) > 0 for value in values)
    assert rewarded / len(values) == pytest.approx(1 / 20, abs=0.02)


DRAWS: dict[str, Callable[[np.random.Generator, int], NDArray[np.float64]]] = {
    "uniform": lambda rng, n: rng.random(n),
    "beta": lambda rng, n: rng.beta(2, 8, n),
    "mostly low": lambda rng, n: rng.beta(0.3, 3, n),
    "exponential": lambda rng, n: np.minimum(rng.exponential(0.1, n), 1),
    "normal": lambda rng, n: np.clip(rng.normal(0.3, 0.1, n), 0, 1),
    "two hills": lambda rng, n: rng.normal(np.where(rng.random(n) < 0.1, 0.8, 0.1), 0.05),
    "mostly none": lambda rng, n: np.where(rng.random(n) < 0.7, 0, rng.random(n) ** 2),
    "few relevant": lambda rng, n: (rng.random(n) < 0.02).astype(float),
    "many relevant": lambda rng, n: (rng.random(n) < 0.3).astype(float),
    "keywords": lambda rng, n: rng.choice([0.0, 0.577, 0.816, 1.0], n, p=[0.6, 0.3, 0.07, 0.03]),
    "coarse": lambda rng, n: np.round(rng.beta(1, 6, n), 1),
}


@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize(("cost", "gain"), [(0.5, 10.0), (0.25, 5.0), (1.5, 30.0), (2.0, 8.0)])
def test_gains_and_costs_balance(name: str, cost: float, gain: float) -> None:
    values = DRAWS[name](np.random.default_rng(2), 5_000).tolist()
    balance = balance_of(values, cost, gain)
    mean = sum(map(balance.energy, values)) / len(values)
    assert abs(mean) < 0.1 * cost, "by all pages, with the level they led to"


@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize("gain", [10.0, 30.0])
def test_energy_given_page_by_page_balances_within_sampling_error(name: str, gain: float) -> None:
    rng, cost = np.random.default_rng(3), 0.5
    balance, given = Balance(cost, gain), []
    for value in DRAWS[name](rng, 4_000).tolist():
        balance.add(value)
        given.append(balance.energy(value))
    later = np.array(given[200:])
    error = later.std() / np.sqrt(len(later))
    assert abs(later.mean()) < 3 * error + 0.02 * cost


def test_a_more_relevant_page_never_has_less_energy_where_the_curve_was_moved() -> None:
    balance = balance_of(DRAWS["coarse"](np.random.default_rng(4), 1_000).tolist())
    energies = [balance.energy(place / 200) for place in range(201)]
    assert energies == sorted(energies)
    assert -0.5 <= energies[0] < 0 < energies[-1] <= 10.0


def test_two_valued_relevance_balances_exactly() -> None:
    # 2 of 100 relevant: the level is 0, the 98 pay 2 · 10 / 98 each.
    few = balance_of([1.0] * 2 + [0.0] * 98)
    assert few.energy(1.0) == 10.0
    assert few.energy(0.0) == pytest.approx(-20 / 98)
    # 30 of 100: the level is 1, the 30 gain 70 · 0.5 / 30 each.
    many = balance_of([1.0] * 30 + [0.0] * 70)
    assert many.energy(0.0) == -0.5
    assert many.energy(1.0) == pytest.approx(35 / 30)


def test_pages_that_are_all_alike_give_and_cost_nothing() -> None:
    for values in ([0.4], [0.4] * 50, [0.0] * 7):
        balance = balance_of(values)
        assert balance.slope == inf
        assert balance.energy(values[0]) == 0.0
    assert Balance().energy(0.3) == 10.0
    assert Balance().energy(0.0) == 0.0


def test_history_can_be_packed() -> None:
    balance = balance_of([0.1, 0.5, 0.9])
    again = pickle.loads(pickle.dumps(balance))
    again.add(0.7)
    balance.add(0.7)
    assert (again.level, again.energy(0.6)) == (balance.level, balance.energy(0.6))
