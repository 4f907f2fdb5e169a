"""Texts as numbers: each word has one, and a text is which of them it holds and how often."""

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
"""How many words are worth knowing, and in how many texts each must stand."""

Numbers = NDArray[np.int64]


def known_words(text: Mapping[str, int], places: Mapping[str, int]) -> tuple[Numbers, Numbers]:
    """Return the places of those words of a text that have one, and their counts."""
    found = np.fromiter(map(places.get, text, repeat(-1)), np.int64, len(text))
    counts = np.fromiter(text.values(), np.int64, len(text))
    known = found >= 0
    return found[known], counts[known]


@dataclass
class BagStore:
    """Texts, one after the other."""

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
        """Take in a text, given its words with their counts."""
        number = self.numbers.setdefault
        self._words.extend([number(word, len(self.numbers)) for word in text])
        self._counts.extend(text.values())
        self._ends.append(len(self._words))

    def chosen(self) -> tuple[list[str], csr_array]:
        """Return the words that stand in most texts, and how often each stands in each text."""
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
