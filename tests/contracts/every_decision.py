"""Everything that decides, run once; `test_processors` starts this under several settings.

python every_decision.py WORLD     prints digests by name, and what processor numpy sees
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields, replace
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import numpy as np
import threadpoolctl

from foragers.core.loop import Crawl
from foragers.core.models import Model
from foragers.core.options import Target
from foragers.core.protocols import Judge, Learns
from foragers.evaluation.comparison.study import Study
from foragers.evaluation.metrics.recall import estimate
from foragers.evaluation.metrics.sightings import Sightings
from foragers.judges.build import build_judge, topic_of, within_of
from foragers.judges.examples import Examples
from foragers.judges.keywords import Keywords
from foragers.judges.novelty import DAY, Novelty
from foragers.judges.simple import LabelJudge
from foragers.judges.topic import full_text
from foragers.judges.words.meaning import Meaning
from foragers.storage.ledger.columns import Facts
from foragers.storage.ledger.memory import MemoryLedger
from foragers.strategies.registry import STRATEGIES, StrategyInputs, build
from foragers.text.state_training import train
from foragers.training.lesson import Lesson
from foragers.training.registry import TRAINERS, Meter, trainer_of
from foragers.worlds.archive import Archive
from foragers.worlds.budget import Budget
from foragers.worlds.generated import generate
from foragers.worlds.replay import Recorded
from foragers.worlds.store import open_world

DOWNLOADS = 100
NAMES = tuple({STRATEGIES[name]: name for name in STRATEGIES}.values())
MODELS = {
    "spider": ("spider", "auto", "rl-future"),
    "hmm": ("hmm", "bpm"),
    "context-graph": ("context-graph", "hw"),
    "states": ("rl",),
}
"""Which strategies are tried with which trained model."""
TAKEN_UP = ("auto", "lafc")
"""Which strategies take up what they have learned in a second crawl."""


def processor() -> dict[str, object]:
    """Return what numpy, BLAS and the C library make of this machine."""
    inner = import_module("numpy._core._multiarray_umath")
    grid = np.linspace(-9.0, 9.0, 20_011)
    square = np.cos(np.arange(3600.0)).reshape(60, 60)
    return {
        "dispatch": list(inner.__cpu_dispatch__),
        "features": sorted(name for name, there in inner.__cpu_features__.items() if there),
        "blas": sorted({str(one.get("architecture")) for one in threadpoolctl.threadpool_info()}),
        "numpy": digest([np.exp(grid), np.log(np.abs(grid)), np.tanh(grid)]),
        "products": digest([square @ square, square @ square[0]]),
        "libm": digest([np.array([math.exp(x) for x in grid.tolist()])]),
    }


def digest(arrays: Iterable[np.ndarray[Any, Any]]) -> str:
    """Return what stands for some columns, byte for byte."""
    found = blake2b(digest_size=8)
    for array in arrays:
        found.update(str((array.dtype, array.shape)).encode())
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


def of_facts(facts: Facts) -> str:
    """Return what stands for a ledger."""
    return digest(getattr(facts, field.name) for field in fields(facts))


def of_model(model: Model) -> str:
    """Return what stands for a model."""
    return digest([model.arrays[name] for name in sorted(model.arrays)])


def of_world(archive: Archive) -> str:
    """Return what stands for a world: its columns and some of its words."""
    texts = [str(archive.texts.document(v)) for v in range(0, archive.versions, 97)]
    names = ("version_starts", "times", "codes", "redirects", "same_as", "link_starts", "targets")
    return digest([*(getattr(archive, name) for name in names), np.array(texts)])


def crawled(
    spec: str, archive: Archive, judge: Judge, rewards: frozenset[int], **more: Any
) -> Iterator[tuple[str, str]]:
    """Crawl, and say what stands for the ledger, what was learned and what is left to find."""
    since = archive.start if isinstance(judge, Novelty) else None
    pace = (archive.end - archive.start) / (4 * DOWNLOADS) if since is not None else 1.0
    study = Study(archive, judge, rewards, since)
    rng = np.random.default_rng(5)
    brief = StrategyInputs(topic_of(judge), rng, study.oracle, new_within=within_of(judge), **more)
    strategy, ledger, seen = build(spec, brief), MemoryLedger(), Sightings()
    world = Budget(Recorded(archive, since, pace), DOWNLOADS)
    crawl = Crawl(strategy, world, judge, ledger)
    crawl.begin()
    crawl.run(seen.watch)
    yield "ledger", of_facts(ledger.facts())
    yield "left to find", repr(estimate(seen))
    if isinstance(strategy, Learns):
        learned = strategy.learned(archive.book)
        yield "learned", of_model(learned)
        if spec in TAKEN_UP and not more:
            for what, found in crawled(spec, archive, judge, rewards, model=learned):
                yield f"{what}, the second time", found


def examples_of(archive: Archive, wanted: list[int]) -> tuple[list[str], list[str]]:
    """Return the texts of some pages that are wanted, and of some that are not."""
    others = [int(v) for v in archive.latest if v >= 0 and archive.codes[v] == 200][::23]
    chosen = [archive.latest[url] for url in wanted if archive.latest[url] >= 0][:12]
    good, bad = (
        [full_text(archive.texts.document(int(version))) for version in some]
        for some in (chosen, others[:30])
    )
    return good, bad


def nothing(done: int, note: str = "") -> None:
    """Show nothing."""


@contextmanager
def silent(_what: str, _total: int) -> Iterator[Meter]:
    """Show no progress."""
    yield nothing


def decisions(recorded: Archive) -> Iterator[tuple[str, str]]:
    """Give everything that decides a name, and what stands for what it decided."""
    topics = generate("topics", seed=3, pages=500)
    news = generate("news", seed=3, pages=500)
    for name, world in (("topics", topics), ("news", news)):
        yield f"world {name}", of_world(world)
    for preset, pages in (("departments", 400), ("companies", 1700)):
        yield f"world {preset}", of_world(generate(preset, seed=3, pages=pages))
    for where, archive in (("generated", topics), ("recorded", recorded)):
        label = max(archive.labels.urls, key=lambda name: (len(archive.labels.urls[name]), name))
        wanted = archive.labels.urls[label].tolist()
        rewards = frozenset(wanted)
        good, bad = examples_of(archive, wanted)
        topic = " ".join(sorted({w for text in good[:3] for w in text.lower().split()})[20:400:40])
        yield from judged(where, archive, topic, good, bad)
        judge = Keywords(topic, threshold=0.1)
        for name in NAMES:
            for what, found in crawled(name, archive, judge, rewards):
                yield f"{name} on a {where} world: {what}", found
        yield from trained(where, archive, rewards)
    for name in NAMES:
        if name != "optimal":
            for what, found in crawled(name, news, Novelty(DAY), frozenset()):
                yield f"{name} after news: {what}", found


def judged(
    where: str, archive: Archive, topic: str, good: list[str], bad: list[str]
) -> Iterator[tuple[str, str]]:
    """Give every judge a name, and what stands for its verdicts on all pages."""
    judges = {
        "keywords": Keywords(topic),
        "words": build_judge(Target(topic=topic)),
        "words that have learned": build_judge(Target(topic=topic), archive),
        "meaning": meaning(topic, good),
        "tfidf": build_judge(Target(topic=topic, similarity="tfidf"), archive),
        "examples": Examples(tuple(good), tuple(bad)),
        "examples alone": Examples(tuple(good)),
    }
    for name, judge in judges.items():
        study = Study(replace(archive), judge, None, None)
        study.score()
        assert study.scores is not None
        yield f"judge {name} on a {where} world", digest([study.scores])


def meaning(topic: str, texts: list[str]) -> Meaning:
    """Return a judge with vectors made up for the words of some texts."""
    rng = np.random.default_rng(5)
    found = sorted({word for text in texts for word in text.lower().split()})
    with NamedTemporaryFile("w", suffix=".txt", delete=False, encoding="utf-8") as file:
        for word in found:
            numbers = " ".join(f"{number:.4f}" for number in rng.random(24) - 0.5)
            file.write(f"{word} {numbers}\n")
    return Meaning(topic, vectors=file.name)


def trained(where: str, archive: Archive, rewards: frozenset[int]) -> Iterator[tuple[str, str]]:
    """Give every trained model a name, and what stands for it and for crawls with it."""
    study = Study(archive, LabelJudge(rewards), rewards, None)
    study.score()
    lesson = Lesson.of(where, study)
    models = {kind: trainer_of(kind).train([lesson], silent).model for kind in TRAINERS}
    texts = [
        full_text(archive.texts.document(int(v))) for v in archive.latest[archive.latest >= 0][:120]
    ]
    states = train(texts, 12, np.random.default_rng(1))
    models["states"] = Model("states", 1, {"k": states.k}, states.arrays())
    for kind, model in models.items():
        yield f"model {kind} of a {where} world", of_model(model)
        for name in MODELS[kind]:
            spec = f"{name}(model=it)"  # it was read already
            for what, found in crawled(spec, archive, LabelJudge(rewards), rewards, named=model):
                yield f"{name} with a model on a {where} world: {what}", found


if __name__ == "__main__":
    told = {"processor": processor(), "decisions": dict(decisions(open_world(Path(sys.argv[1]))))}
    with suppress(BrokenPipeError):
        print(json.dumps(told))
