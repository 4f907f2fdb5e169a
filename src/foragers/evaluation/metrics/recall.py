"""Capture and recapture: how many there are, from how often the same ones are met again.

Two samples that know nothing of each other hold n1 and n2, and m in common: Chapman's
estimate and its variance (Seber 1970).  One sample, or many, in which f1 were met once and
f2 twice: Chao's lower bound (1984, bias-corrected; its variance 1987).  Both say how many
were *never* met, so their intervals are log-normal above those that were.

How many relevant pages there are within reach, and what share of them has been found.

Two accounts of what is left go into one estimate:

- by *yield*: what waits, times the relevant pages a download has brought lately;
- by *capture*: relevant pages that neither of two samples of sightings has met (Chapman).

Either alone is wrong by a large factor, in one direction here and in the other there.  The law
that joins them, and the factors by which it errs nine times out of ten, were fitted on
recorded and generated webs (docs/stopping.md).  So the interval says how such estimates
have turned out, not how they would if pages were balls in an urn.
"""

from __future__ import annotations

from math import sqrt

import msgspec
import numpy as np
from msgspec.structs import replace

from foragers.core.exact import exp_of, expm1_of, log1p_of, log_of
from foragers.evaluation.metrics.sightings import AGENTS, HALVES, SOME, Lately, Sightings
from foragers.http.causes import LeftOut

Z90 = 1.6448536269514722
"""A normal variable is within so many deviations nine times out of ten."""


class Count(msgspec.Struct, frozen=True):
    """How many there are: an estimate, and the ends of its 90 % interval."""

    value: float
    low: float
    high: float


def chapman(one: int, other: int, both: int) -> Count:
    """Estimate how many there are from two samples and what they have in common."""
    value = (one + 1) * (other + 1) / (both + 1) - 1
    variance: float = (one + 1) * (other + 1) * (one - both) * (other - both)
    variance /= (both + 1) ** 2 * (both + 2)
    return above(one + other - both, value, variance)


def chao(seen: int, once: int, twice: int) -> Count:
    """Estimate from below how many there are, given how many were met at all, once and twice."""
    missed = once * (once - 1) / (2 * (twice + 1))
    variance = missed
    variance += once * (2 * once - 1) ** 2 / (4 * (twice + 1) ** 2)
    variance += once**2 * twice * max(0, once - 1) ** 2 / (4 * (twice + 1) ** 4)
    return above(seen, seen + missed, variance)


def above(seen: int, value: float, variance: float) -> Count:
    """Return an interval for a count that is at least what was seen (Chao 1987)."""
    missed = value - seen
    if missed <= 0:
        return Count(value, float(seen), max(value, float(seen)))
    factor = exp_of(Z90 * sqrt(log_of(1 + variance / (missed * missed))))
    return Count(value, seen + missed / factor, seen + missed * factor)


FEWEST = 5
"""With fewer relevant pages nothing can be said of those to come."""
MOST_LEFT_OUT = 0.1
"""With more pages left out by failures and trap rules, as a share of those received, nothing can
be said of what there is: as much may lie among them."""
BOTH_MATTER = 0.2
"""Agents are two samples if the smaller one has this share of the pages."""


class RecallCounts(msgspec.Struct, frozen=True):
    """Pages found, addresses that wait, and two accounts of what is left to find."""

    found: int
    waiting: int
    by_yield: float
    by_capture: float
    by_agents: float | None = None
    pages: int = 0
    trapped: int = 0
    failed: int = 0
    barred: int = 0

    @property
    def is_cut_short(self) -> bool:
        """Whether so much was left out that what is within reach says little."""
        return self.trapped + self.failed > MOST_LEFT_OUT * self.pages


class Law(msgspec.Struct, frozen=True):
    """Weights for the logarithms of the parts, and how far the truth is from it, in logarithms.

    With a `narrow` interval a crawl can wait for its lower end before it calls a recall reached.
    """

    base: float
    by_yield: float
    found: float
    by_capture: float
    low: float
    middle: float
    high: float
    narrow: bool = False

    def left(self, parts: RecallCounts, off: float) -> float:
        """Return how many are left to find, if the law is that far off."""
        return max(0.0, expm1_of(min(self.expected(parts) + off, 40.0)))

    def expected(self, parts: RecallCounts) -> float:
        """Return the logarithm of 1 plus the number that are left."""
        return (
            self.base
            + self.by_yield * log1p_of(parts.by_yield)
            + self.found * log1p_of(parts.found)
            + self.by_capture * log1p_of(parts.by_capture)
        )


FITTED = Law(1.434, 0.775, -0.229, 0.11, -3.291, 0.358, 2.812)
"""As `python -m benchmarks stopping` fits it on all its webs, for any strategy."""
BY_STRATEGY = {"auto": Law(-2.22, 0.979, 0.018, 0.157, -2.585, -0.291, 2.942, narrow=True)}
"""Laws of strategies that find things sooner than most, so that what waits holds less."""


def law_of(strategy: str) -> Law:
    """Return the law for the crawls of a strategy, named with its parameters or without."""
    return BY_STRATEGY.get(strategy.partition("(")[0].strip(), FITTED)


