"""A learning automaton: numbers worked out by hand, what always holds, and where it goes."""

from __future__ import annotations

from math import e, exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foragers.strategies.automata.automaton import (
    chosen,
    convergence_bound,
    growth_rate,
    normal,
    penalised,
    rewarded,
    scaled,
    uniform,
    updated,
)


def vector(*values: float) -> np.ndarray:
    return np.array(values, float)


def test_reward_moves_towards_the_chosen_action() -> None:
    # 0.2 + 0.1 * (1 - 0.2); the others times 0.9.
    assert rewarded(vector(0.5, 0.2, 0.3), 1, 0.1) == pytest.approx([0.45, 0.28, 0.27])


def test_penalty_moves_away_from_the_chosen_action() -> None:
    # 0.9 * 0.5; 0.1 / 2 + 0.9 * 0.2; 0.1 / 2 + 0.9 * 0.3.
    assert penalised(vector(0.5, 0.2, 0.3), 0, 0.1) == pytest.approx([0.45, 0.23, 0.32])


def test_reward_inaction_leaves_a_penalised_action_as_it_is() -> None:
    assert penalised(vector(0.5, 0.2, 0.3), 0, 0.0).tolist() == [0.5, 0.2, 0.3]


def test_an_only_action_stays_certain() -> None:
    assert rewarded(vector(1.0), 0, 0.3).tolist() == [1.0]
    assert penalised(vector(1.0), 0, 0.3).tolist() == [1.0]


def test_disabled_actions_keep_their_probability() -> None:
    # K = 0.8: 0.5 / 0.8 = 0.625 and 0.375; rewarded 0.375 + 0.2 * 0.625 = 0.5; times K 0.4.
    p, enabled = vector(0.5, 0.2, 0.3), np.array([True, False, True])
    assert scaled(p, enabled) == pytest.approx([0.625, 0.0, 0.375])
    assert updated(p, enabled, 2, 0.2, 0.0, paid=True) == pytest.approx([0.4, 0.2, 0.4])
    # Penalised with b = 0.2 and two enabled: 0.8 * 0.375 = 0.3 and 0.2 + 0.8 * 0.625 = 0.7.
    assert updated(p, enabled, 2, 0.2, 0.2, paid=False) == pytest.approx([0.56, 0.2, 0.24])


def test_actions_given_up_share_the_chance_when_no_others_are_enabled() -> None:
    p, enabled = vector(1.0, 0.0, 0.0), np.array([False, True, True])
    assert scaled(p, enabled).tolist() == [0.0, 0.5, 0.5]
    assert updated(p, enabled, 1, 0.5, 0.0, paid=True) == pytest.approx([1.0, 0.0, 0.0])
    assert scaled(p, np.zeros(3, bool)).tolist() == [0.0, 0.0, 0.0]


def test_a_lot_falls_on_the_action_in_whose_share_it_lies() -> None:
    p = vector(0.0, 0.25, 0.0, 0.75, 0.0)
    assert [chosen(p, lot) for lot in (0.0, 0.2, 0.25, 0.9, 1.0)] == [1, 1, 3, 3, 3]


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["reward", "penalty"]),
        st.integers(0, 10**6),
        st.floats(0.001, 0.999),
        st.floats(0, 0.999),
    ),
    max_size=40,
)


@given(st.integers(1, 12), STEPS)
def test_probabilities_always_sum_to_one(
    actions: int, steps: list[tuple[str, int, float, float]]
) -> None:
    p = uniform(actions)
    for what, number, a, b in steps:
        enabled = np.array([number >> place & 1 for place in range(len(p))], bool)
        action = number % len(p)
        enabled[action] = True
        before = p[~enabled]
        p = updated(p, enabled, action, a, b, what == "reward")
        assert p[~enabled] == pytest.approx(before, abs=1e-12)
        assert scaled(p, enabled).sum() == pytest.approx(1, abs=1e-12)
        assert p.sum() == pytest.approx(1, abs=1e-12)
        assert (p >= 0).all()


@given(st.lists(st.floats(0.01, 1), min_size=2, max_size=6), st.floats(0.01, 0.9))
def test_among_links_that_fare_alike_nothing_changes_by_rewarding_another(
    weights: list[float], a: float
) -> None:
    p = normal(np.array(weights))
    rest = np.arange(len(p)) > 0
    after = updated(p, np.ones(len(p), bool), 0, a, 0.0, paid=True)
    assert scaled(after, rest) == pytest.approx(scaled(p, rest))


def test_the_bound_is_that_of_the_paper() -> None:
    # (e^x - 1) / x = e - 1 at x = 1, so the ratio 1 / (e - 1) makes the bound plain.
    assert growth_rate(e - 1) == pytest.approx(1.0)
    expected = (1 - exp(-0.25 / 0.1)) / (1 - exp(-1 / 0.1))
    assert convergence_bound(0.25, 0.1, 1 / (e - 1)) == pytest.approx(expected)
    assert convergence_bound(0.25, 0.1, 0.0) == 1.0
    assert convergence_bound(0.25, 0.1, 1.0) == 0.0


@pytest.mark.parametrize("a", [0.1, 0.3, 0.5])
def test_the_best_action_wins_at_least_as_often_as_the_bound_says(a: float) -> None:
    rng = np.random.default_rng(5)
    chances = np.array([0.8, 0.4, 0.2])
    wins = 0
    for _ in range(200):
        p = uniform(3)
        while p.max() < 0.999:
            action = chosen(p, rng.random())
            if rng.random() < chances[action]:
                p = rewarded(p, action, a)
        wins += int(p[0] > 0.5)
    bound = convergence_bound(1 / 3, a, 0.5)
    # Three deviations of a share of 200, so that chance alone does not fail the test.
    assert wins / 200 >= bound - 3 * np.sqrt(bound * (1 - bound) / 200)
