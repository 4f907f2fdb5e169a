"""Logistic regression on few texts of many words, fitted to the same bits on every processor.

    minimise   ½ |w|² + C Σ sᵢ log(1 + exp(−yᵢ (xᵢ·w + b)))

with yᵢ = ±1, and sᵢ such that both classes weigh the same.  This is scikit-learn's
`LogisticRegression(C=C, class_weight="balanced")`, which leaves the arithmetic to BLAS and stops
a little before the minimum.  Here Newton's steps are found by conjugate gradients, from sparse
products that are added in a fixed order, and go on until nothing gets better.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from foragers.core.exact import Floats, column_sums, dot, row_sums, sigmoid, softplus

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MOST_STEPS, MOST_HALVINGS = 50, 30
NEAR = 1e-9
"""A fit ends when the gradient is this small."""


class Weights(NamedTuple):
    """A weight for each word, and one for every text."""

    words: Floats
    all_texts: float

    def moved(self, step: Weights, share: float) -> Weights:
        """Return the weights after a step."""
        return Weights(self.words + share * step.words, self.all_texts + share * step.all_texts)

    def dot(self, other: Weights) -> float:
        """Return the scalar product with other weights."""
        return dot(self.words, other.words) + self.all_texts * other.all_texts


@dataclass(frozen=True)
class Fit:
    """Texts as rows of length 1, their classes, and their weights in the loss."""

    texts: csr_array
    wanted: Floats
    weights: Floats

    def said(self, weights: Weights) -> Floats:
        """Return the log-odds of the texts under some weights."""
        return row_sums(self.texts, weights.words) + weights.all_texts

    def loss(self, weights: Weights) -> float:
        """Return the loss."""
        said = self.said(weights)
        missed = self.weights * (softplus(said) - self.wanted * said)
        return dot(weights.words, weights.words) / 2 + float(missed.sum())

    def back(self, errors: Floats) -> Weights:
        """Return the gradient of the weights from the errors of the texts."""
        return Weights(column_sums(self.texts, errors), float(errors.sum()))

    def step(self, slope: Weights, spread: Floats) -> Weights:
        """Return Newton's step: conjugate gradients solve curve · step = −slope."""
        found = Weights(np.zeros_like(slope.words), 0.0)
        rest = found.moved(slope, -1.0)
        towards, size = rest, rest.dot(rest)
        # Far from the minimum a rough step is enough.
        little = min(0.01, sqrt(size))
        enough = size * little * little
        for _ in range(len(self.wanted) + 2):
            if size <= enough:
                break
            bent = self.back(spread * self.said(towards))
            bent = Weights(bent.words + towards.words, bent.all_texts)
            along = size / towards.dot(bent)
            found, rest = found.moved(towards, along), rest.moved(bent, -along)
            before, size = size, rest.dot(rest)
            towards = rest.moved(towards, size / before)
        return found

    def minimum(self) -> Weights:
        """Return the weights with the smallest loss."""
        weights = Weights(np.zeros(self.texts.shape[1]), 0.0)
        loss = self.loss(weights)
        for _ in range(MOST_STEPS):
            chances = sigmoid(self.said(weights))
            slope = self.back(self.weights * (chances - self.wanted))
            slope = Weights(slope.words + weights.words, slope.all_texts)
            if slope.dot(slope) <= NEAR * NEAR:
                break
            step = self.step(slope, self.weights * chances * (1 - chances))
            tries = (weights.moved(step, 1 / (1 << halving)) for halving in range(MOST_HALVINGS))
            better = next((found for found in tries if self.loss(found) < loss), None)
            if better is None:
                break
            weights, loss = better, self.loss(better)
        return weights


def fitted(texts: csr_array, wanted: Floats, strength: float) -> Weights:
    """Learn which words separate wanted texts (1) from others (0)."""
    good = float(wanted.sum())
    total = len(wanted)
    balance = np.where(wanted > 0, total / (2 * max(good, 1)), total / (2 * max(total - good, 1)))
    return Fit(texts, wanted, strength * balance).minimum()
