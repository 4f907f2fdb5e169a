"""Distances between pages in links, and the pages that can be reached from the seeds."""

from __future__ import annotations

from math import sqrt

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order

from foragers.core.types import Ids
from foragers.evaluation.graph.graph import (
    Flags,
    Graph,
    any_of,
    links_of_versions,
    shows_page,
    urls_of_versions,
)
from foragers.worlds.archive import Archive

STEPS = 2_000_000_000
"""The largest number of edges followed; a graph that needs more is measured from some nodes."""

FEWEST_SOURCES = 400
"""The smallest number of nodes from which a graph is measured."""


class PathLengths(msgspec.Struct, frozen=True):
    """Shortest paths along links, over the ordered pairs of pages that have one.

    `pairs` were examined, from `sources` pages; the error is 0 if those are all.
    """

    mean: float
    error: float
    longest: int
    pairs: int
    sources: int


def shortest_paths(
    graph: Graph, steps: int = STEPS, fewest_sources: int = FEWEST_SOURCES
) -> PathLengths | None:
    """Measure the paths from all nodes, or from a sample with a fixed seed; None if there are none.

    The sample is as large as `steps` allow, and no smaller than `fewest_sources`.
    """
    nodes = graph.nodes
    size = min(nodes, max(fewest_sources, steps // (nodes + graph.edges))) if nodes else 0
    sources = np.random.default_rng(0).choice(nodes, size, replace=False)
    matrix = graph.matrix()
    rows = np.array([paths_from(matrix, source) for source in sources.tolist()], np.int64)
    pairs, totals, longest = rows.reshape(-1, 3).T
    if not pairs.any():
        return None
    return PathLengths(
        mean=float(totals.sum() / pairs.sum()),
        error=ratio_error(totals, pairs, nodes),
        longest=int(longest.max()),
        pairs=int(pairs.sum()),
        sources=size,
    )


def paths_from(matrix: csr_array[np.float64], source: int) -> tuple[int, int, int]:
    """Return the number of nodes reachable from one, the sum of distances, and the largest."""
    order, before = breadth_first_order(matrix, source)
    rank = np.empty(matrix.shape[0], np.int64)
    rank[order] = np.arange(len(order))
    ancestor = np.zeros(len(order), np.int64)
    ancestor[1:] = rank[before[order[1:]]]
    distance = np.ones(len(order), np.int64)
    distance[0] = 0
    # Each round doubles how far back a node looks, so that long chains cost little.
    while ancestor.any():
        distance += distance[ancestor]
        ancestor = ancestor[ancestor]
    # The search lists the nodes nearest first.
    return len(order) - 1, int(distance.sum()), int(distance[-1])


def ratio_error(totals: NDArray[np.int64], pairs: NDArray[np.int64], nodes: int) -> float:
    """Return the standard error of sum(totals) / sum(pairs) over sources drawn from all nodes."""
    size = len(totals)
    if size in (1, nodes):
        return 0.0
    residuals = totals - pairs * (totals.sum() / pairs.sum())
    drawn = 1 - size / nodes
    return sqrt(drawn * float(residuals @ residuals) / (size * (size - 1))) / float(pairs.mean())


class Reach(msgspec.Struct, frozen=True):
    """The number of pages that can be reached, and their share; 0 if there are no pages."""

    pages: int
    reached: int
    share: float


def reach_at_end(archive: Archive) -> Reach:
    """Follow the links at the end: of the last version of every URL."""
    last = any_of(archive.latest[archive.latest >= 0], archive.versions)
    return _reach(archive, last)


def reach_over_time(archive: Archive) -> Reach:
    """Follow every link and redirect of all versions."""
    return _reach(archive, np.ones(archive.versions, np.bool_))


def _reach(archive: Archive, versions: Flags) -> Reach:
    urls = urls_of_versions(archive)
    shown = versions & shows_page(archive)
    pages = any_of(urls[shown], len(archive.book))
    reachable = any_of(reached_urls(archive, versions), len(archive.book))
    there, reached = int(np.count_nonzero(pages)), int(np.count_nonzero(pages & reachable))
    return Reach(there, reached, reached / max(there, 1))


def reached_urls(archive: Archive, versions: Flags) -> Ids:
    """Return the URLs that the flagged versions lead to from the seeds, and the seeds."""
    start = len(archive.book)
    sources, targets = links_of_versions(archive, versions & shows_page(archive))
    onward = versions & (archive.redirects >= 0)
    seeds = np.array(archive.seeds, np.int32)
    # The search starts at an additional node that links to the seeds.
    graph = Graph.of(
        np.concatenate((sources, urls_of_versions(archive)[onward], np.full_like(seeds, start))),
        np.concatenate((targets, archive.redirects[onward], seeds)),
        start + 1,
    )
    order = breadth_first_order(graph.matrix(), start, return_predecessors=False)
    return order[1:].astype(np.int32)
