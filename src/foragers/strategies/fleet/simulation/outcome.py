"""The outcome of a simulated fleet: a record of its steps, and their summary."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np

from foragers.core.types import Ids, UrlId
from foragers.strategies.fleet.simulation.territory import TerritoryTally
from foragers.strategies.fleet.simulation.windows import Finds, ScoreTally, StepRecord, WindowTally
from foragers.strategies.population.population import LifeEvent


class Record(Protocol):
    """Records every step of a fleet."""

    def path(self, forager: int) -> None:
        """Record that the next step is the first of a path."""
        ...

    def add(self, step: StepRecord) -> None:
        """Keep a step."""
        ...

    def stand(self, forager: int, moment: float, url: UrlId, page: int) -> None:
        """Record a step of one download, without a page that was sent."""
        ...


class NewStart(NamedTuple):
    """A URL that was added to the starting list of a forager."""

    time: float
    forager: int
    url: UrlId


@dataclass
class FleetRun:
    """The outcome of a simulation; `lives` are births and deaths, `discovered` the order of URLs.

    `kinds` has the kind of every forager, `paths` the last finished path of each, and `lengths` the
    number of finished paths of each number of pages.
    """

    start: float
    end: float
    downloaded: int
    sent: int
    steps: int
    windows: list[WindowTally]
    scores: list[ScoreTally]
    finds: Finds
    lives: list[LifeEvent]
    kinds: dict[int, str]
    discovered: Ids
    starts: list[NewStart] = field(default_factory=list)
    territory: list[TerritoryTally] = field(default_factory=list)
    paths: dict[int, list[UrlId]] = field(default_factory=dict)
    lengths: Counter[int] = field(default_factory=Counter)

    @property
    def relevant(self) -> int:
        """The number of relevant documents found."""
        return len(self.finds)

    @property
    def found_urls(self) -> int:
        """The number of different URLs fetched."""
        return int(np.count_nonzero(self.discovered >= 0))
