"""Verdicts on claims that one thing is better than another, from runs that share their seeds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from foragers.evaluation.metrics.significance import Difference, paired
from foragers.evaluation.tables import Verdict, number

CERTAIN = 0.05
"""A difference that chance alone would make more often than this is none that we speak of."""


def more(claim: str, ours: Sequence[float], theirs: Sequence[float], reason: str = "") -> Verdict:
    """Judge the claim that the first values are larger than the second.

    It holds, or does not, if Student's paired t-test is certain enough of the sign; if
    not, it cannot be told from so many runs.
    """
    if len(theirs) == 1:
        # What leaves nothing to chance was run once.
        theirs = list(theirs) * len(ours)
    known = [
        (one, other)
        for one, other in zip(ours, theirs, strict=True)
        if np.isfinite(one) and np.isfinite(other)
    ]
    if not known:
        return Verdict(claim, None, "nothing to compare", reason)
    found = paired([one for one, _ in known], [other for _, other in known])
    return Verdict(claim, decided(found), told(known, found), reason)


def less(claim: str, ours: Sequence[float], theirs: Sequence[float], reason: str = "") -> Verdict:
    """Judge the claim that the first values are smaller than the second."""
    found = more(claim, [-value for value in ours], [-value for value in theirs], reason)
    return Verdict(claim, found.holds, found.statistic.replace("−", ""), reason)


def decided(found: Difference) -> bool | None:
    """Return whether a difference is above zero, or None if that is not certain."""
    if found.runs < 2 or found.mean == 0:
        return None
    if found.p is None or found.p < CERTAIN:
        return found.mean > 0
    return None


def told(known: Sequence[tuple[float, float]], found: Difference) -> str:
    """Return the means and the test in words."""
    first, second = np.array(known).mean(axis=0).tolist()
    means = f"{signed(first)} against {signed(second)}"
    if found.runs < 2:
        return f"{means}, one run"
    p = "all pairs differ alike" if found.p is None else f"paired t-test p = {found.p:.2g}"
    return f"{means}, {p}, {found.runs} runs"


def signed(value: float) -> str:
    """Return a number with a true minus."""
    return f"−{number(-value)}" if value < 0 else number(value)


def alike(claim: str, ours: Sequence[float], theirs: Sequence[float], within: float) -> Verdict:
    """Judge the claim that two things are about the same: their means within a share."""
    first, second = float(np.mean(ours)), float(np.mean(theirs))
    found = paired(ours, theirs)
    apart = abs(first - second) / max(abs(first), abs(second), 1e-300)
    p = "" if found.p is None else f", paired t-test p = {found.p:.2g}"
    statistic = f"{number(first)} against {number(second)}: {apart:.0%} apart{p}"
    return Verdict(claim, apart <= within, statistic)
