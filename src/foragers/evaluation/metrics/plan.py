"""Plans: the share of all relevant pages that a budget will find.

A plan is made from the same counts as the estimate of the recall.  With r for the recent yield of
relevant pages per URL, n for the downloads to come, F for the pages found and Y for the pages left
by yield, each end of an interval is a line

    a + b log(1 + F) + c log(1 + r n) + d log(1 + Y)

that was fitted by quantile regression on crawls of recorded webs (docs/stopping.md): for the
log-odds of the share that will have been found, and for the logarithm of 1 plus the number of pages
that will be found on top.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from math import ceil, floor

import msgspec

from foragers.core.exact import exp_of, expm1_of, log1p_of
from foragers.evaluation.metrics.laws import LARGEST, RecallCounts

FIRST_PLAN = 100
"""The least number of downloads before a plan is made."""
QUARTER = 0.25
"""Besides the first plan, the one after this share of the budget is stored."""
WIDEST = 0.7
"""If the interval is wider, no share is given."""


class PlanLine(msgspec.Struct, frozen=True):
    """Weights for the logarithms of pages found, of r n, and of the pages left by yield."""

    base: float
    found: float
    ahead: float
    by_yield: float

    def of(self, counts: RecallCounts, downloads: int) -> float:
        """Return the value of the line for a number of downloads to come."""
        value = (
            self.base
            + self.found * log1p_of(counts.found)
            + self.ahead * log1p_of(counts.rate * downloads)
            + self.by_yield * log1p_of(counts.by_yield)
        )
        return max(-LARGEST, min(value, LARGEST))


class PlanLaw(msgspec.Struct, frozen=True):
    """The lower end, the middle and the upper end: of the log-odds of the share, of the pages."""

    shares: tuple[PlanLine, PlanLine, PlanLine]
    pages: tuple[PlanLine, PlanLine, PlanLine]


class BudgetPlan(msgspec.Struct, frozen=True):
    """The prediction for a budget, made after `at` downloads, when `found` pages were found.

    `low` and `high` are the ends of an 80 % interval for the share of all reachable relevant
    pages, `pages_low` and `pages_high` those for their number.  `withheld` says why there is none.
    """

    at: int
    budget: int
    found: int
    share: float | None = None
    low: float | None = None
    high: float | None = None
    pages_low: int | None = None
    pages_high: int | None = None
    withheld: str = ""

    @property
    def said(self) -> str:
        """What the budget will find, as text."""
        budget = f"{self.budget:,} downloads"
        if self.pages_low is None or self.pages_high is None:
            return f"what {budget} will find cannot be told: {self.withheld}"
        pages = f"{self.pages_low:,}–{self.pages_high:,} pages"
        if self.low is None or self.high is None:
            return f"{budget} will find {pages}; {self.withheld}"
        share = f"{100 * self.low:.0f}–{100 * self.high:.0f} %"
        return f"{budget} will find {share} of what this judge accepts ({pages})"


class Planned(msgspec.Struct, frozen=True):
    """An earlier plan and its outcome: pages found, and their share by estimate.

    `held` says whether the number of pages was in the interval, once the budget was spent.  In a
    crawl that went on with a larger budget, `downloads` and `found` are those of the plan's budget.
    """

    plan: BudgetPlan
    downloads: int
    found: int
    recall: float | None = None
    held: bool | None = None

    @property
    def said(self) -> str:
        """The plan and its outcome, as text."""
        plan = self.plan
        came = f"{self.found:,} pages after {self.downloads:,} downloads"
        if self.recall is not None:
            came += f", {self.recall:.0%} by the estimate"
        told = "" if self.held is None else f"; {'as' if self.held else 'not as'} forecast"
        return f"forecast after {plan.at:,} downloads: {plan.said}; result: {came}{told}"


def plan(
    counts: RecallCounts, law: PlanLaw | None, at: int, budget: int, withheld: str
) -> BudgetPlan:
    """Return the plan for a budget; `withheld` says why there is no total."""
    ahead = budget - at
    if law is None and not withheld:
        withheld = "not measured for this strategy"
    if withheld or law is None:
        return BudgetPlan(at, budget, counts.found, withheld=withheld)
    fewest, _, most = sorted(line.of(counts, ahead) for line in law.pages)
    low, share, high = (odds(value) for value in sorted(x.of(counts, ahead) for x in law.shares))
    pages_low = counts.found + floor(max(0.0, expm1_of(fewest)))
    pages_high = counts.found + min(ahead, ceil(max(0.0, expm1_of(most))))
    told = BudgetPlan(
        at, budget, counts.found, None, None, None, min(pages_low, pages_high), pages_high
    )
    if high - low > WIDEST:
        return msgspec.structs.replace(told, withheld="which share that is cannot be told yet")
    return msgspec.structs.replace(told, share=share, low=low, high=high)


def odds(value: float) -> float:
    """Return the share that has these log-odds."""
    return 1.0 / (1.0 + exp_of(-value))


def is_due(plans: Sequence[BudgetPlan], downloads: int, budget: int) -> bool:
    """Say whether a plan is stored now: the first one, and one at a quarter of the budget."""
    if not FIRST_PLAN <= downloads < budget:
        return False
    return not plans or plans[-1].at < QUARTER * budget <= downloads


def account(
    plans: Sequence[BudgetPlan], downloads: int, found_at: Sequence[int], recall: float | None
) -> tuple[Planned, ...]:
    """Return the outcome of the plans; `found_at` has the download of each find, in order."""
    return tuple(outcome(one, downloads, found_at, recall) for one in plans)


def outcome(
    made: BudgetPlan, downloads: int, found_at: Sequence[int], recall: float | None
) -> Planned:
    """Return the outcome of a plan, up to its own budget."""
    until = min(downloads, made.budget)
    found = bisect_right(found_at, until)
    known = recall if until == downloads else None
    return Planned(made, until, found, known, held(made, until, found))


def held(made: BudgetPlan, downloads: int, found: int) -> bool | None:
    """Say whether a plan has held; None before its budget is spent, or without a prediction."""
    if made.pages_low is None or made.pages_high is None or downloads < made.budget:
        return None
    return made.pages_low <= found <= made.pages_high
