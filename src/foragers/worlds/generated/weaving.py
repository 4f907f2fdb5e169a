"""Putting a world together: addresses, columns and words from pages and links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from foragers.types import Ids
from foragers.worlds.addresses import AddressBook
from foragers.worlds.archive import Archive, Labels
from foragers.worlds.generated.columns import Ground, Marks
from foragers.worlds.generated.roles import Role
from foragers.worlds.generated.style import Style
from foragers.worlds.generated.texts import GeneratedTexts

START = 1_704_067_200.0
"""When generated worlds begin: the first of January 2024, a Monday."""

DAY = 86_400.0


@dataclass(slots=True)
class Strands:
    """Links as they are drawn, in any order, until they are sorted by page and role."""

    sources: list[Ids] = field(default_factory=list)
    targets: list[Ids] = field(default_factory=list)
    roles: list[NDArray[np.uint8]] = field(default_factory=list)

    def add(self, sources: NDArray[np.integer], targets: NDArray[np.integer], role: Role) -> None:
        """Draw links from pages to pages; those of a page to itself are left out."""
        kept = sources != targets
        self.sources.append(sources[kept].astype(np.int32))
        self.targets.append(targets[kept].astype(np.int32))
        self.roles.append(np.full(len(self.sources[-1]), role, np.uint8))

    def weave(self, pages: int) -> tuple[NDArray[np.int64], Ids, NDArray[np.uint8]]:
        """Return where each page's links start, their targets and their roles."""
        sources = np.concatenate(self.sources)
        roles = np.concatenate(self.roles)
        order = np.argsort(sources.astype(np.int64) * len(Role) + roles, kind="stable")
        starts = np.zeros(pages + 1, np.int64)
        np.cumsum(np.bincount(sources, minlength=pages), out=starts[1:])
        return starts, np.concatenate(self.targets)[order], roles[order]


@dataclass(slots=True)
class Pages:
    """The columns of pages that never change."""

    hrefs: Sequence[str]
    topics: NDArray[np.integer]
    seconds: NDArray[np.integer]
    kinds: NDArray[np.integer]
    ages: NDArray[np.float64]


def standing_world(
    pages: Pages,
    strands: Strands,
    style: Style,
    seeds: Sequence[int],
    labels: Mapping[str, Ids],
    origin: Mapping[str, str | int | float],
) -> Archive:
    """Return a world that stands still: one version of every page."""
    count = len(pages.hrefs)
    link_starts, targets, roles = strands.weave(count)
    book = AddressBook.pack(pages.hrefs)
    versions = np.arange(count + 1)
    marks = Marks(
        pages.topics.astype(np.int16),
        pages.seconds.astype(np.int16),
        pages.kinds.astype(np.uint8),
        np.zeros(count, np.uint16),
        roles,
    )
    times = START - pages.ages
    ground = Ground(book.letters, book.starts, versions, times, link_starts, targets)
    return Archive(
        book=book,
        version_starts=versions,
        times=times,
        codes=np.full(count, 200, np.int16),
        redirects=np.full(count, -1, np.int32),
        same_as=np.arange(count, dtype=np.int32),
        link_starts=link_starts,
        targets=targets,
        texts=GeneratedTexts(style, marks, ground),
        seeds=tuple(seeds),
        labels=Labels(dict(labels)),
        start=START,
        end=START,
        origin=dict(origin),
    )


def members(prefix: str, names: Sequence[str], numbers: NDArray[np.integer]) -> dict[str, Ids]:
    """Return a label for each name, of the pages that have its number."""
    order = np.argsort(numbers, kind="stable").astype(np.int32)
    edges = np.searchsorted(numbers[order], np.arange(len(names) + 1))
    return {
        f"{prefix}:{name}": order[edges[at] : edges[at + 1]]
        for at, name in enumerate(names)
        if name and edges[at] < edges[at + 1]
    }
