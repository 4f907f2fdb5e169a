"""Explanations of the spider: which words of a link speak for which bin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foragers.core import exact
from foragers.core.protocols import Part, Reasons
from foragers.core.types import Link, Page
from foragers.strategies.spider.features import Lexicon
from foragers.strategies.spider.scoring import Scorer, WordLimits
from foragers.text.bayes import posteriors
from foragers.text.link_text import OF_PAGE, link_words, page_words

NOTE = (
    "A word adds log(P(w|bin) / P(w)), less of it in a text longer than the spider's limits; the"
    " bin with the largest sum is the likeliest."
    " The promise is the mean of the bins' values, weighed by their probabilities."
)


class KnownWord(NamedTuple):
    """A word that the spider knows: its label, bag, number, and count in the link."""

    name: str
    bag: str
    number: int
    times: int


def reasons_of(lexicon: Lexicon, scorer: Scorer, page: Page, link: Link, shown: int) -> Reasons:
    """Return what each word of a link adds to each bin (up to `shown` words), and the promise."""
    known = [
        KnownWord(f"{word} ({bag})" + (f" × {times}" if times > 1 else ""), bag, number, times)
        for (bag, word), times in words_of(lexicon, page, link).items()
        if 0 < (number := lexicon.numbers[bag].get(word, 0)) < len(scorer.weights)
        if scorer.weights[number].any()
    ]
    weights = scorer.weights[[word.number for word in known]]
    often = counted(known, scorer.limits)[:, np.newaxis]
    shares = posteriors((scorer.priors + (often * weights).sum(axis=0))[np.newaxis])[0]
    joint = weights + scorer.priors
    top = joint.max(axis=1, keepdims=True)
    usual = top + exact.log(exact.exp(joint - top).sum(axis=1, keepdims=True))
    adds = often * (weights - usual)
    order = np.argsort(-np.ptp(adds, axis=1), kind="stable")[:shown] if known else ()
    parts = [
        Part("how frequent the bins are", tuple(scorer.priors.tolist())),
        *(Part(known[i].name, tuple(adds[i].tolist())) for i in order),
        Part("P(bin | words)", tuple(shares.tolist())),
        Part("value of the bin", tuple(scorer.values.tolist())),
    ]
    worth = exact.dot(shares, scorer.values)
    says = f"expected to be worth {worth:.3f}, by {len(known)} known words"
    return Reasons(says, scorer.names, tuple(parts), NOTE, worth)


def counted(known: Sequence[KnownWord], limits: WordLimits) -> NDArray[np.float64]:
    """Return the weight of each word: its count, reduced in a long text."""
    times = np.array([word.times for word in known], np.float64)
    of_page = np.array([word.bag in OF_PAGE for word in known], np.bool_)
    for part, most in ((of_page, limits.page_words), (~of_page, limits.link_words)):
        if most and (length := times[part].sum()) > most:
            times[part] *= most / length
    return times


def words_of(lexicon: Lexicon, page: Page, link: Link) -> Counter[tuple[str, str]]:
    """Return the words of a link and its page with their bags, and their counts."""
    counts: Counter[tuple[str, str]] = Counter()
    for bag in lexicon.bags:
        if bag in OF_PAGE:
            words = page_words(bag, page.document)
        else:
            words = link_words(bag, link, link.href)
        counts.update((bag, word) for word in words)
    return counts
