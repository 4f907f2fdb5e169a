"""How many relevant pages there are: what is said early, late and at the end."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest
from msgspec.structs import replace

from foragers.core.loop import Crawl, seed_visit
from foragers.core.protocols import Strategy
from foragers.core.types import Visit
from foragers.evaluation.metrics.recall import (
    BY_STRATEGY,
    FITTED,
    Estimate,
    Law,
    RecallCounts,
    combined,
    estimate,
    law_of,
)
from foragers.evaluation.metrics.sightings import Sightings
from foragers.judges.simple import Everything
from foragers.storage.ledger.memory import MemoryLedger
from foragers.strategies.baselines import BreadthFirst, Random
from foragers.worlds.archive import Archive
from foragers.worlds.generated import generate
from foragers.worlds.replay import Recorded

PLAIN = Law(0.0, 1.0, 0.0, 0.0, -log(2), 0.0, log(2))
"""What is left is what waits times the yield, give or take a factor of two (of 1 plus it)."""


def test_the_law_is_a_product_of_powers() -> None:
    told = combined(RecallCounts(found=100, waiting=50, by_yield=19.0, by_capture=7.0), PLAIN)
    assert told.total == pytest.approx(119)
    assert told.low == pytest.approx(100 + 20 / 2 - 1)
    assert told.high == pytest.approx(100 + 20 * 2 - 1)
    assert told.recall == pytest.approx(100 / 119)
    assert (told.recall_low, told.recall_high) == pytest.approx((100 / 139, 100 / 109))
    assert str(told) == "found 100 of about 119 (109–139), recall 84%"
    steeper = Law(1.0, 0.5, 0.0, 2.0, 0.0, 0.0, 0.0)
    left = exp(1.0) * 20**0.5 * 8**2 - 1
    assert combined(RecallCounts(100, 50, 19.0, 7.0), steeper).total == pytest.approx(100 + left)


def test_nothing_is_said_of_the_rest_before_some_are_found() -> None:
    told = combined(RecallCounts(found=4, waiting=1000, by_yield=3.0, by_capture=0.0))
    assert (told.total, told.high, told.recall) == (None, None, None)
    assert told.low == 4
    assert not told.reaches(0.01)
    assert "cannot be estimated: fewer than 5 relevant pages" in str(told)


def test_where_nothing_waits_all_is_found() -> None:
    told = combined(RecallCounts(found=3, waiting=0, by_yield=0.0, by_capture=9.0))
    assert told.total == told.low == told.high == 3
    assert told.recall == 1.0
    assert told.reaches(1.0)


def test_a_crawl_that_found_nothing_to_the_end_has_no_recall() -> None:
    assert combined(RecallCounts(0, 0, 0.0, 0.0)).recall is None


def test_the_interval_holds_the_estimate_and_more_yield_means_more_to_come() -> None:
    before = 0.0
    for by_yield in (0.0, 1.0, 10.0, 1e3, 1e6, 1e300):
        told = combined(RecallCounts(50, 10, by_yield, 5.0))
        assert told.total is not None
        assert told.high is not None
        assert 50 <= told.low <= told.total <= told.high
        assert told.total >= before
        before = told.total


def looks(strategy: Strategy, archive: Archive, label: str) -> list[bool]:
    """Crawl a web and say at each quarter whether the interval holds the truth."""
    truth = frozenset(archive.labels.urls[label].tolist())
    world, seen, held = Recorded(archive), Sightings(), []
    quarters = {round(share * archive.versions) for share in (0.25, 0.5, 0.75, 1.0)}
    crawl = Crawl(strategy, world, Everything(), MemoryLedger())
    crawl.begin()
    seen.watch([seed_visit(world.seeds, 0.0)])

    def watch(visits: list[Visit]) -> None:
        for visit in visits:
            seen.watch([Visit(visit.page, 1.0, visit.page.final in truth)])
            told = estimate(seen)
            if seen.downloads in quarters and told.high is not None:
                held.append(int(told.low) <= len(truth) <= told.high + 1)

    crawl.run(watch)
    return held


def test_intervals_hold_on_webs_that_were_never_seen() -> None:
    held: list[bool] = []
    for seed in (21, 22):
        archive = generate("topics", seed=seed, pages=600)
        for label in ("topic:robotics", "topic:law", "topic:health"):
            held += looks(BreadthFirst(), archive, label)
            held += looks(Random(np.random.default_rng(seed)), archive, label)
    assert len(held) >= 30
    assert np.mean(held) >= 0.75


def test_auto_has_a_law_of_its_own() -> None:
    assert law_of("auto") is BY_STRATEGY["auto"]
    assert law_of("auto") != FITTED
    assert law_of("best-first(inherit=0.3)") == law_of("") == FITTED


def test_with_a_narrow_interval_a_recall_is_reached_when_its_lower_end_is() -> None:
    told = Estimate(90, 95, 91, 120, 90 / 95, 90 / 120, 90 / 91, waiting=7)
    assert told.reaches(0.9)
    assert not told.reaches(0.9, law_of("auto"))
    assert told.reaches(0.7, law_of("auto"))


@pytest.mark.parametrize("waiting", [0, 50])
def test_no_recall_is_told_where_much_was_left_out(waiting: int) -> None:
    cut = RecallCounts(19, waiting, 4.0, 2.0, pages=60, trapped=280, failed=12, barred=7)
    told = combined(cut)
    assert (told.total, told.recall, told.high) == (None, None, None)
    assert not told.reaches(0.01)
    assert told.recall_said == "–"
    why = "280 known pages left out by trap rules, 12 by failures"
    assert told.total_said == f"cannot be estimated: {why}"
    few = combined(RecallCounts(19, waiting, 4.0, 2.0, pages=60, trapped=4, failed=2, barred=700))
    assert few.recall is not None


def test_an_estimate_says_what_it_rests_on() -> None:
    told = combined(RecallCounts(16, 0, 0.0, 0.0, pages=57_365, failed=3, barred=40))
    told = replace(told, wanted="topic “solar panel” at threshold 0.75")
    assert told.basis_said == (
        "pages accepted by topic “solar panel” at threshold 0.75: 16 of 57,365 pages so far;"
        " not counted: 3 known pages left out by failures, 40 by robots.txt, scope or limits"
    )
