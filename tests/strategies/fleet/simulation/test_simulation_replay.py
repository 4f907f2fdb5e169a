"""A fleet replayed step by step does what the strategy does page by page."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from foragers.core.loop import Crawl
from foragers.core.protocols import Strategy
from foragers.core.types import Visit
from foragers.judges.novelty import Novelty
from foragers.judges.topic import NoTopic
from foragers.storage.ledger.columns import Facts
from foragers.storage.ledger.memory import MemoryLedger
from foragers.strategies.fleet.dialogue import LOOKS
from foragers.strategies.fleet.settings import HOME_PAGE, FleetSettings
from foragers.strategies.fleet.simulation.replay import FleetRun, simulate
from foragers.strategies.fleet.simulation.web import SimulatedWeb
from foragers.strategies.fleet.strategy import FleetStrategy
from foragers.strategies.registry import StrategyInputs, build
from foragers.text.hashed_state import hashed_state
from foragers.worlds.archive import Archive
from foragers.worlds.budget import Budget
from foragers.worlds.generated import generate
from foragers.worlds.replay import Recorded
from support.steps_kept import Steps
from support.worlds_by_hand import small_world

K = 50
PACE = 25.7
DAY = 86_400.0
NEWS = generate("news", seed=4, pages=600, days=3.0)
NAMES = (
    "wl", "rl", "wlrl", "wlrl-refresh", "mixed-fleet", "no-learning", "random-order", "home-page",
)  # fmt: skip


def ground_of(archive: Archive) -> SimulatedWeb:
    documents = [archive.texts.document(version) for version in range(archive.versions)]
    states = [hashed_state(f"{page.title} {page.text}", K) for page in documents]
    return SimulatedWeb.of(archive, np.array(states))


GROUND = ground_of(NEWS)
HOME_PAGES = (replace(HOME_PAGE, new_within=DAY),)


def strategy_of(spec: str, seed: int = 5) -> Strategy:
    return build(spec, StrategyInputs(NoTopic(), np.random.default_rng(seed), new_within=DAY))


def settings_of(spec: str) -> tuple[FleetSettings, ...]:
    strategy = strategy_of(spec)
    return strategy.settings() if isinstance(strategy, FleetStrategy) else HOME_PAGES


def crawled(archive: Archive, spec: str, downloads: int) -> Facts:
    ledger = MemoryLedger()
    world = Budget(Recorded(archive, archive.start, PACE), downloads)
    crawl = Crawl(strategy_of(spec), world, Novelty(DAY), ledger)
    crawl.begin()
    crawl.run()
    return ledger.facts()


def replayed(ground: SimulatedWeb, spec: str, downloads: int) -> tuple[FleetRun, Steps]:
    record = Steps()
    width = 1 if spec == "home-page" else K
    if width == 1:
        ground = replace(ground, states=ground.states[:, :1])
    run = simulate(
        ground,
        settings_of(spec),
        seed=5,
        days=400,
        downloads=downloads,
        seconds_per_page=PACE,
        record=record,
    )
    return run, record


def check_same(archive: Archive, ground: SimulatedWeb, spec: str, downloads: int) -> None:
    facts = crawled(archive, spec, downloads)
    run, record = replayed(ground, spec, downloads)
    rows = [
        (url, time, version, f"{run.kinds[step.forager]}-{step.forager}{LOOKS if at else ''}", good)
        for step in record.steps
        for at, (url, time, version, good) in enumerate(
            zip(
                step.urls.tolist(),
                step.times.tolist(),
                step.pages.tolist(),
                np.isin(range(len(step.urls)), step.relevant).tolist(),
                strict=True,
            )
        )
    ][:downloads]
    columns = facts.urls, facts.times, facts.versions, facts.agents, facts.relevant
    assert len(rows) == len(facts) == downloads
    for number, told in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
        assert rows[number] == told, f"download {number}"


@pytest.mark.parametrize("name", NAMES)
def test_replay_makes_the_same_downloads_as_the_strategy(name: str) -> None:
    check_same(NEWS, GROUND, name, 2500)


@pytest.mark.parametrize(
    "parameters",
    [
        "turns=random,start_is_step=false,td_across_paths=true,normalised=true,scheme=evolution",
        "looks=unvisited,charge_overshoot=true,path_steps=7",
        "looks=new,leaves=false,weight_scale=0",
    ],
)
def test_replay_is_the_same_with_every_choice_made_otherwise(parameters: str) -> None:
    check_same(NEWS, GROUND, f"wlrl({parameters})", 1500)


def test_replay_is_the_same_where_pages_redirect_change_and_go_away() -> None:
    names = [f"p{number}" for number in range(12)]
    pages = {
        name: [names[(at * 5 + step) % 12] for step in (1, 3, 4)] for at, name in enumerate(names)
    }
    pages["p0"] = ["p1", "old", "older", "gone", "circle", "p0", "p1"]
    later = [
        (900.0 * turn, names[turn % 12], [names[turn % 7], "old", f"p{turn % 5}", "p9"])
        for turn in range(1, 40)
    ]
    archive = small_world(
        pages,
        redirects={"old": "p3", "older": "old", "circle": "round", "round": "circle"},
        born={"p7": 2000.0, "p8": 50_000.0},
        later=[*later, (30_000.0, "p5", None)],
        end=4 * DAY,
    )
    for name in ("wl", "rl", "wlrl-refresh", "mixed-fleet", "random-order", "home-page"):
        check_same(archive, ground_of(archive), name, 1200)


def test_a_fleet_that_is_pickled_in_mid_run_goes_on_the_same() -> None:
    whole = crawled(NEWS, "mixed-fleet", 900)
    ledger = MemoryLedger()
    world = Budget(Recorded(NEWS, NEWS.start, PACE), 900)
    crawl = Crawl(strategy_of("mixed-fleet"), world, Novelty(DAY), ledger)
    crawl.begin()
    for number in range(900):
        if number % 97 == 50:
            crawl.strategy = pickle.loads(pickle.dumps(crawl.strategy))
        crawl.step()
    assert all(
        np.array_equal(*pair) for pair in zip(columns(whole), columns(ledger.facts()), strict=True)
    )


@pytest.mark.parametrize("name", ["wlrl", "mixed-fleet", "home-page"])
@pytest.mark.parametrize("connections", [1, 4])
def test_a_fleet_taken_up_from_its_ledger_stands_where_it_stood(
    name: str, connections: int
) -> None:
    def begun(ledger: MemoryLedger, budget: int, world: Recorded) -> Crawl:
        return Crawl(strategy_of(name), Budget(world, budget), Novelty(DAY), ledger)

    ledger = MemoryLedger()
    first = Recorded(NEWS, NEWS.start, PACE, connections)
    crawl = begun(ledger, 600, first)
    crawl.begin()
    crawl.run()
    half = MemoryLedger(ledger.visits[:400])
    world = Recorded(NEWS, half.visits[-1].page.time, PACE, connections)
    again = begun(half, 200, world)
    again.strategy.tell([beginning_of(NEWS)])
    for visit in half.read():
        again.judge.relevance(visit.page)  # the judge remembers what it has seen
        again.strategy.tell([visit])
    again.run()
    assert len(half) == 600
    if connections == 1:
        for ours, theirs in zip(columns(half.facts()), columns(ledger.facts()), strict=True):
            assert np.array_equal(ours, theirs)


def beginning_of(archive: Archive) -> Visit:
    from foragers.core.loop import seed_visit

    world = Recorded(archive, archive.start)
    return seed_visit(world.seeds, world.now)


def columns(facts: Facts) -> tuple[NDArray[np.generic], ...]:
    return facts.urls, facts.times, facts.versions, facts.agents, facts.relevant, facts.promises
