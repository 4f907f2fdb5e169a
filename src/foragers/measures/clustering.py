"""Clustering: how often two neighbours of a page are neighbours themselves.

Links are taken without their direction.  The *average* is Watts and Strogatz's: a
page's share of linked pairs among its neighbours, 0 for pages with fewer than two,
averaged over all pages.  The *transitivity* is the share of linked pairs among all
pairs with a neighbour in common, so that hubs weigh most.
"""

from __future__ import annotations

from math import sqrt

import msgspec
import numpy as np
from numpy.typing import NDArray

from foragers.measures.graph import Graph

EXACT_EDGES = 3_000_000
"""Above this many edges wedges are sampled; below it counting takes seconds."""

WEDGES = 1_000_000
"""How many wedges, pairs of neighbours of one page, are looked at in a large graph."""


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
    """Count the triangles."""
    if not graph.edges:
        return Clustering()
    # Here, since it brings its drawing along, which takes longer to import than all of ours.
    import igraph

    edges = np.column_stack((graph.sources, graph.targets))
    simple = igraph.Graph(n=graph.nodes, edges=edges).simplify()
    return Clustering(
        average=float(simple.transitivity_avglocal_undirected(mode="zero")),
        transitivity=float(simple.transitivity_undirected(mode="zero")),
    )


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
    one = random.integers(degrees)
    other = random.integers(degrees - 1)
    other += other >= one
    starts = graph.starts[centres]
    ends = graph.targets[starts + one].astype(np.int64), graph.targets[starts + other]
    wanted = ends[0] * graph.nodes + ends[1]
    known = graph.sources.astype(np.int64) * graph.nodes + graph.targets
    found = np.searchsorted(known, wanted)
    return float(np.mean(known[np.minimum(found, len(known) - 1)] == wanted))
