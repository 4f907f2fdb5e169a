"""The crawls of `automata`: in turn where one takes up what another learned, else side by side."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import nullcontext
from copy import deepcopy
from dataclasses import dataclass
from hashlib import blake2b
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np

from foragers import __version__
from foragers.comparison.study import Scored, Study
from foragers.errors import UsageError
from foragers.exhibits.automata_webs import Ground
from foragers.exhibits.request import Progress
from foragers.files import write
from foragers.ledger.sqlite import SqliteLedger
from foragers.loop import Crawl
from foragers.measures import harvest
from foragers.models import Model, save_model
from foragers.processes import end_with
from foragers.protocols import Learns
from foragers.strategies.registry import Brief, build
from foragers.topics.options import topic_of
from foragers.training.lesson import Lesson
from foragers.training.registry import trainer_of
from foragers.types import UrlId, Visit
from foragers.worlds.budget import Budget
from foragers.worlds.recorded import Recorded

MARKS = 10
"""At how many points of a crawl it is looked at."""
BATCH = 5000
SEEDS_A_RUN = 1000

Item = TypeVar("Item")
Found = TypeVar("Found")


@dataclass(frozen=True)
class Task:
    """Crawls of one topic by one crawler: the next takes up what the last learned, if it may."""

    ground: Ground
    crawler: str
    spec: str
    seed: int
    crawls: int = 1
    learns: bool = True
    ledger: Path | None = None


@dataclass(frozen=True)
class Trace:
    """One crawl: downloads, relevant pages and CPU seconds at each mark, and what was found."""

    downloads: tuple[int, ...]
    relevant: tuple[int, ...]
    seconds: tuple[float, ...]
    found: frozenset[UrlId]

    def precision(self, mark: int = MARKS - 1) -> float:
        """Return the share of relevant pages among the downloads up to a mark (20)."""
        return self.relevant[mark] / max(self.downloads[mark], 1)


@dataclass(frozen=True)
class Outcome:
    """What came of a task."""

    task: Task
    traces: tuple[Trace, ...]


def perform(task: Task) -> Outcome:
    """Do the crawls of a task, or read what came of them when they were done before."""
    file = kept_file(task)
    try:
        traces = msgspec.json.decode(file.read_bytes(), type=tuple[Trace, ...])
        if len(traces) == task.crawls and (task.ledger is None or task.ledger.exists()):
            return Outcome(task, traces)
    except (OSError, ValueError, msgspec.MsgspecError):
        pass
    traces = crawls_of(task)
    file.parent.mkdir(parents=True, exist_ok=True)
    write(file, msgspec.json.encode(traces))
    return Outcome(task, traces)


def kept_file(task: Task) -> Path:
    """Return where it is kept what came of a task, for a reproduction that is taken up again."""
    ground = task.ground
    web = ground.key, ground.seeds, ground.budget, ground.run
    told = repr((__version__, *web, task.spec, task.seed, task.crawls, task.learns, task.ledger))
    name = blake2b(told.encode(), digest_size=8).hexdigest()
    return ground.keep.parent / "crawls" / f"{name}.json"


def crawls_of(task: Task) -> tuple[Trace, ...]:
    """Do the crawls of a task."""
    study = task.ground.study()
    model: Model | None = None
    traces = []
    for number in range(task.crawls):
        trace, model = crawl(task, study, task.seed * SEEDS_A_RUN + number, model)
        traces.append(trace)
        model = model if task.learns else None
    return tuple(traces)


def crawl(task: Task, study: Study, seed: int, before: Model | None) -> tuple[Trace, Model | None]:
    """Crawl once, and return what was found and what was learned."""
    assert study.scores is not None
    judge = deepcopy(study.judge)
    strategy = build(task.spec, Brief(topic_of(judge), np.random.default_rng(seed), None, before))
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
    trace = Trace(
        tuple(min(mark + 1, len(facts)) for mark in marks),
        tuple(int(counts[mark]) for mark in marks),
        tuple(round(times[mark] - begin, 4) if times else 0.0 for mark in marks),
        frozenset(np.unique(hits).tolist()),
    )
    return trace, strategy.learned(book) if isinstance(strategy, Learns) else None


def model_file(ground: Ground, kind: str) -> Path:
    """Return where the model of a topic is kept."""
    return ground.keep.parent / "models" / f"{ground.key}-{kind}.model"


def train(ground: Ground) -> Ground:
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
        for number, found in one_by_one(function, items, processes):
            done[number] = found
            meter(len(done))
    return [done[number] for number in range(len(items))]


def one_by_one(
    function: Callable[[Item], Found], items: Sequence[Item], processes: int
) -> Iterator[tuple[int, Found]]:
    """Give what is done as it is done; in this process if one is enough."""
    if processes == 1 or len(items) < 2:
        yield from ((number, function(item)) for number, item in enumerate(items))
        return
    with ProcessPoolExecutor(
        min(processes, len(items)),
        get_context("spawn"),
        initializer=end_with,
        initargs=(os.getpid(),),
    ) as pool:
        try:
            futures = {pool.submit(function, item): at for at, item in enumerate(items)}
            for future in as_completed(futures):
                yield futures[future], future.result()
        except BrokenProcessPool as error:
            raise UsageError("a worker process was killed; give it fewer --jobs") from error
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
