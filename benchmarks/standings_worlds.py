"""Webs for comparing strategies, their labels, and the part of a web that was collected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np

from benchmarks.recordings import SHARED
from foragers.core.types import Choice, Content, Document, Links, Page, ParsedLink
from foragers.evaluation.comparison.study import Study
from foragers.worlds.archive import Archive
from foragers.worlds.generated import generate
from foragers.worlds.importing.importer import ImportOptions, import_world
from foragers.worlds.labels import read_labels, read_lines, read_seeds
from foragers.worlds.replay import Recorded
from foragers.worlds.store import save

RECORDED = (
    "departments",
    "organisations",
    "openoffice",
    "washington",
    "university-news",
    "wiki",
)
KINDS = ("topic:", "class:", "target:")
"""The labels that say what a page is about, or what it is."""
FEWEST, LARGEST_SHARE = 10, 0.25
"""A label is tried if so many pages have it, and no more than this share of all."""


def recorded(there: Path, names: Sequence[str] = RECORDED) -> dict[str, Path]:
    """Return the recorded webs that are at hand, imported if they were not."""
    found = {}
    for name in names:
        warc = SHARED / "worlds" / f"{name}.warc.gz"
        if not (there / name).exists() and warc.exists():
            import_world(there / name, [warc], ImportOptions(), annotated(warc))
        if (there / name).exists():
            found[name] = there / name
    return found


def generated(there: Path, kind: str, seed: int, pages: int) -> Path:
    """Return a generated web, made if it was not."""
    path = there / f"generated-{kind}-{pages}-{seed}"
    if not path.exists():
        save(generate(kind, seed=seed, pages=pages), path)
    return path


def annotated(warc: Path) -> Callable[[Archive], Archive]:
    """Return what adds the seeds and labels that lie beside a recording."""
    stem = warc.name.removesuffix(".warc.gz")

    def annotate(archive: Archive) -> Archive:
        seeds = read_lines(warc.with_name(f"{stem}.seeds.txt"), "seeds")
        labels = read_labels(warc.with_name(f"{stem}.labels.jsonl"), archive.book)
        return replace(archive, seeds=read_seeds(seeds, archive.book, "seeds"), labels=labels)

    return annotate


def labels_of(study: Study, most: int) -> list[str]:
    """Return some labels of the pages within reach: a rare one, a frequent one, some between."""
    reach = study.reachable()
    sizes = {}
    for name, urls in study.archive.labels.urls.items():
        size = len(reach & frozenset(urls.tolist()))
        if name.startswith(KINDS) and FEWEST <= size <= LARGEST_SHARE * len(reach):
            sizes[name] = size
    ranked = sorted(sizes, key=lambda name: (sizes[name], name))
    places = np.unique(np.linspace(0, len(ranked) - 1, min(most, len(ranked))).astype(int))
    return [ranked[place] for place in places]


def words_of(label: str) -> str:
    """Return what a user would type who looks for pages with a label."""
    return label.partition(":")[2].replace("-", " ")


class Some:
    """The content of a page, with some of its links only."""

    def __init__(self, content: Content, places: Sequence[int]) -> None:
        self._content = content
        self._places = places

    def document(self) -> Document:
        """Return what the page says."""
        return self._content.document()

    def outlinks(self) -> Sequence[ParsedLink]:
        """Return the links that are left."""
        every = list(self._content.outlinks())
        return [every[place] for place in self._places]


class Collected(Recorded):
    """A recorded web without the links to addresses that were never collected."""

    def answer(self, choice: Choice) -> Page:
        """Return what a URL shows, with the links that lead somewhere."""
        page = super().answer(choice)
        links = page.links
        places = np.flatnonzero(self.archive.latest[links.targets] >= 0)
        if len(places) == len(links):
            return page
        some = Some(page.content, places.tolist())
        kept = Links(links.targets[places], links.hosts[places], links.addresses, some)
        return msgspec.structs.replace(page, links=kept, content=some)
