"""Where the crawlers of `automata` are tried: webs, topics on them, and what was judged beforehand.

Every page of a web is judged once for each topic and the verdicts are kept beside the web, so
that all crawls share them.  What a crawler is trained on is another web.

All pages of a web judged for all topics in one reading: making up a page takes longest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from io import BytesIO
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from foragers.core.content import MemoryContent
from foragers.core.files import write
from foragers.core.options import ReplayOptions, Target
from foragers.core.types import Choice
from foragers.errors import UsageError
from foragers.evaluation.comparison.study import Study, prepare
from foragers.papers.automata.numbers import PAGES, STAND_INS, TOPICS
from foragers.papers.request import PaperRequest
from foragers.worlds.generated.presets import generate
from foragers.worlds.replay import Recorded
from foragers.worlds.store import open_world, save

WEB_PAGES, TRAINING_PAGES = 100_000, 20_000
FEWEST_PAGES, FEWEST_DOWNLOADS = 2_000, 200
GENERATED_TOPICS = 40
"""So many that a topic has 2,000 pages: a crawl of 10,000 has to look for them."""
SAME_TOPIC = 0.08
"""Which share of links goes to the same topic on any host; with more all crawlers find all."""
SEEDS = 2
"""The paper begins each crawl at a directory page and at the answers of a search engine."""
TRAINING_SEED = 1000
SHARE = 0.3
"""Which share of a recorded web is crawled, unless the paper's 10,000 pages are less."""
FEWEST_RELEVANT = 10
"""A topic of which a recorded web has fewer pages is left out."""


@dataclass(frozen=True)
class TopicOnWeb:
    """A topic on a web: `run` makes one of many like webs, `trained_on` are others."""

    web: str
    path: Path
    topic: str
    aim: Target
    seeds: tuple[str, ...]
    budget: int
    run: int
    keep: Path
    trained_on: tuple[Path, ...] = ()

    @property
    def key(self) -> str:
        """A name for files."""
        told = f"{self.path.resolve()} {self.aim!r}"
        return blake2b(told.encode(), digest_size=8).hexdigest()

    @property
    def verdicts(self) -> Path:
        """The file of how all pages were judged."""
        return self.keep / f"{self.key}.npy"

    @property
    def lessons(self) -> list[TopicOnWeb]:
        """The same topic on the webs that crawlers are trained on."""
        return [
            TopicOnWeb(path.name, path, self.topic, self.aim, (), 0, self.run, self.keep)
            for path in self.trained_on
        ]

    def study(self) -> Study:
        """Return the web with its judge and all verdicts."""
        return judged(replace(self, seeds=(), trained_on=(), budget=0, run=0), self.seeds)


def world_of(grounds: Sequence[TopicOnWeb]) -> str:
    """Return on which webs, with how many topics, crawls were made, in words."""
    webs = list(dict.fromkeys(ground.path.name for ground in grounds))
    topics = len({ground.topic for ground in grounds})
    plural = "s" if topics > 1 else ""
    return f"{', '.join(webs)}; {topics} topic{plural}"


@lru_cache(maxsize=2)
def judged(ground: TopicOnWeb, seeds: tuple[str, ...]) -> Study:
    """Judge all pages of a web, or read how they were judged before."""
    study = prepare(ReplayOptions(str(ground.path), "", ground.aim, seeds=seeds))
    try:
        study.scores = np.load(ground.verdicts)
    except (OSError, ValueError):
        study.score()
        assert study.scores is not None
        keep(ground.verdicts, study.scores)
    return study


def keep(file: Path, column: NDArray[np.float64]) -> None:
    """Write an array to a file, in one step."""
    packed = BytesIO()
    np.save(packed, column, allow_pickle=False)
    file.parent.mkdir(parents=True, exist_ok=True)
    write(file, packed.getvalue())


def grounds_of(request: PaperRequest, runs: int) -> list[TopicOnWeb]:
    """Return all topics on all webs that were asked for, or on as many generated ones as runs."""
    if request.worlds:
        return [ground for path in request.worlds for ground in recorded(request, path)]
    if request.relevant or request.topic:
        raise UsageError("--topic and --relevant are for recorded worlds; name one with --world")
    return [ground for run in range(runs) for ground in generated(request, run)]


