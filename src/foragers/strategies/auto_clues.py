"""What is known of the links that wait: columns, one row a link, a few links a page.

A page is spoken of by the first `MOST_IN_LINKS` links that were found to it.  Links of
pages that were fetched are dropped at every look; of more than `MOST_CLUES` the least
promising are dropped too, and their pages keep the promise they had.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from foragers.strategies.auto_advice import ADVISERS, Advice, log_odds
from foragers.strategies.auto_rates import ROOT, Rates
from foragers.strategies.auto_words import LINK_WORDS, NO_WORD, WordWeights

MOST_IN_LINKS = 3
MOST_CLUES = 250_000
GROUPS = 4
"""Of tag path, directory, anchor and shape."""

CLUE = np.dtype(
    [
        ("url", np.int64),
        ("groups", np.int32, (GROUPS,)),
        ("words", np.int32, (LINK_WORDS,)),
        ("parent", np.float32),
        ("topic", np.float32),
        ("around", np.float32),
        ("lean", np.float32),
        ("depth", np.float32),
    ]
)
Records = NDArray[np.void]


@dataclass
class Clues:
    """The links that wait."""

    _table: Records = field(default_factory=lambda: np.zeros(1024, CLUE), repr=False)
    _count: int = 0

    def __len__(self) -> int:
        return self._count

    @property
    def all(self) -> Records:
        """All links that wait."""
        return self._table[: self._count]

    def add(self, clues: Records) -> None:
        """Add the links of a page."""
        end = self._count + len(clues)
        while end > len(self._table):
            self._table = np.concatenate([self._table, np.zeros_like(self._table)])
        self._table[self._count : end] = clues
        self._count = end

    def of(self, url: int) -> Records:
        """Return the links that speak of a page."""
        return self.all[np.flatnonzero(self.all["url"] == url)]

    def keep(self, which: NDArray[np.bool_]) -> None:
        """Drop all others."""
        kept = self.all[which]
        self._table[: len(kept)] = kept
        self._count = len(kept)


def advice_of(clues: Records, rates: Rates, words: WordWeights, in_links: Advice) -> Advice:
    """Return what each adviser says of each link."""
    advice = np.zeros((len(clues), len(ADVISERS)), np.float32)
    groups, numbers = clues["groups"], clues["words"]
    worth = rates.table["worth"]
    advice[:, 0] = 1
    advice[:, 1 : 1 + GROUPS] = log_odds(worth[groups]) - log_odds(worth[ROOT : ROOT + 1])
    length = np.sqrt(np.maximum(np.count_nonzero(numbers != NO_WORD, axis=1), 1))
    advice[:, 5] = np.clip(words.weights[numbers].sum(axis=1), -5, 5)
    advice[:, 6] = np.clip(words.leans[numbers].sum(axis=1) / length, -4, 4)
    advice[:, 7], advice[:, 8] = clues["parent"], clues["topic"]
    advice[:, 9], advice[:, 10] = clues["around"], clues["lean"]
    advice[:, 11] = np.log(np.maximum(in_links, 1))
    advice[:, 12] = clues["depth"]
    return advice


def doubt_of(clues: Records, rates: Rates) -> NDArray[np.float64]:
    """Return the logarithm of the chance that there is a page, by tag path and directory."""
    doubt: NDArray[np.float64] = np.log(rates.table["answer"][clues["groups"][:, :2]]).mean(axis=1)
    return doubt
