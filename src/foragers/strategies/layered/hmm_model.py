"""A hidden Markov model of the path to relevant pages (Liu, Janssen and Milios 2006).

The hidden state of a page is its layer, T0 to T(n-1); the observation is its cluster.

    a_ij   = links from Ti to Tj / all links from Ti           transitions between layers
    b_j(c) = pages of Tj in cluster c / pages of Tj            emissions of a layer
    α_t(j) = b_j(o_t) · α'_{t-1}(j), normalised                the layer of a page, given its path
    α'_t(j) = Σ_i α_t(i) · a_ij                                the layer of the pages behind it

Pages are LSI vectors: normalised tf·idf, projected on the strongest directions of the training
pages.  Cluster 0 is around the relevant pages, the others are found by k-means.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from foragers.core import exact
from foragers.core.models import Model, array_to_words, words_to_array
from foragers.errors import UsageError
from foragers.strategies.layered.layers import Layers
from foragers.strategies.layered.settings import DEFAULT_LAYERED, LayeredSettings
from foragers.text.bag_of_words import known_words
from foragers.text.words import ENGLISH_STOPWORDS, words

if TYPE_CHECKING:
    from scipy.sparse import csr_array

HMM_KIND = ("hmm", 1)
UNSEEN = -1
"""The cluster of a page without words, which may be in any layer."""
TINY = DEFAULT_LAYERED.tiny

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class HmmModel:
    """A learned model: its matrices, and its words with their indexes."""

    indexes: Mapping[str, int]
    idf: Floats
    directions: NDArray[np.float32]
    centres: Floats
    centroid: Floats
    transitions: Floats
    emissions: Floats

    @classmethod
    def of(cls, model: Model) -> HmmModel:
        """Read a model; raise a UsageError if it is damaged."""
        try:
            vocabulary = array_to_words(model.arrays["words"])
            size = len(vocabulary)
            hidden = cls(
                {word: index for index, word in enumerate(vocabulary)},
                model.arrays["idf"].astype(np.float64),
                model.arrays["directions"].astype(np.float32),
                *(
                    model.arrays[name].astype(np.float64)
                    for name in ("centres", "centroid", "transitions", "emissions")
                ),
            )
            states, clusters = hidden.emissions.shape
            whole = (
                len(hidden.indexes) == size == len(hidden.idf) == len(hidden.centroid)
                and hidden.directions.shape == (size, hidden.centres.shape[1])
                and hidden.centres.shape[0] == clusters
                and hidden.transitions.shape == (states, states)
            )
        except (KeyError, ValueError, IndexError) as error:
            raise UsageError(
                f"the model has a missing or damaged part ({error}); train again"
            ) from error
        if not (whole and all(np.isfinite(part).all() for part in hidden.numbers)):
            raise UsageError("the parts of the model do not fit together; train again")
        return hidden

    @property
    def numbers(self) -> tuple[NDArray[np.floating], ...]:
        """The arrays that must be finite."""
        parts = self.idf, self.directions, self.centres, self.centroid
        return (*parts, self.transitions, self.emissions)

    def vector(self, text: Mapping[str, int]) -> tuple[Numbers, Floats]:
        """Return the known words of a text, and their weights: tf·idf of length 1."""
        numbers, counts = known_words(text, self.indexes)
        weights: Floats = (1 + exact.log_counts(counts)) * self.idf[numbers]
        return numbers, weights / max(sqrt(exact.dot(weights, weights)), TINY)

    def cluster(self, numbers: Numbers, weights: Floats) -> int:
        """Return the cluster whose centre is nearest; UNSEEN for a page without known words."""
        if not len(numbers):
            return UNSEEN
        vector = np.add.reduce(weights[:, np.newaxis] * self.directions[numbers])
        return int(np.argmax(exact.times(self.centres, vector)))

    def forward(self, cluster: int, before: Floats | None) -> Floats:
        """Return the layer of a page (α_t), given α' of the page before it."""
        seen = self.emissions[:, cluster] if cluster != UNSEEN else np.ones(len(self.emissions))
        alpha: Floats = seen if before is None else seen * before
        total = float(alpha.sum())
        return alpha / total if total > TINY else seen / seen.sum()

    def ahead(self, alpha: Floats) -> Floats:
        """Return the layer of the pages behind a page (α'_t), given its own."""
        ahead: Floats = np.add.reduce(alpha[:, np.newaxis] * self.transitions)
        return ahead

    def likeness(self, numbers: Numbers, weights: Floats) -> float:
        """Return the cosine between a text and the centroid of the relevant pages."""
        return min(max(exact.dot(weights, self.centroid[numbers]), 0.0), 1.0)

    @cached_property
    def _worth(self) -> dict[str, tuple[float, float]]:
        """What each word adds to the squared length of a short text, and to its dot product."""
        squares, shares = self.idf * self.idf, self.idf * self.centroid
        products = zip(squares.tolist(), shares.tolist(), strict=True)
        return dict(zip(self.indexes, products, strict=True))

    def likeness_of(self, text: str) -> float:
        """Return the cosine between a short text and the centroid, quickly."""
        worth, dot, square = self._worth, 0.0, 0.0
        for word in words(text, ENGLISH_STOPWORDS):
            if products := worth.get(word):
                square += products[0]
                dot += products[1]
        return min(max(dot / sqrt(square), 0.0), 1.0) if square else 0.0


