"""Estimates of the number of relevant pages within reach, and of the share found.

**Capture and recapture** estimates a number from how often the same ones are met again. Two
independent samples have n1 and n2 members, and m in common: Chapman's estimate and its variance
(Seber 1970).  One sample, or many, in which f1 were met once and f2 twice: Chao's lower bound
(1984, bias-corrected; its variance 1987).  Both estimate how many were *never* met, so their
intervals are log-normal above those that were.

Two parts are combined to one estimate of the pages left to find:

- by *yield*: the number of waiting pages, times the recent relevant pages per download; URLs on
  hosts that were requested and have given no page do not count;
- by *capture*: relevant pages that neither of two samples of sightings has met (Chapman).

Each alone is wrong by a large factor, in one direction on some webs and in the other on others.
The lines fitted on recorded webs are in `laws` and `fitted`.
"""

from __future__ import annotations

from math import sqrt

import msgspec
import numpy as np
from msgspec.structs import replace

from foragers.core.exact import exp_of, log_of
from foragers.evaluation.metrics.fitted import FITTED
from foragers.evaluation.metrics.laws import Law, RecallCounts
from foragers.evaluation.metrics.plan import BudgetPlan, Planned
from foragers.evaluation.metrics.sightings import AGENTS, HALVES, SOME, Lately, Sightings
from foragers.http.causes import LeftOut

Z90 = 1.6448536269514722
"""A normal variable is within this many deviations nine times out of ten."""


class Count(msgspec.Struct, frozen=True):
    """A number: an estimate, and the ends of its 90 % interval."""

    value: float
    low: float
    high: float


def chapman(first: int, second: int, both: int) -> Count:
    """Estimate a number from two samples and their common members."""
    value = (first + 1) * (second + 1) / (both + 1) - 1
    variance: float = (first + 1) * (second + 1) * (first - both) * (second - both)
    variance /= (both + 1) ** 2 * (both + 2)
    return above(first + second - both, value, variance)


def chao(seen: int, once: int, twice: int) -> Count:
    """Estimate a lower bound of a number, given how many were met at all, once and twice."""
    missed = once * (once - 1) / (2 * (twice + 1))
    variance = missed
    variance += once * (2 * once - 1) ** 2 / (4 * (twice + 1) ** 2)
    variance += once**2 * twice * max(0, once - 1) ** 2 / (4 * (twice + 1) ** 4)
    return above(seen, seen + missed, variance)


def above(seen: int, value: float, variance: float) -> Count:
    """Return an interval for a count that is at least the number seen (Chao 1987)."""
    missed = value - seen
    if missed <= 0:
        return Count(value, float(seen), max(value, float(seen)))
    factor = exp_of(Z90 * sqrt(log_of(1 + variance / (missed * missed))))
    return Count(value, seen + missed / factor, seen + missed * factor)


FEWEST = 5
"""With fewer relevant pages no estimate is made."""
LEAST_SURE = 0.85
"""A crawl that is to stop at a lower recall stops at this one: at 0.8, one of six stopped too
early on webs left out (docs/stopping.md)."""
BOTH_MATTER = 0.2
"""Agents are two samples if the smaller one has this share of the pages."""


class Estimate(msgspec.Struct, frozen=True):
    """Relevant pages found, and the number within reach: estimate and 90 % interval.

    Without a total there is no estimate, and `withheld` says why.  It counts the pages that the
    judge accepts: `wanted` describes them, and `found` of the `pages` received were accepted.
    Known pages that were not fetched are not counted: `trapped` by trap rules, `failed`, and
    `barred` by robots.txt, scope or limits.  Of the waiting URLs, `silent` are on hosts that have
    given no page.  `by_…` are totals by one part alone.  `recall_sure` is the recall that nine of
    ten crawls had reached that stopped by it.  `plans` are about the budget and twice the budget,
    `planned` compares earlier plans with what was found.
    """

    found: int = 0
    total: float | None = None
    low: float = 0.0
    high: float | None = None
    recall: float | None = None
    recall_low: float | None = None
    recall_high: float | None = None
    waiting: int = 0
    by_yield: float | None = None
    by_capture: float | None = None
    by_agents: float | None = None
    withheld: str = ""
    wanted: str = ""
    pages: int = 0
    trapped: int = 0
    failed: int = 0
    barred: int = 0
    silent: int = 0
    recall_sure: float | None = None
    plans: tuple[BudgetPlan, ...] = ()
    planned: tuple[Planned, ...] = ()

    def reaches(self, recall: float) -> bool:
        """Say whether this share has been found with enough certainty to stop."""
        return self.recall_sure is not None and self.recall_sure >= max(recall, LEAST_SURE)

    @property
    def recall_said(self) -> str:
        """The share found, as text."""
        return "–" if self.recall is None else f"{self.recall:.0%}"

    @property
    def total_said(self) -> str:
        """The number within reach, as text."""
        if self.total is None or self.high is None:
            return f"cannot be estimated: {self.withheld or 'too little is known yet'}"
        if not self.waiting:
            return f"of {self.found:,} reachable: no page is waiting"
        return f"of about {self.total:,.0f} reachable ({self.low:,.0f}–{self.high:,.0f})"

    @property
    def basis_said(self) -> str:
        """The basis of the estimate: the pages accepted, and those out of reach."""
        if not self.pages:
            return "no page was received"
        text = f"pages accepted by {accepted_by(self.wanted)}: {self.found:,} of"
        text += f" {self.pages:,} pages so far"
        if self.silent:
            text += f"; {self.silent:,} URLs wait on hosts that gave no page"
        return f"{text}; not counted: {left}" if (left := self.left_out_said) else text

    @property
    def left_out_said(self) -> str:
        """The number of known pages that were not fetched, and why."""
        return left_out_said(self.trapped, self.failed, self.barred)

    def __str__(self) -> str:
        if self.total is None or self.high is None:
            return f"found {self.found:,}; the total {self.total_said}"
        if not self.waiting:
            return f"found all {self.found:,} reachable"
        interval = f"{self.low:,.0f}–{self.high:,.0f}"
        text = f"found {self.found:,} of about {self.total:,.0f} ({interval})"
        return f"{text}, recall {self.recall_said}"


