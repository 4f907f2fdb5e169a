"""Text classifiers: the probability that a text is of the same kind as some examples.

With counterexamples the classifier is a logistic regression on tf·idf vectors, stored as one table
of words.  Without counterexamples, unlabelled pages can replace them: the three quarters that are
least similar to the examples.  Without either, it is the cosine to the mean of the examples.  Any
estimator with `fit` and `predict_proba` or `decision_function` can be used instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from math import sqrt
from statistics import median
from typing import Protocol, runtime_checkable

import numpy as np

from foragers.core.exact import exp_of, log_count
from foragers.errors import UsageError
from foragers.text.logistic import fitted
from foragers.text.tfidf import DocumentFrequencies
from foragers.text.words import ENGLISH_STOPWORDS, words

STRENGTH = 3.0
"""Weight of the loss relative to the penalty on weights (scikit-learn's C)."""
LEAST_LIKENESS = 0.1
"""The smallest tf·idf cosine of two texts on one topic."""


class Classifier(Protocol):
    """A classifier that has learned from examples."""

    def probability(self, text: str) -> float:
        """Return the probability that a text is wanted."""
        ...


@runtime_checkable
class Estimator(Protocol):
    """A scikit-learn estimator of texts: one that begins with a vectoriser."""

    def fit(self, texts: Sequence[str], wanted: Sequence[int]) -> object:
        """Learn from texts and their classes: 1 for wanted, 0 for others."""
        ...


@dataclass(frozen=True)
class LinearClassifier:
    """A logistic regression on tf·idf: the idf and the coefficient of each word."""

    weights: Mapping[str, tuple[float, float]] = field(repr=False)
    intercept: float

    @classmethod
    def fit(cls, positive: Sequence[str], negative: Sequence[str]) -> LinearClassifier:
        """Learn from examples and counterexamples."""
        # Imported here: it takes a while, and most crawls do not need it.
        from scipy.sparse import csr_array

        texts = [Counter(words(text)) for text in (*positive, *negative)]
        held = Counter(word for text in texts for word in text)
        if not held:
            raise UsageError("the examples hold no words; give some text")
        index = {word: number for number, word in enumerate(sorted(held))}
        idf = {word: _idf(held[word], len(texts)) for word in index}
        units = [
            _scaled({word: (1 + log_count(n)) * idf[word] for word, n in text.items()})
            for text in texts
        ]
        ends = np.cumsum([0, *map(len, units)])
        columns = [index[word] for unit in units for word in unit]
        values = [weight for unit in units for weight in unit.values()]
        rows = csr_array((values, columns, ends), shape=(len(units), len(index)))
        found = fitted(rows, np.repeat([1.0, 0.0], [len(positive), len(negative)]), STRENGTH)
        pairs = zip(idf.values(), found.words.tolist(), strict=True)
        return cls(dict(zip(idf, pairs, strict=True)), found.all_texts)

    def probability(self, text: str) -> float:
        """Return the probability that a text is wanted; 0 if it has no known word."""
        weights = self.weights
        dot = square = 0.0
        for word, count in Counter(words(text)).items():
            if word in weights:
                idf, coefficient = weights[word]
                weight = (1 + log_count(count)) * idf
                square += weight * weight
                dot += weight * coefficient
        return _logistic(dot / sqrt(square) + self.intercept) if square else 0.0


@dataclass(frozen=True)
class CentroidClassifier:
    """Similarity to the mean of the examples, used if there are no counterexamples.

    A text's probability is its tf·idf cosine to the mean, divided by the median cosine
    of an example to the mean of the others, and at most 1.  So a text half as similar as the
    examples are to each other gets 0.5.
    """

    centroid: Mapping[str, float] = field(repr=False)
    frequencies: DocumentFrequencies
    typical: float

    @classmethod
    def fit(cls, positive: Sequence[str], background: Sequence[str] = ()) -> CentroidClassifier:
        """Learn from examples, and count common words in other texts."""
        counts = [Counter(words(text, ENGLISH_STOPWORDS)) for text in positive]
        frequencies = DocumentFrequencies.of([*positive, *background])
        units = [_unit(count, frequencies) for count in counts]
        total: dict[str, float] = {}
        for unit in units:
            for word, weight in unit.items():
                total[word] = total.get(word, 0.0) + weight
        alike = median(_likeness_to_others(unit, total) for unit in units)
        return cls(_scaled(total), frequencies, max(alike, 2 * LEAST_LIKENESS))

    def probability(self, text: str) -> float:
        """Return the similarity of a text to the examples."""
        unit = _unit(Counter(words(text, ENGLISH_STOPWORDS)), self.frequencies)
        return min(1.0, _dot(unit, self.centroid) / self.typical)


@dataclass(frozen=True)
class EstimatorClassifier:
    """An estimator given by the user."""

    estimator: Estimator

    @classmethod
    def fit(
        cls, estimator: Estimator, positive: Sequence[str], negative: Sequence[str]
    ) -> EstimatorClassifier:
        """Fit a copy of an estimator to examples and counterexamples."""
        fitted = deepcopy(estimator)
        fitted.fit([*positive, *negative], [1] * len(positive) + [0] * len(negative))
        return cls(fitted)

    def probability(self, text: str) -> float:
        """Return the probability that a text is wanted."""
        if predict := getattr(self.estimator, "predict_proba", None):
            return float(np.asarray(predict([text]))[0, -1])
        if decide := getattr(self.estimator, "decision_function", None):
            return _logistic(float(np.ravel(decide([text]))[0]))
        name = type(self.estimator).__name__
        raise UsageError(f"the estimator {name} needs predict_proba or decision_function")


def unlike(positive: Sequence[str], background: Sequence[str]) -> list[str]:
    """Return the three quarters of the texts that are least similar to the examples."""
    # More would contain too many wanted texts; fewer would be too easy to separate.
    likeness = CentroidClassifier.fit(positive, background).probability
    return sorted(background, key=likeness)[: -(-3 * len(background) // 4)]


def _unit(count: Mapping[str, int], frequencies: DocumentFrequencies) -> dict[str, float]:
    """Return a text's tf·idf vector, scaled to length 1."""
    return _scaled({word: n * frequencies.idf(word) for word, n in count.items()})


def _idf(texts_with_it: int, texts: int) -> float:
    """Return the idf of a word from the number of texts that contain it."""
    return log_count(1 + texts) - log_count(1 + texts_with_it) + 1


def _scaled(vector: Mapping[str, float]) -> dict[str, float]:
    length = sqrt(sum([weight * weight for weight in vector.values()]))
    return {word: weight / length for word, weight in vector.items()}


def _dot(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    return sum(weight * other[word] for word, weight in one.items() if word in other)


def _likeness_to_others(unit: Mapping[str, float], total: Mapping[str, float]) -> float:
    """Return the cosine between a vector of length 1 and a sum of vectors without it."""
    shared = _dot(unit, total)
    left = _dot(total, total) - 2 * shared + 1
    return (shared - 1) / sqrt(left) if left > 1e-9 else 0.0


def _logistic(value: float) -> float:
    return 1 / (1 + exp_of(-value)) if value > -700 else 0.0
