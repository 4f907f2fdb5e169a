"""The oracle's strategy against one that tries everything it could have done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from random import Random

import pytest

from foragers.core.loop import Crawl
from foragers.core.protocols import Strategy
from foragers.core.types import Status, Visit
from foragers.evaluation.metrics import harvest
from foragers.judges.simple import LabelJudge
from foragers.storage.ledger.memory import MemoryLedger
from foragers.strategies.baselines import BreadthFirst
from foragers.strategies.optimal import Optimal
from foragers.testing import Lossy
from foragers.worlds.archive import Archive
from foragers.worlds.budget import Budget
from foragers.worlds.oracle import ArchiveOracle
from foragers.worlds.replay import MAX_HOPS, Recorded
from support.random_worlds import random_world
from support.worlds_by_hand import small_world, url_id

Graph = Mapping[str, Sequence[str]]


class Greedy:
    """All that "always follow a shortest path to a nearest reward" can come to."""

    def __init__(
        self, graph: Graph, moved: Mapping[str, str], seed: str, rewards: set[str]
    ) -> None:
        self.graph, self.moved, self.seed, self.rewards = graph, moved, seed, rewards
        self.outcomes = cache(self._outcomes)

    def page(self, url: str) -> str:
        return self.moved.get(url, url)

    def links(self, url: str) -> Sequence[str]:
        return self.graph.get(self.page(url), ())

    def _outcomes(self, fetched: frozenset[str]) -> frozenset[tuple[int, ...]]:
        """Return, for each way ties can fall, after how many downloads rewards are found."""
        had = {self.page(url) for url in fetched}
        known = {self.seed}.union(*(self.links(url) for url in fetched)) - fetched - had
        ways = {step: self.distance(step, had) for step in sorted(known)}
        nearest = min((far for far in ways.values() if far is not None), default=None)
        if nearest is None:
            return frozenset({()})
        found = set()
        for step, far in ways.items():
            if far == nearest:
                first = (len(fetched) + 1,) if nearest == 1 else ()
                found |= {(*first, *rest) for rest in self.outcomes(fetched | {step})}
        return frozenset(found)

    def distance(self, step: str, had: set[str]) -> int | None:
        """Return how many downloads it takes to a reward if this is the first."""
        seen, layer, far = {step}, [step], 1
        while layer:
            if any(self.page(url) in self.rewards - had for url in layer):
                return far
            layer = sorted({link for url in layer for link in self.links(url)} - seen)
            seen.update(layer)
            far += 1
        return None


def visits_of(
    archive: Archive,
    rewards: frozenset[int],
    strategy: Strategy | None = None,
    *,
    budget: int = 1000,
    connections: int = 1,
    since: float | None = None,
    oracle: ArchiveOracle | None = None,
) -> list[Visit]:
    """Crawl a world with the optimal or another strategy."""
    ledger = MemoryLedger()
    chosen = strategy or Optimal(oracle or ArchiveOracle(archive, rewards, since))
    world = Budget(Recorded(archive, since, connections=connections), budget)
    crawl = Crawl(chosen, world, LabelJudge(rewards), ledger)
    crawl.begin()
    crawl.run()
    return ledger.visits


def finds(visits: list[Visit]) -> tuple[int, ...]:
    """Return after how many downloads each reward was found."""
    seen: set[int] = set()
    places = []
    for number, visit in enumerate(visits, 1):
        if visit.relevant and visit.page.final not in seen:
            seen.add(visit.page.final)
            places.append(number)
    return tuple(places)


def found(visits: list[Visit]) -> set[int]:
    return {visit.page.final for visit in visits if visit.relevant}


def numbers(archive: Archive, names: Sequence[str]) -> frozenset[int]:
    return frozenset(url_id(archive, name) for name in names)


def path(archive: Archive, visits: list[Visit]) -> str:
    return " ".join(archive.book.href(visit.url).rpartition("/")[2] for visit in visits)


@pytest.mark.parametrize("seed", range(150))
def test_optimal_does_what_a_greedy_crawl_by_brute_force_does(seed: int) -> None:
    rng = Random(seed)
    pages = [f"p{number}" for number in range(rng.randint(3, 11))]
    moved = {f"m{number}": rng.choice(pages) for number in range(rng.randint(0, 3))}
    goals = [*pages, *moved, "dead"]
    graph = {page: [rng.choice(goals) for _ in range(rng.randint(0, 3))] for page in pages}
    rewards = rng.sample(pages, rng.randint(1, 3))
    archive = small_world(graph, redirects=moved)
    visits = visits_of(archive, numbers(archive, rewards))
    possible = Greedy(graph, moved, pages[0], set(rewards)).outcomes(frozenset())
    assert finds(visits) in possible
    assert len(visits) == (finds(visits)[-1] if finds(visits) else 0), "it went on for nothing"


@pytest.mark.parametrize("seed", range(20))
def test_optimal_is_never_worse_than_breadth_first(seed: int) -> None:
    archive = random_world(seed, pages=120)
    rewards = frozenset(archive.labels.urls["wanted"].tolist())
    ours = visits_of(archive, rewards)
    theirs = visits_of(archive, rewards, BreadthFirst())
    assert {v.page.final for v in ours if v.relevant} == {
        v.page.final for v in theirs if v.relevant
    }
    assert finds(ours)[0] <= finds(theirs)[0]
    areas = []
    for visits in (ours, theirs):
        ledger = MemoryLedger(visits)
        areas.append(harvest.area(harvest.found(ledger.facts(), rewards), len(theirs)))
    assert areas[0] >= areas[1]


def test_unreachable_rewards_are_not_looked_for() -> None:
    archive = small_world({"a": ["b"], "b": [], "island": ["b"]})
    assert path(archive, visits_of(archive, numbers(archive, ["b", "island"]))) == "a b"
    assert visits_of(archive, numbers(archive, ["island"])) == []


def test_reward_behind_a_redirect_is_found_once() -> None:
    archive = small_world(
        {"a": ["old", "older", "b"], "b": ["c"], "c": []}, redirects={"old": "b", "older": "old"}
    )
    visits = visits_of(archive, numbers(archive, ["b", "c"]))
    assert path(archive, visits) == "a old c"


@pytest.mark.parametrize("hops", [MAX_HOPS, MAX_HOPS + 1])
def test_oracle_and_world_follow_equally_many_redirects(hops: int) -> None:
    moved = {f"r{number}": f"r{number + 1}" for number in range(hops - 1)}
    moved[f"r{hops - 1}"] = "b"
    archive = small_world({"a": ["r0"], "b": []}, redirects=moved)
    visits = visits_of(archive, numbers(archive, ["b"]))
    assert finds(visits) == ((2,) if hops == MAX_HOPS else ())
    assert len(visits) == (2 if hops == MAX_HOPS else 0)


def test_connections_go_to_different_rewards_at_the_same_time() -> None:
    arms = "wxyz"
    graph = {"a": [f"{arm}1" for arm in arms]}
    for arm in arms:
        graph |= {f"{arm}1": [f"{arm}2"], f"{arm}2": [f"{arm}3"], f"{arm}3": []}
    archive = small_world(graph)
    visits = visits_of(archive, numbers(archive, [f"{arm}3" for arm in arms]), connections=4)
    assert [visit.page.time for visit in visits] == [1, *[2] * 4, *[3] * 4, *[4] * 4]


@pytest.mark.parametrize("connections", [2, 5, 30])
def test_all_rewards_are_found_with_many_connections(connections: int) -> None:
    archive = random_world(7, pages=120)
    rewards = frozenset(archive.labels.urls["wanted"].tolist())
    one = visits_of(archive, rewards)
    many = visits_of(archive, rewards, connections=connections)
    assert found(one) == found(many)
    assert len({visit.url for visit in many}) == len(many)


def test_promise_says_how_far_the_reward_is() -> None:
    archive = small_world({"a": ["b"], "b": ["c"], "c": []})
    visits = visits_of(archive, numbers(archive, ["c"]))
    assert [visit.page.choice.promise for visit in visits] == [1 / 3, 1 / 2, 1]


def test_page_that_is_gone_is_gone_around_at_once() -> None:
    graph = {"a": ["short", "b", "f"], "short": ["r"], "b": ["c"], "c": ["r"], "r": []}
    graph |= {"f": ["g"], "g": ["h"], "h": ["s"], "s": []}
    archive = small_world(graph, later=[(10.0, "short", None)])
    rewards = numbers(archive, ["r", "s"])
    oracle = ArchiveOracle(archive, rewards, 0.0)
    assert path(archive, visits_of(archive, rewards, since=0.0)) == "a short r f g h s"
    visits = visits_of(archive, rewards, since=20.0, oracle=oracle)
    assert path(archive, visits) == "a short b c r f g h s"
    assert visits[1].page.status is Status.MISSING


def test_page_that_no_longer_leads_on_is_gone_around() -> None:
    graph = {"a": ["short", "b"], "short": ["r"], "b": ["c"], "c": ["r"], "r": []}
    archive = small_world(graph, later=[(10.0, "short", ["a"])])
    rewards = numbers(archive, ["r"])
    visits = visits_of(archive, rewards, since=20.0, oracle=ArchiveOracle(archive, rewards, 0.0))
    assert path(archive, visits) == "a short b c r"


def test_lost_answer_ends_only_what_depends_on_it() -> None:
    archive = random_world(9)
    rewards = frozenset(archive.labels.urls["wanted"].tolist())
    ledger = MemoryLedger()
    world = Lossy(Recorded(archive, connections=3), seed=2, share=0.2)
    strategy = Optimal(ArchiveOracle(archive, rewards, None))
    crawl = Crawl(strategy, world, LabelJudge(rewards), ledger)
    crawl.begin()
    crawl.run()
    assert world.running == 0
    assert any(visit.relevant for visit in ledger.visits)


def test_a_page_is_as_deep_as_the_links_that_lead_to_it() -> None:
    world = small_world({"a": ["b"], "b": ["c"], "c": []}, labels={"wanted": ["c"]})
    rewards = frozenset([url_id(world, "c")])
    ledger = MemoryLedger()
    strategy = Optimal(ArchiveOracle(world, rewards, None))
    work = Crawl(strategy, Recorded(world), LabelJudge(rewards), ledger)
    work.begin()
    work.run()
    assert [visit.page.choice.depth for visit in ledger.read()] == [0, 1, 2]
    assert [visit.page.choice.promise for visit in ledger.read()] == [1 / 3, 1 / 2, 1]
