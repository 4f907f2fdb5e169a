"""How many relevant pages there are: what is said early, late and at the end."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log

import numpy as np
import pytest
from msgspec.structs import replace

from foragers.core.loop import Crawl, seed_visit
from foragers.core.options import Target
from foragers.core.protocols import Strategy
from foragers.core.types import Visit
from foragers.crawling.options import CrawlOptions
from foragers.evaluation.metrics.fitted import BY_STRATEGY, FITTED, law_of
from foragers.evaluation.metrics.laws import Enough, Law, LeftLine, RecallCounts
from foragers.evaluation.metrics.recall import chao, chapman, combined, estimate
from foragers.evaluation.metrics.sightings import Sightings
from foragers.judges.simple import Everything
from foragers.storage.ledger.memory import MemoryLedger
from foragers.strategies.baselines import BreadthFirst, Random
from foragers.worlds.archive import Archive
from foragers.worlds.generated import generate
from foragers.worlds.replay import Recorded

PLAIN = Law(
    LeftLine(-log(2), 0.0, 1.0),
    LeftLine(0.0, 0.0, 1.0),
    LeftLine(log(2), 0.0, 1.0),
    Enough(log(2), 0.5, 0.5),
)
"""What is left is what waits times the yield, give or take a factor of two (of 1 plus it)."""


def test_the_law_is_a_product_of_powers() -> None:
    told = combined(RecallCounts(found=100, waiting=50, by_yield=19.0, by_capture=7.0), PLAIN)
    assert told.total == pytest.approx(119)
    assert told.low == pytest.approx(100 + 20 / 2 - 1)
    assert told.high == pytest.approx(100 + 20 * 2 - 1)
    assert told.recall == pytest.approx(100 / 119)
    assert (told.recall_low, told.recall_high) == pytest.approx((100 / 139, 100 / 109))
    assert str(told) == "found 100 of about 119 (109–139), recall 84%"
    steeper = replace(PLAIN, middle=LeftLine(1.0, 0.5, 0.25))
    left = exp(1.0) * 101**0.5 * 20**0.25 - 1
    assert combined(RecallCounts(100, 50, 19.0, 7.0), steeper).total == pytest.approx(100 + left)


def test_lines_that_cross_make_no_interval_without_its_estimate() -> None:
    crossed = replace(PLAIN, low=LeftLine(1.0, 0.0, 1.0), high=LeftLine(-1.0, 0.0, 1.0))
    told = combined(RecallCounts(100, 50, 19.0, 7.0), crossed)
    assert told.low == told.total == told.high


def test_a_recall_is_surely_reached_when_few_pages_of_any_kind_are_to_come() -> None:
    # Left over found: 2 · sqrt(1 / 100) · sqrt(250 / 1000) = 2 · 0.1 · 0.5 = 0.1.
    counts = RecallCounts(100, 900, 1.0, 0.0, pages=1000, to_come=250.0, downloads=1200)
    told = combined(counts, PLAIN)
    assert told.recall_sure == pytest.approx(100 / 110)
    assert told.reaches(0.909)
    assert not told.reaches(0.91)
    more = combined(replace(counts, to_come=1000.0), PLAIN)
    assert more.recall_sure == pytest.approx(100 / 120)
    assert not more.reaches(0.5), "below 0.85 the formula is not trusted"
    early = combined(replace(counts, downloads=99), PLAIN)
    assert not early.reaches(0.01), "a hundred downloads are the least"


def test_less_is_left_the_longer_ago_most_pages_were_found() -> None:
    # As above, with powers 0, 1/2 and 1: 2 · sqrt(250 / 1000) · 300 / 1200 = 0.25.
    law = replace(PLAIN, enough=Enough(log(2), 0.0, 0.5, 1.0))
    counts = RecallCounts(
        100, 900, 1.0, 0.0, pages=1000, to_come=250.0, downloads=1200, mostly_by=300
    )
    assert combined(counts, law).recall_sure == pytest.approx(100 / 125)
    sooner = combined(replace(counts, mostly_by=30), law)
    assert sooner.recall_sure == pytest.approx(100 / 102.5)
    assert sooner.reaches(0.9)


def test_urls_on_hosts_that_gave_no_page_are_named() -> None:
    counts = RecallCounts(100, 900, 4.0, 0.0, pages=1000, to_come=250.0, silent=700)
    told = combined(counts, PLAIN)
    assert told.silent == 700
    assert "700 URLs wait on hosts that gave no page" in told.basis_said


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

    def watch(visits: Sequence[Visit]) -> None:
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

    told = replace(told, wanted=CrawlOptions(seeds=(), aim=Target(judge="j.py:long")).wanted(0.5))
    assert told.basis_said.startswith("pages accepted by j.py:long at threshold 0.5: 16 of")
    told = replace(told, wanted=CrawlOptions(seeds=(), aim=Target(want=("pdf", "csv"))).wanted(0.5))
    assert told.basis_said.startswith("pages accepted by the types pdf, csv: 16 of")


def test_chapman_is_what_the_formula_says() -> None:
    # 11 · 16 / 6 − 1, and the variance 11 · 16 · 5 · 10 / (36 · 7) = 34.92 around 8.33 missed:
    # exp(1.645 √log(1 + 34.92 / 69.44)) = 2.857.
    count = chapman(10, 15, 5)
    assert count.value == pytest.approx(28.3333, abs=1e-3)
    assert count.low == pytest.approx(20 + 8.3333 / 2.8572, abs=0.01)
    assert count.high == pytest.approx(20 + 8.3333 * 2.8572, abs=0.01)


def test_samples_that_are_the_same_have_met_all_there_are() -> None:
    count = chapman(12, 12, 12)
    assert (count.value, count.low, count.high) == (12, 12, 12)


def test_samples_without_anything_in_common_leave_all_open() -> None:
    count = chapman(10, 10, 0)
    assert count.value == 120
    assert count.high > 2 * count.value


def test_chao_is_what_the_formula_says() -> None:
    assert chao(20, 8, 3).value == 20 + 8 * 7 / (2 * 4)
    assert chao(20, 0, 7).value == chao(20, 0, 7).high == 20


def test_chapmans_interval_holds_nine_times_out_of_ten_for_samples_by_lot() -> None:
    chance = np.random.default_rng(1)
    held = 0
    for _ in range(400):
        one, other = chance.random((2, 300)) < 0.3
        count = chapman(int(one.sum()), int(other.sum()), int((one & other).sum()))
        held += count.low <= 300 <= count.high
    assert 0.84 <= held / 400 <= 0.96


def test_chao_is_a_lower_bound_where_some_are_met_less_often_than_others() -> None:
    chance = np.random.default_rng(2)
    values = []
    for _ in range(200):
        met = chance.poisson(chance.gamma(0.7, 2.0, 500))
        once, twice = (int((met == times).sum()) for times in (1, 2))
        values.append(chao(int((met > 0).sum()), once, twice).value)
    assert np.mean(np.array(values) < 500) > 0.95
