"""Crawls for the study of stopping: which URLs were requested in which order, and what was seen.

The order of a crawl is kept as a file (FORAGERS_ORDERS), since crawling is what takes time.  What
an estimate rests on is counted again from the order, as often as its definition changes.

Recorded webs are imported worlds in the folder FORAGERS_WORLDS; FORAGERS_TOPICS names a JSON file
with the words of some topics for each of them, {web: {topic: [words]}}.  Pages are judged by these
words (`--similarity words`).  On generated webs, labels are the judge.
"""

from __future__ import annotations

import os
import sys
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from benchmarks.standings_worlds import generated, labels_of
from foragers.core.loop import Crawl, seed_visit
from foragers.core.options import ReplayOptions, Target
from foragers.core.types import Choice, Visit
from foragers.crawling.stopping import EVERY, SHARE
from foragers.evaluation.comparison.study import Scored, Study, prepare
from foragers.evaluation.metrics.laws import RecallCounts
from foragers.evaluation.metrics.recall import Count, chao, parts_of
from foragers.evaluation.metrics.sightings import Sightings
from foragers.judges.build import topic_of
from foragers.storage.ledger.memory import MemoryLedger
from foragers.strategies.registry import StrategyInputs, build
from foragers.worlds.budget import Budget
from foragers.worlds.replay import Recorded
from foragers.worlds.store import open_world

OWN = "auto"
OTHERS = ("best-first", "breadth-first", "random")
TOPICS = 8
"""Topics of a web that `auto` crawls for; the other strategies crawl for the last but one."""
MOST, FEWEST, PER_PAGE = 3500, 1000, 1.5
"""Downloads of a crawl: so many for each reachable page, within these limits."""
GENERATED = (("topics", 2000), ("departments", 2000), ("companies", 2000))

Numbers = NDArray[np.int64]


class Task(NamedTuple):
    """One crawl: of which web, for what, by which strategy."""

    web: str
    path: Path
    topic: str
    words: str
    strategy: str

    @property
    def file(self) -> str:
        """The name of the file with its order."""
        return f"{self.web}.{self.topic.replace(':', '-')}.{self.strategy}.npz"


class Look(NamedTuple):
    """What was counted after some downloads, and how many relevant pages were left."""

    downloads: int
    counts: RecallCounts
    chao: Count
    left: int


@dataclass(eq=False)
class Crawled:
    """A crawl with its looks; `total` relevant pages were reachable, `found_at` says when found."""

    web: str
    topic: str
    strategy: str
    total: int
    found_at: Numbers
    looks: list[Look]

    def recall(self, look: Look) -> float:
        """Return the true recall at a look."""
        return 1 - look.left / self.total

    def reached(self, recall: float) -> int | None:
        """Return after how many downloads a recall was truly reached, None if it was not."""
        return next((x.downloads for x in self.looks if self.recall(x) >= recall), None)


def tasks(scratch: Path) -> list[Task]:
    """Return the crawls of all webs at hand."""
    found = []
    folder, words = os.environ.get("FORAGERS_WORLDS"), os.environ.get("FORAGERS_TOPICS")
    if folder and words:
        known = msgspec.json.decode(
            Path(words).read_bytes(), type=dict[str, dict[str, tuple[str, ...]]]
        )
        for web in sorted(known):
            found += recorded_tasks(web, Path(folder) / web, known[web])
    for kind, pages in GENERATED:
        path = generated(scratch, kind, 1, pages)
        study = prepare(ReplayOptions(str(path), "random"))
        for label in labels_of(study, 3):
            found.append(Task(f"generated {kind}", path, label, "", OWN))
    return found


def recorded_tasks(web: str, path: Path, topics: dict[str, tuple[str, ...]]) -> list[Task]:
    """Return the crawls of a recorded web, for topics spread over its list."""
    names = sorted(topics)
    places = np.unique(np.linspace(0, len(names) - 1, min(TOPICS, len(names))).astype(int))
    found = []
    for number, place in enumerate(places.tolist()):
        name = names[place]
        strategies = (OWN, *OTHERS) if number == min(1, len(places) - 1) else (OWN,)
        found += [Task(web, path, name, ", ".join(topics[name]), one) for one in strategies]
    return found


def crawled(task: Task, orders: Path) -> Crawled | None:
    """Return what was seen on a crawl, made now if it was not; None if nothing is relevant."""
    file = orders / task.file
    if not file.exists():
        save_order(task, file)
    with np.load(file) as kept:
        truth = frozenset(kept["truth"].tolist())
        visits = kept["url"].tolist(), kept["relevant"].tolist()
    return replayed(task, truth, *visits) if truth else None


def save_order(task: Task, file: Path) -> None:
    """Crawl, and write down what was requested."""
    target = Target(task.words, similarity="words") if task.words else Target(relevant=task.topic)
    study = prepare(ReplayOptions(str(task.path), "random", aim=target))
    study.score()
    reach = study.reachable()
    urls, relevant = order(task.strategy, study, len(reach))
    file.parent.mkdir(parents=True, exist_ok=True)
    truth = np.array(sorted(study.rewards() & reach))
    np.savez_compressed(file, url=urls, relevant=relevant, truth=truth)
    print(f"   {task.file}: {len(truth):,} of {len(reach):,} pages", file=sys.stderr, flush=True)


def order(strategy: str, study: Study, reach: int) -> tuple[list[int], list[bool]]:
    """Let a strategy crawl a web, and return what it requested."""
    assert study.scores is not None
    limit = min(MOST, max(FEWEST, round(PER_PAGE * reach)))
    world = Budget(Recorded(study.archive), limit)
    topic = deepcopy(topic_of(study.judge))
    chosen = build(strategy, StrategyInputs(topic, np.random.default_rng(0)))
    ledger = MemoryLedger()
    crawl = Crawl(chosen, world, Scored(study.judge, study.scores), ledger)
    crawl.begin()
    crawl.run()
    visits = list(ledger.read())
    return [visit.url for visit in visits], [visit.relevant for visit in visits]


def replayed(task: Task, truth: frozenset[int], urls: list[int], relevant: list[bool]) -> Crawled:
    """Count along the order of a crawl, and look where a crawl would."""
    archive = open_world(task.path)
    world, seen = Recorded(archive), Sightings()
    seen.watch([seed_visit(world.seeds, world.now)])
    linked = np.zeros(len(archive.book), np.int64)
    found: set[int] = set()
    looks: list[Look] = []
    at = EVERY
    for url, is_relevant in zip(urls, relevant, strict=True):
        page = world.answer(Choice(url, archive.book.host(url)))
        seen.watch([Visit(page, 0.0, is_relevant)])
        if len(page.links):
            linked[np.unique(page.links.targets)] += 1
        if page.version >= 0 and page.final in truth:
            found.add(page.final)
        if seen.downloads >= at:
            at = seen.downloads + max(EVERY, int(SHARE * seen.downloads))
            met = linked[np.array(seen.found, np.int64)]
            lower = chao(len(met), int((met == 1).sum()), int((met == 2).sum()))
            looks.append(Look(seen.downloads, parts_of(seen), lower, len(truth) - len(found)))
    found_at = np.array(seen.found_at, np.int64)
    return Crawled(task.web, task.topic, task.strategy, len(truth), found_at, looks)
