"""What several advisers say of a link, and how far each of them is to be believed.

    promise = sigmoid(Σ wᵢ · adviceᵢ)

a logistic regression whose weights start from `PRIOR`, which works before anything is
learned, and are drawn towards what the crawl has seen: fitted by Newton steps over the last
few thousand links followed, with a penalty on leaving the prior.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Advice = NDArray[np.float32]

PRIOR = {
    "all links": 0.0,
    "tag path": 0.6,
    "directory": 0.4,
    "anchor": 0.2,
    "shape": 0.2,
    "link words": 0.4,
    "words of relevant pages": 0.4,
    "parent": 0.8,
    "topic in link": 4.0,
    "topic around": 1.5,
    "words of parent": 0.2,
    "in-links": 0.1,
    "depth": -0.02,
    "trained model": 0.8,
}
"""The advisers, and how far each is believed at first."""
ADVISERS = tuple(PRIOR)
REMEMBERED = 2000
PENALTY, FREE_PENALTY = 3.0, 0.1
NEWTON_STEPS, LONGEST_STEP = 3, 1.0


def sigmoid(z: Floats) -> Floats:
    """Return the chances that belong to some log-odds."""
    chances: Floats = 1 / (1 + np.exp(-np.clip(z, -30, 30)))
    return chances


def log_odds(chance: Floats) -> Floats:
    """Return the log-odds of some chances, kept away from certainty."""
    kept = np.clip(chance, 1e-4, 1 - 1e-4)
    odds: Floats = np.log(kept / (1 - kept))
    return odds


@dataclass
class Belief:
    """The weights of the advisers, and the links followed from which they were learned."""

    weights: Floats = field(default_factory=lambda: np.array([*PRIOR.values()]))
    _advice: Advice = field(
        default_factory=lambda: np.zeros((REMEMBERED, len(PRIOR)), np.float32), repr=False
    )
    _worth: Floats = field(default_factory=lambda: np.zeros(REMEMBERED), repr=False)
    _seen: int = 0

    def remember(self, advice: Advice, worth: float) -> int:
        """Keep what was said of a link and what it was worth; return where."""
        place = self._seen
        self._advice[place % REMEMBERED], self._worth[place % REMEMBERED] = advice, worth
        self._seen += 1
        return place

    def correct(self, place: int, worth: float) -> None:
        """Take in that a link was worth more than was known, if it is still remembered."""
        if place >= self._seen - REMEMBERED:
            self._worth[place % REMEMBERED] = worth

    def fit(self) -> None:
        """Learn how far to believe each adviser."""
        count = min(self._seen, REMEMBERED)
        advice, worth = self._advice[:count].astype(np.float64), self._worth[:count]
        prior = np.array([*PRIOR.values()])
        penalty = np.full(len(prior), PENALTY)
        penalty[0] = FREE_PENALTY
        weights = self.weights.copy()
        for _ in range(NEWTON_STEPS):
            said = sigmoid(advice @ weights)
            slope = advice.T @ (said - worth) + penalty * (weights - prior)
            curve = (advice * (said * (1 - said) + 1e-6)[:, None]).T @ advice + np.diag(penalty)
            weights -= np.clip(np.linalg.solve(curve, slope), -LONGEST_STEP, LONGEST_STEP)
        self.weights = weights
