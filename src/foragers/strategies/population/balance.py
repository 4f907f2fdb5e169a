"""Relevance turned into energy so that, over all pages, gains and costs balance.

The sigmoid of `population`:

    f(r, R) = (G + C) / (1 + exp(−λ(r − R))) − C

between −C for pages far below the level R and G for pages far above it.  (The paper prints
r + R, which is not centred on R.)  R is the relevance of rank n* = n / (C/G + 1), ascending,
among the n pages collected so far: with C = 0.5 and G = 10 about one page in twenty gains.
The slope λ = 8 / min(R − r_min, r_max − R) lets the sigmoid saturate at the nearer end of
the range.

The paper asks for Σ f(r_i, R) = 0 and takes the R that would solve this if f were a step.  But
f is no step: if pages are dense below R and sparse above it, as with most measures of
relevance, the gains exceed the costs, by up to half of C per page.  After 100 pages the curve is
therefore shifted, without a change of its form, so that the sum is zero:

    f(r, R) = (G + C) / (1 + exp(−λ(r − R) + shift)) − C

The sum is taken over 512 evenly spaced ranks, and the shift is computed again whenever the
number of pages has grown by a twentieth.  R and λ stay those of the paper.  With `shifted` off the
curve is that of the paper, wherever its slope is finite.

Relevance is seldom as fine-grained as the paper assumes: most pages may have none, or a
third of them the same.  If the level is an end of the range (and the slope infinite), or
several of few pages share it, pages at the level get what balances the others:

    (C · pages below − G · pages above) / pages at the level, from −C to G

With two in a hundred pages relevant the rest pay 0.2 each and not C; with thirty in a hundred
equally relevant each of these gains 1.2 and not G; if all pages are equal no page gains or costs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

import numpy as np
from sortedcontainers import SortedList

from foragers.core.exact import exp_of, sigmoid
from foragers.strategies.population.settings import DEFAULT_POPULATION, BalanceSettings


@dataclass(slots=True)
class Balance:
    """The relevance of all pages so far, in order: a new page costs logarithmic time."""

    cost: float = 0.5
    gain: float = 10.0
    settings: BalanceSettings = field(default=DEFAULT_POPULATION.balance, repr=False)
    _ranked: SortedList = field(default_factory=SortedList, repr=False)
    _shift: float | None = field(default=None, repr=False)
    _next: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._next = self.settings.min_pages

    def __len__(self) -> int:
        return len(self._ranked)

    @property
    def relevances(self) -> list[float]:
        """The relevance of all pages so far, ascending."""
        return list(self._ranked)

    @property
    def rank(self) -> int:
        """The rank n* of the page whose relevance is the level, from 1."""
        n = len(self._ranked)
        return min(max(round(n / (self.cost / self.gain + 1)), 1), n)

    def add(self, relevance: float) -> None:
        """Add a page."""
        self._ranked.add(relevance)
        if self.settings.shifted and len(self._ranked) >= self._next:
            self._next = int(self.settings.growth * len(self._ranked)) + 1
            self._shift = self._balancing_shift()

    @property
    def level(self) -> float:
        """The relevance R from which on a page approximately gains more than it costs."""
        return float(self._ranked[self.rank - 1]) if self._ranked else 0.0

    @property
    def slope(self) -> float:
        """The slope λ of the sigmoid at the level."""
        if not self._ranked:
            return inf
        level = self.level
        nearer = min(level - self._ranked[0], self._ranked[-1] - level)
        return self.settings.saturation / nearer if nearer > 0 else inf

    def energy(self, relevance: float) -> float:
        """Return the energy f(r, R) of a page."""
        level, slope, shift = self.level, self.slope, self._shift
        if slope == inf and relevance != level:
            return self.gain if relevance > level else -self.cost
        if relevance == level and (slope == inf or (self.settings.shifted and shift is None)):
            below, above = self._beside(level)
            at = len(self._ranked) - below - above
            if at > 1 or slope == inf:
                return self._balancing(below, at, above)
        argument = slope * (relevance - level) - (shift or 0.0)
        most = self.settings.max_argument
        argument = min(max(argument, -most), most)
        return (self.gain + self.cost) / (1 + exp_of(-argument)) - self.cost

    def _balancing_shift(self) -> float:
        """Return the shift of the curve for which the sum of all energies is zero."""
        slope, n = self.slope, len(self._ranked)
        if slope == inf:
            return 0.0
        most, count = self.settings.max_argument, self.settings.ranks
        ranks = ((np.arange(count) + 0.5) * n / count).astype(int).tolist()
        values = np.array([self._ranked[rank] for rank in ranks])
        arguments = np.clip(slope * (values - self.level), -most, most)
        low, high = float(arguments.min()) - most, float(arguments.max()) + most
        wanted = self.cost / (self.gain + self.cost)
        for _ in range(self.settings.halvings):
            shift = (low + high) / 2
            moved = np.clip(arguments - shift, -most, most)
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
        """Return the energy of pages at the level for which the sum of all energies is zero."""
        if not at:
            return 0.0
        wanted = (self.cost * below - self.gain * above) / at
        return min(max(wanted, -self.cost), self.gain)
