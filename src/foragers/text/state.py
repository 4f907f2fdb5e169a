"""The state of a page: its subject as a few numbers from −1 to 1.

`selection` and `evolution` cluster a sample of texts by Boley's algorithm, teach PrTFIDF the
k clusters and one more class of general text, drop the output for general text, and
turn each other output p into tanh(40·(p − 0.5)): nearly always −1 or 1.

The papers leave open:

* *The words.*  A text's output is the mean of P(C|w) over its words.  With fifty clusters, common
  words keep every output below one half, so all states would be the same.  Words are therefore
  chosen by their information about the clusters (as Joachims did).  Their number, and the limits on
  how common and how uncertain they may be, are those with which most texts of a held-out part
  activate their own cluster, and fewest another.
* *General text*: unless some is given, mixtures of texts of the sample.
* A page is its title and its text.  The map of a world is trained on the pages at its start, as
  that of the papers was on pages downloaded before.  With fewer clusters than k the last numbers
  stay −1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from foragers.core.exact import tanh
from foragers.core.models import Model, array_to_words, load_model, save_model, words_to_array
from foragers.core.types import Document
from foragers.text.word_opinions import Floats, Rows, probabilities
from foragers.text.words import ENGLISH_STOPWORDS, words

States = NDArray[np.float32]

KIND, VERSION = "states", 1
STEEPNESS, MIDDLE = 40.0, 0.5
BATCH = 4096
"""The number of texts counted at a time, so that memory does not grow with the texts."""


@dataclass(frozen=True)
class StateMap:
    """A map from texts to states: P(C|w) of each word, and P(C), general text last."""

    k: int
    vocabulary: tuple[str, ...] = field(repr=False)
    opinions: Floats = field(repr=False)
    prior: Floats = field(repr=False)

    def states(self, texts: Iterable[str]) -> States:
        """Return the states of texts, one row each."""
        index = {word: number for number, word in enumerate(self.vocabulary)}
        parts = [self._states(batch, index) for batch in batches(texts)]
        return np.concatenate([np.empty((0, self.k), np.float32), *parts])

    def _states(self, texts: Sequence[str], index: dict[str, int]) -> States:
        # Uninformative words are not in the index, so they need not be removed.
        found = probabilities(counted(map(words, texts), index), self.opinions, self.prior)
        states = np.full((len(texts), self.k), -1, np.float32)
        states[:, : found.shape[1] - 1] = tanh(STEEPNESS * (found[:, :-1] - MIDDLE))
        return states

    def save(self, file: Path) -> None:
        """Write the map."""
        save_model(Model(KIND, VERSION, {"k": self.k}, self.arrays()), file)

    @classmethod
    def load(cls, file: Path) -> StateMap:
        """Read a map."""
        model = load_model(file, KIND, VERSION)
        return cls.of(int(str(model.facts["k"])), model.arrays)

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return everything except k as arrays of numbers."""
        return {
            "vocabulary": words_to_array(self.vocabulary),
            "opinions": self.opinions,
            "prior": self.prior,
        }

    @classmethod
    def of(cls, k: int, arrays: Mapping[str, NDArray[np.generic]]) -> StateMap:
        """Make a map from its arrays."""
        return cls(
            k,
            tuple(array_to_words(arrays["vocabulary"])),
            arrays["opinions"].astype(np.float64),
            arrays["prior"].astype(np.float64),
        )


def text_of(document: Document) -> str:
    """Return the text that the state of a page is computed from."""
    return f"{document.title} {document.text}"


def cut(text: str) -> list[str]:
    """Return the words of a text that may show its subject."""
    return words(text, ENGLISH_STOPWORDS)


def batches(texts: Iterable[str]) -> Iterable[Sequence[str]]:
    """Yield texts in batches."""
    batch: list[str] = []
    for text in texts:
        batch.append(text)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def counted(cut_texts: Iterable[Sequence[str]], index: dict[str, int]) -> Rows:
    """Return the count of each known word in each text."""
    numbers: list[int] = []
    ends = [0]
    find = index.get
    for text in cut_texts:
        numbers += [number for number in map(find, text) if number is not None]
        ends.append(len(numbers))
    parts = np.ones(len(numbers)), np.array(numbers, np.int32), np.array(ends, np.int32)
    counts: Rows = csr_array(parts, shape=(len(ends) - 1, len(index)))
    counts.sum_duplicates()
    return counts


def frequencies(cut_texts: Iterable[Sequence[str]]) -> Counter[str]:
    """Return the number of texts that contain each word."""
    return Counter(word for text in cut_texts for word in set(text))
