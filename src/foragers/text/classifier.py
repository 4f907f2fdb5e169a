"""Text classifiers: how likely a text is of the kind that examples show.

With counterexamples it is a logistic regression on tf·idf vectors, kept as one table of words.
Pages of unknown kind can stand in for counterexamples: those three quarters of them that are
least like the examples.
Without either it is the cosine to the mean of the examples.  And any estimator with
`fit` and `predict_proba` or `decision_function` will do.
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
"""How much being right about the examples counts beside small weights (scikit-learn's C)."""
LEAST_LIKENESS = 0.1
"""What two texts on one topic have in common at the least, as a tf·idf cosine."""


class Classifier(Protocol):
    """Something that was shown examples."""

    def probability(self, text: str) -> float:
        """Return how likely a text is of the kind wanted."""
        ...


@runtime_checkable
class Estimator(Protocol):
    """A scikit-learn estimator of texts: one that begins with a vectoriser."""

    def fit(self, texts: Sequence[str], wanted: Sequence[int]) -> object:
        """Learn from texts of which 1 says wanted and 0 not."""
        ...


@dataclass(frozen=True)
class LinearClassifier:
    """A logistic regression on tf·idf: for each word its idf and its coefficient."""

    weights: Mapping[str, tuple[float, float]] = field(repr=False)
    intercept: float

    @classmethod
    def fit(cls, positive: Sequence[str], negative: Sequence[str]) -> LinearClassifier:
        """Learn from examples and counterexamples."""
        # Imported here: it takes a while, and most crawls do without.
        from scipy.sparse import csr_array

        texts = [Counter(words(text)) for text in (*positive, *negative)]
        held = Counter(word for text in texts for word in text)
        if not held:
            raise UsageError("the examples hold no words; give some text")
        place = {word: number for number, word in enumerate(sorted(held))}
        idf = {word: _idf(held[word], len(texts)) for word in place}
        units = [
            _scaled({word: (1 + log_count(n)) * idf[word] for word, n in text.items()})
            for text in texts
        ]
        ends = np.cumsum([0, *map(len, units)])
        columns = [place[word] for unit in units for word in unit]
        values = [weight for unit in units for weight in unit.values()]
        rows = csr_array((values, columns, ends), shape=(len(units), len(place)))
        found = fitted(rows, np.repeat([1.0, 0.0], [len(positive), len(negative)]), STRENGTH)
        pairs = zip(idf.values(), found.words.tolist(), strict=True)
        return cls(dict(zip(idf, pairs, strict=True)), found.all_texts)

    def probability(self, text: str) -> float:
        """Return how likely a text is of the kind wanted: 0 where it has no word that is known."""
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
    """Likeness to the mean of some examples, for want of counterexamples.

    A text's probability is its tf·idf cosine to the mean, divided by the median cosine
    of an example to the mean of the others, and at most 1.  So half as like as the
    examples are like each other is 0.5.
    """

    centroid: Mapping[str, float] = field(repr=False)
    frequencies: DocumentFrequencies
    typical: float

    @classmethod
    def fit(cls, positive: Sequence[str], background: Sequence[str] = ()) -> CentroidClassifier:
        """Learn from examples, and from other texts which words are common."""
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
        """Return how like the examples a text is."""
        unit = _unit(Counter(words(text, ENGLISH_STOPWORDS)), self.frequencies)
        return min(1.0, _dot(unit, self.centroid) / self.typical)


@dataclass(frozen=True)
class EstimatorClassifier:
    """An estimator of the user's."""

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
        """Return how likely a text is of the kind wanted."""
        if predict := getattr(self.estimator, "predict_proba", None):
            return float(np.asarray(predict([text]))[0, -1])
        if decide := getattr(self.estimator, "decision_function", None):
            return _logistic(float(np.ravel(decide([text]))[0]))
        name = type(self.estimator).__name__
        raise UsageError(f"the estimator {name} needs predict_proba or decision_function")


def unlike(positive: Sequence[str], background: Sequence[str]) -> list[str]:
    """Return the three quarters of some texts that are least like the examples."""
    # More would hold too many of the kind wanted, fewer would be too easy to tell apart.
    likeness = CentroidClassifier.fit(positive, background).probability
    return sorted(background, key=likeness)[: -(-3 * len(background) // 4)]


def _unit(count: Mapping[str, int], frequencies: DocumentFrequencies) -> dict[str, float]:
    """Return a text's tf·idf vector, scaled to length 1."""
    return _scaled({word: n * frequencies.idf(word) for word, n in count.items()})


def _idf(texts_with_it: int, texts: int) -> float:
    """Return how much a word weighs by how few texts hold it."""
    return log_count(1 + texts) - log_count(1 + texts_with_it) + 1


def _scaled(vector: Mapping[str, float]) -> dict[str, float]:
    length = sqrt(sum([weight * weight for weight in vector.values()]))
    return {word: weight / length for word, weight in vector.items()}


def _dot(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    return sum(weight * other[word] for word, weight in one.items() if word in other)


def _likeness_to_others(unit: Mapping[str, float], total: Mapping[str, float]) -> float:
    """Return the cosine between one vector of length 1 and what is left of a sum without it."""
    shared = _dot(unit, total)
    left = _dot(total, total) - 2 * shared + 1
    return (shared - 1) / sqrt(left) if left > 1e-9 else 0.0


def _logistic(value: float) -> float:
    return 1 / (1 + exp_of(-value)) if value > -700 else 0.0
