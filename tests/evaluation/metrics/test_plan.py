"""What a budget will bring: worked out by hand, told or withheld, and accounted for."""

from __future__ import annotations

from math import log

import pytest

from foragers.evaluation.metrics.laws import RecallCounts
from foragers.evaluation.metrics.plan import (
    BudgetPlan,
    PlanLaw,
    PlanLine,
    account,
    is_due,
    odds,
    plan,
)

COUNTS = RecallCounts(found=24, waiting=500, by_yield=15.0, by_capture=0.0, pages=100, rate=0.03)
NARROW = PlanLaw(
    shares=(PlanLine(0, 0, 0, 0), PlanLine(log(2), 0, 0, 0), PlanLine(log(3), 0, 0, 0)),
    pages=(PlanLine(0, 0, 0.5, 0), PlanLine(0, 0, 1, 0), PlanLine(0, 0, 0, 1)),
)
"""Shares of 1/2, 2/3 and 3/4; √(1 + r n) − 1 and Y pages on top."""


def test_a_plan_tells_shares_by_their_odds_and_pages_on_top_of_those_found() -> None:
    # 500 downloads to come at 0.03 are 15 pages: from 4 − 1 to 16 − 1 on top of 24.
    made = plan(COUNTS, NARROW, at=100, budget=600, withheld="")
    assert (made.low, made.share, made.high) == pytest.approx((1 / 2, 2 / 3, 3 / 4))
    assert (made.pages_low, made.pages_high) == (27, 39)
    said = "600 downloads will find 50–75 % of what this judge accepts (27–39 pages)"
    assert made.said == said


def test_no_more_pages_are_promised_than_there_are_downloads() -> None:
    assert plan(COUNTS, NARROW, at=100, budget=104, withheld="").pages_high == 28


def test_a_share_is_withheld_where_it_would_say_nothing() -> None:
    wide = PlanLaw(
        (PlanLine(-3, 0, 0, 0), PlanLine(0, 0, 0, 0), PlanLine(3, 0, 0, 0)), NARROW.pages
    )
    made = plan(COUNTS, wide, at=100, budget=600, withheld="")
    assert (made.low, made.high, made.pages_low) == (None, None, 27)
    assert (
        made.said == "600 downloads will find 27–39 pages; which share that is cannot be told yet"
    )


@pytest.mark.parametrize(
    ("law", "withheld", "said"),
    [
        (NARROW, "fewer than 5 relevant pages found", "fewer than 5 relevant pages found"),
        (None, "", "not measured for this strategy"),
    ],
)
def test_nothing_is_told_without_an_estimate_or_a_law(
    law: PlanLaw | None, withheld: str, said: str
) -> None:
    made = plan(COUNTS, law, at=100, budget=600, withheld=withheld)
    assert made.pages_low is None
    assert made.said == f"what 600 downloads will find cannot be told: {said}"


def test_plans_are_kept_at_the_first_hundred_downloads_and_at_a_quarter_of_the_budget() -> None:
    first = BudgetPlan(at=100, budget=2000, found=9)
    assert not is_due([], 99, 2000)
    assert is_due([], 100, 2000)
    assert not is_due([first], 499, 2000)
    assert is_due([first], 500, 2000)
    assert not is_due([first, BudgetPlan(500, 2000, 80)], 520, 2000)
    assert not is_due([], 2000, 2000), "nothing is ahead"
    assert not is_due([BudgetPlan(100, 300, 9)], 120, 300), "one is enough for a small budget"


def test_an_account_says_what_came_and_whether_it_held() -> None:
    made = plan(COUNTS, NARROW, at=100, budget=600, withheld="")
    (early,) = account([made], downloads=400, found_at=range(1, 31), recall=0.6)
    assert early.held is None, "the budget is not spent"
    (held,) = account([made], downloads=600, found_at=range(1, 40), recall=0.7)
    assert held.held
    came = "39 pages after 600 downloads, 70% by the estimate"
    assert held.said == f"forecast after 100 downloads: {made.said}; result: {came}; as forecast"
    (missed,) = account([made], downloads=600, found_at=range(1, 41), recall=None)
    assert missed.said.endswith("result: 40 pages after 600 downloads; not as forecast")
    (silent,) = account([BudgetPlan(100, 600, 2, withheld="few")], 600, range(1, 41), None)
    assert silent.held is None


def test_a_plan_is_held_against_its_own_budget_when_the_crawl_goes_on_with_a_larger_one() -> None:
    made = plan(COUNTS, NARROW, at=100, budget=600, withheld="")
    found_at = [*range(1, 40), 601, 602, 700]
    (held,) = account([made], downloads=800, found_at=found_at, recall=0.9)
    assert held.held
    assert (held.downloads, held.found, held.recall) == (600, 39, None)


def test_log_odds_become_shares() -> None:
    assert odds(log(3)) == pytest.approx(0.75)
    assert odds(-40.0) == pytest.approx(0.0, abs=1e-12)
