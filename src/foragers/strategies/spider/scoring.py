"""What links are worth by their words: naive Bayes over bins, and the mean of the bins' values.

What the words of links add that are the same on every page: most pages show the same links.
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
from foragers.text.bayes import log_likelihoods, log_priors, posteriors
from foragers.text.link_counts import FINEST, LinkCounts, bin_names, merged

Floats = NDArray[np.float64]

FROM_THE_FIRST = np.zeros(1, np.int64)
"""Where the texts begin of which there is one."""


class WordLimits(NamedTuple):
    """How many words of a page, and of a link, count in full: of more each counts less.

    Zero is no limit, which is equation 3.  Words of a text speak of the same, so that naive
    Bayes is the surer the longer a text is: without a limit the heading of a page outweighs
    all that its links say.
    """

    page_words: float = 0.0
    link_words: float = 0.0


NO_LIMITS = WordLimits()


@dataclass(frozen=True)
class Scorer:
    """The classifier: log P(c), log P(w|c) by word number, and what each bin is worth.

    Bins that no link was in are left out: nothing is known of their words.
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

    def scores(self, shared: Numbers, texts: WordColumn) -> Floats:
        """Return log P(c) + Σ log P(w|c), a row a text; `shared` words belong to each of them."""
        return self.total(self.evidence(WordColumn(shared, FROM_THE_FIRST)), self.evidence(texts))

    def evidence(self, texts: WordColumn) -> Floats:
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


def counts_of(lexicon: Lexicon, tally: LinkCounts) -> Floats:
    """Return the counts of a tally in the order of its lexicon."""
    none = np.zeros((FINEST, 1))
    return np.concatenate([none, *(tally.counts[bag] for bag in lexicon.bags)], axis=1)


def scorer_of(lexicon: Lexicon, tally: LinkCounts, bins: int) -> Scorer:
    """Return the classifier of a tally."""
    counts = counts_of(lexicon, tally)
    return Scorer.of(lexicon, counts, tally.links.astype(float), tally.worth, bins)


def within(evidence: Floats, most: float) -> Floats:
    """Return what texts say for each bin; of more than `most` words each counts less."""
    sums = evidence[:, :-1]
    if not most:
        return sums
    return sums * np.minimum(1, most / np.maximum(evidence[:, -1:], 1))


MOST = 50_000
"""So many links are remembered; then it begins anew."""


@dataclass
class LinkMemory:
    """The evidence of links by their own words and addresses, which is all but what is near them.

    It only saves time, so it is no part of what is kept of a spider.
    """

    lexicon: Lexicon
    scorer: Scorer
    _rows: dict[tuple[UrlId, str], list[float]] = field(default_factory=dict, repr=False)

    def scores(self, shared: Numbers, urls: Sequence[UrlId], said: Said) -> Floats:
        """Return the scores of the links of a page, a row a link (see `Scorer`)."""
        if len(self._rows) + len(urls) > MOST:
            self._rows = {}
        rows, keys = self._rows, list(zip(urls, said.anchors, strict=True))
        new = [place for place, key in enumerate(keys) if key not in rows]
        columns = [self.lexicon.near(said)] if said.arounds else []
        if new:
            fresh = Said([said.anchors[at] for at in new], [said.hrefs[at] for at in new], ())
            columns += (self.lexicon.own(fresh), self.lexicon.url(fresh))
        # All texts are weighed at once, which is much faster.
        found = self.scorer.evidence(parted(shared, columns))
        if new:
            alone = found[-2 * len(new) : -len(new)] + found[-len(new) :]
            rows.update(zip([keys[at] for at in new], alone.tolist(), strict=True))
        own = np.array([rows[key] for key in keys])
        if said.arounds:
            own += found[1 : 1 + len(keys)]
        return self.scorer.total(found[:1], own)

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_rows": {}}
