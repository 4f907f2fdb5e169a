"""A world with rewired links: the same degrees, other neighbourhoods.

Sources and targets of the links are permuted at random, as the `selection` paper does to remove the
small world from a scale-free graph: every page keeps its numbers of links out and in.  The
permutation is one of *arcs* (a URL linking to a URL), the same in all versions of a page, so that
it holds for the graph of the whole recording.  The texts of a link stay with its target.

In an evolving world a permutation of everything makes most pages link to pages that do not exist
yet.  With `cohort` seconds, arcs are exchanged only with arcs that appeared in the same period.

With a `share` below 1 only so many of the arcs, drawn at random, are permuted among themselves;
the others stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from foragers.core.types import Document, ParsedLink
from foragers.errors import UsageError
from foragers.worlds.archive import Archive, Body
from foragers.worlds.html_writer import render

CACHED_PAGES = 1024


class RewiredTexts:
    """The texts of another world, with the texts of each link taken from another link."""

    kind: ClassVar[str] = "rewired"

    def __init__(self, base: Archive, sources: NDArray[np.int64]) -> None:
        self.base = base
        self._sources = sources
        # The links of one page come from many pages, and a page with many links is a source for
        # many.
        self._outlinks = lru_cache(maxsize=CACHED_PAGES)(base.texts.outlinks)

    def save(self, folder: Path) -> None:
        """Write the source of each link's texts; `store.save` writes the original world."""
        np.save(folder / "link_sources.npy", self._sources)

    def document(self, version: int) -> Document:
        """Return the text of a version, which is unchanged."""
        return self.base.texts.document(version)

    def outlinks(self, version: int) -> Sequence[ParsedLink]:
        """Return a version's new links, with the texts that belonged to their targets."""
        sources = self._sources[self.base.links_of(version)]
        origins = np.searchsorted(self.base.link_starts, sources, side="right") - 1
        rewired = []
        for position, (source, origin) in enumerate(
            zip(sources.tolist(), origins.tolist(), strict=True)
        ):
            links, index = self._outlinks(origin), source - int(self.base.link_starts[origin])
            if index >= len(links):
                raise UsageError(f"{self.base.path} is damaged: a page lacks links; rewire again")
            out = links[index]
            rewired.append(msgspec.structs.replace(out, position=position))
        return rewired

    def body(self, version: int) -> Body:
        """Return a page with the old text and the new links."""
        html = render(self.document(version), self.outlinks(version))
        return Body("text/html; charset=utf-8", html)


def rewire(archive: Archive, seed: int, cohort: float | None = None, share: float = 1.0) -> Archive:
    """Return the world with the endpoints of its arcs, or of a `share` of them, permuted."""
    rng = np.random.default_rng(seed)
    urls = np.int64(len(archive.book))
    versions = np.repeat(np.arange(archive.versions), np.diff(archive.link_starts))
    origins = np.repeat(np.arange(len(archive.book)), np.diff(archive.version_starts))[versions]
    arcs, first_links, arc_of = np.unique(
        origins * urls + archive.targets, return_index=True, return_inverse=True
    )
    partners = np.arange(len(arcs))
    moved = partners
    if share < 1.0:
        moved = np.sort(rng.choice(len(arcs), round(share * len(arcs)), replace=False))
    among = permute(archive, versions[first_links[moved]], len(moved), rng, cohort)
    partners[moved] = moved[among]
    sources = first_links[partners][arc_of].astype(np.int64)
    return replace(
        archive,
        targets=archive.targets[sources],
        texts=RewiredTexts(archive, sources),
        path=None,
        origin={**archive.origin, "rewired": seed, **({} if share == 1.0 else {"share": share})},
    )


def permute(
    archive: Archive,
    versions: NDArray[np.int64],
    arcs: int,
    rng: np.random.Generator,
    cohort: float | None,
) -> NDArray[np.int64]:
    """Return for each arc the one whose target it gets."""
    if cohort is None:
        return rng.permutation(arcs)
    stretch = np.floor((archive.times[versions] - archive.start) / cohort)
    order = np.argsort(stretch, kind="stable")
    shuffled = np.lexsort((rng.random(arcs), stretch))
    partners = np.empty(arcs, np.int64)
    partners[order] = shuffled
    return partners
