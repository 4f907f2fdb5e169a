"""What a fleet remembers, how fleets share, and how a simulation is counted; by hand."""

from __future__ import annotations

from dataclasses import replace
from math import exp, isnan, log

import numpy as np
import pytest
from numpy.typing import NDArray

from foragers.strategies.fleet.colony import Colony
from foragers.strategies.fleet.fleet import Fleet
from foragers.strategies.fleet.page_memory import PageMemory
from foragers.strategies.fleet.settings import NO_LEARNING, RL, WL
from foragers.strategies.fleet.simulation.replay import simulate
from foragers.strategies.fleet.simulation.territory import Territory
from foragers.strategies.fleet.simulation.web import CurrentVersions, NewsRules, SimulatedWeb
from foragers.worlds.archive import Archive
from foragers.worlds.generated import generate
from support.steps_kept import Steps
from support.worlds_by_hand import small_world

HOUR = 3600.0
DAY = 24 * HOUR


def ids(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int32)


def ground_of(
    archive: Archive, rules: NewsRules | None = None, wanted: NDArray[np.bool_] | None = None
) -> SimulatedWeb:
    states = np.ones((archive.versions, 2), np.float32)
    return SimulatedWeb.of(archive, states, rules, wanted=wanted)


def note(memory: PageMemory, url: int, page: int, time: float) -> None:
    memory.note(ids(url), ids(page), ids(0), np.array([time]), np.array([True]))


# Memory


def test_change_rates_are_estimated_from_checks() -> None:
    memory = PageMemory()
    for time, page in ((0.0, 1), (100.0, 1), (200.0, 2), (400.0, 2)):
        note(memory, 3, page, time)
    # Three checks in 400 s, one change: -ln((3 - 1 + 1/2) / (3 + 1)) / (400 / 3).
    assert memory.rates(ids(3))[0] == pytest.approx(log(4 / 2.5) / (400 / 3))
    assert memory.rates(ids(4))[0] == 1 / 3600


def test_a_page_that_never_changes_is_due_less_and_less_often() -> None:
    memory, now, waits = PageMemory(), 0.0, []
    note(memory, 0, 1, now)
    for _ in range(5):
        wait = 1.0
        while not memory.due(ids(0), now + wait, 0.5)[0]:
            wait *= 1.1
        now += wait
        note(memory, 0, 1, now)
        waits.append(wait)
    assert waits == sorted(waits)
    assert waits[-1] > 3 * waits[0]


def test_what_was_never_seen_is_due_and_new_and_what_had_no_page_becomes_so() -> None:
    memory = PageMemory()
    note(memory, 1, 7, 0.0)
    note(memory, 2, -1, 0.0)
    assert memory.new(ids(0, 1, 2, 900), 10.0, 0.5).tolist() == [True, False, False, True]
    assert memory.new(ids(0, 1, 2), HOUR, 0.5).tolist() == [True, False, True]
    assert memory.due(ids(0, 1), 10.0, 0.5).tolist() == [True, False]
    assert memory.due(ids(0, 1), HOUR, 0.5).tolist() == [True, True]  # 1 - 1/e


def test_a_page_is_worth_fetching_by_value_rate_and_time() -> None:
    memory = PageMemory()
    note(memory, 0, 1, 0.0)
    # Once an hour, seen two hours ago: 5 (1 - (1 + 2) exp(-2)).
    worth = memory.worth(ids(0, 1), np.array([5.0, 5.0]), 2 * HOUR)
    assert worth[0] == pytest.approx(5 * (1 - 3 * exp(-2)))
    assert worth[1] == pytest.approx(5)  # never seen: all of it


# Sharing


def test_fleets_share_downloads_by_what_they_earn() -> None:
    colony = Colony(
        [Fleet(replace(WL, least=1)), Fleet(replace(RL, least=1))],
        2,
        np.random.default_rng(1),
        least_share=0.05,
        lasting=1e9,
        keenness=1.0,
    )
    colony.begin([0], 0.0)
    states, news = np.zeros((1, 2), np.float32), iter(range(100_000))
    spent = {"wl": 0, "rl": 0}
    for _ in range(2000):
        one = colony.start_turn(0.0)
        assert one is not None
        colony.next_page(one, 0.0)
        kind = one.settings.kind
        # One finds three new pages with ten downloads, the other one with ten.
        found = [next(news) for _ in range(3 if kind == "wl" else 1)]
        colony.settle(one, states, 0, 10, ids(*found))
        one.score = 100.0
        spent[kind] += 10
        colony.end_turn(one, 0.0)
    # 0.05 for each, and 0.9 in proportion to 3 : 1.
    assert spent["wl"] / 20_000 == pytest.approx(0.05 + 0.9 * 0.75, abs=0.04)


