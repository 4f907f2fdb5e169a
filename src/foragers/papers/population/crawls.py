"""Where the populations are tried: a web, and a topic on it for each run.

Relevance is the tf·idf cosine, as in the paper; idf is counted in the web itself.

The crawls of `population`: how many agents lived and what was found after so many pages.

What all crawls of `population` came to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foragers.core.loop import Crawl
from foragers.core.options import Target
from foragers.core.types import Visit
from foragers.errors import UsageError
from foragers.evaluation.comparison.study import Scored
from foragers.evaluation.metrics import harvest
from foragers.judges.build import topic_of
from foragers.papers.automata.webs import SHARE, TopicOnWeb, split
from foragers.papers.kept import kept, kept_file
from foragers.papers.population.numbers import AGENTS, LOWER, PAGES, TOPICS, UPPER
from foragers.papers.request import PaperRequest
from foragers.storage.ledger.memory import MemoryLedger
from foragers.strategies.population.energy import Energy
from foragers.strategies.registry import StrategyInputs, build
from foragers.worlds.budget import Budget
from foragers.worlds.generated.presets import generate
from foragers.worlds.replay import Recorded
from foragers.worlds.store import open_world, save

SEEDS = 3
"""The paper begins with one to three highly relevant pages."""
FEWEST_DOWNLOADS, FEWEST_PAGES = 200, 2_000
WEB_PAGES, WEB_TOPICS = 1_200_000, 8
"""So large that a topic has six times as many pages as any crawl of 25,000 finds of it."""


def grounds_of(request: PaperRequest, runs: int) -> list[TopicOnWeb]:
    """Return where each run crawls: the topics take turns."""
    if request.worlds:
        found = [ground for path in request.worlds for ground in recorded(request, path)]
    else:
        found = generated(request)
    return [found[run % len(found)] for run in range(max(runs, len(found)))]


def generated(request: PaperRequest) -> list[TopicOnWeb]:
    """Return five topics on a web that is made up."""
    if request.relevant or request.topic:
        raise UsageError("--topic and --relevant are for recorded worlds; name one with --world")
    web = made(request)
    archive = open_world(web)
    budget = max(FEWEST_DOWNLOADS, round(PAGES * request.scale))
    grounds = []
    for name, words in TOPICS.items():
        urls = archive.labels.urls[f"topic:{name}"]
        seeds = tuple(archive.book.href(int(url)) for url in urls[:SEEDS])
        aim = Target(words, "tfidf")
        grounds.append(
            TopicOnWeb("generated", web, name, aim, seeds, budget, 0, request.out / "judged")
        )
    return grounds


def made(request: PaperRequest) -> Path:
    """Make the web, or a share of it, unless it is there."""
    pages = max(FEWEST_PAGES, round(WEB_PAGES * request.scale))
    path = request.out / "worlds" / f"topics-{pages}-seed{request.seed}"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        save(generate("topics", seed=request.seed, pages=pages, topics=WEB_TOPICS), path)
    return path


def recorded(request: PaperRequest, path: Path) -> list[TopicOnWeb]:
    """Return what is wanted on a recorded web."""
    archive = open_world(path)
    if request.relevant:
        aims = {name: Target(relevant=name) for name in split(request.relevant, ",")}
    elif request.topic:
        aims = {words: Target(words, "tfidf") for words in split(request.topic, ";")}
    else:
        raise UsageError(
            f"--world {path}: say what is wanted with --topic 'WORDS; WORDS' or --relevant LABEL"
        )
    most = round(PAGES * request.scale)
    budget = max(50, min(most, 10 * round(SHARE * archive.pages / 10)))
    keep, name = request.out / "judged", path.resolve().name
    grounds = [
        TopicOnWeb(name, path, topic, aim, (), budget, 0, keep) for topic, aim in aims.items()
    ]
    for ground in grounds:
        if not ground.study().rewards():
            raise UsageError(f"--world {path}: no page is on {ground.topic!r}; ask for another")
    return grounds


FORMAT = 1
"""Of what is kept of a crawl; other formats are not read."""
MARKS = 100
"""At how many points of a crawl it is looked at."""


@dataclass(frozen=True)
class PopulationTask:
    """A crawl by a strategy, with the seed of its chance."""

    ground: TopicOnWeb
    crawler: str
    spec: str
    seed: int


@dataclass(frozen=True)
class PopulationTrace:
    """A crawl: at each mark downloads, relevant pages and agents alive; extremes of these.

    `ended` is how many pages were downloaded, `gain` the mean relevance of the pages that were
    collected, and `missing` what the account of energy was out by.
    """

    task: PopulationTask
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


class Counted(NamedTuple):
    """What is kept of a crawl: the fields of its trace after the task."""

    relevant: tuple[int, ...]
    population: tuple[int, ...]
    least: int
    most: int
    ended: int
    gain: float
    missing: float


def perform(task: PopulationTask) -> PopulationTrace:
    """Crawl, or read what came of the crawl when it was made before."""
    ground = task.ground
    told = ground.key, ground.seeds, ground.budget, task.spec, task.seed
    file = kept_file(ground.keep.parent / "crawls", FORMAT, MARKS, *told)
    return PopulationTrace(task, *kept(file, Counted, lambda: crawl(task), lambda _: True))


def crawl(task: PopulationTask) -> Counted:
    """Crawl, and watch the population."""
    study = task.ground.study()
    assert study.scores is not None
    judge = deepcopy(study.judge)
    strategy = build(task.spec, StrategyInputs(topic_of(judge), np.random.default_rng(task.seed)))
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
    return Counted(
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


Floats = NDArray[np.float64]
FEWEST_AGENTS = 20


@dataclass(frozen=True)
class Bounds:
    """How many agents begin, and between which numbers a population is kept."""

    agents: int
    least: int
    most: int

    @classmethod
    def of(cls, ground: TopicOnWeb) -> Bounds:
        """Return the paper's, or the same share of them as of its 25,000 pages."""
        share = min(1.0, ground.budget / PAGES)
        agents = max(FEWEST_AGENTS, round(AGENTS * share))
        return cls(agents, round(agents * LOWER / AGENTS), round(agents * UPPER / AGENTS))