class Estimate(msgspec.Struct, frozen=True):
    """Relevant pages found, and how many there are within reach: estimate and 90 % interval.

    Without a total it cannot be told, and `withheld` says why.  It counts what the judge lets
    pass: `wanted` says what that is, and `found` of the `pages` received have passed.  Known
    pages that were not had are not counted: `trapped` by trap rules, `failed`, and `barred` by
    robots.txt, scope or limits.  `by_…` are totals by one account alone.
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

    def reaches(self, recall: float, law: Law = FITTED) -> bool:
        """Say whether that share of all there is has been found: at least, or by the estimate."""
        reached = self.recall_low if law.narrow else self.recall
        return reached is not None and reached >= recall

    @property
    def recall_said(self) -> str:
        """The share that was found."""
        return "–" if self.recall is None else f"{self.recall:.0%}"

    @property
    def total_said(self) -> str:
        """How many there are within reach."""
        if self.total is None or self.high is None:
            return f"cannot be estimated: {self.withheld or 'too little is known yet'}"
        if not self.waiting:
            return f"of {self.found:,} reachable: no page is waiting"
        return f"of about {self.total:,.0f} reachable ({self.low:,.0f}–{self.high:,.0f})"

    @property
    def basis_said(self) -> str:
        """What the estimate rests on: what passes the judge, and what is out of reach."""
        if not self.pages:
            return "no page was received"
        said = f"pages accepted by {self.wanted or 'the judge'}: {self.found:,} of"
        said += f" {self.pages:,} pages so far"
        return f"{said}; not counted: {left}" if (left := self.left_out_said) else said

    @property
    def left_out_said(self) -> str:
        """How many known pages were not had, and why."""
        return left_out_said(self.trapped, self.failed, self.barred)

    def __str__(self) -> str:
        if self.total is None or self.high is None:
            return f"found {self.found:,}; the total {self.total_said}"
        if not self.waiting:
            return f"found all {self.found:,} reachable"
        interval = f"{self.low:,.0f}–{self.high:,.0f}"
        said = f"found {self.found:,} of about {self.total:,.0f} ({interval})"
        return f"{said}, recall {self.recall_said}"


def estimate(seen: Sightings, law: Law = FITTED) -> Estimate:
    """Estimate from all that was seen so far."""
    return combined(parts_of(seen), law)


def combined(parts: RecallCounts, law: Law = FITTED) -> Estimate:
    """Join the accounts of what is left; where nothing waits, nothing is left."""
    told = within_reach(parts, law)
    return replace(
        told, pages=parts.pages, trapped=parts.trapped, failed=parts.failed, barred=parts.barred
    )


def within_reach(parts: RecallCounts, law: Law) -> Estimate:
    """Return the estimate, or why there is none."""
    found = parts.found
    if parts.is_cut_short:
        said = left_out_said(parts.trapped, parts.failed)
        return Estimate(found, low=found, waiting=parts.waiting, withheld=said)
    if not parts.waiting:
        share = 1.0 if found else None
        return Estimate(found, found, found, found, share, share, share)
    if found < FEWEST:
        said = f"fewer than {FEWEST} relevant pages found"
        return Estimate(found, low=found, waiting=parts.waiting, withheld=said)
    low, total, high = (found + law.left(parts, off) for off in (law.low, law.middle, law.high))
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
    )


def parts_of(seen: Sightings) -> RecallCounts:
    """Return what an estimate is made of."""
    rate = sqrt(smooth(seen.short, seen.tried) * smooth(seen.long, seen.tried))
    by_yield = seen.waiting * rate
    trapped, failed, barred = (seen.left_out[why] for why in LeftOut)
    return RecallCounts(
        len(seen.found),
        seen.waiting,
        by_yield,
        by_capture(seen),
        by_agents(seen),
        seen.pages,
        trapped,
        failed,
        barred,
    )


def left_out_said(trapped: int, failed: int, barred: int = 0) -> str:
    """Say how many known pages were not had, and why."""
    parts = (
        (trapped, "by trap rules"),
        (failed, "by failures"),
        (barred, "by robots.txt, scope or limits"),
    )
    some = [(count, why) for count, why in parts if count]
    said = [f"{count:,} {why}" for count, why in some[1:]]
    if some:
        count, why = some[0]
        said.insert(0, f"{count:,} known page{'s' * (count > 1)} left out {why}")
    return ", ".join(said)


def smooth(lately: Lately, tried: int) -> float:
    """Return the yield of late, which is never nothing: the next download may find one."""
    return lately.found + 1.0 / (lately.share * tried + SOME)


def by_capture(seen: Sightings, bits: tuple[int, int] = HALVES) -> float:
    """Return how many relevant pages neither of two samples of sightings has met."""
    one, other, both = samples(seen, bits)
    return max(0.0, chapman(one, other, both).value - (one + other - both))


def by_agents(seen: Sightings) -> float | None:
    """Return the same for two samples of agents, if there are agents on both sides."""
    enough = BOTH_MATTER * sum(seen.pages_by_agents)
    return by_capture(seen, AGENTS) if min(seen.pages_by_agents) > enough else None


def samples(seen: Sightings, bits: tuple[int, int] = HALVES) -> tuple[int, int, int]:
    """Return how many of the relevant pages either of two samples has met, and how many both."""
    # A copy: an array with a view on it cannot grow.
    marks = seen.marks[np.array(seen.found, np.int64)]
    one, other = marks & bits[0] > 0, marks & bits[1] > 0
    return int(one.sum()), int(other.sum()), int((one & other).sum())