def test_what_fleets_earned_and_spent_counts_half_after_a_while() -> None:
    wl, rl = Fleet(replace(WL, least=1)), Fleet(replace(RL, least=1))
    colony = Colony([wl, rl], 2, np.random.default_rng(1), lasting=500.0)
    colony.begin([0], 0.0)
    one, other = wl.population.members[0], rl.population.members[0]
    colony._share(one, 500, 80)
    assert (wl.earned, wl.spent, rl.earned, rl.spent) == (80, 500, 0, 0)
    colony._share(other, 500, 10)
    assert (wl.earned, wl.spent, rl.earned, rl.spent) == (40, 250, 10, 500)
    colony._share(other, 1000, 0)
    assert (wl.earned, wl.spent) == (10, 62.5)
    assert (rl.earned, rl.spent) == (2.5, 125 + 1000)


def test_credit_is_given_by_what_fleets_earn_and_taken_from_those_who_work() -> None:
    wl, rl = Fleet(replace(WL, least=1)), Fleet(replace(RL, least=1))
    colony = Colony([wl, rl], 2, np.random.default_rng(1), least_share=0.1, keenness=1.0)
    colony.begin([0], 0.0)
    wl.earned, wl.spent, rl.earned, rl.spent = 5.0, 100.0, 1.0, 100.0  # 6 : 2
    colony._share(wl.population.members[0], 100, 0)
    # 100 downloads, a tenth for each and of the rest three quarters and one.
    assert wl.credit == pytest.approx(10 + 80 * 0.75 - 100)
    assert rl.credit == pytest.approx(10 + 80 * 0.25)


# Ground


def test_versions_come_on_show_while_a_step_lasts() -> None:
    archive = small_world(
        {"a": [], "b": []}, born={"b": 50.0}, later=[(10.0, "a", []), (20.0, "a", [])]
    )
    shown = CurrentVersions(ground_of(archive))
    shown.advance(5.0)
    times = np.array([9.0, 10.0, 19.0, 49.0, 50.0])
    found = shown.at(ids(0, 0, 0, 1, 1), times)
    assert found.tolist() == [0, 1, 1, 4, 3]  # 4 is no page
    assert shown.advance(20.0) == range(1, 3)  # the events at 10 and 20
    assert shown.current.tolist() == [2, 4]


def test_links_are_taken_once_and_never_to_the_page_itself() -> None:
    ground = ground_of(small_world({"a": ["b", "a", "c", "b"], "b": ["a"], "c": []}))
    assert ground.targets.tolist() == [1, 2, 0]
    assert ground.link_starts == [0, 2, 3, 3, 3]


def test_rules_of_news() -> None:
    archive = small_world(
        {"hub": ["a", "b"], "a": ["hub"], "b": []},
        later=[(10.0, "hub", ["b", "a"]), (20.0, "a", ["b"])],
    )
    # Versions: hub at 0 and 10, a at 0 and 20, b at 0.
    assert ground_of(archive).born[:-1].tolist() == [0, 10, 0, 20, 0]
    no_hubs = ground_of(archive, NewsRules(changed_hubs=False, hub_links=2))
    assert np.array_equal(no_hubs.born[:-1], [0, np.nan, 0, 20, 0], equal_nan=True)
    # Words are the names of the pages, so that only links ever change here.
    words = ground_of(archive, NewsRules(links_are_news=False))
    assert words.born[:-1].tolist() == [0, 0, 0, 0, 0]


# Counting


def test_freshness_and_age_by_all_three_stores() -> None:
    archive = small_world(
        {"a": ["b"], "b": []},
        born={"a": -5 * DAY, "b": 0.0},
        later=[(1.5 * HOUR, "b", []), (2.25 * HOUR, "b", []), (5.5 * HOUR, "b", [])],
        end=6 * HOUR,
    )
    settings = replace(NO_LEARNING, least=1, most=1)
    # A download an hour: a 1h, b 2h (second version), b 3h, a 4h, b 5h (third), b 6h (fourth).
    run = simulate(ground_of(archive), settings, seconds_per_page=HOUR, window=3 * HOUR)
    first, second = run.windows
    # Up to 3 h, without it: b as of 1.5 h was found at 2 h; it changed at 2.25 h.
    assert (first.downloaded, first.sent, first.relevant, first.found_urls) == (2, 1, 1, 2)
    assert (first.fresh_by_url, first.age_by_url) == (0.0, 0.75)
    assert (first.fresh_by_document, first.age_by_document) == (0.0, 0.75)
    assert (first.fresh_by_window, first.age_by_window) == (0.0, 0.75)
    # Up to 6 h: b as of 2.25 h was found at 3 h and changed at 5.5 h.
    assert (second.downloaded, second.sent, second.relevant) == (3, 1, 1)
    assert (second.fresh_by_url, second.age_by_url) == (0.0, 0.5)
    assert (second.fresh_by_document, second.age_by_document) == (0.0, 0.5)
    assert run.finds.times.tolist()[:2] == [2 * HOUR, 3 * HOUR]
    assert second.foragers == 1


