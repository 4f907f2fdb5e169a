"""Agreement with networkx, of samples with counts, and no world that breaks a measure."""

from __future__ import annotations

import msgspec
import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foragers.evaluation.graph.clustering import clustering
from foragers.evaluation.graph.graph import Graph, page_graph
from foragers.evaluation.graph.paths import shortest_paths
from foragers.evaluation.graph.structure import structure
from support.worlds_by_hand import small_world


def random_web(pages: int, links: int, seed: int) -> dict[str, list[str]]:
    random = np.random.default_rng(seed)
    # Squared, so that some pages are hubs.
    ends = (random.random((2, links)) ** 2 * pages).astype(int)
    web: dict[str, list[str]] = {f"p{page}": [] for page in range(pages)}
    for source, target in ends.T.tolist():
        web[f"p{source}"].append(f"p{target}")
    return web


def in_networkx(web: dict[str, list[str]]) -> networkx.DiGraph:
    theirs = networkx.DiGraph(web)
    theirs.remove_edges_from(list(networkx.selfloop_edges(theirs)))
    return theirs


webs = pytest.mark.parametrize(
    "web", [random_web(60, links, seed) for seed, links in enumerate((20, 80, 200, 600))]
)


@webs
def test_degrees_are_those_of_networkx(web: dict[str, list[str]]) -> None:
    ours, theirs = page_graph(small_world(web)), in_networkx(web)
    assert ours.in_degrees.tolist() == [theirs.in_degree(page) for page in web]
    assert ours.out_degrees.tolist() == [theirs.out_degree(page) for page in web]


@webs
def test_clustering_is_that_of_networkx(web: dict[str, list[str]]) -> None:
    ours, theirs = clustering(page_graph(small_world(web))), in_networkx(web).to_undirected()
    assert ours.average == pytest.approx(networkx.average_clustering(theirs))
    assert ours.transitivity == pytest.approx(networkx.transitivity(theirs))


def test_wedges_counted_in_parts_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = page_graph(small_world(random_web(60, 600, 3)))
    whole = clustering(graph)
    monkeypatch.setattr("foragers.evaluation.graph.clustering.AT_ONCE", 7)
    assert whole.transitivity > 0
    assert clustering(graph) == whole


@webs
def test_paths_are_those_of_networkx(web: dict[str, list[str]]) -> None:
    ours = shortest_paths(page_graph(small_world(web)))
    lengths = dict(networkx.all_pairs_shortest_path_length(in_networkx(web)))
    clicks = [steps for others in lengths.values() for steps in others.values() if steps]
    assert ours is not None
    assert ours.mean == pytest.approx(np.mean(clicks))
    assert (ours.longest, ours.pairs) == (max(clicks), len(clicks))


def test_sampled_wedges_agree_with_counted_triangles() -> None:
    graph = page_graph(small_world(random_web(500, 6000, 9)))
    exact, sample = clustering(graph), clustering(graph, exact_edges=0, wedges=100_000)
    assert sample.sample == 100_000
    assert abs(sample.average - exact.average) < 4 * sample.average_error
    assert abs(sample.transitivity - exact.transitivity) < 4 * sample.transitivity_error


def test_sampled_sources_agree_with_all_sources() -> None:
    graph = page_graph(small_world(random_web(500, 1500, 9)))
    exact, sample = shortest_paths(graph), shortest_paths(graph, steps=0, fewest_sources=100)
    assert exact is not None
    assert sample is not None
    assert sample.sources == 100
    assert 0 < sample.error < 0.2
    assert abs(sample.mean - exact.mean) < 4 * sample.error


def test_a_graph_without_wedges_has_nothing_to_sample() -> None:
    graph = Graph.of(np.array([0], np.int32), np.array([1], np.int32), 2)
    assert clustering(graph, exact_edges=0).average == 0


names = st.sampled_from(["a", "b", "c", "d", "e", "http://other.test/f"])
links = st.lists(names, max_size=6)
times = st.floats(0, 1e6)


@given(
    pages=st.dictionaries(names, links),
    redirects=st.dictionaries(names, names),
    seeds=st.lists(names, max_size=3),
    born=st.dictionaries(names, times),
    later=st.lists(st.tuples(times, names, links | st.none()), max_size=6),
    end=times | st.none(),
)
def test_no_world_breaks_a_measure(
    pages: dict[str, list[str]],
    redirects: dict[str, str],
    seeds: list[str],
    born: dict[str, float],
    later: list[tuple[float, str, list[str] | None]],
    end: float | None,
) -> None:
    world = small_world(pages, redirects=redirects, seeds=seeds, born=born, later=later, end=end)
    found = structure(world)
    size = found.size
    assert size.pages + size.redirects + size.absent == len(world.book)
    assert size.edges <= size.distinct_links <= size.links
    assert found.reach_at_end.pages <= found.reach_over_time.pages == size.pages
    assert found.reach_at_end.reached <= found.reach_over_time.reached
    assert 0 <= found.clustering.average <= 1
    assert msgspec.json.encode(found)
