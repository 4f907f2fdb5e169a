"""Laws fitted to looks at many crawls: lines by quantile regression, and when enough was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from math import log, log1p
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from benchmarks.stopping_crawls import OWN, Crawled, Look
from foragers.evaluation.metrics.laws import Enough, Law, LeftLine, RecallCounts
from foragers.evaluation.metrics.plan import FIRST_PLAN, QUARTER, PlanLaw, PlanLine
from foragers.evaluation.metrics.recall import FEWEST

LOW, MIDDLE, HIGH = 0.05, 0.5, 0.95
EVERY_LOOK = 8
"""Each so many-th look is fitted on: neighbours say the same."""
POWERS = {"by_yield": 0.0, "to_come": 0.5, "early": 1.0}
"""The powers in `Enough` for `auto`: chosen of 670 on these webs; many did about as well."""
POWERS_OF_OTHERS = {"by_yield": 0.25, "to_come": 0.5, "early": 0.0}
"""Those for other strategies, which seldom find most pages early."""
RIGHT = 0.97
"""Of the crawls that stop, this share is to be right on the webs fitted on, for 0.9 on others."""
BASES = np.round(np.arange(-2.5, 3.01, 0.1), 1)
STOP_AT = 0.9
BUDGETS = (500, 1000, 2000, 3000)
AT = (None, QUARTER, 0.5)
"""When plans are made: after the first downloads, and at shares of the budget."""

Column = NDArray[np.float64]


class PlanCase(NamedTuple):
    """A plan to be made, and what came: pages found on top, the share of all, and how many."""

    web: str
    look: Look
    budget: int
    gained: int
    share: float
    total: int
    is_first: bool


def usable(look: Look) -> bool:
    """Say whether there is something to estimate."""
    return look.counts.waiting > 0 and look.counts.found >= FEWEST


def quantile(rows: Column, values: Column, weights: Column, share: float) -> list[float]:
    """Return the weights of a line with so much of the values below it (Koenker 1978)."""
    count, width = rows.shape
    cost = np.concatenate([np.zeros(2 * width), share * weights, (1 - share) * weights])
    equal = np.hstack([rows, -rows, np.eye(count), -np.eye(count)])
    solved = linprog(cost, A_eq=equal, b_eq=values, bounds=(0, None), method="highs").x
    found: Column = np.asarray(solved, np.float64)
    return [round(float(x), 3) for x in found[:width] - found[width : 2 * width]]


def even(webs: Sequence[str]) -> Column:
    """Return weights with which each web counts the same."""
    counts = Counter(webs)
    return np.array([1 / counts[web] for web in webs])


def fitted(crawls: Sequence[Crawled]) -> Law:
    """Fit the law for the number of pages left."""
    looks = [
        (crawl.web, look)
        for crawl in crawls
        for look in list(filter(usable, crawl.looks))[::EVERY_LOOK]
    ]
    rows = np.array(
        [(1.0, log1p(look.counts.found), log1p(look.counts.by_yield)) for _, look in looks]
    )
    left = np.array([log1p(look.left) for _, look in looks])
    weights = even([web for web, _ in looks])
    low, middle, high = (
        LeftLine(*quantile(rows, left, weights, share)) for share in (LOW, MIDDLE, HIGH)
    )
    return Law(low, middle, high, enough(crawls))


def enough(crawls: Sequence[Crawled]) -> Enough:
    """Return the formula that stops most crawls rightly, and is right often enough."""
    powers = powers_of(crawls[0])
    best, most = float(BASES[-1]), 0
    for base in BASES[::-1].tolist():
        stops = [(crawl, bases_at(crawl) >= base) for crawl in crawls]
        stops = [(crawl, is_so) for crawl, is_so in stops if is_so.any()]
        right = sum(recalls_at(crawl)[np.argmax(is_so)] >= STOP_AT for crawl, is_so in stops)
        useful = sum(recalls_at(crawl).max() >= STOP_AT for crawl, _ in stops)
        if right >= RIGHT * len(stops) and useful >= most:
            best, most = base, useful
    return Enough(best, **powers)


def powers_of(crawl: Crawled) -> dict[str, float]:
    """Return the powers for the strategy of a crawl."""
    return POWERS if crawl.strategy == OWN else POWERS_OF_OTHERS


@cache
def bases_at(crawl: Crawled) -> Column:
    """Return up to which base each look of a crawl would stop it."""
    plain = Enough(0.0, **powers_of(crawl))
    most = log(1 / STOP_AT - 1)
    return np.array(
        [
            most - log(max(plain.left(look.counts), 1e-9) / look.counts.found)
            if usable(look)
            else -np.inf
            for look in crawl.looks
        ]
    )


@cache
def recalls_at(crawl: Crawled) -> Column:
    """Return the true recall at each look of a crawl."""
    return np.array([crawl.recall(look) for look in crawl.looks])


Rule = Callable[[Look], bool]


def by_formula(formula: Enough, recall: float) -> Rule:
    """Return the rule that stops when a recall is reached by the formula."""

    def reached(look: Look) -> bool:
        found = look.counts.found
        return usable(look) and found >= recall * (found + formula.left(look.counts))

    return reached


def stop(crawl: Crawled, rule: Rule) -> tuple[float, int] | None:
    """Return the true recall and the downloads when a rule stops a crawl, None if it never does."""
    look = next(filter(rule, crawl.looks), None)
    return None if look is None else (crawl.recall(look), look.downloads)


def plan_cases(crawls: Sequence[Crawled]) -> Iterator[PlanCase]:
    """Give the plans that crawls would make for some budgets."""
    for crawl in crawls:
        for budget in (one for one in BUDGETS if one <= crawl.looks[-1].downloads):
            for share in AT:
                at = FIRST_PLAN if share is None else share * budget
                look = next(one for one in crawl.looks if one.downloads >= at)
                if not usable(look) or look.downloads >= budget:
                    continue
                gained = int((crawl.found_at <= budget).sum()) - look.counts.found
                came = min(1.0, 1 - (look.left - gained) / crawl.total)
                yield PlanCase(crawl.web, look, budget, gained, came, crawl.total, share is None)


def plan_row(counts: RecallCounts, ahead: int) -> tuple[float, float, float, float]:
    """Return what a plan looks at."""
    return 1.0, log1p(counts.found), log1p(counts.rate * ahead), log1p(counts.by_yield)


def fitted_plans(crawls: Sequence[Crawled]) -> PlanLaw:
    """Fit the lines of plans."""
    cases = list(plan_cases(crawls))
    rows = np.array([plan_row(one.look.counts, one.budget - one.look.downloads) for one in cases])
    weights = even([one.web for one in cases])
    found = np.array([one.share * one.total for one in cases])
    left = np.array([one.total for one in cases]) - found
    odds = np.array([log((f + 0.5) / (m + 0.5)) for f, m in zip(found, left, strict=True)])
    pages = np.array([log1p(max(0, one.gained)) for one in cases])

    def lines(values: Column) -> tuple[PlanLine, PlanLine, PlanLine]:
        low, middle, high = (
            PlanLine(*quantile(rows, values, weights, share)) for share in (LOW, MIDDLE, HIGH)
        )
        return low, middle, high

    return PlanLaw(lines(odds), lines(pages))
