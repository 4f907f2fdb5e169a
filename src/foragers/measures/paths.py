"""How many clicks lie between two pages."""

from __future__ import annotations

from math import sqrt

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order

from foragers.measures.graph import Graph

STEPS = 2_000_000_000
"""How many edges may be walked; a graph that needs more is measured from some of its nodes."""

FEWEST_SOURCES = 100
"""From how many nodes a graph is measured however large it is."""


class Paths(msgspec.Struct, frozen=True):
    """Shortest paths along links, over the ordered pairs of pages that have one.

    `pairs` were looked at, from `sources` pages; the error is 0 where those are all.
    """

    mean: float
    error: float
    longest: int
    pairs: int
    sources: int


def shortest_paths(
    graph: Graph, steps: int = STEPS, fewest_sources: int = FEWEST_SOURCES
) -> Paths | None:
    """Measure shortest paths, from all nodes or a sample with a fixed seed; None if no pair has one."""
    if not graph.edges:
        return None
    nodes = graph.nodes
    size = min(nodes, max(fewest_sources, steps // (nodes + graph.edges)))
    chosen = np.random.default_rng(0).choice(nodes, size, replace=False)
    matrix = graph.matrix()
    levels = [level_sizes(matrix, source) for source in chosen.tolist()]
    pairs = np.array([sizes[1:].sum() for sizes in levels], np.float64)
    totals = np.array([sizes @ np.arange(len(sizes)) for sizes in levels], np.float64)
    if not pairs.any():
        return None
    mean = float(totals.sum() / pairs.sum())
    return Paths(
        mean=mean,
        error=ratio_error(totals, pairs, nodes),
        longest=max(len(sizes) for sizes in levels) - 1,
        pairs=int(pairs.sum()),
        sources=size,
    )


def level_sizes(matrix: csr_array[np.float64], source: int) -> NDArray[np.int64]:
    """Return how many nodes are 0, 1, 2, ... steps from the source."""
    order, before = breadth_first_order(matrix, source)
    # The search lists nodes level by level, so the place of a node's predecessor only
    # grows, and a level ends where the predecessors leave the level before it.
    place = np.empty(matrix.shape[0], np.int64)
    place[order] = np.arange(len(order))
    found_from = place[before[order[1:]]]
    ends = [0, 1]
    while ends[-1] < len(order):
        ends.append(int(np.searchsorted(found_from, ends[-1])) + 1)
    return np.diff(ends)


def ratio_error(totals: NDArray[np.float64], pairs: NDArray[np.float64], nodes: int) -> float:
    """Return the standard error of sum(totals) / sum(pairs) over sources drawn from all nodes."""
    size = len(totals)
    if size in (1, nodes):
        return 0.0
    residuals = totals - pairs * (totals.sum() / pairs.sum())
    drawn = 1 - size / nodes
    return sqrt(drawn * float(residuals @ residuals) / (size * (size - 1))) / float(pairs.mean())
