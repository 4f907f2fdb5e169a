"""Fleets as strategies, in worlds small enough to know what must come out."""

from __future__ import annotations

import numpy as np
import pytest

from foragers.core.loop import Crawl, seed_visit
from foragers.core.options import Target
from foragers.core.protocols import Judge, Strategy
from foragers.core.types import Choice, Page, Status, Visit
from foragers.errors import UsageError
from foragers.judges.build import build_judge, within_of
from foragers.judges.keywords import Keywords
from foragers.judges.novelty import Novelty
from foragers.judges.simple import LabelJudge
from foragers.judges.topic import NoTopic
from foragers.storage.ledger.columns import Facts
from foragers.storage.ledger.memory import MemoryLedger
from foragers.strategies.fleet.forager import Forager
from foragers.strategies.fleet.strategy import FleetStrategy
from foragers.strategies.registry import StrategyInputs, build
from foragers.testing.dialogue import converse
from foragers.testing.faults import Late, Lossy, Shuffled
from foragers.worlds.archive import Archive
from foragers.worlds.budget import Budget
from foragers.worlds.replay import Recorded
from support.worlds_by_hand import small_world

DAY = 86_400.0
NEWS = Target(topic="robot", similarity="keywords", new_within="24h")
FLEETS = ("foragers", "wl", "rl", "wlrl", "wlrl-refresh", "random-order", "home-page")


def made(spec: str, judge: Judge, seed: int = 1) -> Strategy:
    brief = StrategyInputs(NoTopic(), np.random.default_rng(seed), new_within=within_of(judge))
    return build(spec, brief)


def foragers_of(strategy: Strategy) -> list[Forager]:
    assert isinstance(strategy, FleetStrategy)
    assert strategy._work is not None
    return strategy._work.colony.foragers


def crawled(
    archive: Archive,
    spec: str,
    judge: Judge,
    downloads: int,
    *,
    since: float = 0.0,
    pace: float = 10.0,
    connections: int = 1,
) -> Facts:
    ledger = MemoryLedger()
    world = Budget(Recorded(archive, since, pace, connections), downloads)
    crawl = Crawl(made(spec, judge), world, judge, ledger)
    crawl.begin()
    crawl.run()
    return ledger.facts()


def names(archive: Archive, facts: Facts) -> list[str]:
    return [archive.book.href(url).rpartition("/")[2] for url in facts.urls.tolist()]


def test_a_step_is_a_page_and_all_that_it_links_to() -> None:
    archive = small_world({"a": ["b", "c", "b", "a", "d"], "b": [], "c": ["e"], "d": []})
    facts = crawled(archive, "wl", Novelty(), 4)
    assert names(archive, facts) == ["a", "b", "c", "d"]
    assert facts.agents.tolist() == ["wl-0", *["wl-0 looks"] * 3]
    assert facts.parents.tolist() == [-1, 0, 0, 0]
    assert facts.depths.tolist() == [0, 1, 1, 1]
    assert facts.times.tolist() == [10, 20, 30, 40]


def test_foragers_take_turns_of_their_slice_and_finish_the_step_under_way() -> None:
    archive = small_world({"a": ["b", "c"], "b": [], "c": []})
    facts = crawled(archive, "random-order(slice_seconds=25)", Novelty(), 12)
    # The step to "a" takes 30 s, more than the slice; the next turn begins with the path from
    # "a" of the other; only then the first goes on.
    agents = [agent.removesuffix(" looks") for agent in facts.agents.tolist()]
    assert agents == (["random-order-0"] * 3 + ["random-order-1"] * 3) * 2


@pytest.mark.parametrize("name", FLEETS)
def test_every_fleet_finds_the_news_of_a_small_site_and_counts_it_once(name: str) -> None:
    archive = small_world(
        {"home": ["one", "two", "old"], "one": [], "two": [], "old": [], "three": []},
        born={"home": -9 * DAY, "old": -9 * DAY, "one": 100.0, "two": 5000.0, "three": 8000.0},
        later=[(8000.0, "home", ["three", "one", "two", "old"])],
        end=2 * DAY,
    )
    facts = crawled(archive, name, Novelty(), 600, pace=60.0)
    found = facts.urls[facts.relevant]
    assert sorted(found.tolist()) == [0, 1, 2, 4]  # home changed: a new page
    assert (facts.times - facts.born)[facts.relevant].max() < 2 * 3600


