"""Capture and recapture: how many there are, from how often the same ones are met again.

Two samples that know nothing of each other hold n1 and n2, and m in common: Chapman's
estimate and its variance (Seber 1970).  One sample, or many, in which f1 were met once and
f2 twice: Chao's lower bound (1984, bias-corrected; its variance 1987).  Both say how many
were *never* met, so their intervals are log-normal above those that were.
"""

from __future__ import annotations

from math import sqrt

import msgspec

from foragers.exact import exp_of, log_of

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
