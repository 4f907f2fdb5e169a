"""The law behind the estimate of what is left to find, fitted to looks at many crawls."""

from __future__ import annotations

from collections.abc import Sequence
from math import log1p
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foragers.evaluation.metrics.recall import FEWEST, Count, Law, RecallCounts

SLACK = 0.05
"""So many residuals lie beyond either end of the interval."""

Column = NDArray[np.float64]


class Case(NamedTuple):
    """One look at one crawl: what was seen, and how many relevant pages were left to find."""

    world: str
    strategy: str
    aim: str
    share: float
    parts: RecallCounts
    left: int
    chapman: Count
    chao: Count


def usable(cases: Sequence[Case]) -> list[Case]:
    """Return the cases in which there is something to estimate."""
    return [case for case in cases if case.parts.waiting and case.parts.found >= FEWEST]


def fitted(cases: Sequence[Case]) -> Law:
    """Fit the law, each web counting the same; its ends come from webs left out in turn."""
    names = sorted({case.world for case in cases})
    off = {}
    for name in names if len(names) > 1 else []:
        weights = solved([case for case in cases if case.world != name])
        off[name] = residuals([case for case in cases if case.world == name], weights)
    # As many from each web, evenly over its distribution.
    even = np.linspace(0, 1, 501)
    pooled = np.concatenate([np.quantile(one, even) for one in off.values()])
    ends = np.quantile(pooled, (SLACK, 0.5, 1 - SLACK))
    base, *slopes = (round(float(number), 3) for number in (*solved(cases), *ends))
    by_yield, found, by_capture, low, middle, high = slopes
    return Law(base, by_yield, found, by_capture, low, middle, high)


def columns(cases: Sequence[Case]) -> tuple[Column, Column]:
    """Return what the law looks at, and what it is to tell."""
    rows = [
        (1.0, log1p(one.by_yield), log1p(one.found), log1p(one.by_capture))
        for one in (case.parts for case in cases)
    ]
    return np.array(rows), np.array([log1p(case.left) for case in cases])


def solved(cases: Sequence[Case]) -> Column:
    """Return the weights of least squares, each web counting the same."""
    looked, left = columns(cases)
    names = [case.world for case in cases]
    weights = np.array([1 / names.count(name) for name in names]) * len(names)
    weighted = looked * weights[:, None]
    ridge = np.eye(looked.shape[1])
    return np.asarray(np.linalg.solve(looked.T @ weighted + ridge, weighted.T @ left))


def residuals(cases: Sequence[Case], weights: Column) -> Column:
    """Return how far off a law is."""
    looked, left = columns(cases)
    return np.asarray(left - looked @ weights)
