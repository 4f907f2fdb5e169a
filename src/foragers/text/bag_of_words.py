"""Bags of words: every word has a number, and a text is its word numbers with their counts."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise, repeat
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MOST_WORDS, FEWEST_TEXTS = 5000, 2
"""The size of the vocabulary, and the number of texts that a word must occur in."""

Numbers = NDArray[np.int64]


def known_words(text: Mapping[str, int], indexes: Mapping[str, int]) -> tuple[Numbers, Numbers]:
    """Return the numbers of the known words of a text, and their counts."""
    found = np.fromiter(map(indexes.get, text, repeat(-1)), np.int64, len(text))
    counts = np.fromiter(text.values(), np.int64, len(text))
    known = found >= 0
    return found[known], counts[known]


@dataclass
class BagStore:
    """Texts, stored one after another."""

    numbers: dict[str, int] = field(default_factory=dict, repr=False)
    _words: array[int] = field(default_factory=lambda: array("i"), repr=False)
    _counts: array[int] = field(default_factory=lambda: array("i"), repr=False)
    _ends: array[int] = field(default_factory=lambda: array("q", [0]), repr=False)

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __iter__(self) -> Iterator[dict[str, int]]:
        known = list(self.numbers)
        for first, last in pairwise(self._ends):
            words = [known[number] for number in self._words[first:last]]
            yield dict(zip(words, self._counts[first:last], strict=True))

    def add(self, text: Mapping[str, int]) -> None:
        """Add a text, given its words with their counts."""
        number = self.numbers.setdefault
        self._words.extend([number(word, len(self.numbers)) for word in text])
        self._counts.extend(text.values())
        self._ends.append(len(self._words))

    def chosen(self) -> tuple[list[str], csr_array]:
        """Return the words that occur in most texts, and their counts in each text."""
        from scipy.sparse import csr_array

        counts = np.frombuffer(self._counts, np.int32) if self._counts else np.empty(0, np.int32)
        words = np.frombuffer(self._words, np.int32) if self._words else np.empty(0, np.int32)
        shape = len(self), len(self.numbers)
        matrix = csr_array((counts.astype(np.float64), words, list(self._ends)), shape=shape)
        frequencies = np.bincount(words, minlength=len(self.numbers))
        order = np.argsort(-frequencies, kind="stable")[:MOST_WORDS]
        kept = np.sort(order[frequencies[order] >= FEWEST_TEXTS])
        known = list(self.numbers)
        return [known[word] for word in kept.tolist()], csr_array(matrix[:, kept])
