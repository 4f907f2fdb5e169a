"""The words of each layer: naive Bayes over layers, and the mean share of each word.

A page is represented by the words with the highest tf·idf.  Each layer has their
distribution with Laplace smoothing, and all layers have the same prior (Diligenti and
others 2000).  The model also has each layer's mean share of every word, from which
`hw` computes its topic and general distributions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from foragers.core import exact
from foragers.core.models import Model, array_to_words, words_to_array
from foragers.errors import UsageError
from foragers.strategies.layered.layers import Layers
from foragers.strategies.layered.settings import DEFAULT_LAYERED, LayeredSettings
from foragers.text.bag_of_words import Numbers, known_words
from foragers.text.bayes import log_likelihoods, posteriors

if TYPE_CHECKING:
    from scipy.sparse import csr_array

LAYERS_KIND = ("context-graph", 1)

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LayerWords:
    """A learned model; the last layer has pages that are far from relevant ones."""

    indexes: Mapping[str, int]
    idf: Floats
    likelihoods: Floats
    shares: Floats
    settings: LayeredSettings = DEFAULT_LAYERED

    @classmethod
    def of(cls, model: Model, settings: LayeredSettings = DEFAULT_LAYERED) -> LayerWords:
        """Read a model; raise a UsageError if it is damaged."""
        try:
            vocabulary = array_to_words(model.arrays["words"])
            idf, counts, shares = (
                model.arrays[name].astype(np.float64) for name in ("idf", "counts", "shares")
            )
            size = len(vocabulary)
            whole = len(idf) == size and counts.shape == shares.shape == (len(counts), size)
        except (KeyError, ValueError, IndexError, TypeError) as error:
            raise UsageError(
                f"the model has a missing or damaged part ({error}); train again"
            ) from error
        parts = np.concatenate((idf, counts.ravel(), shares.ravel())) if whole else idf
        if not (whole and len(counts) > 1 and np.isfinite(parts).all() and (parts >= 0).all()):
            raise UsageError("the parts of the model do not fit together; train again")
        indexes = {word: index for index, word in enumerate(vocabulary)}
        # A layer without pages must not count as one where all words are equally frequent.
        read = counts.any(axis=1, keepdims=True)
        likelihoods = np.where(read, log_likelihoods(counts), settings.unread)
        return cls(indexes, idf, likelihoods, shares, settings)

    def words_of(self, text: Mapping[str, int]) -> tuple[Numbers, Numbers]:
        """Return the known words of a text, and their counts."""
        return known_words(text, self.indexes)

    def layers(self, numbers: Numbers, counts: Numbers, most: int) -> Floats:
        """Return the probabilities of the first `most` layers for a text."""
        weights, best = counts * self.idf[numbers], self.settings.best_words
        if len(numbers) > best:
            chosen = np.argsort(-weights, kind="stable")[:best]
            numbers, counts = numbers[chosen], counts[chosen]
        scores = exact.times(self.likelihoods[:most, numbers], counts.astype(np.float64))
        shares: Floats = posteriors(scores.reshape(1, -1))[0]
        return shares


def fit_layers(layers: Layers, settings: LayeredSettings = DEFAULT_LAYERED) -> Model:
    """Learn from pages whose layers are known."""
    vocabulary, counts = layers.texts.chosen()
    texts = counts.shape[0]
    frequencies = np.bincount(counts.indices, minlength=counts.shape[1])
    idf = exact.log((1 + texts) / (1 + frequencies)) + 1
    lengths = np.asarray(counts.sum(axis=1)).reshape(-1)
    held = np.bincount(layers.of_text, minlength=layers.count)
    shares = by_layer(counts, layers, 1 / np.maximum(lengths, 1)) / np.maximum(held, 1)[:, None]
    return Model(
        *LAYERS_KIND,
        {"layers": layers.count, "pages": texts},
        {
            "words": words_to_array(vocabulary),
            "idf": idf,
            "counts": by_layer(
                best_words(counts, idf, settings.best_words), layers, np.ones(texts)
            ),
            "shares": shares,
            "pages": held,
        },
    )


def by_layer(counts: csr_array, layers: Layers, weights: Floats) -> Floats:
    """Return the sum over the texts of each layer, each text with its weight."""
    return exact.grouped(counts, layers.of_text, layers.count, weights)


def best_words(counts: csr_array, idf: Floats, best: int) -> csr_array:
    """Return the texts with only the words of highest tf·idf."""
    kept = counts.copy()
    weights = kept.data * idf[kept.indices]
    for first, last in zip(kept.indptr[:-1].tolist(), kept.indptr[1:].tolist(), strict=True):
        if last - first > best:
            order = np.argsort(-weights[first:last], kind="stable")[best:]
            kept.data[first + order] = 0
    kept.eliminate_zeros()
    return kept
