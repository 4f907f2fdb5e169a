"""Crawls for the gates: the share of the way from breadth-first to optimal that is closed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from foragers.core.options import ReplayOptions, Target
from foragers.evaluation.comparison.plan import Plan, compare
from foragers.evaluation.comparison.study import Study, prepare
from foragers.worlds.archive import Archive
from foragers.worlds.generated import generate
from foragers.worlds.importing.importer import ImportOptions, import_world
from foragers.worlds.labels import read_labels, read_lines, read_seeds
from foragers.worlds.store import save
from support.shared_suites import recording

DOWNLOADS = 1000
SEEDS = (11, 21, 31, 41)
"""Of the generated webs that a mean is over."""
KEYWORDS = "keywords"
"""The similarity with which the minimum values of the gates were measured."""
WORDS = {
    "topics": Target("robot sensor actuator", KEYWORDS, relevant="topic:robotics"),
    "departments": Target("paper abstract references", KEYWORDS, relevant="target:paper"),
    "companies": Target("officers president executive", KEYWORDS, relevant="target:officers"),
}
Shares = dict[str, float]


@cache
def closed(
    preset: str, seed: int, aim: Target, specs: tuple[str, ...], pages: int = 4000, runs: int = 1
) -> Shares:
    """Return what strategies close on a generated web, with a quarter of its pages fetched."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "web"
        save(generate(preset, seed=seed, pages=pages), path)
        return shares(path, aim, specs, pages // 4, runs)


def shares(path: Path, aim: Target, specs: tuple[str, ...], budget: int, runs: int = 1) -> Shares:
    """Return what strategies close on a web."""
    plan = Plan(ReplayOptions(str(path), "", aim, budget=budget), specs, runs)
    found = compare(plan, studied(plan.base)).strategies
    shown = {spec: found[spec].closed for spec in specs}
    assert None not in shown.values(), "there is nothing to be found"
    return {spec: share for spec, share in shown.items() if share is not None}


def studied(run: ReplayOptions) -> Study:
    """Return a web of which it is known what is wanted."""
    study = prepare(run)
    study.score()
    return study


@cache
def closed_on_recording(name: str, label: str, words: bool, specs: tuple[str, ...]) -> Shares:
    """Return what strategies close on a recorded web, with the words that a user might type."""
    path = imported(name)
    topics = json.loads(recording(name).with_name("topics.json").read_text(encoding="utf-8"))
    (known,) = (some for webs, some in topics.items() if name in webs.split(", "))
    topic = " ".join(known[label]) if words else None
    return shares(path, Target(topic, KEYWORDS, relevant=f"topic:{label}"), specs, DOWNLOADS)


RECORDED = {
    "departments": ("robotics", "databases"),
    "organisations": ("sql-queries", "governance-community"),
    "openoffice": ("marketing", "spreadsheet"),
    "washington": ("graphics", "operating-systems"),
    "university-news": ("music-theatre", "optics-photonics"),
    "wiki": ("topos", "string-theory"),
}
"""Recorded webs, and what is wanted of them."""


KEPT: list[TemporaryDirectory[str]] = []
"""Folders of recordings, which go when the process ends."""


@cache
def imported(name: str) -> Path:
    """Return a recorded web with its seeds and labels."""
    warc = recording(name)
    KEPT.append(TemporaryDirectory())
    path = Path(KEPT[-1].name) / name
    import_world(path, [warc], ImportOptions(), annotated(warc, name))
    return path


def annotated(warc: Path, name: str) -> Callable[[Archive], Archive]:
    """Return what adds the seeds and labels that lie beside a recording."""

    def annotate(archive: Archive) -> Archive:
        seeds = read_lines(warc.with_name(f"{name}.seeds.txt"), "seeds")
        labels = read_labels(warc.with_name(f"{name}.labels.jsonl"), archive.book)
        return replace(archive, seeds=read_seeds(seeds, archive.book, "seeds"), labels=labels)

    return annotate
