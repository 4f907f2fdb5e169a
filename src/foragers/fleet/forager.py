"""A forager: walks from page to page, and remembers where walks were worth it.

The reinforcing agent keeps the score; everything else here is the forager's own.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from foragers.fleet.growing import Marks, Places, States
from foragers.fleet.learning import td_update
from foragers.fleet.path import Path
from foragers.fleet.settings import FleetSettings
from foragers.fleet.weblog import Weblog
from foragers.types import Ids, UrlId

Floats = NDArray[np.float64]


@dataclass(slots=True, eq=False)
class Forager:
    """One forager: `sent` are the pages that it has sent to the reinforcing agent."""

    number: int
    settings: FleetSettings
    weblog: Weblog
    weights: Floats
    score: float
    parent: int = -1
    path: Path = field(default_factory=Path)
    sent: Marks = field(default_factory=Marks)
    until: float = 0.0
    debt: float = 0.0
    paths: int = 0
    steps: int = field(init=False)
    _state: Floats | None = None

    def __post_init__(self) -> None:
        self.steps = self.settings.pages_a_path

    @property
    def name(self) -> str:
        """Its kind and number."""
        return f"{self.settings.kind}-{self.number}"

    @property
    def goes_on(self) -> bool:
        """Whether the path may have another step after those begun."""
        return len(self.path.urls) < self.steps

    @property
    def at_end(self) -> bool:
        """Whether a new path is to be started (Algorithm 11), since this one is done or stuck."""
        path = self.path
        return not path.waiting or len(path.urls) >= self.steps

    def choose(self, rng: np.random.Generator) -> tuple[UrlId, float]:
        """Go to the next page of the path, and say its value (Algorithms 3 and 11)."""
        if self.settings.ordering == "random":
            return self.path.go_anywhere(rng), 0.0
        return self.path.go_best(self.weights, rng)

    def end_path(self) -> None:
        """Learn from the path which URLs are good to start from (Algorithm 1), and leave it."""
        if self.settings.weblog_update and self.path.urls:
            self.weblog.update(self.path.urls, self.path.rewards, self.settings.beta)
        self.path.restart()
        self.paths += 1
        if not self.settings.td_across_paths:
            self._state = None

    def select(self, pages: Ids) -> Places:
        """Return the places of pages, all young enough, to be sent, and note it (Algorithm 5)."""
        unsent = self.sent.missing(pages).nonzero()[0]
        if len(unsent):
            self.sent.add(pages)
        return unsent

    def learn(self, states: States, number: int, profit: float) -> None:
        """Take in what the step to a page with the state of this number was worth (Algorithm 4)."""
        self.path.rewards.append(profit)
        if not self.settings.learns_weights:
            return
        here = states[number].astype(np.float64, copy=False)
        if self._state is not None:
            td_update(self.weights, self._state, here, profit, self.settings)
            self.path.reweigh()
        self._state = here

    def child(self, number: int, rng: np.random.Generator) -> Forager:
        """Return another forager with part of what this one knows (Algorithm 6)."""
        settings = self.settings
        weblog = self.weblog.split(rng) if settings.weblog_update else self.weblog
        weights = self.weights.copy()
        if not settings.learns_weights:
            weights = random_weights(len(weights), settings, rng)
        return Forager(number, settings, weblog, weights, settings.first_score, self.number)


def random_weights(width: int, settings: FleetSettings, rng: np.random.Generator) -> Floats:
    """Draw a weight vector."""
    return (2 * rng.random(width) - 1) * settings.weight_scale
