"""Verdicts on claims that one thing is better than another.

Values that belong together (two crawls of the same site, two halves of one run) are compared pair
by pair.  Runs that share nothing but the number of their random seed are not: their means are
compared by Welch's t-test.  A paper has many claims, so the p of each is corrected for the number
of tests by Holm's method (`corrected`), over all verdicts of its page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from foragers.evaluation.metrics.significance import Difference, apart, holm, paired
from foragers.evaluation.tables import Verdict, number

CERTAIN = 0.05
"""A difference that chance alone would make more often than this is none that we speak of."""


def more(
    claim: str,
    ours: Sequence[float],
    theirs: Sequence[float],
    reason: str = "",
    *,
    world: str = "",
    pairs: bool = True,
) -> Verdict:
    """Judge the claim that the first values are larger than the second.

    It holds, or does not, if Student's t-test is certain enough of the sign; if not, it cannot be
    told from so many runs.  A single second value is a number to compare with.
    """
    return compared(claim, ours, theirs, reason, world, pairs, sign=1)


def less(
    claim: str,
    ours: Sequence[float],
    theirs: Sequence[float],
    reason: str = "",
    *,
    world: str = "",
    pairs: bool = True,
) -> Verdict:
    """Judge the claim that the first values are smaller than the second."""
    return compared(claim, ours, theirs, reason, world, pairs, sign=-1)


def compared(
    claim: str,
    ours: Sequence[float],
    theirs: Sequence[float],
    reason: str,
    world: str,
    pairs: bool,
    sign: int,
) -> Verdict:
    """Judge a claim by a test of the difference, which should have this sign."""
    single = len(theirs) == 1 and len(ours) > 1
    if single:  # what leaves nothing to chance was run once
        theirs = list(theirs) * len(ours)
    first, second = known(ours, theirs, together=pairs or single)
    if not len(first) or not len(second):
        why = reason or "no run was long enough, or found enough, for it"
        return Verdict(claim, None, "nothing to compare", why, world)
    found = paired(first, second) if pairs or single else apart(first, second)
    how = "one-sample t-test" if single else "paired t-test" if pairs else "Welch's t-test"
    holds = decided(found)
    told_ = told(float(np.mean(first)), float(np.mean(second)), found, how)
    return Verdict(claim, holds if holds is None else holds == (sign > 0), told_, reason, world,
                   found.p)  # fmt: skip


def known(
    ours: Sequence[float], theirs: Sequence[float], together: bool
) -> tuple[list[float], list[float]]:
    """Return the values that are numbers; of pairs, those of which both are."""
    if not together:
        return [one for one in ours if np.isfinite(one)], [
            one for one in theirs if np.isfinite(one)
        ]
    both = [
        (one, other)
        for one, other in zip(ours, theirs, strict=True)
        if np.isfinite(one) and np.isfinite(other)
    ]
    return [one for one, _ in both], [other for _, other in both]


def decided(found: Difference) -> bool | None:
    """Return whether a difference is above zero, or None if that is not certain."""
    if found.runs < 2 or found.mean == 0:
        return None
    if found.p is None or found.p < CERTAIN:
        return found.mean > 0
    return None


def told(first: float, second: float, found: Difference, how: str) -> str:
    """Return the means, the interval of their difference, and the test, in words."""
    means = f"{number(first)} against {number(second)}"
    if found.runs < 2:
        return f"{means}, one run"
    if found.p is None or found.low is None or found.high is None:
        return f"{means}, all differ alike, {found.runs} runs"
    interval = f"{number(found.low)} to {number(found.high)}"
    return f"{means}; difference {interval} (95 %), {how}, {found.runs} runs, p = {found.p:.2g}"


def alike(
    claim: str,
    ours: Sequence[float],
    theirs: Sequence[float],
    within: float,
    *,
    world: str = "",
    pairs: bool = True,
) -> Verdict:
    """Judge the claim that two things are about the same: their means within a share.

    No test is made: that a difference cannot be told from chance does not make it small.
    """
    first, second = float(np.mean(ours)), float(np.mean(theirs))
    found = paired(ours, theirs) if pairs else apart(ours, theirs)
    share = abs(first - second) / max(abs(first), abs(second), 1e-300)
    interval = ""
    if found.low is not None and found.high is not None:
        interval = f"; difference {number(found.low)} to {number(found.high)} (95 %)"
    statistic = f"{number(first)} against {number(second)}: {share:.0%} apart{interval}"
    return Verdict(claim, share <= within, statistic, world=world)


def on_world(verdicts: Sequence[Verdict], world: str) -> list[Verdict]:
    """Return verdicts that name the world on which they were found."""
    return [replace(verdict, world=world) for verdict in verdicts]


def corrected(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Return verdicts whose tests are corrected for their number, by Holm's method.

    Each gets its reason.
    """
    found = []
    tests = sum(one.p is not None for one in verdicts)
    for verdict, p in zip(verdicts, holm([one.p for one in verdicts]), strict=True):
        told = "; ".join(part for part in (verdict.reason, reason_of(verdict, p, tests)) if part)
        if p is None:
            found.append(replace(verdict, reason=told))
            continue
        holds = verdict.holds if p < CERTAIN else None
        statistic = f"{verdict.statistic}, corrected {p:.2g}"
        found.append(replace(verdict, holds=holds, statistic=statistic, reason=told))
    return found


def reason_of(verdict: Verdict, p: float | None, tests: int) -> str:
    """Return why a verdict is what it is, from its test; `p` is corrected for so many tests."""
    if p is None or verdict.p is None:
        if verdict.reason:
            return ""
        return "too few runs for a test" if verdict.holds is None else "by the numbers, no test"
    if verdict.holds is None:
        return "the difference may be chance"
    if p >= CERTAIN:
        return f"beyond chance alone, but not among {tests} tests"
    if verdict.holds:
        return f"beyond chance, also among {tests} tests"
    return f"the difference is the other way, also among {tests} tests"