def test_a_changed_page_is_news_again_and_an_old_one_is_none() -> None:
    archive = small_world(
        {"a": ["b"], "b": []},
        born={"a": -5 * DAY, "b": -0.5 * DAY},
        later=[(1000.0, "b", []), (2000.0, "b", [])],
    )
    facts = crawled(archive, "wl", Novelty(), 300)
    assert facts.urls[facts.relevant].tolist() == [1, 1, 1]
    assert facts.born[facts.relevant].tolist() == [-0.5 * DAY, 1000.0, 2000.0]


@pytest.mark.parametrize("name", ["wlrl", "foragers"])
def test_a_fleet_with_a_topic_is_rewarded_for_new_pages_on_it_only(name: str) -> None:
    pages = {"home": ["t1", "t2", "o1", "o2", "old"]} | dict.fromkeys(
        ("t1", "t2", "o1", "o2", "old"), ()
    )
    texts = {"t1": "robot arm", "t2": "robot leg", "old": "robot"}
    archive = small_world(pages, texts=texts, born={"old": -3 * DAY, "home": -3 * DAY}, end=DAY)
    judge = build_judge(NEWS)
    assert isinstance(judge, Novelty)
    assert isinstance(judge.topic, Keywords)
    facts = crawled(archive, name, judge, 60)
    assert sorted(facts.urls[facts.relevant].tolist()) == [1, 2]
    strategy = made(name, Novelty(topic=LabelJudge(frozenset({1, 2}))))
    crawl = Crawl(
        strategy, Budget(Recorded(archive, 0.0), 6), build_judge(NEWS),
        MemoryLedger(),
    )  # fmt: skip
    crawl.begin()
    crawl.run()
    first = foragers_of(strategy)[0]
    # Four new pages sent, two of them on topic.
    assert first.score == pytest.approx(100 - 4 * 0.05 + 2)


def test_without_news_a_fleet_is_rewarded_for_what_the_judge_likes_once() -> None:
    archive = small_world({"a": ["b", "c"], "b": ["c"], "c": ["a"]})
    judge = LabelJudge(frozenset({2}))
    strategy = made("wl(least=1,most=1)", judge)
    crawl = Crawl(strategy, Budget(Recorded(archive), 50), judge, MemoryLedger())
    crawl.begin()
    crawl.run()
    (one,) = foragers_of(strategy)
    assert one.score == pytest.approx(100 - 3 * 0.05 + 1)  # three pages sent, one wanted, once


def test_foragers_work_side_by_side_where_one_cannot_use_all_connections() -> None:
    archive = small_world({"a": ["b"], "b": ["a"]})
    strategy = made("wl(least=4)", Novelty())
    world = Recorded(archive, 0.0)
    strategy.tell([seed_visit(world.seeds, 0.0)])
    assert [choice.agent for choice in strategy.ask(9, set())] == ["wl-0", "wl-1", "wl-2", "wl-3"]
    narrow = made("wl(least=4,abreast=2)", Novelty())
    narrow.tell([seed_visit(world.seeds, 0.0)])
    assert [choice.agent for choice in narrow.ask(9, set())] == ["wl-0", "wl-1"]


def test_a_forager_whose_host_is_closed_waits_and_another_goes_on() -> None:
    archive = small_world(
        {"http://a.test/": ["http://b.test/", "http://a.test/2"], "http://b.test/": []},
        seeds=["http://a.test/", "http://b.test/"],
    )
    strategy, world = made("wl(least=2)", Novelty(), seed=3), Recorded(archive, 0.0)
    strategy.tell([seed_visit(world.seeds, 0.0)])
    host = {link.href: link.host for link in world.seeds}
    a, b = host["http://a.test/"], host["http://b.test/"]
    assert strategy.ask(5, {a, b}) == []
    open_ = strategy.ask(5, {a})
    assert {choice.host for choice in open_} <= {b}
    assert {choice.host for choice in strategy.ask(5, {b})} <= {a}


def answer(choice: Choice, world: Recorded, relevant: bool = False) -> Visit:
    page = world.answer(choice)
    return Visit(page, float(relevant), relevant)


