"""The mean of a measure over several webs, and how sure it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp

import numpy as np

RESAMPLES = 2000

Gate = Callable[[str, "Mean", float], None]
"""Holds the mean of some webs against a floor."""


@dataclass(frozen=True)
class Mean:
    """A mean over webs, with its interval of 95 %.

    The interval is that of a bootstrap: the webs are drawn again, with repetition.
    """

    value: float
    low: float
    high: float
    count: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Mean:
        """Return the mean of what was measured on each web."""
        found = np.array(values, np.float64)
        draws = np.random.default_rng(0).integers(0, len(found), (RESAMPLES, len(found)))
        low, high = np.quantile(found[draws].mean(axis=1), (0.025, 0.975))
        return cls(float(found.mean()), float(low), float(high), len(found))

    @classmethod
    def of_ratios(cls, ratios: Sequence[float]) -> Mean:
        """Return the geometric mean of how many times as much was found on each web."""
        mean = cls.of(np.log(ratios).tolist())
        return cls(exp(mean.value), exp(mean.low), exp(mean.high), mean.count)

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}] over {self.count}"

    def hold(self, name: str, floor: float) -> None:
        """Say what was measured if that is below a floor."""
        assert self.value >= floor, f"{name}: {self}, floor {floor:g}"
