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
ANSWERING = [0, 1, 3]
"""The groups that say whether there is a page: all but the anchor's."""

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
        ("schooled", np.float32),
    ]
)
Records = NDArray[np.void]


@dataclass
class Clues:
    """The links that wait."""

    _table: Records = field(default_factory=lambda: np.zeros(1024, CLUE), repr=False)
    _count: int = 0
    _urls: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64), repr=False)
    _places: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, np.intp), repr=False)

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
        first, end = np.searchsorted(self._urls, (url, url + 1))
        looked = len(self._urls)
        late = np.flatnonzero(self.all["url"][looked:] == url) + looked
        found: Records = self.all[np.concatenate([self._places[first:end], late])]
        return found

    def keep(self, which: NDArray[np.bool_]) -> None:
        """Drop all others, and put an index over those that stay."""
        kept = self.all[which]
        self._table[: len(kept)] = kept
        self._count = len(kept)
        self._places = np.argsort(kept["url"], kind="stable")
        self._urls = kept["url"][self._places]


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
    advice[:, 12], advice[:, 13] = np.maximum(clues["depth"], 0), clues["schooled"]
    return advice


def doubt_of(clues: Records, rates: Rates) -> NDArray[np.float64]:
    """Return the log of the chance that there is a page, by tag path, directory and shape."""
    answers = rates.table["answer"][clues["groups"][:, ANSWERING]]
    doubt: NDArray[np.float64] = np.log(answers).mean(axis=1)
    return doubt