def test_an_answer_that_comes_too_late_is_still_credited() -> None:
    archive = small_world({"a": ["b", "c"], "b": ["a"], "c": ["a"]})
    strategy, world = made("wl(least=2)", Novelty()), Recorded(archive, 0.0)
    strategy.tell([seed_visit(world.seeds, 0.0)])
    for choice in strategy.ask(2, set()):
        strategy.tell([answer(choice, world)])
    looks = strategy.ask(9, set())
    (late,) = [choice for choice in looks if (choice.agent, choice.url) == ("wl-0 looks", 1)]
    strategy.tell([answer(choice, world) for choice in looks if choice is not late])
    asked = []
    while "wl-0" not in asked:  # the other goes on, until nobody waits for the first
        choices = strategy.ask(9, set())
        asked = [choice.agent for choice in choices]
        strategy.tell([answer(choice, world) for choice in choices])
    first = foragers_of(strategy)[0]
    before = first.score
    strategy.tell([answer(late, world, relevant=True)])
    assert first.score == pytest.approx(before - 0.05 + 1)
    assert strategy.ask(5, set())


@pytest.mark.parametrize("around", [Late, Lossy, Shuffled])
@pytest.mark.parametrize("name", ["foragers", "wl"])
def test_a_fleet_goes_on_whatever_becomes_of_answers(
    name: str, around: type[Late | Lossy | Shuffled]
) -> None:
    names_ = [f"p{number}" for number in range(40)]
    graph = {
        name: [names_[(at * 7 + step) % 40] for step in range(1, 9)]
        for at, name in enumerate(names_)
    }
    world = around(Recorded(small_world(graph), connections=6))
    transcript = converse(
        made(f"{name}(least=4)", Novelty()), world, Novelty(), revisits=True, downloads=200
    )
    asked = sum(len(said.choices) for said in transcript if hasattr(said, "choices"))
    assert asked >= 100


def test_a_page_that_has_not_changed_is_taken_as_it_was() -> None:
    archive = small_world({"a": ["b"], "b": ["c"], "c": []})
    strategy, world = made("wl(least=1)", Novelty()), Recorded(archive, 0.0)
    strategy.tell([seed_visit(world.seeds, 0.0)])
    (choice,) = strategy.ask(5, set())
    page = world.answer(choice)
    still = Page(
        choice,
        Status.UNCHANGED,
        "304",
        page.final,
        5.0,
        0.0,
        page.version,
        page.links,
        page.content,
    )
    strategy.tell([Visit(still, 0.0, False)])
    (look,) = strategy.ask(5, set())
    assert (look.url, look.agent) == (1, "wl-0 looks")


@pytest.mark.parametrize(
    "wrong",
    [
        "wl(scheme=other)",
        "wl(looks=some)",
        "wl(turns=never)",
        "rl(path_steps=0)",
        "wlrl(most=1)",
        "wlrl(slice_seconds=0)",
        "mixed-fleet(path_steps=0)",
        "foragers(abreast=0)",
    ],
)
def test_parameters_that_make_no_sense_are_refused(wrong: str) -> None:
    with pytest.raises(UsageError, match="must be"):
        made(wrong, Novelty())


def test_where_news_is_rare_the_fleet_earns_more_than_wandering() -> None:
    """A hub far from home changes; foragers must come to start from there."""
    fans = {f"f{at}": [f"g{at}{step}" for step in range(6)] for at in range(8)}
    leaves: dict[str, list[str]] = {name: [] for fan in fans.values() for name in fan}
    pages = {"home": [*fans, "way"], **fans, "way": ["hub"], "hub": ["old"], "old": [], **leaves}
    times = {f"n{turn}": 600.0 * turn for turn in range(1, 200)}
    later = [(time, "hub", [name, "old"]) for name, time in times.items()]
    news: dict[str, list[str]] = {name: [] for name in times}
    born = dict.fromkeys(pages, -9 * DAY) | times
    archive = small_world({**pages, **news}, seeds=["home"], born=born, later=later)
    found = {
        name: int(crawled(archive, name, Novelty(), 1200, pace=100.0).relevant.sum())
        for name in ("foragers", "wlrl-refresh", "random-order", "home-page")
    }
    assert found["foragers"] > 1.3 * found["random-order"]
    assert found["wlrl-refresh"] > 1.3 * found["random-order"]
    assert found["home-page"] == 0
