"""Which blocks of a page are main text: a forest of decision trees scores them by their features.

Scores are whole numbers and trees only compare, so every processor decides alike.  `_forest` goes
through the trees if it is compiled.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from foragers.compiled import compiled
from foragers.core.models import Model, array_to_words, load_model, words_to_array
from foragers.parsing.main_text.blocks import PageBlocks
from foragers.parsing.main_text.features import Ids, Table, TokenWeights, table

KIND, VERSION = "main-text", 1
FILE = Path(__file__).with_name("trained.model")
LIBRARY = compiled("foragers.parsing.main_text._forest")
"""The same function compiled, if it is."""


@dataclass(frozen=True)
class Forest:
    """Complete binary trees of one depth, by tree and node; `values` are those of the leaves.

    The children of node i are 2i + 1, where the feature is at most the limit, and 2i + 2.
    """

    features: NDArray[np.int16]
    limits: NDArray[np.float64]
    values: NDArray[np.int32]
    start: int

    def scores(self, rows: Table) -> Ids:
        """Return the score of each row, in thousandths."""
        quick: Ids = np.full(len(rows), self.start, np.int64)
        trees = self.features, self.limits, self.values
        if LIBRARY is not None and LIBRARY.scores(rows, *trees, quick):
            return quick
        return self.scores_in_python(rows)

    def scores_in_python(self, rows: Table) -> Ids:
        """Return the same scores without the compiled function."""
        trees, nodes = self.features.shape
        features, limits = self.features.astype(np.int64).ravel(), self.limits.ravel()
        flat, first = rows.ravel(), (np.arange(len(rows)) * rows.shape[1])[:, None]
        # Node i of tree t is at t * nodes + i: where its children are follows from that alone.
        start = np.arange(trees) * nodes
        node = np.tile(start, (len(rows), 1))
        for _ in range((nodes + 1).bit_length() - 1):
            above = flat.take(first + features.take(node)) > limits.take(node)
            node = 2 * node + 1 - start + above
        leaves = self.values.ravel().take(node - nodes + np.arange(trees))
        return cast(Ids, leaves.sum(axis=1, dtype=np.int64) + self.start)


@dataclass(frozen=True)
class BlockClassifier:
    """A forest, and the weights of words that its features need."""

    lexicon: TokenWeights
    forest: Forest

    def scores(self, page: PageBlocks) -> Ids:
        """Return the score of each block: above 0 it is main text."""
        return self.forest.scores(table(page, self.lexicon))


def to_model(classifier: BlockClassifier, facts: dict[str, str]) -> Model:
    """Return a classifier as a model that can be written to a file."""
    forest = classifier.forest
    arrays: dict[str, NDArray[np.generic]] = {
        "features": forest.features,
        "limits": forest.limits,
        "values": forest.values,
        "start": np.array([forest.start]),
    }
    for name, weights in (
        ("classes", classifier.lexicon.classes),
        ("words", classifier.lexicon.words),
    ):
        arrays[name] = words_to_array(sorted(weights))
        arrays[f"{name}_weights"] = np.array([weights[word] for word in sorted(weights)], np.int16)
    return Model(KIND, VERSION, dict(facts), arrays)


def from_model(model: Model) -> BlockClassifier:
    """Return the classifier in a model."""
    arrays = model.arrays

    forest = Forest(
        cast(NDArray[np.int16], arrays["features"]),
        cast(NDArray[np.float64], arrays["limits"]),
        cast(NDArray[np.int32], arrays["values"]),
        int(arrays["start"][0]),
    )

    def weights(name: str) -> dict[str, int]:
        values: list[int] = arrays[f"{name}_weights"].tolist()
        return dict(zip(array_to_words(arrays[name]), values, strict=True))

    return BlockClassifier(TokenWeights(weights("classes"), weights("words")), forest)


@cache
def trained() -> BlockClassifier:
    """Return the classifier that comes with the package."""
    return from_model(load_model(FILE, KIND, VERSION, "install foragers again"))
