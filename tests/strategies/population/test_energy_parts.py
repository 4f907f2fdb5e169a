"""Parts of the energy model: lives, pulse, lottery, ways, and minds that learn."""

from __future__ import annotations

import pickle
import sys
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foragers.core import population as pulse
from foragers.core.population import Census, Lives, Pulse
from foragers.strategies.population.accounts import PopulationWalker
from foragers.strategies.population.policies import FixedPolicy, Neuron
from foragers.strategies.population.population import Population
from foragers.strategies.population.restart_points import OpenLinks, RandomSet, RestartPoints, pick
from foragers.strategies.population.settings import RestartSettings
from foragers.text.link_text import MARK, link_inputs

PLAIN = FixedPolicy(10.0)


def test_population_keeps_the_order_of_birth_and_a_ledger() -> None:
    population: Population[PopulationWalker] = Population(1, 3)
    walkers = [PopulationWalker(number, 1.0, 0, PLAIN) for number in range(3)]
    for walker in walkers:
        population.add(walker, 2.0, walker.number - 1)
    population.remove(walkers[1], 5.0)
    assert population.members == [walkers[0], walkers[2]]
    assert population.events[-2:] == [(2.0, "birth", 2, 1, 3), (5.0, "death", 1, -1, 2)]
    assert (population.may_grow, population.may_shrink) == (True, True)


def test_an_event_takes_about_twenty_bytes() -> None:
    lives = Lives()
    for number in range(100_000):
        lives.born(float(number), number, number - 1, 1)
    held = sum(sys.getsizeof(getattr(lives, part.name)) for part in fields(Lives))
    assert held / len(lives) < 24
    assert len(pickle.dumps(lives)) / len(lives) < 24


def test_census_orders_events_of_several_kinds_by_time() -> None:
    one, other = Lives(), Lives()
    one.born(1.0, 0, -1, 1)
    one.died(4.0, 0, 0)
    other.born(2.0, 1, -1, 1)
    columns = Census({"wl": one, "rl": other}).columns()
    assert columns["times"].tolist() == [1.0, 2.0, 4.0]
    assert columns["members"].tolist() == [0, 1, 0]
    assert columns["births"].tolist() == [True, True, False]
    assert columns["kinds"][columns["kind"]].tolist() == ["wl", "rl", "wl"]


def test_pulse_never_has_more_samples_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulse, "MOST", 16)
    beat = Pulse()
    for pages in range(1000):
        if beat.is_due(pages):
            beat.note(pages, float(pages), pages % 7, 1.0, 2.0)
    found = beat.columns()
    assert 8 <= len(beat) <= 16
    assert found["pages"][0] == 0
    assert found["pages"][-1] > 900
    gaps = np.diff(found["pages"])
    assert gaps.min() == gaps.max()


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 12))))
def test_lottery_is_a_set(steps: list[tuple[bool, int]]) -> None:
    lottery = RandomSet()
    expected: set[int] = set()
    rng = np.random.default_rng(0)
    for add, ticket in steps:
        (lottery.add if add else lottery.remove)(ticket)
        (expected.add if add else expected.discard)(ticket)
        assert len(lottery) == len(expected)
        assert all((one in lottery) == (one in expected) for one in range(13))
        if expected:
            assert lottery.draw(rng) in expected


def test_links_are_picked_in_proportion() -> None:
    promises = np.array([0.0, 0.1, 0.2], np.float32)
    rng = np.random.default_rng(4)
    counts = np.bincount([pick(promises, 10.0, rng) for _ in range(6000)], minlength=3)
    expected = np.exp([0, 1, 2]) / np.exp([0, 1, 2]).sum()
    assert counts / 6000 == pytest.approx(expected, abs=0.03)


def test_picking_survives_any_sharpness() -> None:
    rng = np.random.default_rng(4)
    promises = np.array([0.1, 0.9, 0.3], np.float32)
    for sharpness in (1e30, 1e300, float("inf")):
        assert pick(promises, sharpness, rng) == 1
    assert pick(promises, 1e-30, rng) in (0, 1, 2)


