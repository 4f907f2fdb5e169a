"""The graph of a world: its pages, and their links over all versions.

A node is a page: a URL that had one at some time.  An edge leads from a page to another that any
version of it links to, once however often it does so.  A link to a URL that redirects counts as a
link to the page where it ends; links that end nowhere, and links of a page to itself, are no edges.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from foragers.core.types import Ids
from foragers.worlds.archive import Archive
from foragers.worlds.replay import MAX_HOPS

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes 0..n-1, and for each the nodes it links to, sorted and without repeats."""

    starts: NDArray[np.int64]
    targets: Ids

    @classmethod
    def of(cls, sources: Ids, targets: Ids, nodes: int) -> Graph:
        """Make the graph of edges; repeated ones count once."""
        pairs = distinct_pairs(sources, targets, nodes)
        out = np.bincount(pairs // max(nodes, 1), minlength=nodes)
        starts = np.concatenate(([0], np.cumsum(out)))
        return cls(starts, (pairs % max(nodes, 1)).astype(np.int32))

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return len(self.starts) - 1

    @property
    def edges(self) -> int:
        """The number of edges."""
        return len(self.targets)

    @property
    def out_degrees(self) -> NDArray[np.int64]:
        """The number of nodes that each node links to."""
        return np.diff(self.starts)

    @property
    def in_degrees(self) -> NDArray[np.int64]:
        """The number of nodes that link to each node."""
        return np.bincount(self.targets, minlength=self.nodes)

    @property
    def sources(self) -> Ids:
        """The source of every edge, in the order of `targets`."""
        return np.repeat(np.arange(self.nodes, dtype=np.int32), self.out_degrees)

    def matrix(self) -> csr_array[np.float64]:
        """Return the adjacency matrix in the form that scipy's graph routines use directly."""
        shape = (self.nodes, self.nodes)
        starts = self.starts.astype(np.int32)
        return csr_array((np.ones(self.edges), self.targets, starts), shape=shape)


def distinct_pairs(sources: Ids, targets: Ids, nodes: int) -> NDArray[np.int64]:
    """Return the distinct pairs as sorted numbers, source times `nodes` plus target."""
    pairs = sources.astype(np.int64)
    pairs *= nodes
    pairs += targets
    # In place: with tens of millions of links a copy would not fit.
    pairs.sort()
    return pairs[np.flatnonzero(np.diff(pairs, prepend=-1))]


def urls_of_versions(archive: Archive) -> Ids:
    """Return the URL of every version."""
    counts = np.diff(archive.version_starts)
    return np.repeat(np.arange(len(counts), dtype=np.int32), counts)


def shows_page(archive: Archive) -> Flags:
    """Return for every version whether it is a page, and not a redirect or an error."""
    return (archive.codes >= 200) & (archive.codes < 300) & (archive.redirects < 0)


def any_of(chosen: Ids, size: int) -> Flags:
    """Return flags that are set for the chosen numbers."""
    flags = np.zeros(size, np.bool_)
    flags[chosen] = True
    return flags


def links_of_versions(archive: Archive, versions: Flags) -> tuple[Ids, Ids]:
    """Return the sources and targets of the links of the flagged versions."""
    counts = np.diff(archive.link_starts)
    sources = np.repeat(urls_of_versions(archive)[versions], counts[versions])
    if versions.all():
        return sources, np.asarray(archive.targets)
    return sources, archive.targets[np.repeat(versions, counts)]


def final_pages(archive: Archive, pages: Flags) -> Ids:
    """Return the page that each URL leads to, after redirects, or -1.

    A URL that was a page at some time stands for itself; any other leads where its last redirect
    does.
    """
    redirecting = archive.redirects >= 0
    onward = np.full(len(pages), -1, np.int32)
    onward[urls_of_versions(archive)[redirecting]] = archive.redirects[redirecting]
    final = np.arange(len(pages), dtype=np.int32)
    for _ in range(MAX_HOPS):
        moving = (final >= 0) & ~pages[final]
        final[moving] = onward[final[moving]]
    return np.where((final >= 0) & pages[final], final, -1).astype(np.int32)


def page_graph(archive: Archive) -> Graph:
    """Return the graph of the pages over all versions, numbered in the order of their URLs."""
    shown = shows_page(archive)
    pages = any_of(urls_of_versions(archive)[shown], len(archive.book))
    sources, targets = links_of_versions(archive, shown)
    targets = final_pages(archive, pages)[targets]
    edges = (targets >= 0) & (targets != sources)
    numbers = np.cumsum(pages, dtype=np.int32) - 1
    count = int(np.count_nonzero(pages))
    return Graph.of(numbers[sources[edges]], numbers[targets[edges]], count)
