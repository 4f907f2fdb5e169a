"""A layout for drawn graphs: distances between nodes as their number of edges.

The sum over pairs of (distance on paper / distance in the graph - 1)² is minimised, as by Kamada
and Kawai (1989), by moving one node after the other to its best position (Gansner, Koren and North
2004), which never increases it.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SWEEPS = 200
SETTLED = 1e-3
"""Nodes that move less than this, in lengths of an edge, have converged."""


def distances(count: int, edges: Iterable[tuple[int, int]]) -> Floats:
    """Return the number of edges between each two nodes; parts of a graph are far apart."""
    near: list[set[int]] = [set() for _ in range(count)]
    for first, second in edges:
        near[first].add(second)
        near[second].add(first)
    steps_between = np.full((count, count), np.inf)
    for start in range(count):
        steps, here, seen = 0, {start}, {start}
        while here:
            steps_between[start, list(here)] = steps
            here = set().union(*(near[node] for node in here)) - seen
            seen |= here
            steps += 1
    finite = steps_between[np.isfinite(steps_between)]
    steps_between[np.isinf(steps_between)] = finite.max(initial=0.0) + 1
    return steps_between


def arranged(wanted: Floats) -> Floats:
    """Return points in the plane whose distances approximate the wanted ones."""
    count = len(wanted)
    turns = np.arange(count) * (2 * np.pi / max(count, 1))
    spots: Floats = np.column_stack((np.cos(turns), np.sin(turns)))
    spots *= wanted.max(initial=0.0) / 2
    weights = 1 / np.maximum(wanted, 1.0) ** 2
    np.fill_diagonal(weights, 0.0)
    for _ in range(SWEEPS if count > 1 else 0):
        furthest = 0.0
        for node in range(count):
            away = spots[node] - spots
            length = np.maximum(np.sqrt((away**2).sum(axis=1)), 1e-9)
            pulled = spots + away * (wanted[node] / length)[:, None]
            better = (weights[node][:, None] * pulled).sum(axis=0) / weights[node].sum()
            furthest = max(furthest, float(np.abs(better - spots[node]).max()))
            spots[node] = better
        if furthest < SETTLED:
            break
    return spots
