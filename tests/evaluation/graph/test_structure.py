"""Numbers that can be worked out by hand."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from foragers.evaluation.graph.structure import Growth, Structure, by_day, structure
from support.worlds_by_hand import Later, small_world

TRIANGLE = {"a": ["b"], "b": ["c"], "c": ["a"]}
STAR = {"hub": ["a", "b", "c"], "a": [], "b": [], "c": []}
CHAIN = {"a": ["b"], "b": ["c"], "c": ["d"], "d": []}
TWO_PARTS = {"a": ["b"], "b": ["a"], "x": ["y"], "y": []}


def test_a_world_without_pages_has_no_structure() -> None:
    found = structure(small_world({}))
    assert found.size.pages == found.size.links == found.size.hosts == 0
    assert found.paths is None
    assert found.in_degrees.tail is None
    assert found.reach_at_end.share == 0


def test_a_single_page_is_all_of_its_world() -> None:
    found = structure(small_world({"a": []}))
    assert found.size.pages == 1
    assert found.clustering.average == 0
    assert found.paths is None
    assert found.reach_at_end.share == 1
    assert found.out_degrees.histogram == ((0, 1),)


def test_pages_without_links_have_no_paths() -> None:
    found = structure(small_world({"a": [], "b": []}))
    assert found.paths is None
    assert found.reach_at_end.share == 0.5


def test_a_triangle_is_fully_clustered() -> None:
    found = structure(small_world(TRIANGLE))
    assert found.clustering.average == found.clustering.transitivity == 1
    assert found.paths is not None
    assert found.paths.mean == 1.5
    assert found.paths.longest == 2
    assert found.paths.pairs == 6


def test_a_star_has_no_triangles_and_one_hub() -> None:
    found = structure(small_world(STAR))
    assert found.clustering.average == found.clustering.transitivity == 0
    assert found.out_degrees.histogram == ((0, 3), (3, 1))
    assert found.in_degrees.histogram == ((0, 1), (1, 3))
    assert found.out_degrees.mean == 0.75


def test_a_chain_is_as_long_as_it_is() -> None:
    found = structure(small_world(CHAIN))
    assert found.paths is not None
    # Three pairs one click apart, two pairs two clicks, one pair three.
    assert found.paths.mean == pytest.approx((3 * 1 + 2 * 2 + 1 * 3) / 6)
    assert found.paths.error == 0
    assert found.reach_at_end.share == 1


def test_what_no_seed_leads_to_is_out_of_reach() -> None:
    found = structure(small_world(TWO_PARTS))
    assert (found.reach_at_end.reached, found.reach_at_end.pages) == (2, 4)
    both = structure(small_world(TWO_PARTS, seeds=["a", "x"]))
    assert both.reach_at_end.share == 1


def test_clustering_and_transitivity_differ_where_a_hub_has_one_triangle() -> None:
    world = small_world({"hub": ["a", "b", "c"], "a": ["b"], "b": [], "c": []})
    found = structure(world).clustering
    # a and b: 1 of 1 pair; the hub: 1 of 3; c has one neighbour.
    assert found.average == pytest.approx((1 + 1 + 1 / 3) / 4)
    assert found.transitivity == pytest.approx(3 / 5)


def test_sizes_tell_pages_redirects_and_absent_urls_apart() -> None:
    world = small_world(
        {"a": ["b", "b", "old", "gone"], "b": ["http://other.test/"]},
        redirects={"old": "b"},
    )
    size = structure(world).size
    assert (size.pages, size.redirects, size.absent) == (2, 1, 2)
    assert (size.links, size.distinct_links, size.edges) == (5, 4, 1)
    assert size.hosts == 1


def test_a_link_to_a_redirect_leads_to_its_page() -> None:
    world = small_world({"a": ["old"], "b": []}, redirects={"old": "older", "older": "b"})
    found = structure(world)
    assert found.in_degrees.histogram == ((0, 1), (1, 1))
    assert found.reach_at_end.share == 1


def test_redirects_in_a_circle_lead_nowhere() -> None:
    world = small_world({"a": ["x"]}, redirects={"x": "y", "y": "x"})
    assert structure(world).size.edges == 0


def test_a_page_that_links_to_itself_gains_nothing_by_it() -> None:
    assert structure(small_world({"a": ["a"]})).size.edges == 0


def test_what_was_only_linked_once_is_reachable_over_time_but_not_at_the_end() -> None:
    world = small_world({"a": ["b"], "b": []}, later=[(9.0, "a", [])])
    found = structure(world)
    assert found.reach_at_end.share == 0.5
    assert found.reach_over_time.share == 1
    assert found.size.versions == 3


def test_a_page_that_went_away_is_none_at_the_end() -> None:
    found = structure(small_world({"a": ["b"], "b": []}, later=[(9.0, "b", None)]))
    assert found.reach_at_end.pages == 1
    assert found.reach_over_time.pages == 2


def test_a_page_that_moved_is_followed_to_its_new_place() -> None:
    world = small_world({"b": [], "a": []}, seeds=["a"])
    world.redirects[1], world.codes[1] = 0, 301
    assert structure(world).reach_over_time.share == 1


def test_growth_counts_new_and_changed_pages_by_day() -> None:
    hour, day = 3600.0, 86400.0
    later: list[Later] = [(hour, "a", ["b"]), (day + hour, "a", ["b", "c"]), (2 * day, "b", [])]
    born = {"b": hour, "c": day + hour}
    world = small_world({"a": [], "b": [], "c": []}, born=born, later=later, end=2 * day)
    found = structure(world).growth
    assert found == Growth(2.0, 1.0, 1.5, (1, 1), (1, 2))


def test_content_that_stays_the_same_is_no_change() -> None:
    world = small_world({"a": []}, later=[(10.0, "a", []), (20.0, "a", [])])
    world.same_as[1] = 0
    assert structure(world).growth.changed_by_day == (1,)


def test_a_world_that_stands_does_not_grow() -> None:
    assert structure(small_world(CHAIN)).growth == Growth()


def test_the_structure_survives_json() -> None:
    found = structure(small_world({**TRIANGLE, "d": ["a", "b", "c"]}))
    assert msgspec.json.decode(msgspec.json.encode(found), type=Structure) == found


def test_midnight_ends_a_day() -> None:
    times = np.array([1.0, 99.0, 100.0, 101.0, 250.0])
    assert by_day(times, 0.0, 100.0, 3) == (3, 1, 1)
