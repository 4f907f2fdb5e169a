"""Crawls for the table of standings, each done once and kept."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, fields
from enum import StrEnum
from hashlib import blake2b
from pathlib import Path

import msgspec
import numpy as np

from benchmarks.standings_worlds import Collected
from foragers.core.files import write
from foragers.core.loop import Crawl
from foragers.core.options import ReplayOptions, Target
from foragers.core.protocols import Judge
from foragers.core.types import Status, UrlId, Visit
from foragers.evaluation.comparison.study import Scored, Study, prepare
from foragers.judges.build import build_judge, topic_of
from foragers.judges.topic import Topic
from foragers.strategies.registry import STRATEGIES, StrategyInputs, build, parse
from foragers.worlds.budget import Budget
from foragers.worlds.replay import Recorded

WORST, BEST = "breadth-first", "optimal"
DOWNLOADS = 1000
"""A budget as users have it: so many downloads, however large the web."""


class Aim(StrEnum):
    """What a crawl is told of the label that is looked for."""

    USER = "user"  # words, by which pages are judged: what a user has
    WORDS = "words"  # words, and of every fetched page whether it has the label
    LABEL = "label"  # of every fetched page whether it has the label


class Task(msgspec.Struct, frozen=True):
    """What is to be found where: a label of a web, and what crawls are told of it.

    With `collected` only links to collected pages count; `seed` tells webs of a kind apart.
    """

    world: str
    path: str
    label: str
    aim: Aim
    topic: str
    collected: bool = False
    seed: int = 0

    @property
    def target(self) -> Target:
        """By what pages are judged, and by what they are measured."""
        return Target(topic=self.topic if self.aim is Aim.USER else None, relevant=self.label)

    def words(self, judge: Judge) -> Topic:
        """Return the words that strategies see."""
        if self.aim is Aim.WORDS:
            judge = build_judge(Target(topic=self.topic))
        return topic_of(judge)


class Kept(msgspec.Struct, frozen=True):
    """A crawl of at most `budget` downloads: after which of them it found relevant pages."""

    task: Task
    strategy: str
    seed: int
    reachable: int
    budget: int
    targets: int
    downloads: int
    found_at: list[int]
    cpu_seconds: float


class Extent(msgspec.Struct, frozen=True):
    """How far webs are crawled: a share of their pages, but no more downloads than `most`."""

    share: float = 1.0
    most: int = 10**9

    def limit(self, reachable: int) -> int:
        """Return how many downloads a crawl has: at least a thousand, where there are."""
        wanted = min(round(self.share * reachable), self.most)
        return min(reachable, max(DOWNLOADS, wanted))


@dataclass
class Tally:
    """A ledger that keeps only when wanted pages were found."""

    wanted: frozenset[UrlId]
    found: dict[UrlId, int] = field(default_factory=dict)
    downloads: int = 0

    def append(self, visits: Sequence[Visit]) -> None:
        """Count some visits."""
        for visit in visits:
            self.downloads += 1
            if visit.page.status is Status.OK and visit.page.final in self.wanted:
                self.found.setdefault(visit.page.final, self.downloads)

    def read(self, start: int = 0) -> Iterator[Visit]:  # noqa: ARG002  nothing is kept
        """Return nothing: visits are not kept."""
        return iter(())

    def __len__(self) -> int:
        return self.downloads


def seeds_of(strategy: str, seeds: int) -> range:
    """Return the seeds to try; where chance plays no part one is as good as many."""
    kind = STRATEGIES[parse(strategy)[0]]
    return range(seeds if "rng" in {field.name for field in fields(kind)} else 1)


def place(out: Path, task: Task, strategy: str, seed: int) -> Path:
    """Return the file of a crawl."""
    what = msgspec.json.encode((msgspec.structs.replace(task, path=""), strategy, seed))
    return out / "runs" / f"{parse(strategy)[0]}-{blake2b(what, digest_size=10).hexdigest()}.json"


def perform(
    task: Task, strategies: Sequence[str], seeds: int, extent: Extent, out: Path
) -> list[Kept]:
    """Do all crawls of a task that are not kept yet, and return all of them."""
    wanted = [(strategy, seed) for strategy in strategies for seed in seeds_of(strategy, seeds)]
    done, study = [], None
    for strategy, seed in wanted:
        file = place(out, task, strategy, seed)
        kept = recalled(file, extent)
        if kept is None:
            study = study or studied(task)
            kept = crawled(task, study, strategy, seed, extent)
            write(file, msgspec.json.encode(kept))
        done.append(kept)
    return done


def recalled(file: Path, extent: Extent) -> Kept | None:
    """Return the crawl in a file, if it went far enough."""
    try:
        kept = msgspec.json.decode(file.read_bytes(), type=Kept)
    except (OSError, msgspec.MsgspecError):
        return None
    return kept if kept.budget >= extent.limit(kept.reachable) else None


def studied(task: Task) -> Study:
    """Open a web, and judge its pages once for all crawls."""
    study = prepare(ReplayOptions(task.path, "", aim=task.target))
    study.score()
    return study


def crawled(task: Task, study: Study, strategy: str, seed: int, extent: Extent) -> Kept:
    """Let a strategy crawl a web to some extent."""
    reach = study.reachable()
    budget = extent.limit(len(reach))
    wanted = study.rewards() & reach
    judge = deepcopy(study.judge)
    kind = Collected if task.collected else Recorded
    tally = Tally(wanted)
    topic = task.words(judge)
    before = time.process_time()
    made = build(strategy, StrategyInputs(topic, np.random.default_rng(seed), study.oracle))
    scored = judge if study.scores is None else Scored(judge, study.scores)
    crawl = Crawl(made, Budget(kind(study.archive), budget), scored, tally)
    crawl.begin()
    crawl.run()
    spent = time.process_time() - before
    found = sorted(tally.found.values())
    sizes = len(reach), budget, len(wanted), len(tally)
    return Kept(task, strategy, seed, *sizes, found, round(spent, 3))
