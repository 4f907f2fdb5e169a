"""A fleet goes on in the next crawl with its weblogs, weights and scores."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from foragers.core.loop import Crawl
from foragers.core.models import Model, load_model, save_model
from foragers.errors import UsageError
from foragers.judges.novelty import Novelty
from foragers.judges.topic import NoTopic
from foragers.storage.ledger.memory import MemoryLedger
from foragers.strategies.automata.saved import key_of
from foragers.strategies.fleet.dialogue import FleetDialogue
from foragers.strategies.fleet.saved import KIND, SavedFleets
from foragers.strategies.fleet.strategy import FleetStrategy
from foragers.strategies.registry import StrategyInputs, build
from foragers.worlds.budget import Budget
from foragers.worlds.generated import generate
from foragers.worlds.replay import Recorded

ARCHIVE = generate("news", seed=2, pages=700, days=1.0)
DAY = 86_400.0


def crawled(spec: str, budget: int, before: Model | None = None, seed: int = 1) -> FleetStrategy:
    inputs = StrategyInputs(NoTopic(), np.random.default_rng(seed), None, before, new_within=DAY)
    strategy = build(spec, inputs)
    world = Budget(Recorded(ARCHIVE), budget)
    crawl = Crawl(strategy, world, Novelty(DAY), MemoryLedger())
    crawl.begin()
    crawl.run()
    assert isinstance(strategy, FleetStrategy)
    return strategy


def work_of(strategy: FleetStrategy) -> FleetDialogue:
    assert strategy._work is not None
    return strategy._work


@pytest.fixture(scope="module")
def model() -> Model:
    return crawled("wlrl(least=3)", 900).learned(ARCHIVE.book)


def test_foragers_begin_with_the_scores_and_weights_of_the_last_crawl(model: Model) -> None:
    saved = SavedFleets.of(model).foragers["wlrl"]
    assert len(saved) >= 3
    strategy = crawled("wlrl", 1, model)
    foragers = work_of(strategy).colony.foragers
    assert len(foragers) == len(saved)
    for forager, before in zip(foragers, saved, strict=True):
        assert forager.score == before.score
        assert forager.weights.tolist() == before.weights.tolist()


def test_a_url_takes_its_place_in_the_weblog_when_it_is_met_again(model: Model) -> None:
    before = SavedFleets.of(model).foragers["wlrl"][0].weblog
    strategy = crawled("wlrl(path_steps=5)", 300, model)
    work = work_of(strategy)
    waiting = work.colony.inheritance
    (first, *_) = work.colony.foragers
    met = set(before) - set(waiting.of(first))
    assert met
    # Nothing is lost: what was not met is saved again, and what was met is in the weblog, or fell
    # out of its hundred.
    again = SavedFleets.of(strategy.learned(ARCHIVE.book)).foragers["wlrl"][0].weblog
    assert set(waiting.of(first)) <= set(again)
    known = {key_of(url, ARCHIVE.book) for url in first.weblog.values}
    assert met & known


def test_the_file_gives_the_same_foragers(model: Model, tmp_path: Path) -> None:
    save_model(model, tmp_path / "m")
    again = SavedFleets.of(load_model(tmp_path / "m", *KIND))
    assert [one.weblog for one in again.foragers["wlrl"]] == [
        one.weblog for one in SavedFleets.of(model).foragers["wlrl"]
    ]


def test_weights_of_other_states_are_refused(model: Model) -> None:
    with pytest.raises(UsageError, match="other states"):
        crawled("wlrl(k=20)", 1, model)


@pytest.mark.parametrize(
    "change",
    [
        {"scores": np.array([np.inf])},
        {"weights": np.zeros(3)},
        {"starts": np.array([0, 5, 2])},
        {"fleets": np.array([9] * 3, np.int32)},
        {"urls": np.array([1], np.uint64)},
        {"values": np.array(["x"])},
    ],
)
def test_a_damaged_file_is_refused_in_one_line(model: Model, change: dict[str, np.ndarray]) -> None:
    damaged = replace(model, arrays={**model.arrays, **change})
    with pytest.raises(UsageError, match="--learned"):
        SavedFleets.of(damaged)


def test_a_fleet_with_a_fixed_weblog_saves_its_weights_only() -> None:
    saved = SavedFleets.of(crawled("rl", 200).learned(ARCHIVE.book)).foragers["rl"]
    assert [one.weblog for one in saved] == [{}, {}]
    assert len(saved[0].weights) == 50
