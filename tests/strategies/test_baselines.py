"""Breadth-first, random and best-first, by hand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from scipy import stats

from foragers.core.loop import Crawl
from foragers.core.protocols import Strategy
from foragers.core.types import Choice
from foragers.judges.simple import LabelJudge
from foragers.storage.ledger.memory import MemoryLedger
from foragers.strategies.baselines import BestFirst, BreadthFirst, Random
from foragers.worlds.archive import Archive
from foragers.worlds.replay import Recorded
from support.worlds_by_hand import small_world


@dataclass
class Likes:
    """A topic that likes some anchors, each so much."""

    words: dict[str, float]

    def likeness(self, text: str) -> float:
        return self.words.get(text, 0.0)


def choices_of(
    archive: Archive, strategy: Strategy, relevant: tuple[int, ...] = ()
) -> list[Choice]:
    ledger = MemoryLedger()
    crawl = Crawl(strategy, Recorded(archive), LabelJudge(frozenset(relevant)), ledger)
    crawl.begin()
    crawl.run()
    return [visit.page.choice for visit in ledger.visits]


def names(archive: Archive, choices: list[Choice]) -> str:
    return " ".join(archive.book.href(choice.url).rpartition("/")[2] for choice in choices)


def test_breadth_first_goes_level_by_level_in_the_order_of_the_pages() -> None:
    graph = {"a": ["c", "b"], "b": ["f"], "c": ["e", "d"], "d": ["g"], "e": [], "f": [], "g": []}
    archive = small_world(graph)
    choices = choices_of(archive, BreadthFirst())
    assert names(archive, choices) == "a c b e d f g"
    assert [choice.depth for choice in choices] == [0, 1, 1, 2, 2, 2, 3]
    assert [choice.promise for choice in choices] == [1, 1 / 2, 1 / 2, 1 / 3, 1 / 3, 1 / 3, 1 / 4]


def test_breadth_first_takes_the_shortest_way_to_every_page() -> None:
    graph = {"a": ["b", "c"], "b": ["d"], "c": [], "d": ["e", "c"], "e": ["a"]}
    archive = small_world(graph)
    depths = {choice.url: choice.depth for choice in choices_of(archive, BreadthFirst())}
    assert list(depths.values()) == [0, 1, 1, 2, 3]


def test_random_takes_each_page_with_the_same_chance() -> None:
    # "often" stands on the page ten times, and must not be favoured for it.
    archive = small_world({"a": ["often"] * 10 + [f"p{n}" for n in range(4)]})
    first = []
    for seed in range(400):
        choices = choices_of(archive, Random(np.random.default_rng(seed)))
        assert len(choices) == 6
        first.append(choices[1].url)
    counts = np.bincount(first, minlength=6)[1:]
    assert stats.chisquare(counts).pvalue > 0.001


def test_random_depends_on_its_seed_only() -> None:
    archive = small_world({"a": [f"p{n}" for n in range(30)]})
    runs = [choices_of(archive, Random(np.random.default_rng(seed))) for seed in (1, 1, 2)]
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]


def test_best_first_mixes_relevance_of_the_page_and_likeness_of_the_anchor() -> None:
    archive = small_world({"a": ["x", "y"], "x": ["w"], "y": ["v"], "w": [], "v": []})
    strategy = BestFirst(Likes({"x": 0.5, "y": 0.2, "v": 1.0}), inherit=0.25)
    choices = choices_of(archive, strategy, relevant=(0, 1))
    promises = dict(zip(names(archive, choices).split(), choices, strict=True))
    assert {name: choice.promise for name, choice in promises.items()} == {
        "a": 0.0,
        "x": pytest.approx(0.25 * 1 + 0.75 * 0.5),
        "y": pytest.approx(0.25 * 1 + 0.75 * 0.2),
        "w": pytest.approx(0.25 * 1),
        "v": pytest.approx(0.75 * 1),
    }
    assert names(archive, choices) == "a x y v w"


def test_best_first_keeps_the_best_promise_of_a_page() -> None:
    graph = {"a": ["b", "c"], "b": ["z"], "c": ["z", "y"], "y": [], "z": []}
    archive = small_world(graph)
    choices = choices_of(archive, BestFirst(Likes({"b": 0.9, "c": 0.8, "y": 0.1})), relevant=(2,))
    by_name = dict(zip(names(archive, choices).split(), choices, strict=True))
    assert by_name["z"].promise == 0.5
    assert by_name["z"].parent == by_name["c"].url
    assert names(archive, choices) == "a b c y z"
