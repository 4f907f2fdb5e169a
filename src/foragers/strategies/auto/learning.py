"""What a followed link teaches, and what waiting links promise: all parts of `auto` in one call.

Each function has a compiled twin (`_columns`), which does in one pass what the functions of
`group_rates`, `word_weights`, `combiner` and `pending_links` do one after the other.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from foragers.compiled import compiled
from foragers.core import exact
from foragers.core.types import Ids, UrlId
from foragers.frontier.columns import UrlColumn
from foragers.strategies.auto.combiner import Combiner, Floats, Matrix, sigmoid
from foragers.strategies.auto.group_rates import Rates
from foragers.strategies.auto.pending_links import (
    LAYOUT,
    STORED,
    LinkFeatures,
    PendingLinks,
    doubt_of,
    feature_matrix,
    weighted_sum,
)
from foragers.strategies.auto.reward import Raised, packed, unpacked
from foragers.strategies.auto.word_weights import SHARES, WordWeights, spoken

DEPTH = STORED.index("depth")


def _prepared() -> Any | None:
    """Return the compiled functions, told which feature is where, if there are any."""
    library = compiled("foragers.strategies.auto._columns")
    if library is not None:
        library.prepare(*LAYOUT)
    return library


LIBRARY = _prepared()


class Nearness(NamedTuple):
    """What links lose by each step from a seed, and what seeds gain, both in log-odds."""

    lost: float
    gain: float


class Learners(NamedTuple):
    """All that learns from followed links."""

    rates: Rates
    words: WordWeights
    combiner: Combiner
    pending: PendingLinks
    in_links: UrlColumn[np.int32]

    def features(self, links: LinkFeatures) -> Matrix:
        """Return the features of links: one row per feature."""
        counts = self.in_links.values[links.urls]
        return feature_matrix(links, self.rates, self.words, counts)

    def best(self, features: Matrix) -> int:
        """Return the index of the link that promises most."""
        if features.shape[1] == 1:
            return 0
        return int(np.argmax(weighted_sum(features, self.combiner.weights)))

    def _sources(self, links: LinkFeatures) -> tuple[object, ...]:
        """Return what the features of links are made of, as the compiled functions take it."""
        bounds, _ = self.words.bounds
        said = (self.rates.odds, self.words.table, exact.LOG_COUNTS, SHARES, bounds)
        return (*links, self.in_links.values, *said, self.combiner.weights)

    def promises(self, links: LinkFeatures, near: Nearness | None) -> Floats:
        """Return how likely each link is worth following."""
        quick: Floats = np.empty(len(links.urls))
        lost, gain = near if near is not None else (0.0, 0.0)
        if LIBRARY is not None:
            last = (self.rates.doubts, quick, self.words.bounds[1], near is not None, lost, gain)
            if LIBRARY.scored(*self._sources(links), *last):
                return quick
        odds = weighted_sum(self.features(links), self.combiner.weights)
        if near is not None:
            depths = links.stored[DEPTH]
            odds = odds - lost * depths
            odds = odds + np.where(depths == 0, gain, 0.0)
        return sigmoid(odds + doubt_of(links, self.rates))

    def learn(
        self, url: UrlId, worth: float, answered: bool, counts_words: bool
    ) -> tuple[bytes, int]:
        """Update groups, words and memory with the worth of a page, and whether there was one.

        Return the groups and words that were updated, as bytes, and the row of the memory that
        keeps the link.
        """
        if LIBRARY is not None:
            quick = self._learn_quickly(LIBRARY, url, worth, answered, counts_words)
            if quick is not None:
                return quick, self.combiner.take_row(worth)
        known = self.pending.of(url)
        features, words = self.features(known), spoken(known.words)
        groups = self.rates.teach(known.groups, worth, answered)
        self.words.learn(words, worth, self.rates.usual)
        if counts_words:
            self.words.count(words, 1.0, worth)
        row = features[:, self.best(features)]
        return packed(groups, words), self.combiner.remember(row, worth)

    def _learn_quickly(
        self, library: Any, url: UrlId, worth: float, answered: bool, counts_words: bool
    ) -> bytes | None:
        """Do the same compiled, but for taking the row; None if columns are damaged."""
        rates, words, given = self.rates, self.words, self.rates.settings
        found: tuple[bytes, bytes] | None = library.followed(
            *self._sources(self.pending.all),
            *self.pending.chains,
            *(rates.parents, rates.followed, rates.earned, rates.tried, rates.answered),
            *(words.squares, words.followed, words.earned),
            *self.combiner.next_row,
            *(url, words.bounds[1], worth, answered),
            *(given.few_answers, rates.usual, given.word_rate, counts_words),
        )
        if found is None:
            return None
        words.met_in_links(found[1])
        return found[0]

    def reward(self, raised: Raised, counts_words: bool) -> None:
        """Let everyone who spoke of a page learn that it was worth more than was known."""
        rates, words, rate = self.rates, self.words, self.rates.settings.word_rate
        self.combiner.correct(raised.place, raised.worth)
        columns = (rates.earned, words.table, words.squares, words.followed, words.earned)
        worth = (raised.worth, raised.more, rates.usual, rate, counts_words)
        if LIBRARY is not None and LIBRARY.rewarded(raised.taught, *columns, *worth):
            return
        groups, said = unpacked(raised.taught)
        rates.correct(groups, raised.more)
        words.learn(said, raised.worth, rates.usual)
        if counts_words:
            words.count(said, 0.0, raised.more)

    def best_of_each(self, promises: Floats) -> tuple[Ids, Floats]:
        """Return the pages linked to, each once, and the best promise of each."""
        if LIBRARY is not None:
            last, _ = self.pending.chains
            quick: tuple[bytes, bytes] | None = LIBRARY.best(self.pending.urls, last, promises)
            if quick is not None:
                return np.frombuffer(quick[0], np.int32), np.frombuffer(quick[1])
        return self.pending.best(promises)