def generated(request: PaperRequest, run: int) -> list[TopicOnWeb]:
    """Return the five topics on a web that is made up, with the web to train on."""
    web = made(request, WEB_PAGES, request.seed + run)
    other = made(request, TRAINING_PAGES, request.seed + run + TRAINING_SEED)
    budget = max(FEWEST_DOWNLOADS, round(PAGES * request.scale))
    archive = open_world(web)
    grounds = []
    for topic, (name, words) in STAND_INS.items():
        labels = archive.labels.urls
        hubs = np.intersect1d(labels[f"topic:{name}"], labels.get("kind:hub", ()))
        starts = [*hubs.tolist(), *labels[f"topic:{name}"].tolist()][:SEEDS]
        seeds = tuple(archive.book.href(url) for url in starts)
        keep = request.out / "judged"
        grounds.append(
            TopicOnWeb(
                "generated", web, topic, by_keywords(words), seeds, budget, run, keep, (other,)
            )
        )
    return grounds


def made(request: PaperRequest, pages: int, seed: int) -> Path:
    """Make a web of so many pages, or of a share of them, unless it is there."""
    count = max(FEWEST_PAGES, round(pages * request.scale))
    path = request.out / "worlds" / f"scattered-{count}-seed{seed}"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        options: dict[str, int | float] = {"topics": GENERATED_TOPICS, "same_topic": SAME_TOPIC}
        save(generate("topics", seed=seed, pages=count, **options), path)
    return path


def recorded(request: PaperRequest, path: Path) -> list[TopicOnWeb]:
    """Return the topics of a recorded web of which it has enough pages."""
    archive = open_world(path)
    most = round(PAGES * request.scale)
    budget = max(10, min(most, 10 * round(SHARE * archive.pages / 10)))
    others = tuple(other for other in request.worlds if other != path)
    keep = request.out / "judged"
    found = [
        TopicOnWeb(path.resolve().name, path, topic, aim, (), budget, 0, keep, others)
        for topic, aim in aims_of(request).items()
    ]
    kept = [ground for ground in found if len(ground.study().rewards()) >= FEWEST_RELEVANT]
    if not kept:
        raise UsageError(
            f"--world {path}: fewer than {FEWEST_RELEVANT} pages on {', '.join(aims_of(request))};"
            " say what is wanted with --topic 'WORDS; WORDS' or --relevant LABEL,LABEL"
        )
    return kept


def aims_of(request: PaperRequest) -> dict[str, Target]:
    """Return what is wanted on recorded webs: several topics may be given, else the paper's."""
    if request.relevant:
        names = split(request.relevant, ",")
        return {name: Target(relevant=name) for name in names}
    if request.topic:
        return {words: by_keywords(words) for words in split(request.topic, ";")}
    return {name: by_keywords(words) for name, words in TOPICS.items()}


def by_keywords(words: str) -> Target:
    """Return a topic whose pages are judged as the paper judges them."""
    return Target(words, "keywords")


def split(text: str, mark: str) -> Sequence[str]:
    """Return the parts of a list, each once."""
    return list(dict.fromkeys(part.strip() for part in text.split(mark) if part.strip()))


def by_web(grounds: Sequence[TopicOnWeb]) -> list[tuple[TopicOnWeb, ...]]:
    """Return what is yet to be judged, the topics of one web together."""
    webs: dict[Path, dict[str, TopicOnWeb]] = {}
    for ground in grounds:
        for one in (ground, *ground.lessons):
            if not one.verdicts.exists():
                webs.setdefault(one.path, {})[one.key] = one
    return [tuple(found.values()) for found in webs.values()]


def judge_together(grounds: Sequence[TopicOnWeb]) -> None:
    """Judge all pages of one web for several topics, and keep the verdicts."""
    studies = [prepare(ReplayOptions(str(ground.path), "", ground.aim)) for ground in grounds]
    archive = studies[0].archive
    columns = [np.full(archive.versions, np.nan) for _ in studies]
    world = Recorded(archive, studies[0].since)
    for url in studies[0].pages().tolist():
        page = world.answer(Choice(url, archive.book.host(url)))
        at_hand = msgspec.structs.replace(page, content=MemoryContent(page.document))
        for study, column in zip(studies, columns, strict=True):
            column[page.version] = study.judge.relevance(at_hand)
    for ground, column in zip(grounds, columns, strict=True):
        keep(ground.verdicts, column)
