"""What links are worth by their words: naive Bayes over bins, and the mean of the bins' values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foragers.exact import times
from foragers.strategies.spider_reading import NO_WORD, Lexicon, Numbers, Texts
from foragers.text.bayes import log_likelihoods, log_priors, posteriors
from foragers.text.tally import FINEST, Tally, bin_names, merged

Floats = NDArray[np.float64]

FROM_THE_FIRST = np.zeros(1, np.int64)
"""Where the texts begin of which there is one."""


class Limits(NamedTuple):
    """How many words of a page, and of a link, count in full: of more each counts less.

    Zero is no limit, which is equation 3.  Words of a text speak of the same, so that naive
    Bayes is the surer the longer a text is: without a limit the heading of a page outweighs
    all that its links say.
    """

    page_words: float = 0.0
    link_words: float = 0.0


NO_LIMITS = Limits()


@dataclass(frozen=True)
class Scorer:
    """The classifier: log P(c), log P(w|c) by word number, and what each bin is worth.

    Bins that no link was in are left out: nothing is known of their words.
    """

    names: tuple[str, ...]
    priors: Floats
    weights: Floats
    values: Floats
    limits: Limits = NO_LIMITS

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
        return self.total(self.evidence(Texts(shared, FROM_THE_FIRST)), self.evidence(texts))

    def evidence(self, texts: Texts) -> Floats:
        """Return Σ log P(w|c), a row a text, and behind it how many words of the text are known."""
        weights = self._weights(texts.words)
        found = np.empty((len(texts.starts), weights.shape[1] + 1))
        found[:, :-1] = np.add.reduceat(weights, texts.starts, axis=0)
        # Nothing that was counted is certain, so known words weigh something.
        found[:, -1] = np.add.reduceat(weights[:, 0] != 0, texts.starts, dtype=np.int64)
        return found

    def total(self, page: Floats, own: Floats) -> Floats:
        """Return the scores of links by the evidence of their pages and their own."""
        return (
            self.priors + within(page, self.limits.page_words) + within(own, self.limits.link_words)
        )

    def _weights(self, words: Numbers) -> Floats:
        """Return the weights of words; those that are new since the last lesson have none."""
        if len(words) and int(words.max()) >= len(self.weights):
            words = np.where(words < len(self.weights), words, NO_WORD)
        return self.weights[words]

    def worth(self, scores: Floats) -> Floats:
        """Return what links are expected to be worth, by their scores."""
        return times(posteriors(scores), self.values)


def counts_of(lexicon: Lexicon, tally: Tally) -> Floats:
    """Return the counts of a tally in the order of its lexicon."""
    none = np.zeros((FINEST, 1))
    return np.concatenate([none, *(tally.counts[bag] for bag in lexicon.bags)], axis=1)


def scorer_of(lexicon: Lexicon, tally: Tally, bins: int) -> Scorer:
    """Return the classifier of a tally."""
    counts = counts_of(lexicon, tally)
    return Scorer.of(lexicon, counts, tally.links.astype(float), tally.worth, bins)


def within(evidence: Floats, most: float) -> Floats:
    """Return what texts say for each bin; of more than `most` words each counts less."""
    sums = evidence[:, :-1]
    if not most:
        return sums
    return sums * np.minimum(1, most / np.maximum(evidence[:, -1:], 1))
