"""Relevance turned into energy so that, over all pages, gains and costs balance.

The sigmoid of `population`:

    f(r, R) = (G + C) / (1 + exp(−λ(r − R))) − C

between −C for pages far below the level R and G for pages far above it.  (The paper prints
r + R, which is not centred on R.)  R is the relevance of rank n* = n / (C/G + 1), ascending,
among the n pages collected so far: with C = 0.5 and G = 10 about one page in twenty gains.
The slope λ = 8 / min(R − r_min, r_max − R) lets the sigmoid saturate at the nearer end of
what was seen.

The paper asks for Σ f(r_i, R) = 0 and takes for R what would solve this if f were a step.  The
curve is none: where pages are dense below R and thin above it, as with most measures of
relevance, it gives more than it takes, up to half of C a page.  With `ENOUGH` pages to tell
by, the curve is therefore moved, without changing its form, to where the sum is nothing:

    f(r, R) = (G + C) / (1 + exp(−λ(r − R) + shift)) − C

The sum is taken over 512 evenly spaced ranks, and the shift found again whenever the
history has grown by a twentieth.  R and λ stay those of the paper.

Relevance is seldom as fine as the paper's reasoning wants it: most pages may have none, or a
third of them the same.  Where the level is an end of the range (and the slope without bound), or
several of few pages share it, pages at the level get what balances the others:

    (C · pages below − G · pages above) / pages at the level, from −C to G

With two in a hundred pages relevant the rest pay 0.2 each and not C; with thirty in a hundred
equally relevant each of these gains 1.2 and not G; if all pages are alike nobody gains or pays.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

import numpy as np
from sortedcontainers import SortedList

from foragers.core.exact import exp_of, sigmoid

SATURATION = 8.0
"""The argument of the sigmoid at the nearer end of the range."""
STEEPEST = 500.0
"""Saturated well before exp could overflow."""
ENOUGH = 100
"""With fewer pages there is nothing to tell a shift by."""
RANKS = 512
"""The sum of all energies is told by so many pages at even distances of rank."""
GROWTH = 1.05
HALVINGS = 40


@dataclass(slots=True)
class Balance:
    """The relevance of all pages so far, in order: a new page costs logarithmic time."""

    cost: float = 0.5
    gain: float = 10.0
    _ranked: SortedList = field(default_factory=SortedList, repr=False)
    _shift: float | None = field(default=None, repr=False)
    _next: int = field(default=ENOUGH, repr=False)

    def __len__(self) -> int:
        return len(self._ranked)

    @property
    def rank(self) -> int:
        """The rank n* of the page whose relevance is the level, from 1."""
        n = len(self._ranked)
        return min(max(round(n / (self.cost / self.gain + 1)), 1), n)

    def add(self, relevance: float) -> None:
        """Take in a page."""
        self._ranked.add(relevance)
        if len(self._ranked) >= self._next:
            self._next = int(GROWTH * len(self._ranked)) + 1
            self._shift = self._balancing_shift()

    @property
    def level(self) -> float:
        """The relevance R from which on a page gains more than it costs, about."""
        return float(self._ranked[self.rank - 1]) if self._ranked else 0.0

    @property
    def slope(self) -> float:
        """The slope λ of the sigmoid at the level."""
        if not self._ranked:
            return inf
        level = self.level
        nearer = min(level - self._ranked[0], self._ranked[-1] - level)
        return SATURATION / nearer if nearer > 0 else inf

    def energy(self, relevance: float) -> float:
        """Return the energy f(r, R) of a page."""
        level, slope, shift = self.level, self.slope, self._shift
        if slope == inf and relevance != level:
            return self.gain if relevance > level else -self.cost
        if relevance == level and (shift is None or slope == inf):
            below, above = self._beside(level)
            at = len(self._ranked) - below - above
            if at > 1 or slope == inf:
                return self._balancing(below, at, above)
        argument = slope * (relevance - level) - (shift or 0.0)
        argument = min(max(argument, -STEEPEST), STEEPEST)
        return (self.gain + self.cost) / (1 + exp_of(-argument)) - self.cost

    def _balancing_shift(self) -> float:
        """Return how far the curve is to be moved for all energies to come to nothing."""
        slope, n = self.slope, len(self._ranked)
        if slope == inf:
            return 0.0
        places = ((np.arange(RANKS) + 0.5) * n / RANKS).astype(int).tolist()
        values = np.array([self._ranked[place] for place in places])
        arguments = np.clip(slope * (values - self.level), -STEEPEST, STEEPEST)
        low, high = float(arguments.min()) - STEEPEST, float(arguments.max()) + STEEPEST
        wanted = self.cost / (self.gain + self.cost)
        for _ in range(HALVINGS):
            shift = (low + high) / 2
            moved = np.clip(arguments - shift, -STEEPEST, STEEPEST)
            if float(np.mean(sigmoid(moved))) > wanted:
                low = shift
            else:
                high = shift
        return (low + high) / 2

    def _beside(self, level: float) -> tuple[int, int]:
        """Return how many pages are below and above the level."""
        ranked = self._ranked
        return ranked.bisect_left(level), len(ranked) - ranked.bisect_right(level)

    def _balancing(self, below: int, at: int, above: int) -> float:
        """Return what pages at the level get, so that all gains and costs come to nothing."""
        if not at:
            return 0.0
        wanted = (self.cost * below - self.gain * above) / at
        return min(max(wanted, -self.cost), self.gain)
