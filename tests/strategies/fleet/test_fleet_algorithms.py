"""Algorithms 1 to 12 of the `selection` paper, with numbers worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foragers.frontier.columns import StateTable
from foragers.strategies.fleet.colony import Colony, ReinforcingAgent, profit
from foragers.strategies.fleet.fleet import Fleet
from foragers.strategies.fleet.forager import Forager, Weblog, td_update
from foragers.strategies.fleet.path import Path
from foragers.strategies.fleet.settings import RL, WL, WLRL, FleetSettings


def ids(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int32)


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def forager(settings: FleetSettings = WLRL, weights: tuple[float, ...] = (1.0, 0.0)) -> Forager:
    return Forager(0, settings, Weblog.of([7]), np.array(weights), settings.first_score)


# Algorithm 1: weblog update


def test_a_new_url_has_the_rewards_from_its_step_to_the_end() -> None:
    weblog = Weblog()
    weblog.update([1, 2, 3], [10.0, 0.0, 5.0], 0.3)
    # From step 1: 10 + 0 + 5; from step 2: 0 + 5; from step 3: 5.
    assert weblog.values == {1: 15.0, 2: 5.0, 3: 5.0}
    assert list(weblog.values) == [1, 2, 3]


def test_a_revisited_url_moves_three_tenths_of_the_way() -> None:
    weblog = Weblog(values={4: 100.0, 1: 50.0, 9: 2.0})
    weblog.update([1, 2, 9], [99.0, -1.0, 100.0], 0.3)
    # Sums 198, 99, 100.  1: 0.7 * 50 + 0.3 * 198 = 94.4;  9: 0.7 * 2 + 0.3 * 100 = 31.4.
    assert weblog.values == pytest.approx({4: 100.0, 2: 99.0, 1: 94.4, 9: 31.4})
    assert list(weblog.values) == [4, 2, 1, 9]


def test_pages_without_links_do_not_join_the_weblog_if_starts_must_have_links() -> None:
    walker = forager(replace(WL, starts_with_links=True))
    for url, leads in ((1, True), (2, False), (3, True)):
        walker.path.visit(url)
        walker.reach(url, leads)
        walker.path.rewards.append(10.0)
    walker.end_path()
    assert walker.weblog.values == {1: 30.0, 3: 10.0, 7: 0.0}
    assert not walker.bare
    assert dict(walker.lengths) == {3: 1}


def test_a_fixed_weblog_takes_the_first_pages_with_links() -> None:
    walker = forager(replace(RL, starts_with_links=True))
    walker.reach(1, False)
    walker.reach(2, True)
    assert list(walker.weblog.values) == [7, 2]


def test_the_lengths_of_paths_are_counted_for_the_whole_fleet() -> None:
    fleet = Fleet(RL)
    fleet.begin([5], 0, 2, 0.0, rng())
    first, second = fleet.population.members
    first.path.visit(1)
    first.end_path()
    first.end_path()  # nothing was walked
    child = second.child(9, rng())
    for url in (1, 2, 3):
        child.path.visit(url)
    child.end_path()
    assert dict(fleet.lengths) == {1: 1, 3: 1}


@given(
    st.dictionaries(st.integers(0, 9), st.integers(-4, 4).map(float), max_size=6),
    st.integers(0, 9),
    st.integers(-6, 6).map(float),
    st.integers(1, 6),
)
def test_a_path_of_one_page_is_learned_as_any_other(
    before: dict[int, float], url: int, reward: float, size: int
) -> None:
    ranked = sorted(before, key=before.__getitem__, reverse=True)[:size]
    weblog = Weblog(size, values={one: before[one] for one in ranked})
    weblog.update([], [], 0.5)  # from now on it is known to be in order
    known = dict(weblog.values)
    old = known.get(url)
    known[url] = reward if old is None else 0.5 * old + 0.5 * reward
    best = sorted(known, key=known.__getitem__, reverse=True)[:size]
    weblog.update([url], [reward], 0.5)
    assert list(weblog.values.items()) == [(one, known[one]) for one in best]


def test_the_weblog_keeps_its_best_and_starts_from_the_first_ten() -> None:
    weblog = Weblog(size=100, starts=10)
    rewards = [1.0] * 120
    weblog.update(list(range(120)), rewards, 0.3)
    assert list(weblog.values) == list(range(100))
    assert weblog.values[0] == 120.0
    assert weblog.values[99] == 21.0
    assert weblog.starting == list(range(10))


def test_equal_values_stay_in_the_order_in_which_they_became_known() -> None:
    weblog = Weblog.of([5, 3])
    weblog.update([8, 2], [0.0, 0.0], 0.3)
    assert list(weblog.values) == [5, 3, 8, 2]


@given(
    st.dictionaries(st.integers(0, 30), st.floats(-1e3, 1e3), max_size=20),
    st.lists(st.tuples(st.integers(0, 30), st.floats(-100, 100)), min_size=1, max_size=40),
    st.integers(1, 12),
)
def test_a_weblog_is_in_descending_order_and_never_too_long(
    values: dict[int, float], path: list[tuple[int, float]], size: int
) -> None:
    weblog = Weblog(size, 3, dict(values))
    weblog.update([url for url, _ in path], [reward for _, reward in path], 0.3)
    held = list(weblog.values.values())
    assert held == sorted(held, reverse=True)
    assert len(held) == min(size, len({*values, *(url for url, _ in path)}))
    assert len(weblog.starting) == min(3, len(held))


# Algorithms 2 and 3: states, and the page of the highest value


def test_a_state_is_kept_once() -> None:
    table = StateTable(2)
    first, second = np.array([1, -1], np.float32), np.array([-1, 1], np.float32)
    assert [table.number(state) for state in (first, second, first)] == [1, 2, 1]
    assert table.states.tolist() == [[0, 0], [1, -1], [-1, 1]]


STATES = np.array([[0, 0], [1, -1], [-1, 1], [1, 1]], np.float32)


def test_the_page_of_the_highest_value_is_visited_next() -> None:
    path = Path()
    path.add(ids(10, 11, 12), ids(1, 2, 3), STATES)
    # Values with weights (2, 1): 1, -1, 3.
    weights = np.array([2.0, 1.0])
    assert [path.go_best(weights, rng()) for _ in range(3)] == [(12, 3.0), (10, 1.0), (11, -1.0)]
    assert path.waiting == 0
    assert path.urls == [12, 10, 11]


def test_a_page_that_has_changed_has_the_value_of_its_new_state() -> None:
    path = Path()
    path.add(ids(10, 11), ids(1, 2), STATES)
    path.add(ids(11), ids(3), STATES)
    assert path.waiting == 2
    assert path.go_best(np.array([0.0, 1.0]), rng()) == (11, 1.0)


def test_what_was_visited_does_not_come_back_into_the_frontier() -> None:
    path = Path()
    path.visit(10)
    path.add(ids(10, 11), ids(3, 1), STATES)
    assert path.waiting == 1
    assert path.go_best(np.array([1.0, 1.0]), rng())[0] == 11
    path.restart()
    path.add(ids(10), ids(3), STATES)
    assert path.waiting == 1


@pytest.mark.parametrize("numbers", [(1, 1, 1), (1, 2, 2)])
def test_ties_are_broken_at_random_each_page_with_the_same_chance(
    numbers: tuple[int, int, int],
) -> None:
    # With weights (1, 1) the states 1 and 2 have the same value, 0.
    counts = np.zeros(3)
    chance = rng()
    for _ in range(600):
        path = Path()
        path.add(ids(0, 1, 2), ids(*numbers), STATES)
        counts[path.go_best(np.ones(2), chance)[0]] += 1
    assert counts.min() > 150


@given(st.lists(st.tuples(st.integers(0, 15), st.integers(0, 3), st.booleans()), max_size=60))
def test_a_path_is_a_set_of_pages_of_which_the_best_is_taken(
    steps: list[tuple[int, int, bool]],
) -> None:
    path = Path()
    waiting: dict[int, int] = {}
    visited: set[int] = set()
    weights, chance = np.array([3.0, 1.0]), rng()
    for url, number, goes in steps:
        if goes and waiting:
            best = max(float(STATES[at] @ weights) for at in waiting.values())
            taken, value = path.go_best(weights, chance)
            assert value == best == float(STATES[waiting.pop(taken)] @ weights)
            visited.add(taken)
        else:
            path.add(ids(url), ids(number), STATES)
            if url not in visited:
                waiting[url] = number
        assert path.waiting == len(waiting)


# Algorithm 4: temporal differences


def test_td_update_by_hand() -> None:
    weights = np.array([1.0, 2.0])
    # v(state) = 1 - 2 = -1; v(next) = 1 + 2 = 3; error = 98 + 0.9 * 3 + 1 = 101.7.
    error = td_update(weights, np.array([1.0, -1.0]), np.array([1.0, 1.0]), 98.0, RL)
    assert error == pytest.approx(101.7)
    assert weights == pytest.approx([1 + 10.17, 2 - 10.17])


def test_td_update_normalised_by_hand() -> None:
    weights = np.array([1.0, 2.0])
    settings = replace(RL, normalised=True)
    td_update(weights, np.array([1.0, -1.0]), np.array([1.0, 1.0]), 98.0, settings)
    # The same error, with a step of 0.1 / 2.
    assert weights == pytest.approx([1 + 5.085, 2 - 5.085])


def test_weights_that_have_run_away_run_no_further() -> None:
    weights = np.array([1e160, 1e160])
    td_update(weights, np.array([1.0, 1.0]), np.array([-1.0, -1.0]), 0.0, RL)
    assert weights.tolist() == [1e160, 1e160]


def test_the_first_step_of_a_path_teaches_nothing_unless_paths_are_joined() -> None:
    for across, moved in ((False, False), (True, True)):
        one = forager(replace(WLRL, td_across_paths=across))
        one.path.visit(1)
        one.learn(STATES, 1, 5.0)
        assert one.weights.tolist() == [1.0, 0.0]
        one.end_path()
        one.path.visit(2)
        one.learn(STATES, 3, 7.0)
        # v(1) = 1, v(3) = 1: error 7 + 0.9 - 1 = 6.9, times 0.1 times (1, -1).
        expected = [1.69, -0.69] if moved else [1.0, 0.0]
        assert one.weights == pytest.approx(expected)


def test_weblog_foragers_never_change_their_weights() -> None:
    one = forager(WL)
    for url, number in ((1, 1), (2, 2), (3, 3)):
        one.path.visit(url)
        one.learn(STATES, number, 100.0)
    assert one.weights.tolist() == [1.0, 0.0]


# Algorithms 5 and 7, and both schemes of rewards


def test_a_forager_sends_a_page_once() -> None:
    one = forager()
    assert one.select(ids(3, 4)).tolist() == [0, 1]
    assert one.select(ids(4, 500)).tolist() == [1]


def test_only_the_first_sender_is_rewarded_and_scores_follow() -> None:
    agent, first, second = ReinforcingAgent(), forager(), forager()
    assert agent.receive(first, ids(1, 2)).tolist() == [0, 1]
    assert agent.receive(second, ids(2, 3, 4)).tolist() == [1, 2]
    # 100 - 2 * 0.05 + 2, and 100 - 3 * 0.05 + 2.
    assert (first.score, second.score) == pytest.approx((101.9, 101.85))


def test_what_is_new_and_not_wanted_is_not_rewarded() -> None:
    agent, one = ReinforcingAgent(), forager()
    assert agent.receive(one, ids(1, 2), np.array([False, True])).tolist() == [1]
    assert one.score == pytest.approx(100.9)


def test_rewards_of_both_schemes() -> None:
    assert profit(WL, sent=3, relevant=2) == 2 * 100 - 1
    assert profit(replace(WL, scheme="evolution"), sent=3, relevant=2) == 2 * 100 - 3


def test_the_98_of_figure_1() -> None:
    # E and F are sent from D, G is too old; the agent has E already.
    settings = replace(WLRL, scheme="evolution", least=1)
    colony = Colony([Fleet(settings)], 2, rng())
    colony.begin([0], 0.0)
    one = colony.start_turn(0.0)
    assert one is not None
    colony.agent.relevants.add(ids(5))
    colony.next_page(one, 0.0)
    sent, relevant = colony.settle(one, STATES, 1, 4, ids(5, 6))
    assert sent.tolist() == [0, 1]
    assert relevant.tolist() == [1]
    assert one.path.rewards == [98.0]


# Algorithm 6: multiplication


def test_the_weblog_is_split_into_halves_that_share_nothing() -> None:
    weblog = Weblog(values={url: float(100 - url) for url in range(10)})
    given_away = weblog.split(rng())
    assert len(weblog) == len(given_away) == 5
    assert not set(weblog.values) & set(given_away.values)
    both = {**weblog.values, **given_away.values}
    assert both == {url: float(100 - url) for url in range(10)}
    for half in (weblog, given_away):
        assert list(half.values) == sorted(half.values)  # still the best first


@pytest.mark.parametrize(
    ("size", "kept", "given_away"), [(7, 4, 3), (3, 2, 1), (2, 1, 1), (1, 1, 1)]
)
def test_of_an_odd_weblog_the_larger_half_stays(size: int, kept: int, given_away: int) -> None:
    weblog = Weblog.of(range(size))
    assert len(weblog.split(rng())) == given_away
    assert len(weblog) == kept


def test_learners_pass_on_their_weights_and_others_draw_new_ones() -> None:
    parent = forager(WLRL)
    child = parent.child(1, rng())
    assert child.weights.tolist() == parent.weights.tolist()
    child.weights += 1
    assert parent.weights.tolist() == [1.0, 0.0]
    fixed = forager(WL).child(1, rng())
    assert fixed.weights.tolist() != [1.0, 0.0]
    assert np.abs(fixed.weights).max() <= 1
    assert child.parent == 0


def test_rl_foragers_share_one_weblog() -> None:
    parent = forager(RL)
    assert parent.child(1, rng()).weblog is parent.weblog


# Algorithm 8: multiplying and deleting


def fleet_of(score: float, settings: FleetSettings, others: int = 1) -> tuple[Fleet, Forager, int]:
    fleet = Fleet(replace(settings, least=1 + others))
    number = fleet.begin([1, 2, 3, 4], 0, 2, 0.0, rng())
    one = fleet.start_turn(0.0, rng())
    one.score = score
    return fleet, one, number


def test_at_200_a_forager_multiplies_and_both_scores_are_100() -> None:
    fleet, one, number = fleet_of(200.0, WLRL)
    assert fleet.end_turn(one, 180.0, number, rng())
    assert [member.score for member in fleet.population.members] == [100.0, 100.0, 100.0]
    assert [len(member.weblog) for member in fleet.population.members] == [2, 4, 2]
    assert fleet.population.events[-1] == (180.0, "birth", 2, 0, 3)
    assert [member.number for member in fleet.resting] == [1, 0, 2]


def test_just_below_200_nothing_happens() -> None:
    fleet, one, number = fleet_of(199.99, WLRL)
    assert not fleet.end_turn(one, 180.0, number, rng())
    assert (len(fleet.population), one.score) == (2, 199.99)


def test_a_full_fleet_does_not_grow() -> None:
    fleet, one, number = fleet_of(250.0, replace(WLRL, most=2))
    assert not fleet.end_turn(one, 180.0, number, rng())
    assert (len(fleet.population), one.score) == (2, 250.0)


def test_at_0_a_forager_is_deleted_but_not_at_the_floor() -> None:
    fleet, one, number = fleet_of(0.0, WLRL)
    fleet.end_turn(one, 180.0, number, rng())
    assert len(fleet.population) == 2  # there were two, and two is the least
    fleet.population.least = 1
    one = fleet.start_turn(180.0, rng())
    one.score = 0.0
    fleet.end_turn(one, 360.0, number, rng())
    assert fleet.population.events[-1] == (360.0, "death", one.number, -1, 1)
    assert one not in fleet.resting
    assert one not in fleet.population.members


# Algorithms 9 to 12: turns, the first step, paths


def test_foragers_take_turns_in_a_fixed_order() -> None:
    fleet = Fleet(replace(WL, least=3))
    fleet.begin([1], 0, 2, 0.0, rng())
    order = []
    for turn in range(7):
        one = fleet.start_turn(180.0 * turn, rng())
        assert one.until == 180.0 * (turn + 1)
        order.append(one.number)
        fleet.end_turn(one, one.until, 3, rng())
    assert order == [0, 1, 2, 0, 1, 2, 0]


def test_foragers_take_turns_at_random_if_asked_to() -> None:
    fleet, chance = Fleet(replace(WL, least=4, turns="random")), rng()
    fleet.begin([1], 0, 2, 0.0, chance)
    order = []
    for _ in range(200):
        one = fleet.start_turn(0.0, chance)
        order.append(one.number)
        fleet.end_turn(one, 180.0, 4, chance)
    assert np.bincount(order).min() > 25


def test_overshoot_is_charged_to_the_next_turn_only_if_asked_to() -> None:
    for charged, until in ((False, 1180.0), (True, 1150.0)):
        fleet = Fleet(replace(WL, least=1, charge_overshoot=charged))
        fleet.begin([1], 0, 2, 0.0, rng())
        one = fleet.start_turn(0.0, rng())
        fleet.end_turn(one, 210.0, 1, rng())
        assert fleet.start_turn(1000.0, rng()).until == until


@pytest.mark.parametrize(("start_is_step", "pages"), [(True, 3), (False, 4)])
def test_a_path_has_its_number_of_steps(start_is_step: bool, pages: int) -> None:
    settings = replace(WL, least=1, path_steps=3, start_is_step=start_is_step)
    colony = Colony([Fleet(settings)], 2, rng())
    colony.begin([0], 0.0)
    one = colony.start_turn(0.0)
    assert one is not None
    lengths = []
    for _ in range(9):
        colony.next_page(one, 0.0)
        lengths.append(len(one.path.urls))
        one.path.add(ids(*range(20)), ids(*[1] * 20), STATES)
        colony.settle(one, STATES, 1, 1, ids())
    assert lengths == [1 + at % pages for at in range(9)]


def test_an_empty_frontier_ends_the_path_early_and_the_weblog_learns_of_it() -> None:
    colony = Colony([Fleet(replace(WL, least=1))], 2, rng())
    colony.begin([3], 0.0)
    one = colony.start_turn(0.0)
    assert one is not None
    assert colony.next_page(one, 0.0) == (3, 0.0)
    colony.settle(one, STATES, 1, 1, ids(8))
    assert colony.next_page(one, 0.0) == (3, 0.7 * 0 + 0.3 * 100)
    assert one.path.urls == [3]


def test_rl_foragers_start_from_the_first_ten_pages_that_were_visited() -> None:
    colony = Colony([Fleet(replace(RL, least=1))], 2, rng())
    colony.begin([0], 0.0)
    one = colony.start_turn(0.0)
    assert one is not None
    for step in range(30):
        colony.next_page(one, 0.0)
        one.path.add(ids(step + 1), ids(1), STATES)
        colony.settle(one, STATES, 1, 1, ids())
    assert list(one.weblog.values) == list(range(10))
    assert set(one.weblog.values.values()) == {0.0}


def test_a_turn_that_ends_early_earns_no_time() -> None:
    fleet = Fleet(replace(WL, least=1, charge_overshoot=True))
    fleet.begin([1], 0, 2, 0.0, rng())
    fleet.end_turn(fleet.start_turn(0.0, rng()), 100.0, 1, rng())
    assert fleet.start_turn(1000.0, rng()).until == 1180.0
