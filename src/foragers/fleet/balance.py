"""Relevance turned into energy so that, over all pages, gains and costs balance.

The sigmoid of `population`:

    f(r, R) = (G + C) / (1 + exp(−λ(r − R))) − C

between −C for pages far below the level R and G for pages far above it.  (The paper prints
r + R, which is not centred on R.)  R is the relevance of rank n* = n / (C/G + 1), ascending,
among the n pages collected so far: with C = 0.5 and G = 10 about one page in twenty gains.
The slope λ = 8 / min(R − r_min, r_max − R) lets the sigmoid saturate at the nearer end of
what was seen.  Where R *is* an end, as when most pages are not relevant at all, the slope
is without bound, and f the step that it approximates: −C up to R, G above.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import exp, inf

SATURATION = 8.0
"""The argument of the sigmoid at the nearer end of the range."""


@dataclass(slots=True)
class Balance:
    """The relevance of all pages so far, split at the rank n*: a new page costs a heap's push."""

    cost: float = 0.5
    gain: float = 10.0
    least: float = inf
    most: float = -inf
    _below: list[float] = field(default_factory=list, repr=False)
    _above: list[float] = field(default_factory=list, repr=False)

    def __len__(self) -> int:
        return len(self._below) + len(self._above)

    @property
    def rank(self) -> int:
        """The rank n* of the page whose relevance is the level, from 1."""
        n = len(self)
        return min(max(round(n / (self.cost / self.gain + 1)), 1), n)

    def add(self, relevance: float) -> None:
        """Take in a page."""
        self.least, self.most = min(self.least, relevance), max(self.most, relevance)
        if self._below and relevance <= -self._below[0]:
            heappush(self._below, -relevance)
        else:
            heappush(self._above, relevance)
        while len(self._below) < self.rank:
            heappush(self._below, -heappop(self._above))
        while len(self._below) > self.rank:
            heappush(self._above, -heappop(self._below))

    @property
    def level(self) -> float:
        """The relevance R from which on a page gains more than it costs, about."""
        return -self._below[0] if self._below else 0.0

    @property
    def slope(self) -> float:
        """The slope λ of the sigmoid at the level."""
        nearer = min(self.level - self.least, self.most - self.level) if self._below else 0.0
        return SATURATION / nearer if nearer > 0 else inf

    def energy(self, relevance: float) -> float:
        """Return the energy f(r, R) of a page."""
        above, slope = relevance - self.level, self.slope
        if slope == inf:
            return self.gain if above > 0 else -self.cost
        # Saturated well before exp could overflow.
        argument = min(max(slope * above, -500.0), 500.0)
        return (self.gain + self.cost) / (1 + exp(-argument)) - self.cost
