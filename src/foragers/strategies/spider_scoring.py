"""What links are worth by their words: naive Bayes over bins, and the mean of the bins' values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from foragers.strategies.spider_reading import NO_WORD, Lexicon, Numbers, Texts
from foragers.text.bayes import log_likelihoods, log_priors, posteriors
from foragers.text.tally import FINEST, Tally, bin_names, merged

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Scorer:
    """The classifier: log P(c), log P(w|c) by word number, and what each bin is worth.

    Bins that no link was in are left out: nothing is known of their words.
    """

    names: tuple[str, ...]
    priors: Floats
    weights: Floats
    values: Floats

    @classmethod
    def of(
        cls, lexicon: Lexicon, counts: Floats, links: Floats, worth: Floats, bins: int
    ) -> Scorer:
        """Learn from counts in five bins (a column a word), from their links and sums of Q."""
        held, counted = merged(links, bins), merged(counts, bins)
        there = np.flatnonzero(held > 0)
        weights = np.zeros((len(lexicon), len(there)))
        bag_of = np.array(lexicon.bag_of, np.int8)
        seen = counts.any(axis=0)
        for place in range(len(lexicon.bags)):
            words = np.flatnonzero((bag_of == place) & seen)
            weights[words] = log_likelihoods(counted[np.ix_(there, words)]).T
        names = bin_names(bins)
        return cls(
            tuple(names[place] for place in there.tolist()),
            log_priors(held[there]),
            weights,
            merged(worth, bins)[there] / held[there],
        )

    def scores(self, shared: Numbers, texts: Texts) -> Floats:
        """Return log P(c) + Σ log P(w|c), a row a text; `shared` words belong to each of them."""
        common = self.priors + self._weights(shared).sum(axis=0)
        sums = np.add.reduceat(self._weights(texts.words), texts.starts, axis=0)
        scores: Floats = common + sums
        return scores

    def summed(self, texts: Sequence[Numbers]) -> Floats:
        """Return Σ log P(w|c), a row a text; each text begins with no word."""
        starts = np.cumsum([0, *(len(text) for text in texts[:-1])])
        sums: Floats = np.add.reduceat(self._weights(np.concatenate(texts)), starts, axis=0)
        return sums

    def _weights(self, words: Numbers) -> Floats:
        """Return the weights of words; those that are new since the last lesson have none."""
        if len(words) and int(words.max()) >= len(self.weights):
            words = np.where(words < len(self.weights), words, NO_WORD)
        return self.weights[words]

    def worth(self, scores: Floats) -> Floats:
        """Return what links are expected to be worth, by their scores."""
        expected: Floats = posteriors(scores) @ self.values
        return expected


def counts_of(lexicon: Lexicon, tally: Tally) -> Floats:
    """Return the counts of a tally in the order of its lexicon."""
    none = np.zeros((FINEST, 1))
    return np.concatenate([none, *(tally.counts[bag] for bag in lexicon.bags)], axis=1)


def scorer_of(lexicon: Lexicon, tally: Tally, bins: int) -> Scorer:
    """Return the classifier of a tally."""
    counts = counts_of(lexicon, tally)
    return Scorer.of(lexicon, counts, tally.links.astype(float), tally.worth, bins)
