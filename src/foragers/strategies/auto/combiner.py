"""Combines the features of a link into one promise, and learns their weights.

    promise = sigmoid(Σ weightᵢ · featureᵢ)

This is a logistic regression.  Its weights start from a prior, which works before anything is
learned.  They are fitted by Newton steps to the last few thousand links followed, with a penalty
for leaving the prior.

`FEATURES` is the one list of features.  All other modules use them by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from foragers.compiled import compiled
from foragers.core import exact
from foragers.strategies.auto.settings import DEFAULTS, AutoSettings

LIBRARY: Any | None = compiled("foragers.strategies.auto._fit")
"""The fit of the weights compiled, if it is."""
Floats = NDArray[np.float64]
Matrix = NDArray[np.float32]
"""One row per feature, in the order of `FEATURES`, and one column per link."""
Column: TypeAlias = "float | Floats | Matrix"


class Feature(NamedTuple):
    """One feature: its weight at first, and the penalty on leaving that weight.

    `without_topic` is its first weight where there are no words of a topic to go by.
    """

    name: str
    prior: float
    penalty: float = 4.0
    without_topic: float | None = None


BIAS = "all links"
FEATURES = (
    Feature(BIAS, 0.0, penalty=0.2),  # fits the share of good links, which may be anything
    Feature("tag path", 0.6),
    Feature("directory", 0.4),
    Feature("anchor", 0.2),
    Feature("shape", 0.2),
    Feature("link words", 0.4),
    Feature("words of relevant pages", 0.4),
    Feature("parent", 0.8),
    Feature("topic in link", 4.0),
    Feature("topic around", 1.5),
    Feature("words of parent", 0.2),
    Feature("in-links", 0.1),
    Feature("depth", -0.02),
    Feature("trained model", 0.8),
    Feature("place on page", 0.0),
    Feature("parent page", 0.3),
    Feature("mean word rate", 0.0, without_topic=0.2),
    Feature("best word rate", 0.0, without_topic=0.2),
)
"""Source of priors and penalties: guesses close to a best-first crawl.  Other priors, and penalties
three times as large or small, made no measurable difference.  The last three were tried on 18
recorded webs (docs/strategies/auto.md)."""
NAMES = tuple(feature.name for feature in FEATURES)
FIRST_WEIGHTS = np.array([feature.prior for feature in FEATURES])
FIRST_WITHOUT_TOPIC = np.array(
    [
        feature.prior if feature.without_topic is None else feature.without_topic
        for feature in FEATURES
    ]
)
PENALTIES = np.array([feature.penalty for feature in FEATURES])
IS_BIAS = np.array([feature.name == BIAS for feature in FEATURES])


def rows_by_name(names: Sequence[str], columns: Mapping[str, Column], links: int) -> Matrix:
    """Return named columns as the rows of a matrix; refuse a missing or an unknown name."""
    if len(columns) != len(names):
        raise KeyError(*set(names).symmetric_difference(columns))
    rows = np.empty((len(names), links), np.float32)
    for row, name in zip(rows, names, strict=True):
        row[:] = columns[name]
    return rows


def sigmoid(z: Floats) -> Floats:
    """Return the probabilities of log-odds."""
    return exact.sigmoid(np.minimum(np.maximum(z, -30.0), 30.0))


def log_odds(chance: Floats, least: float = DEFAULTS.least_chance) -> Floats:
    """Return the log-odds of probabilities, kept away from 0 and 1."""
    kept = np.clip(chance, least, 1 - 1e-4)
    return exact.log(kept / (1 - kept))


@dataclass
class Combiner:
    """The weights of the features, and the followed links to which they are fitted."""

    settings: AutoSettings = DEFAULTS
    weights: Floats = field(default_factory=FIRST_WEIGHTS.copy)
    first: Floats = field(default_factory=FIRST_WEIGHTS.copy, repr=False)
    _features: Matrix = field(init=False, repr=False)
    _worth: Floats = field(init=False, repr=False)
    _seen: int = 0

    def __post_init__(self) -> None:
        self._features = np.zeros((self.settings.remembered, len(FEATURES)), np.float32)
        self._worth = np.zeros(self.settings.remembered)

    def remember(self, features: Matrix, worth: float) -> int:
        """Keep the features of a followed link and what it was worth; return where."""
        rows, row = self.next_row
        rows[row] = features
        return self.take_row(worth)

    @property
    def next_row(self) -> tuple[Matrix, int]:
        """The remembered features, and the row for those of the next link."""
        return self._features, self._seen % self.settings.remembered

    def take_row(self, worth: float) -> int:
        """Take the next row, which has its features already; return where it is."""
        place = self._seen
        self._worth[place % self.settings.remembered] = worth
        self._seen += 1
        return place

    def correct(self, place: int, worth: float) -> None:
        """Change what a link was worth, if it is still remembered."""
        if place >= self._seen - self.settings.remembered:
            self._worth[place % self.settings.remembered] = worth

    def begin(self, weights: Floats) -> None:
        """Start from the weights of earlier crawls, except that of the bias."""
        self.first[:] = np.where(IS_BIAS, self.first, weights)
        self.weights[:] = self.first

    def spread(self) -> dict[str, float]:
        """Return how much each feature sets links apart: its weight by its deviation over them."""
        count = min(self._seen, self.settings.remembered)
        deviations = self._features[:count].std(axis=0) if count else np.zeros(len(FEATURES))
        apart = (self.weights * deviations).tolist()
        return dict(zip(NAMES, apart, strict=True))

    def fit(self) -> None:
        """Fit the weights to the followed links."""
        count, given = min(self._seen, self.settings.remembered), self.settings
        if LIBRARY is not None:
            quick = self.weights.copy()
            columns = (self._features[:count], self._worth[:count], self.first, PENALTIES, quick)
            if LIBRARY.fitted(*columns, given.most_steps, given.most_halvings, given.least_gain):
                self.weights = quick
                return
        features = self._features[:count].astype(np.float64, order="F")
        past = History(features, self._worth[:count], self.first, self.settings)
        self.weights = past.fitted(self.weights)


class History(NamedTuple):
    """Links that were followed: one row of features per link, and what it was worth."""

    features: Floats
    worth: Floats
    first: Floats = FIRST_WEIGHTS
    settings: AutoSettings = DEFAULTS

    def odds(self, weights: Floats) -> Floats:
        """Return the log-odds of each link."""
        odds: Floats = np.add.reduce(weights[:, np.newaxis] * self.features.T)
        return odds

    def loss(self, weights: Floats) -> float:
        """Return the logistic loss of weights, plus the penalty on leaving the first ones."""
        odds = self.odds(weights)
        off = weights - self.first
        missed = exact.softplus(odds) - self.worth * odds
        return float(missed.sum() + (PENALTIES * off * off).sum() / 2)

    def step(self, weights: Floats) -> Floats:
        """Return the Newton step from some weights towards the best ones."""
        chances = sigmoid(self.odds(weights))
        features = self.features.T
        slope = exact.times(features, chances - self.worth)
        slope += PENALTIES * (weights - self.first)
        spread = chances * (1 - chances)
        curve = np.diag(PENALTIES)
        for one, row in enumerate(features * spread):
            curve[one, : one + 1] += exact.times(features[: one + 1], row)
            curve[:one, one] = curve[one, :one]
        return exact.solved(curve, slope)

    def fitted(self, weights: Floats) -> Floats:
        """Return better weights; a step that overshoots is halved until it helps."""
        loss, halvings = self.loss(weights), self.settings.most_halvings
        for _ in range(self.settings.most_steps):
            step = self.step(weights)
            tries = (weights - step / (1 << times) for times in range(halvings))
            better = next((found for found in tries if self.loss(found) < loss), None)
            if better is None:
                break
            before, loss, weights = loss, self.loss(better), better
            if before - loss < self.settings.least_gain:
                break
        return weights
