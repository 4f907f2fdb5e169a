"""The structure of `news` as it comes; the bounds hold the numbers in docs/generated-worlds.md."""

import numpy as np
import pytest
from numpy.typing import NDArray

from foragers.evaluation.graph.clustering import clustering
from foragers.evaluation.graph.degrees import degrees
from foragers.evaluation.graph.graph import Graph, page_graph
from foragers.evaluation.graph.paths import shortest_paths
from foragers.evaluation.graph.structure import growth
from foragers.worlds.archive import Archive
from foragers.worlds.generated import generate
from support.generated_worlds import news, small, urls_of_versions

STEPS = 150_000_000
HOUR, DAY = 3600.0, 86_400.0


@pytest.fixture(scope="module")
def graph() -> Graph:
    return page_graph(news())


@pytest.fixture(scope="module")
def rewired(graph: Graph) -> Graph:
    targets = np.random.default_rng(0).permutation(graph.targets)
    kept = targets != graph.sources
    return Graph.of(graph.sources[kept], targets[kept], graph.nodes)


def births(archive: Archive) -> NDArray[np.float64]:
    return archive.times[archive.version_starts[:-1]]


def links(archive: Archive) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The URL each link stands on, and when its version appeared."""
    versions = np.repeat(np.arange(archive.versions), np.diff(archive.link_starts))
    return urls_of_versions(archive)[versions], archive.times[versions]


def test_degrees_follow_the_exponents_of_the_paper(graph: Graph) -> None:
    inward, outward = degrees(graph.in_degrees), degrees(graph.out_degrees)
    assert inward.all
    assert inward.bounded
    assert outward.all
    assert outward.bounded
    assert inward.all.exponent == pytest.approx(2.57, abs=0.05)
    assert inward.bounded.exponent == pytest.approx(2.57, abs=0.05)
    assert outward.bounded.exponent == pytest.approx(1.30, abs=0.04)
    assert outward.all.exponent == pytest.approx(1.39, abs=0.04)


def test_clustering_is_that_of_the_paper_and_falls_when_rewired(
    graph: Graph, rewired: Graph
) -> None:
    assert clustering(graph).average == pytest.approx(0.021, abs=0.003)
    assert clustering(rewired).average == pytest.approx(0.0035, abs=0.0015)


def test_paths_are_as_long_as_in_the_paper_and_little_longer_when_rewired(
    graph: Graph, rewired: Graph
) -> None:
    ours, theirs = shortest_paths(graph, STEPS), shortest_paths(rewired, STEPS)
    assert ours
    assert theirs
    assert ours.mean == pytest.approx(7.3, abs=0.7)
    assert theirs.mean == pytest.approx(8.4, abs=1.2)


def test_every_page_is_linked_and_few_link_to_others(graph: Graph) -> None:
    assert graph.in_degrees[1:].min() >= 1
    assert 0.06 < np.mean(graph.out_degrees > 0) < 0.1


def test_twelve_hundred_pages_are_new_each_day_and_more_change() -> None:
    found = growth(news())
    assert found.new == pytest.approx(1200, abs=3)
    assert 1300 < found.changed < 2000


def test_news_has_a_daily_and_a_weekly_rhythm() -> None:
    born = births(news())
    since = born[born > news().start] - news().start
    hours = np.bincount((since // HOUR % 24).astype(int))
    days = np.bincount((since // DAY).astype(int))
    assert hours[15] > 4 * hours[3]
    assert days[[5, 6, 12, 13]].max() < 0.75 * np.delete(days, [5, 6, 12, 13]).min()


def test_the_home_page_lists_a_tenth_of_the_news() -> None:
    archive = news()
    new = np.flatnonzero(births(archive) > archive.start)
    sources, _ = links(archive)
    listed = np.unique(archive.targets[sources == 0])
    assert np.mean(np.isin(new, listed)) == pytest.approx(0.10, abs=0.01)


def test_most_news_is_linked_within_the_hour_and_all_within_three() -> None:
    archive = news()
    born = births(archive)
    _, shown = links(archive)
    first = np.full(len(born), np.inf)
    np.minimum.at(first, archive.targets, shown)
    new = (born > archive.start) & (born < archive.end - DAY)
    waited = (first - born)[new]
    assert np.mean(waited <= HOUR) > 0.82
    assert np.mean(waited <= 3 * HOUR) > 0.999
    assert 0.01 < np.mean(waited < 0) < 0.04


def test_a_link_shown_before_its_target_is_born_is_shown_shortly_before() -> None:
    archive = news()
    _, shown = links(archive)
    ahead = births(archive)[archive.targets] - shown
    assert np.mean(ahead > 0) < 0.03
    assert ahead.max() <= 2 * HOUR


def test_old_items_fall_off_the_home_page() -> None:
    archive = news()
    sizes = np.diff(archive.link_starts)[: archive.version_starts[1]]
    listed = [set(archive.targets[archive.links_of(v)].tolist()) for v in (300, 400)]
    assert sizes.max() < 140
    assert len(listed[0] & listed[1]) < 0.7 * len(listed[0])


def test_some_changes_are_of_links_only() -> None:
    archive = small("news")
    urls, texts = urls_of_versions(archive), archive.texts
    again = (np.flatnonzero(np.diff(urls) == 0) + 1)[::9].tolist()
    same = [texts.document(version) == texts.document(version - 1) for version in again]
    assert 0.3 < np.mean(same) < 0.9


def test_the_share_on_the_home_page_can_be_chosen() -> None:
    archive = generate("news", 0, 6_000, home=0.5)
    new = np.flatnonzero(births(archive) > archive.start)
    sources, _ = links(archive)
    assert np.mean(np.isin(new, archive.targets[sources == 0])) == pytest.approx(0.5, abs=0.05)


def test_a_smaller_site_has_less_news() -> None:
    assert growth(small("news")).new == pytest.approx(1200 * 3_000 / 33_000, rel=0.02)


def test_with_navigation_every_page_links_to_the_home_page_and_articles_to_earlier_ones() -> None:
    archive = generate("news", seed=3, pages=900, days=2.0, navigation=1.0, related=3.0)
    plain = generate("news", seed=3, pages=900, days=2.0)
    sources, _ = links(archive)
    home = set(sources[archive.targets == 0].tolist())
    assert home == set(range(1, 900))
    assert not (archive.targets == sources).any()
    # What was there before is still there, and versions appear when they did.
    assert archive.times.tolist() == plain.times.tolist()
    before = set(zip(links(plain)[0].tolist(), plain.targets.tolist(), strict=True))
    assert before <= set(zip(sources.tolist(), archive.targets.tolist(), strict=True))
    born = births(archive)
    kinds = archive.labels.urls["kind:article"]
    related = np.isin(sources, kinds) & np.isin(archive.targets, kinds)
    assert related.sum() > 900
    assert (born[archive.targets[related]] <= born[sources[related]]).all()