def test_oldest_clearings_are_forgotten() -> None:
    known = RestartPoints(RestartSettings(documents=3))
    for document in range(5):
        known.add(document, OpenLinks([100 + document], [0], np.ones(1, np.float32), 1))
    assert len(known) == 3
    assert known.links(0, set()) is None
    assert known.links(4, {104}) is None
    assert {known.draw(set(), np.random.default_rng(seed)) for seed in range(20)} == {2, 3}


def test_inputs_fall_with_the_distance_in_links() -> None:
    windows = ["tea", *["x"] * 6, "tea"]
    near = link_inputs(windows, {"tea", "milk"})
    assert set(near) == {"tea"}
    # dist 1 at the link itself, 2 at its neighbour; six links away nothing is felt.
    assert near["tea"].tolist() == pytest.approx(
        [1, 1 / 2, 1 / 3, 1 / 4 + 1 / 5, 1 / 5 + 1 / 4, 1 / 3, 1 / 2, 1]
    )


def test_a_page_may_say_the_mark_between_windows() -> None:
    plain = link_inputs(["tea", "milk", "tea"], {"tea", "milk"})
    marked = link_inputs([f"{MARK} tea", MARK.upper() + " milk", "tea"], {"tea", "milk", MARK})
    assert {word: near.tolist() for word, near in marked.items()} == {
        word: near.tolist() for word, near in plain.items()
    }


def ways_with(tea: list[float], words: tuple[str, ...] = ()) -> OpenLinks:
    count = len(tea)
    inputs = {"tea": np.array(tea, np.float32)}
    return OpenLinks(list(range(count)), [0] * count, np.zeros(count, np.float32), 1, inputs, words)


def test_neuron_by_hand() -> None:
    mind = Neuron(("tea",), np.array([0.5, 0.0]), 2.0)
    ways = ways_with([1.0, 0.0])
    assert mind.promises(ways).tolist() == pytest.approx([np.tanh(0.5), 0.0])
    mind.follow(ways, 0)
    mind.learn(1.0, ways_with([2.0]))
    estimate = np.tanh(0.5)
    step = 0.1 * (1.0 + 0.5 * np.tanh(1.0) - estimate) * (1 - estimate**2)
    assert mind.weights.tolist() == pytest.approx([0.5 + step, step])
    before = mind.weights.copy()
    mind.learn(1.0, None)  # nothing was followed since
    assert (mind.weights == before).all()


def test_a_child_differs_a_little_and_takes_up_a_word() -> None:
    parent = Neuron(("tea", "milk"), np.array([0.5, 0.4, 0.1]), 10.0)
    child = parent.child(ways_with([1.0], ("tea", "sugar")), np.random.default_rng(1))
    assert len(set(child.keywords) & {"tea", "milk"}) == 1
    assert "sugar" in child.keywords
    assert 8 <= child.sharpness <= 12
    assert (np.abs(child.weights / parent.weights - 1) <= 0.2).all()
    assert parent.keywords == ("tea", "milk")
    same = parent.child(None, np.random.default_rng(1))
    assert same.keywords == parent.keywords


def test_of_a_few_documents_that_are_drawn_the_best_is_taken() -> None:
    clearings, rng = RestartPoints(), np.random.default_rng(1)
    for document, promise in ((1, 0.2), (2, 0.9), (3, 0.5)):
        ways = OpenLinks([10 * document], [0], np.array([promise, 0.0], np.float32)[:1], 1)
        clearings.add(document, ways)
    drawn = [clearings.draw(set(), rng) for _ in range(100)]
    # Eight are looked at: two of three times in a row it is another, 4 times in a hundred.
    assert drawn.count(2) >= 85
    assert [clearings.draw({20}, rng) for _ in range(40)].count(3) >= 34
    assert clearings.draw({10, 20, 30}, rng) is None