def test_before_anything_is_found_there_is_no_freshness() -> None:
    archive = small_world({"a": []}, born={"a": -9 * DAY}, end=HOUR)
    run = simulate(ground_of(archive), NO_LEARNING, seconds_per_page=60.0, window=HOUR)
    assert run.relevant == 0
    assert isnan(run.windows[0].fresh_by_url)


def test_a_simulation_adds_up() -> None:
    archive = generate("news", seed=2, pages=700, days=2.0)
    kept, ground = Steps(), ground_of(archive)
    run = simulate(
        ground, WL, seed=3, days=1.0, seconds_per_page=20.0, territory=4500.0, record=kept
    )
    sizes = [len(step.urls) for step in kept.steps]
    assert run.downloaded == sum(sizes) == pytest.approx(DAY / 20, abs=200)
    assert run.steps == len(kept.steps)
    assert sum(len(step.sent) for step in kept.steps) == run.sent
    assert sum(len(step.relevant) for step in kept.steps) == run.relevant
    times = np.concatenate([step.times for step in kept.steps])
    assert np.all(np.diff(times) > 0)
    for window in run.windows:
        inside = (times >= window.end - 3 * HOUR) & (times < window.end)
        assert window.downloaded == np.count_nonzero(inside)
    assert run.found_urls == len(np.unique(np.concatenate([step.urls for step in kept.steps])))
    births = sum(event.what == "birth" for event in run.lives)
    deaths = sum(event.what == "death" for event in run.lives)
    assert births - deaths == run.windows[-1].foragers
    assert sum(window.pages for window in run.territory) <= run.steps
    pages = np.concatenate([step.pages[step.relevant] for step in kept.steps])
    assert len(np.unique(pages)) == len(pages)  # no page is rewarded twice


def test_a_simulation_is_the_same_again() -> None:
    archive = generate("news", seed=2, pages=600, days=2.0)
    ground = ground_of(archive)
    one, again = (simulate(ground, RL, seed=3, days=0.5, seconds_per_page=20.0) for _ in range(2))
    assert one.windows[:2] == again.windows[:2]
    assert one.finds.times.tolist() == again.finds.times.tolist()


def test_a_topic_is_more_than_being_new() -> None:
    archive = small_world({"a": ["b", "c"], "b": [], "c": []}, born={"a": -9 * DAY}, end=DAY)
    wanted = np.array([True, False, True])
    run = simulate(ground_of(archive, wanted=wanted), WL, seconds_per_page=600.0)
    assert run.finds.versions.tolist() == [2]
    assert run.sent > 1


# Territory


def test_pages_and_ways_of_a_window() -> None:
    land = Territory(0.0, 100.0)
    for forager, path, time in (
        (0, [1], 1.0), (0, [1, 2], 2.0), (0, [1, 2, 3], 3.0),
        (1, [1], 4.0), (1, [1, 5], 5.0), (1, [1, 5, 6], 6.0),
        (2, [9], 7.0), (2, [9, 8], 8.0), (2, [9, 8, 7], 9.0),
    ):  # fmt: skip
        land.step(forager, path, time)
    land.step(0, [4], 150.0)
    (window,) = land.windows
    # Of the pages 1 2 3 5 6 7 8 9 only 1 was visited by two foragers.
    assert (window.pages, window.own_pages) == (8, {0: 2, 1: 2, 2: 3})
    # From 1, where two started, both went their own way; nobody else started from 9.
    assert (window.trajectories, window.own_trajectories) == (2, {0: 1, 1: 1})
    # By the other reading, of a page and one step: 1 2 and 1 5.
    assert (window.pairs, window.own_pairs) == (2, {0: 1, 1: 1})
    assert window.areas == {0: 3, 1: 3, 2: 3}


def test_a_way_that_two_take_is_nobodys_own() -> None:
    land = Territory(0.0, 100.0)
    for forager in (0, 1):
        land.step(forager, [1, 2, 3], 1.0)
    land.step(1, [1, 2, 4], 2.0)
    land.close()
    window = land.windows[0]
    assert (window.trajectories, window.own_trajectories) == (2, {1: 1})
    # A path is told whole each time, of which the last step counts: 2 3 twice, and 2 4.
    assert (window.pairs, window.own_pairs) == (2, {1: 1})


def test_a_step_at_the_end_of_a_window_is_of_the_next() -> None:
    land = Territory(0.0, 100.0)
    land.step(0, [1], 99.0)
    land.step(0, [2], 100.0)
    assert [window.pages for window in land.windows] == [1]
    land.step(0, [3], 300.0)
    assert [(window.end, window.pages) for window in land.windows] == [(100, 1), (200, 1), (300, 0)]
