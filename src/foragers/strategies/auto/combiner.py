"""What several advisers say of a link, and how far each of them is to be believed.

    promise = sigmoid(Σ wᵢ · adviceᵢ)

a logistic regression whose weights start from `PRIOR`, which works before anything is
learned, and are drawn towards what the crawl has seen: fitted by Newton steps over the last
few thousand links followed, with a penalty on leaving the prior.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foragers.core import exact

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
    "place on page": 0.0,
}
"""The advisers, and how far each is believed at first."""
ADVISERS = tuple(PRIOR)
REMEMBERED = 2000
PENALTY, FREE_PENALTY = 4.0, 0.2
FIRST_WEIGHTS = np.array([*PRIOR.values()])
PENALTIES = np.array([FREE_PENALTY, *[PENALTY] * (len(PRIOR) - 1)])
"""On leaving the first weights; what holds for all links is free to be anything."""
MOST_STEPS, MOST_HALVINGS, LITTLE = 20, 12, 1e-3
"""A fit ends after so many steps, or when no step makes it better by more than a little."""


def sigmoid(z: Floats) -> Floats:
    """Return the chances that belong to some log-odds."""
    return exact.sigmoid(np.minimum(np.maximum(z, -30.0), 30.0))


def log_odds(chance: Floats) -> Floats:
    """Return the log-odds of some chances, kept away from certainty."""
    kept = np.clip(chance, 1e-4, 1 - 1e-4)
    return exact.log(kept / (1 - kept))


@dataclass
class Combiner:
    """The weights of the advisers, and the links followed from which they were learned."""

    weights: Floats = field(default_factory=FIRST_WEIGHTS.copy)
    first: Floats = field(default_factory=FIRST_WEIGHTS.copy, repr=False)
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

    def begin(self, weights: Floats) -> None:
        """Begin with what earlier crawls have come to believe, but for what holds for all links."""
        self.first[1:] = weights[1:]
        self.weights[:] = self.first

    def fit(self) -> None:
        """Learn how far to believe each adviser."""
        count = min(self._seen, REMEMBERED)
        advice = self._advice[:count].astype(np.float64, order="F")
        past = History(advice, self._worth[:count], self.first)
        self.weights = past.fitted(self.weights)


class History(NamedTuple):
    """Links that were followed: what was said of each of them, and what it was worth."""

    advice: Floats
    worth: Floats
    first: Floats = FIRST_WEIGHTS

    def said(self, weights: Floats) -> Floats:
        """Return what the advisers say together of each link."""
        said: Floats = np.add.reduce(weights[:, np.newaxis] * self.advice.T)
        return said

    def loss(self, weights: Floats) -> float:
        """Return how badly some weights tell what links were worth, and how far they lie off."""
        said = self.said(weights)
        off = weights - self.first
        missed = exact.softplus(said) - self.worth * said
        return float(missed.sum() + (PENALTIES * off * off).sum() / 2)

    def step(self, weights: Floats) -> Floats:
        """Return the Newton step from some weights towards the best ones."""
        said = sigmoid(self.said(weights))
        advice = self.advice.T
        slope = exact.times(advice, said - self.worth)
        slope += PENALTIES * (weights - self.first)
        spread = said * (1 - said)
        curve = np.diag(PENALTIES)
        for one, row in enumerate(advice * spread):
            curve[one, : one + 1] += exact.times(advice[: one + 1], row)
            curve[:one, one] = curve[one, :one]
        return exact.solved(curve, slope)

    def fitted(self, weights: Floats) -> Floats:
        """Return better weights than some: steps that overshoot are halved until they help."""
        loss = self.loss(weights)
        for _ in range(MOST_STEPS):
            step = self.step(weights)
            tries = (weights - step / (1 << halvings) for halvings in range(MOST_HALVINGS))
            better = next((found for found in tries if self.loss(found) < loss), None)
            if better is None:
                break
            before, loss, weights = loss, self.loss(better), better
            if before - loss < LITTLE:
                break
        return weights
