"""Building a world from pages, versions and links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from foragers.core.types import Ids
from foragers.worlds.addresses import AddressBook
from foragers.worlds.archive import Archive, Labels
from foragers.worlds.generated.text.columns import GeneratedColumns, WorldColumns
from foragers.worlds.generated.text.style import Role, Style
from foragers.worlds.generated.text.texts import GeneratedTexts

START = 1_704_067_200.0
"""The start of generated worlds: the first of January 2024, a Monday."""

DAY = 86_400.0

Numbers: TypeAlias = NDArray[np.int64]
Origin: TypeAlias = dict[str, str | int | float]


@dataclass(slots=True)
class Pages:
    """The URLs of pages, and for each its topic, its second topic and its kind."""

    hrefs: Sequence[str]
    topics: Numbers
    seconds: Numbers
    kinds: Numbers


@dataclass(slots=True)
class Timeline:
    """The versions of all pages, sorted by page and time, with the number of their revision."""

    starts: Numbers
    times: NDArray[np.float64]
    revisions: Numbers

    @classmethod
    def standing(cls, ages: NDArray[np.float64]) -> Timeline:
        """Return one version of each page, with the given ages in seconds."""
        count = len(ages)
        return cls(np.arange(count + 1), START - ages.round(), np.zeros(count, np.int64))


@dataclass(slots=True)
class Weave:
    """The links of all versions: the start of each version's links, the targets and the roles."""

    starts: Numbers
    targets: Ids
    roles: NDArray[np.uint8]


@dataclass(slots=True)
class Strands:
    """Links as they are drawn, in any order, until they are sorted by page and role."""

    sources: list[Ids] = field(default_factory=list)
    targets: list[Ids] = field(default_factory=list)
    roles: list[NDArray[np.uint8]] = field(default_factory=list)

    def add(self, sources: Numbers, targets: Numbers, role: Role) -> None:
        """Add links from pages to pages; those of a page to itself are left out."""
        kept = sources != targets
        self.sources.append(sources[kept].astype(np.int32))
        self.targets.append(targets[kept].astype(np.int32))
        self.roles.append(np.full(len(self.sources[-1]), role, np.uint8))

    def weave(self, pages: int) -> Weave:
        """Sort the links."""
        sources = np.concatenate(self.sources)
        roles = np.concatenate(self.roles)
        order = np.argsort(sources.astype(np.int64) * len(Role) + roles, kind="stable")
        starts = np.zeros(pages + 1, np.int64)
        np.cumsum(np.bincount(sources, minlength=pages), out=starts[1:])
        return Weave(starts, np.concatenate(self.targets)[order], roles[order])


def world(
    pages: Pages,
    timeline: Timeline,
    weave: Weave,
    style: Style,
    *,
    seeds: Sequence[int],
    labels: Mapping[str, Ids],
    origin: Origin,
    end: float | None = None,
) -> Archive:
    """Return the world; it evolves if it has an end."""
    book = AddressBook.pack(pages.hrefs)
    count = len(timeline.times)
    marks = GeneratedColumns(
        pages.topics.astype(np.int16),
        pages.seconds.astype(np.int16),
        pages.kinds.astype(np.uint8),
        np.minimum(timeline.revisions, np.iinfo(np.uint16).max).astype(np.uint16),
        weave.roles,
    )
    ground = WorldColumns(
        book.letters, book.starts, timeline.starts, timeline.times, weave.starts, weave.targets
    )
    return Archive(
        book=book,
        version_starts=timeline.starts,
        times=timeline.times,
        codes=np.full(count, 200, np.int16),
        redirects=np.full(count, -1, np.int32),
        # A new version always has other words or other links than those before it.
        same_as=np.arange(count, dtype=np.int32),
        link_starts=weave.starts,
        targets=weave.targets,
        texts=GeneratedTexts(style, marks, ground),
        seeds=tuple(seeds),
        labels=Labels(dict(labels)),
        evolving=end is not None,
        start=START,
        end=START if end is None else end,
        origin=origin,
    )


def members(prefix: str, names: Sequence[str], numbers: Numbers) -> dict[str, Ids]:
    """Return a label for each name, with the pages that have its number; "" is no label."""
    order = np.argsort(numbers, kind="stable").astype(np.int32)
    edges = np.searchsorted(numbers[order], np.arange(len(names) + 1))
    return {
        f"{prefix}:{name}": order[edges[at] : edges[at + 1]]
        for at, name in enumerate(names)
        if name and edges[at] < edges[at + 1]
    }
