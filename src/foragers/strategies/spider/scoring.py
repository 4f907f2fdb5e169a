"""The value of links by their words: naive Bayes over bins, and the mean of the bins' values.

`LinkMemory` caches the evidence of links, since most pages of a site show the same links.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foragers.core.exact import times
from foragers.core.types import UrlId
from foragers.strategies.spider.features import NO_WORD, Lexicon, Numbers, Said, WordColumn, parted
from foragers.strategies.spider.settings import DEFAULT_SPIDER
from foragers.text.bayes import log_likelihoods, log_priors, posteriors
from foragers.text.link_counts import FINEST, LinkCounts, bin_names, merged

Floats = NDArray[np.float64]

FROM_THE_FIRST = np.zeros(1, np.int64)
"""The start of a single text."""


class WordLimits(NamedTuple):
    """The words of a page, and of a link, that count in full; in a longer text each counts less.

    Zero is no limit, which is equation 3.  The words of a text are not independent, so naive
    Bayes is the more certain the longer a text is: without a limit the heading of a page
    outweighs the words of its links.
    """

    page_words: float = 0.0
    link_words: float = 0.0


NO_LIMITS = WordLimits()


@dataclass(frozen=True)
class Scorer:
    """The classifier: log P(c), log P(w|c) by word number, and the value of each bin.

    Bins without links are left out, since the probabilities of their words are unknown.
    """

    names: tuple[str, ...]
    priors: Floats
    weights: Floats
    values: Floats
    limits: WordLimits = NO_LIMITS

    @classmethod
    def of(
        cls, lexicon: Lexicon, counts: Floats, links: Floats, worth: Floats, bins: int
    ) -> Scorer:
        """Learn from counts in five bins (one column per word), their links and sums of Q."""
        held, counted = merged(links, bins), merged(counts, bins)
        there = np.flatnonzero(held > 0)
        weights = np.zeros((len(lexicon), len(there)))
        bag_of = np.array(lexicon.bag_of, np.int8)
        seen = counts.any(axis=0)
        for bag in range(len(lexicon.bags)):
            words = np.flatnonzero((bag_of == bag) & seen)
            weights[words] = log_likelihoods(counted[np.ix_(there, words)]).T
        names = bin_names(bins)
        return cls(
            tuple(names[number] for number in there.tolist()),
            log_priors(held[there]),
            weights,
            merged(worth, bins)[there] / held[there],
        )

    def scores(self, shared: Numbers, texts: WordColumn) -> Floats:
        """Return log P(c) + Σ log P(w|c), one row per text; all texts have the `shared` words."""
        return self.total(self.evidence(WordColumn(shared, FROM_THE_FIRST)), self.evidence(texts))

    def evidence(self, texts: WordColumn) -> Floats:
        """Return Σ log P(w|c), one row per text; the last column is the number of known words."""
        weights = self._weights(texts.words)
        sums = np.empty((len(texts.starts), weights.shape[1] + 1))
        sums[:, :-1] = np.add.reduceat(weights, texts.starts, axis=0)
        # Probabilities are smoothed, so the weights of known words are never 0.
        sums[:, -1] = np.add.reduceat(weights[:, 0] != 0, texts.starts, dtype=np.int64)
        return sums

    def total(self, page: Floats, own: Floats) -> Floats:
        """Return the scores of links from the evidence of their pages and their own."""
        return (
            self.priors + within(page, self.limits.page_words) + within(own, self.limits.link_words)
        )

    def _weights(self, words: Numbers) -> Floats:
        """Return the weights of words, 0 for words that are new since the last lesson."""
        if len(words) and int(words.max()) >= len(self.weights):
            words = np.where(words < len(self.weights), words, NO_WORD)
        return self.weights[words]

    def worth(self, scores: Floats) -> Floats:
        """Return the expected value of links from their scores."""
        return times(posteriors(scores), self.values)


def counts_of(lexicon: Lexicon, counts: LinkCounts) -> Floats:
    """Return word counts in the order of a lexicon."""
    none = np.zeros((FINEST, 1))
    return np.concatenate([none, *(counts.counts[bag] for bag in lexicon.bags)], axis=1)


def scorer_of(lexicon: Lexicon, counts: LinkCounts, bins: int) -> Scorer:
    """Return the classifier of word counts."""
    columns = counts_of(lexicon, counts)
    return Scorer.of(lexicon, columns, counts.links.astype(float), counts.worth, bins)


def within(evidence: Floats, most: float) -> Floats:
    """Return the evidence of texts for each bin; in a text of more than `most` words, less."""
    sums = evidence[:, :-1]
    if not most:
        return sums
    return sums * np.minimum(1, most / np.maximum(evidence[:, -1:], 1))


@dataclass
class LinkMemory:
    """The cached evidence of links by their own words and URLs, without the words near them.

    It only saves time, so it is not pickled with the spider.  A full cache is cleared.
    """

    lexicon: Lexicon
    scorer: Scorer
    most: int = DEFAULT_SPIDER.cached_links
    _rows: dict[tuple[UrlId, str], list[float]] = field(default_factory=dict, repr=False)

    def scores(self, shared: Numbers, urls: Sequence[UrlId], texts: Said) -> Floats:
        """Return the scores of the links of a page, one row per link (see `Scorer`)."""
        if len(self._rows) + len(urls) > self.most:
            self._rows = {}
        rows, keys = self._rows, list(zip(urls, texts.anchors, strict=True))
        new = [i for i, key in enumerate(keys) if key not in rows]
        columns = [self.lexicon.near(texts)] if texts.arounds else []
        if new:
            fresh = Said([texts.anchors[i] for i in new], [texts.hrefs[i] for i in new], ())
            columns += (self.lexicon.own(fresh), self.lexicon.url(fresh))
        # The evidence of all texts is computed at once, which is much faster.
        evidence = self.scorer.evidence(parted(shared, columns))
        if new:
            alone = evidence[-2 * len(new) : -len(new)] + evidence[-len(new) :]
            rows.update(zip([keys[i] for i in new], alone.tolist(), strict=True))
        own = np.array([rows[key] for key in keys])
        if texts.arounds:
            own += evidence[1 : 1 + len(keys)]
        return self.scorer.total(evidence[:1], own)

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_rows": {}}
