"""Drawn graphs: as far apart on paper as in the graph, as well as networkx does it."""

from __future__ import annotations

import networkx
import numpy as np
import pytest
from numpy.typing import NDArray

from foragers.evaluation.plots.layout import arranged, distances


def stress(spots: NDArray[np.float64], wanted: NDArray[np.float64]) -> float:
    """Return what is left of the differences when the drawing is scaled as well as can be."""
    upper = np.triu_indices(len(wanted), 1)
    drawn = np.linalg.norm(spots[:, None] - spots[None], axis=2)[upper] / wanted[upper]
    return float(((drawn * (drawn.sum() / (drawn**2).sum()) - 1) ** 2).sum())


@pytest.mark.parametrize("seed", range(4))
def test_graphs_are_drawn_about_as_well_as_by_networkx(seed: int) -> None:
    graph = networkx.connected_watts_strogatz_graph(40, 4, 0.2, seed=seed)
    wanted = distances(40, graph.edges)
    theirs = networkx.kamada_kawai_layout(graph)
    ours = stress(arranged(wanted), wanted)
    assert ours < 1.25 * stress(np.array([theirs[node] for node in range(40)]), wanted)


def test_distances_are_those_of_networkx() -> None:
    graph = networkx.connected_watts_strogatz_graph(30, 4, 0.3, seed=1)
    theirs = dict(networkx.all_pairs_shortest_path_length(graph))
    assert distances(30, graph.edges).tolist() == [
        [theirs[one][other] for other in range(30)] for one in range(30)
    ]


def test_a_chain_becomes_a_line() -> None:
    spots = arranged(distances(4, [(0, 1), (1, 2), (2, 3)]))
    drawn = np.linalg.norm(spots[0] - spots, axis=1)
    assert drawn == pytest.approx([0, 1, 2, 3], abs=0.05)


def test_parts_without_a_link_stand_apart() -> None:
    wanted = distances(4, [(0, 1), (2, 3)])
    assert wanted[0, 2] > wanted[0, 1]
    spots = arranged(wanted)
    assert np.linalg.norm(spots[0] - spots[2]) > np.linalg.norm(spots[0] - spots[1])


@pytest.mark.parametrize("count", [0, 1])
def test_nothing_and_a_single_node_can_be_drawn(count: int) -> None:
    assert arranged(distances(count, [])).shape == (count, 2)


def test_the_same_graph_is_drawn_the_same() -> None:
    edges = [(0, 1), (1, 2), (2, 0), (2, 3)]
    assert arranged(distances(4, edges)).tolist() == arranged(distances(4, edges)).tolist()
