"""The crawls of `automata`: in turn where one takes up what another learned, else side by side.

What all crawls of `automata` came to, sorted by what they are to show.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from foragers.core.loop import Crawl
from foragers.core.models import Model, save_model
from foragers.core.processes import in_processes
from foragers.core.protocols import Learns
from foragers.core.types import UrlId, Visit
from foragers.evaluation.comparison.study import Scored, Study
from foragers.evaluation.metrics import harvest
from foragers.judges.build import topic_of
from foragers.papers.automata.numbers import CRAWLERS
from foragers.papers.automata.webs import TopicOnWeb
from foragers.papers.kept import kept, kept_file
from foragers.papers.request import Progress
from foragers.storage.ledger.sqlite import SqliteLedger
from foragers.strategies.automata.saved import KIND as AUTOMATA
from foragers.strategies.automata.saved import Remembered
from foragers.strategies.registry import StrategyInputs, build
from foragers.training.lesson import Lesson
from foragers.training.registry import trainer_of
from foragers.worlds.budget import Budget
from foragers.worlds.replay import Recorded

MARKS = 10
"""At how many points of a crawl it is looked at."""
BATCH = 5000
FORMAT = 2
"""Of what is kept of a crawl; other formats are not read."""
SEEDS_A_RUN = 1000

Item = TypeVar("Item")
Found = TypeVar("Found")


@dataclass(frozen=True)
class AutomataTask:
    """Crawls of one topic by one crawler: the next takes up what the last learned, if it may."""

    ground: TopicOnWeb
    crawler: str
    spec: str
    seed: int
    crawls: int = 1
    learns: bool = True
    ledger: Path | None = None


@dataclass(frozen=True)
class AutomataTrace:
    """One crawl: downloads, relevant pages and CPU seconds at each mark, and what was found.

    `converged` is the share of the automata with several links that have settled on one of them
    after the crawl, and `surest` the mean probability of their likeliest link.
    """

    downloads: tuple[int, ...]
    relevant: tuple[int, ...]
    seconds: tuple[float, ...]
    found: frozenset[UrlId]
    converged: float | None = None
    surest: float | None = None

    def precision(self, mark: int = MARKS - 1) -> float:
        """Return the share of relevant pages among the downloads up to a mark (20)."""
        return self.relevant[mark] / max(self.downloads[mark], 1)


@dataclass(frozen=True)
class AutomataOutcome:
    """What came of a task."""

    task: AutomataTask
    traces: tuple[AutomataTrace, ...]


def perform(task: AutomataTask) -> AutomataOutcome:
    """Do the crawls of a task, or read what came of them when they were done before."""

    def fits(traces: tuple[AutomataTrace, ...]) -> bool:
        return len(traces) == task.crawls and (task.ledger is None or task.ledger.exists())

    traces = kept(file_of(task), tuple[AutomataTrace, ...], lambda: crawls_of(task), fits)
    return AutomataOutcome(task, traces)


def file_of(task: AutomataTask) -> Path:
    """Return where it is kept what came of a task, for a reproduction that is resumed."""
    ground = task.ground
    web = ground.key, ground.seeds, ground.budget, ground.run
    work = task.spec, task.seed, task.crawls, task.learns, task.ledger
    return kept_file(ground.keep.parent / "crawls", FORMAT, *web, *work)


def crawls_of(task: AutomataTask) -> tuple[AutomataTrace, ...]:
    """Do the crawls of a task."""
    study = task.ground.study()
    model: Model | None = None
    traces = []
    for number in range(task.crawls):
        trace, model = crawl(task, study, task.seed * SEEDS_A_RUN + number, model)
        traces.append(trace)
        model = model if task.learns else None
    return tuple(traces)


def crawl(
    task: AutomataTask, study: Study, seed: int, before: Model | None
) -> tuple[AutomataTrace, Model | None]:
    """Crawl once, and return what was found and what was learned."""
    assert study.scores is not None
    judge = deepcopy(study.judge)
    strategy = build(
        task.spec, StrategyInputs(topic_of(judge), np.random.default_rng(seed), None, before)
    )
    book, budget = study.archive.book, task.ground.budget
    if task.ledger is not None:
        task.ledger.parent.mkdir(parents=True, exist_ok=True)
        task.ledger.unlink(missing_ok=True)
    ledger = SqliteLedger(task.ledger or ":memory:", book, words=False, batch=BATCH)
    world = Budget(Recorded(study.archive), budget)
    work = Crawl(strategy, world, Scored(judge, study.scores), ledger)
    times: list[float] = []

    def watch(visits: Sequence[Visit]) -> None:
        times.extend([time.process_time()] * len(visits))

    begin = time.process_time()
    work.begin()
    work.run(watch)
    facts = ledger.facts()
    ledger.close()
    # A crawl that ended early keeps what it has.
    counts = np.append(harvest.found(facts), 0) if not len(facts) else harvest.found(facts)
    marks = [min(round(budget * (mark + 1) / MARKS), len(counts)) - 1 for mark in range(MARKS)]
    hits = facts.finals[facts.relevant & facts.ok]
    trace = AutomataTrace(
        tuple(min(mark + 1, len(facts)) for mark in marks),
        tuple(int(counts[mark]) for mark in marks),
        tuple(round(times[mark] - begin, 4) if times else 0.0 for mark in marks),
        frozenset(np.unique(hits).tolist()),
    )
    model = strategy.learned(book) if isinstance(strategy, Learns) else None
    if model is None or model.kind != AUTOMATA[0]:
        return trace, model
    converged, surest = convergence_of(Remembered.of(model))
    return replace(trace, converged=converged, surest=surest), model


SETTLED = 0.9
"""An automaton has converged if one of its links has at least this probability."""


def convergence_of(automata: Remembered) -> tuple[float | None, float | None]:
    """Return how many automata of several links have converged, and how sure they are."""
    counts = np.diff(automata.starts)
    if not (counts > 1).any():
        return None, None
    best = np.maximum.reduceat(automata.probabilities, automata.starts[:-1])[counts > 1]
    return float((best >= SETTLED).mean()), float(best.mean())


def model_file(ground: TopicOnWeb, kind: str) -> Path:
    """Return where the model of a topic is kept."""
    return ground.keep.parent / "models" / f"{ground.key}-{kind}.model"


def train(ground: TopicOnWeb) -> TopicOnWeb:
    """Train the crawlers that need it on the other webs, for a topic; return the topic."""
    kinds = [kind for kind in ("hmm", "context-graph") if not model_file(ground, kind).exists()]
    lessons = [Lesson.of(one.web, one.study()) for one in ground.lessons if kinds]
    for kind in kinds:
        trained = trainer_of(kind).train(lessons, lambda *_: nullcontext(lambda *_: None))
        model_file(ground, kind).parent.mkdir(parents=True, exist_ok=True)
        save_model(trained.model, model_file(ground, kind))
    return ground


def all_of(
    function: Callable[[Item], Found],
    items: Sequence[Item],
    processes: int,
    what: str,
    progress: Progress,
) -> list[Found]:
    """Do a thing for all items, and return what comes of it in their order."""
    done: dict[int, Found] = {}
    with progress(what, len(items)) as meter:
        for number, found in in_processes(function, items, processes):
            done[number] = found
            meter(len(done))
    return [done[number] for number in range(len(items))]


Floats = NDArray[np.float64]


@dataclass(frozen=True)
class AutomataResults:
    """Crawls to compare, crawls to calibrate by, and crawls that follow each other.

    `relevant` says how many pages there are to find on each web and topic.
    `main` has for each topic and crawler its first crawls; `by_control` and `by_rate`
    those of the first topic; `in_turn` crawls, by learning rate, that learn from those
    before, `apart` such as do not.
    """

    grounds: Sequence[TopicOnWeb]
    relevant: Mapping[TopicOnWeb, int]
    main: Mapping[tuple[TopicOnWeb, str], Sequence[AutomataTrace]]
    by_control: Mapping[float, Sequence[AutomataOutcome]]
    by_rate: Mapping[float, Sequence[AutomataOutcome]]
    in_turn: Mapping[float, Sequence[AutomataOutcome]]
    apart: Sequence[AutomataOutcome]

    @cached_property
    def topics(self) -> list[str]:
        """The topics, in order."""
        return list(dict.fromkeys(ground.topic for ground in self.grounds))

    @cached_property
    def crawlers(self) -> list[str]:
        """The crawlers, the paper's first."""
        return list(dict.fromkeys(crawler for _, crawler in self.main))

    def of(self, topic: str | None = None) -> list[TopicOnWeb]:
        """Return the webs on which there is a topic, or all."""
        return [ground for ground in self.grounds if topic in (None, ground.topic)]

    def curve(self, ground: TopicOnWeb, crawler: str) -> Floats:
        """Return the mean precision of a crawler at each mark."""
        traces = self.main[ground, crawler]
        rows = np.array([[trace.precision(mark) for mark in range(MARKS)] for trace in traces])
        curve: Floats = rows.mean(axis=0)
        return curve

    def curves(self, crawler: str, topic: str | None = None) -> Floats:
        """Return the precision of a crawler at each mark, a row a web and topic."""
        return np.array([self.curve(ground, crawler) for ground in self.of(topic)])

    def precisions(self, crawler: str, mark: int = MARKS - 1) -> list[float]:
        """Return the precision of a crawler at its end, or another mark, for each web and topic."""
        return [float(value) for value in self.curves(crawler)[:, mark]]

    def highest(self, mark: int = MARKS - 1) -> float:
        """Return the mean precision of a crawler that finds relevant pages only."""
        share = (mark + 1) / MARKS
        most = [min(1.0, self.relevant[one] / max(share * one.budget, 1)) for one in self.grounds]
        return float(np.mean(most))

    def recall(self, ground: TopicOnWeb, crawler: str) -> float:
        """Return the share of the pooled relevant pages that a crawler found (21).

        Pooled is, run by run, what the paper's crawlers found; one that leaves nothing to chance
        has a single run, which stands beside every run of the others.
        """
        runs = max(len(self.main[ground, name]) for name in CRAWLERS)
        shares = []
        for run in range(runs):
            pooled = frozenset().union(*(self.found(ground, name, run) for name in CRAWLERS))
            own = self.found(ground, crawler, run) & pooled
            shares.append(len(own) / max(len(pooled), 1))
        return float(np.mean(shares))

    def found(self, ground: TopicOnWeb, crawler: str, run: int) -> frozenset[UrlId]:
        """Return the relevant pages that a run of a crawler found."""
        traces = self.main[ground, crawler]
        return traces[min(run, len(traces) - 1)].found

    def recalls(self, crawler: str, topic: str | None = None) -> list[float]:
        """Return the recall of a crawler for each web and topic."""
        return [self.recall(ground, crawler) for ground in self.of(topic)]

    def seconds(self, crawler: str, topic: str | None = None) -> list[float]:
        """Return the CPU seconds of a crawler for each web and topic."""
        return [
            float(np.mean([trace.seconds[-1] for trace in self.main[ground, crawler]]))
            for ground in self.of(topic)
        ]

    def marks(self) -> list[int]:
        """Return the downloads at which crawls are looked at, as they are on the first web."""
        budget = self.grounds[0].budget
        return [round(budget * (mark + 1) / MARKS) for mark in range(MARKS)]


def last_precisions(
    outcomes: Sequence[AutomataOutcome], crawl: int = 0, mark: int = MARKS - 1
) -> list[float]:
    """Return the precision at the end, or another mark, of the first, or another, crawl."""
    return [outcome.traces[crawl].precision(mark) for outcome in outcomes]
