"""How the pages of each layer speak: naive Bayes over layers, and the words of a topic.

A page is represented by the BEST words with the highest tf·idf.  Each layer has their
distribution with Laplace smoothing, and all layers are equally likely beforehand (Diligenti and
others 2000).  Beside it the model keeps each layer's mean share of every word, from which
`hw` makes its topic and general distributions.
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
from foragers.text.bag_of_words import Numbers, known_words
from foragers.text.bayes import log_likelihoods, posteriors

if TYPE_CHECKING:
    from scipy.sparse import csr_array

LAYERS_KIND = ("context-graph", 1)
UNREAD = -1e6
"""The logarithm of a chance that is none."""
BEST = 40
"""How many words of a page are looked at."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LayerWords:
    """What was learned; the last layer is what is far, or leads to nothing wanted."""

    places: Mapping[str, int]
    idf: Floats
    likelihoods: Floats
    shares: Floats

    @classmethod
    def of(cls, model: Model) -> LayerWords:
        """Take up what a model holds, if it is whole."""
        try:
            known = array_to_words(model.arrays["words"])
            idf, counts, shares = (
                model.arrays[name].astype(np.float64) for name in ("idf", "counts", "shares")
            )
            size = len(known)
            whole = len(idf) == size and counts.shape == shares.shape == (len(counts), size)
        except (KeyError, ValueError, IndexError, TypeError) as error:
            raise UsageError(
                f"the model has a missing or damaged part ({error}); train again"
            ) from error
        parts = np.concatenate((idf, counts.ravel(), shares.ravel())) if whole else idf
        if not (whole and len(counts) > 1 and np.isfinite(parts).all() and (parts >= 0).all()):
            raise UsageError("the parts of the model do not fit_layers together; train again")
        places = {word: place for place, word in enumerate(known)}
        # A layer of which no page was read must not be taken for one with all words alike.
        read = counts.any(axis=1, keepdims=True)
        return cls(places, idf, np.where(read, log_likelihoods(counts), UNREAD), shares)

    def words_of(self, text: Mapping[str, int]) -> tuple[Numbers, Numbers]:
        """Return the known words of a text, and their counts."""
        return known_words(text, self.places)

    def layers(self, numbers: Numbers, counts: Numbers, most: int) -> Floats:
        """Return how likely a text is of each of the first layers, so many of them."""
        weights = counts * self.idf[numbers]
        if len(numbers) > BEST:
            chosen = np.argsort(-weights, kind="stable")[:BEST]
            numbers, counts = numbers[chosen], counts[chosen]
        scores = exact.times(self.likelihoods[:most, numbers], counts.astype(np.float64))
        shares: Floats = posteriors(scores.reshape(1, -1))[0]
        return shares


def fit_layers(layers: Layers) -> Model:
    """Learn from pages whose layers are known."""
    known, counts = layers.texts.chosen()
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
            "words": words_to_array(known),
            "idf": idf,
            "counts": by_layer(best_words(counts, idf), layers, np.ones(texts)),
            "shares": shares,
            "pages": held,
        },
    )


def by_layer(counts: csr_array, layers: Layers, weights: Floats) -> Floats:
    """Return the sum over the texts of each layer, each text with its weight."""
    return exact.grouped(counts, layers.of_text, layers.count, weights)


def best_words(counts: csr_array, idf: Floats) -> csr_array:
    """Return the texts with their best words only."""
    kept = counts.copy()
    weights = kept.data * idf[kept.indices]
    for first, last in zip(kept.indptr[:-1].tolist(), kept.indptr[1:].tolist(), strict=True):
        if last - first > BEST:
            order = np.argsort(-weights[first:last], kind="stable")[BEST:]
            kept.data[first + order] = 0
    kept.eliminate_zeros()
    return kept
