"""What all crawls of `population` came to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from foragers.exhibits.automata_webs import Ground
from foragers.exhibits.population_crawls import MARKS, Trace, downloads_at
from foragers.exhibits.population_paper import AGENTS, LOWER, PAGES, UPPER

Floats = NDArray[np.float64]
FEWEST_AGENTS = 20


@dataclass(frozen=True)
class Bounds:
    """How many agents begin, and between which numbers a population is kept."""

    agents: int
    least: int
    most: int

    @classmethod
    def of(cls, ground: Ground) -> Bounds:
        """Return the paper's, or the same share of them as of its 25,000 pages."""
        share = min(1.0, ground.budget / PAGES)
        agents = max(FEWEST_AGENTS, round(AGENTS * share))
        return cls(agents, round(agents * LOWER / AGENTS), round(agents * UPPER / AGENTS))


@dataclass(frozen=True)
class Results:
    """The traces of each crawler, one a run, in the same order of grounds."""

    grounds: Sequence[Ground]
    traces: Mapping[str, Sequence[Trace]]
    rhos: Mapping[str, Sequence[float]]

    @property
    def marks(self) -> list[int]:
        """The downloads at which crawls are looked at, as on the first ground."""
        return downloads_at(self.grounds[0].budget)

    def populations(self, crawler: str) -> Floats:
        """Return agents alive at each mark, a row a run."""
        return np.array([trace.population for trace in self.traces[crawler]], float)

    def precisions(self, crawler: str) -> Floats:
        """Return precision at each mark, a row a run."""
        traces = self.traces[crawler]
        return np.array([[trace.precision(mark) for mark in range(MARKS)] for trace in traces])

    def finals(self, crawler: str) -> list[float]:
        """Return agents alive at the end, for each run."""
        return [float(trace.final) for trace in self.traces[crawler]]

    def at(self, crawler: str, share: float) -> list[float]:
        """Return the precision of each run after a share of its pages."""
        found: list[float] = self.precisions(crawler)[:, round(MARKS * share) - 1].tolist()
        return found