def estimate(seen: Sightings, law: Law = FITTED) -> Estimate:
    """Estimate from all sightings so far."""
    return combined(parts_of(seen), law)


def combined(parts: RecallCounts, law: Law = FITTED) -> Estimate:
    """Combine the parts of the estimate; without waiting pages, nothing is left."""
    estimated = within_reach(parts, law)
    return replace(
        estimated,
        pages=parts.pages,
        trapped=parts.trapped,
        failed=parts.failed,
        barred=parts.barred,
        silent=parts.silent,
    )


def within_reach(parts: RecallCounts, law: Law) -> Estimate:
    """Return the estimate, or why there is none."""
    found = parts.found
    if parts.is_cut_short:
        withheld = left_out_said(parts.trapped, parts.failed)
        return Estimate(found, low=found, waiting=parts.waiting, withheld=withheld)
    if not parts.waiting:
        share = 1.0 if found else None
        return Estimate(found, found, found, found, share, share, share, recall_sure=share)
    if found < FEWEST:
        withheld = f"fewer than {FEWEST} relevant pages found"
        return Estimate(found, low=found, waiting=parts.waiting, withheld=withheld)
    low, total, high = (found + left for left in law.left(parts))
    return Estimate(
        found=found,
        total=total,
        low=low,
        high=high,
        recall=found / total,
        recall_low=found / high,
        recall_high=found / low,
        waiting=parts.waiting,
        by_yield=found + parts.by_yield,
        by_capture=found + parts.by_capture,
        by_agents=None if parts.by_agents is None else found + parts.by_agents,
        recall_sure=found / (found + law.enough.left(parts)),
    )


def parts_of(seen: Sightings) -> RecallCounts:
    """Return the parts of an estimate."""
    rate = sqrt(smooth(seen.short, seen.tried) * smooth(seen.long, seen.tried))
    silent = seen.waiting_in_vain()
    trapped, failed, barred = (seen.left_out[why] for why in LeftOut)
    return RecallCounts(
        found=len(seen.found),
        waiting=seen.waiting,
        by_yield=(seen.waiting - silent) * rate,
        by_capture=by_capture(seen),
        by_agents=by_agents(seen),
        pages=seen.pages,
        trapped=trapped,
        failed=failed,
        barred=barred,
        silent=silent,
        rate=rate,
        downloads=seen.downloads,
        to_come=(seen.waiting - silent) * smooth(seen.received, seen.tried),
        mostly_by=seen.mostly_by,
    )


NOUNS = {
    "judged by ": "",
    "like the examples in ": "the examples in ",
    "labelled ": "the labels ",
    "new within ": "an age within ",
    "documents: ": "the types ",
    "in ": "the languages ",
}
"""How an aim begins, and how it begins after *by*."""


def accepted_by(wanted: str) -> str:
    """Return who accepts the pages that are wanted, as words after *accepted by*."""
    for begin, noun in NOUNS.items():
        if wanted.startswith(begin):
            return noun + wanted.removeprefix(begin)
    return wanted or "the judge"


def left_out_said(trapped: int, failed: int, barred: int = 0) -> str:
    """Return how many known pages were not fetched, and why."""
    parts = (
        (trapped, "by trap rules"),
        (failed, "by failures"),
        (barred, "by robots.txt, scope or limits"),
    )
    nonzero = [(count, why) for count, why in parts if count]
    parts_of_text = [f"{count:,} {why}" for count, why in nonzero[1:]]
    if nonzero:
        count, why = nonzero[0]
        parts_of_text.insert(0, f"{count:,} known page{'s' * (count > 1)} left out {why}")
    return ", ".join(parts_of_text)


def smooth(lately: Lately, tried: int) -> float:
    """Return the recent yield, which is never zero: the next download may find a page."""
    return lately.found + 1.0 / (lately.share * tried + SOME)


def by_capture(seen: Sightings, bits: tuple[int, int] = HALVES) -> float:
    """Return the number of relevant pages that neither of two samples of sightings has met."""
    first, second, both = samples(seen, bits)
    return max(0.0, chapman(first, second, both).value - (first + second - both))


def by_agents(seen: Sightings) -> float | None:
    """Return the same for two samples of agents, if both have agents."""
    enough = BOTH_MATTER * sum(seen.pages_by_agents)
    return by_capture(seen, AGENTS) if min(seen.pages_by_agents) > enough else None


def samples(seen: Sightings, bits: tuple[int, int] = HALVES) -> tuple[int, int, int]:
    """Return how many relevant pages each of two samples has met, and how many both."""
    # A copy, since an array with a view on it cannot grow.
    marks = seen.marks[np.array(seen.found, np.int64)]
    first, second = marks & bits[0] > 0, marks & bits[1] > 0
    return int(first.sum()), int(second.sum()), int((first & second).sum())