@dataclass(frozen=True)
class PopulationResults:
    """The traces of each crawler, one a run, in the same order of grounds."""

    grounds: Sequence[TopicOnWeb]
    traces: Mapping[str, Sequence[PopulationTrace]]
    rhos: Mapping[str, Sequence[float]]

    @property
    def marks(self) -> list[int]:
        """The downloads at which crawls are looked at, as on the first ground."""
        return downloads_at(self.grounds[0].budget)

    def populations(self, crawler: str) -> Floats:
        """Return agents alive at each mark, a row a run."""
        return np.array([trace.population for trace in self.traces[crawler]], float)

    def precisions(self, crawler: str) -> Floats:
        """Return precision at each mark, a row a run."""
        traces = self.traces[crawler]
        return np.array([[trace.precision(mark) for mark in range(MARKS)] for trace in traces])

    def finals(self, crawler: str) -> list[float]:
        """Return agents alive at the end, for each run."""
        return [float(trace.final) for trace in self.traces[crawler]]

    def at_equal_pages(self, one: str, other: str) -> tuple[list[float], list[float]]:
        """Return the precision of both after as many pages as the one has that ended first."""
        found: tuple[list[float], list[float]] = [], []
        for ours, theirs in zip(self.traces[one], self.traces[other], strict=True):
            marks = downloads_at(ours.task.ground.budget)
            least = min(ours.ended, theirs.ended)
            mark = max(sum(pages <= least for pages in marks) - 1, 0)
            found[0].append(ours.precision(mark))
            found[1].append(theirs.precision(mark))
        return found

    def at(self, crawler: str, share: float) -> list[float]:
        """Return the precision of each run after a share of its pages."""
        found: list[float] = self.precisions(crawler)[:, round(MARKS * share) - 1].tolist()
        return found
