"""Clustering: how often two neighbours of a page are neighbours themselves.

Links are taken without their direction.  The *average* is that of Watts and Strogatz: a page's
share of linked pairs among its neighbours, 0 for pages with fewer than two, averaged over all
pages.  The *transitivity* is the share of linked pairs among all pairs with a neighbour in common,
so that hubs have most weight.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import fsum, sqrt

import msgspec
import numpy as np
from numpy.typing import NDArray

from foragers.core.types import Ids
from foragers.evaluation.graph.graph import Graph

EXACT_EDGES = 3_000_000
"""Above this many edges wedges are sampled; below it counting takes seconds."""

WEDGES = 1_000_000
"""The number of wedges, pairs of neighbours of one page, sampled in a large graph."""

AT_ONCE = 2_000_000
"""The number of wedges in memory at a time when all are counted."""


class Clustering(msgspec.Struct, frozen=True):
    """Both coefficients, with their standard errors and the size of the sample if there was one."""

    average: float = 0.0
    transitivity: float = 0.0
    average_error: float = 0.0
    transitivity_error: float = 0.0
    sample: int | None = None


def clustering(graph: Graph, exact_edges: int = EXACT_EDGES, wedges: int = WEDGES) -> Clustering:
    """Measure clustering, exactly or from a sample of wedges drawn with a fixed seed."""
    if graph.edges > exact_edges:
        return sampled(undirected(graph), wedges)
    return counted(graph)


def undirected(graph: Graph) -> Graph:
    """Return the graph with every edge in both directions."""
    sources, targets = graph.sources, graph.targets
    both = np.concatenate((sources, targets)), np.concatenate((targets, sources))
    return Graph.of(*both, graph.nodes)


def counted(graph: Graph) -> Clustering:
    """Count the triangles at every page."""
    simple = undirected(graph)
    degrees = simple.out_degrees.astype(np.float64)
    pairs = degrees * (degrees - 1) / 2
    if not pairs.any():
        return Clustering()
    counts = triangles(simple)
    shares = counts[pairs > 0] / pairs[pairs > 0]
    return Clustering(
        # Exact sums: the same on every processor.
        average=fsum(shares.tolist()) / graph.nodes,
        transitivity=fsum(counts.tolist()) / fsum(pairs.tolist()),
    )


def triangles(simple: Graph) -> NDArray[np.int64]:
    """Return the number of triangles at each node of an undirected graph.

    Edges point from the node with fewer neighbours to the one with more, so that a triangle is
    found once, as two edges out of one node whose ends are linked, and no node has many edges
    out (Chiba and Nishizeki 1985; Latapy 2008).
    """
    order = np.lexsort((np.arange(simple.nodes), simple.out_degrees))
    ranks = np.empty(simple.nodes, np.int32)
    ranks[order] = np.arange(simple.nodes, dtype=np.int32)
    sources, targets = ranks[simple.sources], ranks[simple.targets]
    upward = Graph.of(sources[sources < targets], targets[sources < targets], simple.nodes)
    edges = Edges.of(upward)
    counts = np.zeros(simple.nodes, np.int64)
    for first, second in wedges_of(upward):
        ones, others = upward.targets[first], upward.targets[second]
        closed = edges.hold(ones, others)
        for corner in (upward.sources[first], ones, others):
            counts += np.bincount(corner[closed], minlength=simple.nodes)
    return counts[ranks]


def wedges_of(graph: Graph) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield all pairs of edges out of one node, as indexes of `targets`, millions at a time."""
    ends = np.repeat(graph.starts[1:], graph.out_degrees)
    after = ends - np.arange(graph.edges) - 1
    through = np.cumsum(after)
    start = 0
    while start < graph.edges:
        done = int(through[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(through, done + AT_ONCE, side="right")))
        repeats = after[start:stop]
        first = np.repeat(np.arange(start, stop), repeats)
        begun = np.repeat(np.cumsum(repeats) - repeats, repeats)
        yield first, first + 1 + np.arange(len(first)) - begun
        start = stop


def sampled(graph: Graph, wedges: int) -> Clustering:
    """Estimate clustering from random wedges (Seshadhri, Pinar and Kolda 2013)."""
    degrees = graph.out_degrees
    centres = np.flatnonzero(degrees >= 2)
    if not len(centres):
        return Clustering(sample=0)
    random = np.random.default_rng(0)
    weights = np.cumsum(degrees[centres] * (degrees[centres] - 1.0))
    by_weight = np.searchsorted(weights, random.random(wedges) * weights[-1], side="right")
    local = closed_share(graph, centres[random.integers(len(centres), size=wedges)], random)
    overall = closed_share(graph, centres[by_weight], random)
    having = len(centres) / graph.nodes
    return Clustering(
        average=having * local,
        transitivity=overall,
        average_error=having * sqrt(local * (1 - local) / wedges),
        transitivity_error=sqrt(overall * (1 - overall) / wedges),
        sample=wedges,
    )


def closed_share(graph: Graph, centres: NDArray[np.int64], random: np.random.Generator) -> float:
    """Draw two neighbours of each centre and return the share of the pairs that are linked."""
    degrees = graph.out_degrees[centres]
    first = random.integers(degrees)
    second = random.integers(degrees - 1)
    second += second >= first
    starts = graph.starts[centres]
    ends = graph.targets[starts + first], graph.targets[starts + second]
    return float(np.mean(Edges.of(graph).hold(*ends)))


@dataclass(frozen=True, slots=True)
class Edges:
    """The edges of a graph as sorted numbers, for looking up many at once."""

    nodes: int
    numbers: NDArray[np.int64]

    @classmethod
    def of(cls, graph: Graph) -> Edges:
        """Return the edges of a graph."""
        return cls(graph.nodes, graph.sources.astype(np.int64) * graph.nodes + graph.targets)

    def hold(self, sources: Ids, targets: Ids) -> NDArray[np.bool_]:
        """Return for each pair whether there is an edge from the first to the second."""
        wanted = sources.astype(np.int64) * self.nodes + targets
        rows = np.searchsorted(self.numbers, wanted)
        same: NDArray[np.bool_] = self.numbers[np.minimum(rows, len(self.numbers) - 1)] == wanted
        return same
