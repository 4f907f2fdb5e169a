"""The crawls of `population`: how many agents lived and what was found after so many pages."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass

import numpy as np

from foragers.comparison.study import Scored
from foragers.exhibits.automata_webs import Ground
from foragers.ledger.memory import MemoryLedger
from foragers.loop import Crawl
from foragers.measures import harvest
from foragers.strategies.energy import Energy
from foragers.strategies.registry import Brief, build
from foragers.topics.options import topic_of
from foragers.types import Visit
from foragers.worlds.budget import Budget
from foragers.worlds.recorded import Recorded

MARKS = 100
"""At how many points of a crawl it is looked at."""


@dataclass(frozen=True)
class Task:
    """A crawl by a strategy, with the seed of its chance."""

    ground: Ground
    crawler: str
    spec: str
    seed: int


@dataclass(frozen=True)
class Trace:
    """A crawl: at each mark downloads, relevant pages and agents alive; extremes of these.

    `ended` is how many pages were downloaded, `gain` the mean relevance of the pages that were
    collected, and `missing` what the account of energy was out by.
    """

    task: Task
    relevant: tuple[int, ...]
    population: tuple[int, ...]
    least: int
    most: int
    ended: int
    gain: float
    missing: float

    def precision(self, mark: int = MARKS - 1) -> float:
        """Return the share of relevant pages among the downloads up to a mark."""
        downloads = min(downloads_at(self.task.ground.budget)[mark], self.ended)
        return self.relevant[mark] / max(downloads, 1)

    @property
    def final(self) -> int:
        """How many agents there were at the end."""
        return self.population[-1]


def downloads_at(budget: int) -> list[int]:
    """Return the downloads at each mark."""
    return [max(1, round(budget * (mark + 1) / MARKS)) for mark in range(MARKS)]


def perform(task: Task) -> Trace:
    """Crawl, and watch the population."""
    study = task.ground.study()
    assert study.scores is not None
    judge = deepcopy(study.judge)
    strategy = build(task.spec, Brief(topic_of(judge), np.random.default_rng(task.seed)))
    ledger, sizes = MemoryLedger(), []

    def watch(visits: Sequence[Visit]) -> None:
        living = len(strategy.population) if isinstance(strategy, Energy) else 0
        sizes.extend([living] * len(visits))

    world = Budget(Recorded(study.archive), task.ground.budget)
    crawl = Crawl(strategy, world, Scored(judge, study.scores), ledger)
    crawl.begin()
    crawl.run(watch)
    facts = ledger.facts()
    counts = harvest.found(facts)
    places = [min(mark, len(counts)) - 1 for mark in downloads_at(task.ground.budget)]
    begun = sizes[len(study.archive.seeds) :] or [0]
    collected = facts.relevance[facts.ok]
    return Trace(
        task,
        tuple(int(counts[place]) for place in places),
        # Who has died out stays so.
        tuple(int(sizes[place]) for place in places),
        min(begun),
        max(begun),
        len(counts),
        float(collected.mean()) if len(collected) else 0.0,
        missing(strategy) if isinstance(strategy, Energy) else 0.0,
    )


def missing(strategy: Energy) -> float:
    """Return what the account of energy is out by, as a share of what passed through it."""
    book = strategy.book
    passed = abs(book.put_in) + abs(book.paid) + abs(book.buried) + 1.0
    return abs(book.missing(strategy.population.members)) / passed