def fit_hmm(
    layers: Layers, clusters: int, rank: int, settings: LayeredSettings = DEFAULT_LAYERED
) -> Model:
    """Learn from pages whose layers are known."""
    vocabulary, counts = layers.texts.chosen()
    vectors, idf = tfidf(counts)
    directions = strongest(vectors, rank, settings.lsi_rounds)
    pages = unit(exact.by_row(vectors, directions))
    wanted, has_words = layers.of_text == 0, np.diff(counts.indptr) > 0
    others = centres_of(pages[~wanted & has_words], clusters, settings.kmeans_rounds)
    centres = np.vstack((unit(pages[wanted].sum(axis=0, keepdims=True)), others))
    seen = np.argmax(likenesses(pages, centres), axis=1)[has_words]
    of_seen = layers.of_text[has_words]
    centroid = exact.column_sums(vectors, wanted.astype(np.float64))
    return Model(
        *HMM_KIND,
        {"states": layers.count, "clusters": len(centres), "pages": len(pages)},
        {
            "words": words_to_array(vocabulary),
            "idf": idf,
            "directions": directions.astype(np.float32),
            "centres": centres,
            "centroid": unit(centroid.reshape(1, -1))[0],
            "transitions": transitions(layers.links, settings.smoothing),
            "emissions": emissions(of_seen, seen, layers.count, len(centres), settings.smoothing),
        },
    )


def transitions(links: Numbers, smoothing: float = DEFAULT_LAYERED.smoothing) -> Floats:
    """Return a_ij from the number of links between layers.

    A page cannot be two layers nearer than the one that links to it, or that one would be
    nearer too: these entries stay 0, the others are smoothed.
    """
    rows, columns = np.indices(links.shape)
    possible = np.where(columns >= rows - 1, links + smoothing, 0.0)
    shares: Floats = possible / possible.sum(axis=1, keepdims=True)
    return shares


def emissions(
    of_text: Numbers,
    seen: Numbers,
    states: int,
    clusters: int,
    smoothing: float = DEFAULT_LAYERED.smoothing,
) -> Floats:
    """Return b_j(c) from the layers and the clusters of pages."""
    pairs = np.bincount(of_text * clusters + seen, minlength=states * clusters)
    counts = pairs.reshape(states, clusters) + smoothing
    shares: Floats = counts / counts.sum(axis=1, keepdims=True)
    return shares


def tfidf(counts: csr_array) -> tuple[csr_array, Floats]:
    """Return the texts as tf·idf vectors of length 1, and the idf of each word."""
    from scipy.sparse import csr_array

    texts = counts.shape[0]
    frequencies = np.bincount(counts.indices, minlength=counts.shape[1])
    idf: Floats = exact.log((1 + texts) / (1 + frequencies)) + 1
    weights = (1 + exact.log_counts(counts.data)) * idf[counts.indices]
    squares = csr_array((weights * weights, counts.indices, counts.indptr), shape=counts.shape)
    lengths = np.sqrt(exact.row_sums(squares, np.ones(counts.shape[1])))
    rows = np.repeat(np.maximum(lengths, TINY), np.diff(counts.indptr))
    shape = counts.shape
    return csr_array((weights / rows, counts.indices, counts.indptr), shape=shape), idf


def strongest(vectors: csr_array, rank: int, rounds: int) -> Floats:
    """Return the directions in which the texts differ most, one per column (LSI)."""
    count = max(1, min(rank, *vectors.shape))
    # Subspace iteration from a fixed start: fast, and the same texts give the same model.
    directions = np.random.default_rng(0).random((vectors.shape[1], count)) - 0.5
    across = vectors.T.tocsr()
    for _ in range(rounds):
        turned = exact.by_row(across, exact.by_row(vectors, directions))
        directions = exact.orthogonal(turned)
    return directions


def centres_of(pages: Floats, count: int, rounds: int) -> Floats:
    """Return the centres of clusters of unit vectors, by k-means with cosines."""
    if not len(pages):
        return np.empty((0, pages.shape[1]))
    # Start with evenly spaced pages: pages far apart are often outliers, and stay alone.
    centres = pages[np.unique(np.linspace(0, len(pages) - 1, count).astype(np.int64))]
    nearest = np.full(len(pages), -1)
    for _ in range(rounds):
        now = np.argmax(likenesses(pages, centres), axis=1)
        if (now == nearest).all():
            break
        nearest = now
        sums = np.zeros_like(centres)
        np.add.at(sums, nearest, pages)
        held = np.bincount(nearest, minlength=len(centres)) > 0
        centres = np.where(held[:, None], unit(sums), centres)
    return centres


def likenesses(pages: Floats, centres: Floats) -> Floats:
    """Return the cosines between unit vectors, one row per page."""
    return np.column_stack([exact.times(pages, centre) for centre in centres])


def unit(vectors: Floats) -> Floats:
    """Return vectors, one per row, scaled to length 1."""
    lengths = np.sqrt((vectors * vectors).sum(axis=1, keepdims=True))
    scaled: Floats = vectors / np.maximum(lengths, TINY)
    return scaled
