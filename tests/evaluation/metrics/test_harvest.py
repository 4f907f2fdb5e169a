"""Harvest, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from foragers.core.types import NO_PARENT, Choice, Status
from foragers.evaluation.metrics import harvest
from foragers.storage.ledger.columns import Facts
from foragers.testing.ledgers import sample


def facts(*rows: tuple[int, int, float]) -> Facts:
    """Return the facts of visits (final URL, version, relevance); a version of -1 is a 404."""
    return Facts.of(
        [
            sample(
                Choice(final, 0, parent=NO_PARENT if number == 0 else 0),
                final=final,
                version=version,
                relevance=relevance,
                status=Status.MISSING if version < 0 else Status.OK,
            )
            for number, (final, version, relevance) in enumerate(rows)
        ]
    )


CRAWL = facts((0, 0, 0.0), (1, 1, 1.0), (2, -1, 0.0), (1, 1, 1.0), (1, 5, 1.0), (3, 3, 0.9))


def test_judged_relevant_versions_count_once_each() -> None:
    assert harvest.found(CRAWL).tolist() == [0, 1, 1, 1, 2, 3]


def test_pages_of_the_truth_count_once_whatever_their_version_and_the_judge() -> None:
    assert harvest.found(CRAWL, {0, 1}).tolist() == [1, 2, 2, 2, 2, 2]
    assert harvest.found(CRAWL, {2}).tolist() == [0] * 6, "a 404 is not found"
    assert harvest.found(CRAWL, frozenset()).tolist() == [0] * 6
    assert harvest.found(CRAWL, {99}).tolist() == [0] * 6


def test_relevant_verdict_on_a_failed_download_does_not_count() -> None:
    assert harvest.found(facts((0, -1, 1.0), (1, 1, 1.0))).tolist() == [0, 1]


def test_empty_crawl_found_nothing() -> None:
    nothing = facts()
    assert harvest.found(nothing).tolist() == []
    assert harvest.found(nothing, {1}).tolist() == []
    assert harvest.links_followed(nothing) == 0
    assert harvest.area(harvest.found(nothing), 10) == 0.0
    assert harvest.curve(harvest.found(nothing)) == []
    assert harvest.downloads_until(harvest.found(nothing), 1) is None


def test_seeds_are_not_links_followed() -> None:
    assert harvest.links_followed(CRAWL) == 5


@pytest.mark.parametrize(
    ("counts", "budget", "area"),
    [
        ([1, 2, 3], 3, 2.0),
        ([0, 0, 6], 3, 2.0),
        ([1, 2], 4, (1 + 2 + 2 + 2) / 4),
        ([1, 2, 3, 4], 2, 1.5),
        ([5], 1, 5.0),
        ([5], 0, 0.0),
        ([0, 0], 2, 0.0),
    ],
)
def test_area_is_the_mean_number_held_over_the_budget(
    counts: list[int], budget: int, area: float
) -> None:
    assert harvest.area(np.array(counts), budget) == pytest.approx(area)


def test_finding_earlier_gives_more_area() -> None:
    early, late = np.array([1, 2, 3, 3, 3]), np.array([0, 0, 1, 2, 3])
    assert harvest.area(early, 5) > harvest.area(late, 5)


def test_share_closed_runs_from_worst_to_best() -> None:
    assert harvest.closed(10, 10, 20) == 0
    assert harvest.closed(15, 10, 20) == 0.5
    assert harvest.closed(20, 10, 20) == 1
    assert harvest.closed(5, 10, 20) == -0.5
    assert harvest.closed(5, 10, 10) is None
    assert harvest.closed(5, 10, 9) is None


def test_downloads_until_so_many_are_found() -> None:
    counts = np.array([0, 1, 1, 3])
    assert [harvest.downloads_until(counts, wanted) for wanted in (1, 2, 3, 4)] == [2, 4, 4, None]


def test_short_curve_has_every_download() -> None:
    assert harvest.curve(np.array([0, 1, 1, 2])) == [(1, 0), (2, 1), (3, 1), (4, 2)]


def test_long_curve_is_thinned_and_keeps_its_ends() -> None:
    counts = np.arange(100_000) // 7
    curve = harvest.curve(counts, points=50)
    assert len(curve) == 50
    assert curve[0] == (1, 0)
    assert curve[-1] == (100_000, 99_999 // 7)
    assert all(relevant == (downloads - 1) // 7 for downloads, relevant in curve)
    steps = np.diff([downloads for downloads, _ in curve])
    assert steps.max() - steps.min() <= 1
    assert all(type(part) is int for point in curve for part in point)
