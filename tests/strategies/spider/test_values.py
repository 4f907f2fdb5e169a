"""Q-values against graphs worked out by hand, and against a search of the graph for every page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foragers.strategies.spider.settings import SpiderSettings
from foragers.strategies.spider.values import page_values
from foragers.training.lesson import Lesson
from foragers.training.link_examples import worth_of_links
from support.worlds_by_hand import small_world, url_id

Graph = Mapping[str, Sequence[str]]
GAMMA, DEPTH = SpiderSettings().gamma, SpiderSettings().depth


def columns(graph: Graph) -> tuple[list[str], np.ndarray, np.ndarray]:
    names = list(graph)
    number = {name: place for place, name in enumerate(names)}
    targets = [number.get(link, -1) for links in graph.values() for link in links]
    starts = np.cumsum([0, *(len(links) for links in graph.values())])
    return names, starts, np.array(targets, np.int64)


def values(graph: Graph, rewards: str, depth: int = DEPTH) -> dict[str, float]:
    names, starts, targets = columns(graph)
    wanted = np.array([name in rewards.split() for name in names])
    found = page_values(starts, targets, wanted, depth=depth)
    return dict(zip(names, found.tolist(), strict=True))


def test_one_reward_is_discounted_by_its_distance() -> None:
    found = values({"a": ["b"], "b": ["c"], "c": ["d"], "d": []}, "c")
    assert found == {"a": 0.25, "b": 0.5, "c": 1.0, "d": 0.0}


def test_the_gold_mine_of_the_paper_is_worth_less_than_a_reward_at_hand() -> None:
    found = values({"mine": ["x", "y", "z"], "x": [], "y": [], "z": []}, "x y z")
    assert found["mine"] == 0.5 + 0.25 + 0.125
    assert found["x"] == 1.0
    assert found["mine"] < found["x"]


def test_all_pages_on_the_way_belong_to_the_fringe() -> None:
    # p, x, t at steps 0, 1, 2; then back to p's other link: y, z, u at steps 3, 4, 5.
    graph = {"p": ["x", "y"], "x": ["t"], "t": [], "y": ["z"], "z": ["u"], "u": []}
    assert values(graph, "t u")["p"] == 0.5**2 + 0.5**5


def test_a_page_on_the_way_may_bring_another_reward_near() -> None:
    # From p: t at step 2 through x; x links to u, which is then one step away.
    graph = {"p": ["x"], "x": ["t", "u"], "t": [], "u": ["v"], "v": []}
    assert values(graph, "t u v")["p"] == 0.5**2 + 0.5**3 + 0.5**4


def test_a_reward_links_on_and_is_collected_once() -> None:
    graph = {"t": ["t", "h"], "h": ["t", "u"], "u": ["t"]}
    found = values(graph, "t u")
    assert found["t"] == 1 + 0.5**2
    assert found["u"] == 1 + 0.5
    assert found["h"] == 0.5 + 0.25


def test_links_to_nowhere_and_unreachable_rewards_are_worth_nothing() -> None:
    graph = {"a": ["gone", "a"], "island": ["t"], "t": []}
    assert values(graph, "t") == {"a": 0.0, "island": 0.5, "t": 1.0}
    assert values(graph, "") == {"a": 0.0, "island": 0.0, "t": 0.0}
    assert values({}, "") == {}


def test_nearer_rewards_come_first_although_farther_ones_are_more() -> None:
    graph = {"p": ["t", "m"], "t": [], "m": ["n"], "n": ["x", "y"], "x": [], "y": []}
    # t at 1; then m, n, x at 2, 3, 4; y at 5.
    assert values(graph, "t x y")["p"] == 0.5 + 0.5**4 + 0.5**5


def test_what_is_left_out_is_within_the_stated_bound() -> None:
    many = [f"t{number}" for number in range(40)]
    graph = {"list": many, **{name: [] for name in many}}
    for depth in (1, 3, 10, DEPTH):
        error = (1 - 0.5**40) - values(graph, " ".join(many), depth)["list"]
        assert 0 <= error <= GAMMA ** (depth + 1) / (1 - GAMMA)
    assert GAMMA ** (DEPTH + 1) / (1 - GAMMA) < 1e-6


def reference(links: list[list[int]], rewards: set[int], page: int, depth: int) -> float:
    """Follow the greedy sequence from a page, searching the graph anew at every step."""
    away = {reward: distances_to(links, reward) for reward in sorted(rewards)}
    reached, step, value = [page], 0, 0.0
    had: set[int] = set()
    while True:
        nearest = min(
            (
                (away[reward][here], reward, place)
                for place, here in enumerate(reached)
                for reward in rewards - had
                if here in away[reward]
            ),
            default=None,
        )
        if nearest is None or step + nearest[0] > depth:
            return value
        distance, reward, place = nearest
        step += distance
        value += GAMMA**step
        had.add(reward)
        here = reached[place]
        while here != reward:
            left = away[reward][here] - 1
            here = next(link for link in links[here] if away[reward].get(link) == left)
            if here not in reached:
                reached.append(here)


def distances_to(links: list[list[int]], goal: int) -> dict[int, int]:
    known, layer, distance = {goal: 0}, [goal], 0
    while layer:
        distance += 1
        layer = [
            page
            for page, out in enumerate(links)
            if page not in known and any(link in layer for link in out)
        ]
        known.update(dict.fromkeys(layer, distance))
    return known


graphs = st.integers(1, 14).flatmap(
    lambda size: st.tuples(
        st.lists(st.lists(st.integers(-1, size - 1), max_size=4), min_size=size, max_size=size),
        st.sets(st.integers(0, size - 1), max_size=6),
        st.integers(0, 12),
    )
)


def check(links: list[list[int]], rewards: set[int], depth: int) -> None:
    starts = np.cumsum([0, *map(len, links)])
    targets = np.array([link for out in links for link in out], np.int64)
    wanted = np.isin(np.arange(len(links)), list(rewards))
    found = page_values(starts, targets, wanted, depth=depth)
    expected = [reference(links, rewards, page, depth) for page in range(len(links))]
    assert found.tolist() == pytest.approx(expected, abs=1e-12)


@given(graphs)
@settings(max_examples=40, deadline=None)
def test_values_are_those_of_a_search_from_every_page(
    drawn: tuple[list[list[int]], set[int], int],
) -> None:
    check(*drawn)


@pytest.mark.parametrize("seed", range(12))
def test_values_of_larger_webs_are_those_of_a_search_from_every_page(seed: int) -> None:
    rng = Random(seed)
    size, rewards = rng.randint(20, 60), rng.randint(1, 15)
    links = [[rng.randrange(-1, size) for _ in range(rng.randint(0, 5))] for _ in range(size)]
    check(links, set(rng.sample(range(size), rewards)), rng.choice([4, 9, DEPTH]))


def test_values_of_links_follow_redirects_and_leave_out_sites() -> None:
    world = small_world(
        {"a": ["old", "gone", "b", "http://other.test/x"], "b": ["t"], "t": []}
        | {"http://other.test/x": ["http://other.test/t"], "http://other.test/t": []},
        redirects={"old": "b"},
    )
    wanted = [url_id(world, name) for name in ("t", "http://other.test/t")]
    rewards = np.array(sorted(wanted), np.int32)
    sites = (
        np.array([world.book.href(url) for url in range(len(world.book))]) > "http://p"
    ).astype(np.int32)
    lesson = Lesson("w", world, rewards, sites, ("other", "site"))
    goals, found = worth_of_links(lesson)
    assert found.tolist() == [0.5, 0.0, 0.5, 0.5, 1.0, 1.0]
    assert (goals >= 0).tolist() == [True, False, True, True, True, True]
    _, found = worth_of_links(lesson.without(["other"]))
    assert found.tolist() == [0.5, 0.0, 0.5, 0.0, 1.0]
