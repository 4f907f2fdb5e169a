"""What words say: of links, learned link by link; of pages, which kind they stand in.

Two numbers a word.  The *weight* is that of a logistic regression from the words of a link
to its worth, learned by one step a link (Adagrad).  The *lean* is the logarithm of how
much likelier the word stands in a relevant page than in another, so that the words of
very few relevant pages already speak for links that use them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from foragers.text.stopwords import ENGLISH_STOPWORDS
from foragers.text.words import words

Floats = NDArray[np.float64]
Numbers = NDArray[np.int32]

BUCKETS = 1 << 17
NO_WORD = BUCKETS
"""Where the words of a short link end; it weighs nothing."""
KEPT = 16_384
LINK_WORDS = 12
NO_WORDS = (NO_WORD,) * LINK_WORDS
PAGE_LETTERS, LEADING_WORDS = 3000, 15
RATE, FIRST_SQUARE, PRIOR = 0.3, 0.1, 0.3


@lru_cache(maxsize=65_536)
def bucket(word: str) -> int:
    """Return the number of a word; some share one."""
    return crc32(word.encode("utf-8", "surrogatepass")) % BUCKETS


@lru_cache(maxsize=KEPT)
def link_words(anchor: tuple[str, ...], address: tuple[str, ...]) -> tuple[int, ...]:
    """Return the numbers of a link's words: of its anchor first, then of the end of its address."""
    spoken = dict.fromkeys(anchor + address)
    kept = tuple(bucket(word) for word in spoken if word not in ENGLISH_STOPWORDS)
    return (kept + NO_WORDS)[:LINK_WORDS]


def page_words(text: str) -> Numbers:
    """Return the numbers of the words that a page begins with, each once."""
    found = {
        bucket(word)
        for word in words(text[:PAGE_LETTERS])
        if len(word) > 2 and word not in ENGLISH_STOPWORDS
    }
    return np.array(sorted(found), np.int32)


@dataclass
class WordWeights:
    """All words, as far as the crawl has met them."""

    weights: Floats = field(default_factory=lambda: np.zeros(BUCKETS + 1), repr=False)
    leans: Floats = field(default_factory=lambda: np.zeros(BUCKETS + 1), repr=False)
    _squares: Floats = field(default_factory=lambda: np.full(BUCKETS + 1, FIRST_SQUARE), repr=False)
    _relevant: Floats = field(default_factory=lambda: np.zeros(BUCKETS + 1), repr=False)
    _other: Floats = field(default_factory=lambda: np.zeros(BUCKETS + 1), repr=False)
    _pages: list[int] = field(default_factory=lambda: [0, 0])

    def read(self, page: Numbers, relevant: bool) -> float:
        """Take in the words of a page, and return how much the page leans to the relevant ones."""
        (self._relevant if relevant else self._other)[page] += 1
        self._pages[relevant] += 1
        if not self._pages[True] or not len(page):
            return 0.0
        return float(np.sort(self._lean(page))[-LEADING_WORDS:].mean())

    def _lean(self, places: Numbers) -> Floats:
        others, relevant = self._pages
        spoken = (self._relevant[places] + PRIOR) / (relevant + 2 * PRIOR)
        unspoken = (self._other[places] + PRIOR) / (others + 2 * PRIOR)
        lean: Floats = np.log(spoken / unspoken)
        return lean

    def refresh(self) -> None:
        """Work out anew where each word leans; words not met lean nowhere."""
        if self._pages[True]:
            met = np.flatnonzero(self._relevant + self._other)
            self.leans[met] = self._lean(met.astype(np.int32))

    def learn(self, links: Iterable[Numbers], worth: float, usual: float) -> None:
        """Take a step towards what a page was worth, from each of the links that spoke of it."""
        spoken = [link[link != NO_WORD] for link in links]
        for places in spoken:
            if len(places):
                said = 1 / (1 + np.exp(-np.clip(self.weights[places].sum() + usual, -30, 30)))
                slope = (said - worth) / len(spoken)
                self._squares[places] += slope * slope
                self.weights[places] -= RATE * slope / np.sqrt(self._squares[places])
