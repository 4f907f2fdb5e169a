"""Training of page states: clusters, the words that separate them, PrTFIDF."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import vstack

from foragers.core import exact
from foragers.text.pddp import PDDP
from foragers.text.prtfidf import PrTFIDF
from foragers.text.state import MIDDLE, StateMap, counted, cut, frequencies
from foragers.text.word_opinions import Floats, Rows

Numbers: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]

COMMONEST = (0.5, 0.1, 0.05, 0.02)
"""Words in more than this share of the texts are left out; each value is tried."""

WORDS_A_CLUSTER = (5, 10, 20, 40, 80)
"""The mean number of words chosen for each cluster; each value is tried."""

SUREST = (0.0, 0.5)
"""Words whose largest P(C|w) is below this are left out; each value is tried."""

RAREST, MOST_WORDS = 3, 10_000
"""Words in fewer texts are left out, and the rarest of the others beyond this number."""

KEPT_BACK = 0.25
"""The share of the sample on which choices of words are tested."""

MIXED = 10
"""The number of texts that are mixed into one general text."""


@dataclass(frozen=True)
class Clustered:
    """A sample, counted and clustered, without too common words."""

    vocabulary: list[str]
    counts: Rows
    labels: Numbers


def train(
    texts: Sequence[str], k: int, rng: np.random.Generator, general: Sequence[str] = ()
) -> StateMap:
    """Learn from a sample of texts."""
    sample = [cut(text) for text in texts]
    others = [cut(text) for text in general] or mixtures(sample, k, rng)
    back = rng.random(len(sample)) < KEPT_BACK
    best: tuple[float, Clustered, Numbers] | None = None
    for commonest in COMMONEST:
        found = clustered(sample, k, commonest)
        for chosen in choices(found, k, back):
            worth = decided(found, chosen, back)
            if best is None or worth > best[0]:
                best = worth, found, chosen
    return taught(best[1], best[2], others, k) if best else nothing_known(k)


def nothing_known(k: int) -> StateMap:
    """Return the map of a sample without words: all text is general."""
    return StateMap(k, (), np.empty((0, 1)), np.ones(1))


def choices(found: Clustered, k: int, back: Flags) -> Iterator[Numbers]:
    """Yield sets of words to try: the most informative of all, and of those with a large P(C|w)."""
    if not found.vocabulary or back.all():
        return
    order = np.argsort(-information(found), kind="stable")
    opinions = PrTFIDF().fit(found.counts[~back], found.labels[~back]).class_given_word_
    for surest in SUREST:
        sure = order[opinions.max(axis=1)[order] >= surest]
        for size in dict.fromkeys(min(each * k, len(sure)) for each in WORDS_A_CLUSTER):
            if size:
                yield np.sort(sure[:size])


def mixtures(sample: Sequence[list[str]], k: int, rng: np.random.Generator) -> list[list[str]]:
    """Return general texts: as many as a cluster has, each a mixture of several."""
    count = ceil(len(sample) / max(k, 1))
    picked = rng.integers(len(sample), size=(count, MIXED)) if sample else np.empty((0, MIXED), int)
    return [[word for text in row for word in sample[text]] for row in picked.tolist()]


def clustered(sample: Sequence[list[str]], k: int, commonest: float) -> Clustered:
    """Cluster the sample by its words, without those that are too common."""
    known = frequencies(sample)
    most = commonest * len(sample)
    usable = [word for word, count in known.items() if RAREST <= count <= most]
    vocabulary = sorted(sorted(usable, key=lambda word: (-known[word], word))[:MOST_WORDS])
    counts = counted(sample, {word: number for number, word in enumerate(vocabulary)})
    if not vocabulary:
        return Clustered(vocabulary, counts, np.zeros(len(sample), np.int64))
    rarity = exact.log((1 + len(sample)) / (1 + np.array([known[word] for word in vocabulary]))) + 1
    weighed = counts.copy()
    weighed.data = (1 + exact.log(weighed.data)) * rarity[weighed.indices]
    return Clustered(vocabulary, counts, PDDP(n_clusters=k).fit(weighed).labels_)


def information(found: Clustered) -> Floats:
    """Return the information of each word about a text's cluster, in nats."""
    texts, clusters = len(found.labels), int(found.labels.max(initial=0)) + 1
    belongs = np.eye(clusters)[found.labels]
    present = found.counts.copy()
    present.data[:] = 1.0
    inside = exact.grouped(present, found.labels, clusters, np.ones(texts)).T
    share = inside.sum(axis=1) / max(texts, 1)
    outside = belongs.sum(axis=0) - inside
    before = entropy(belongs.sum(axis=0)[None])[0]
    return np.asarray(before - share * entropy(inside) - (1 - share) * entropy(outside))


def entropy(counts: Floats) -> Floats:
    """Return the entropy of each row of counts."""
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-300)
    logs = exact.log(np.where(shares > 0, shares, 1.0))
    return np.asarray(-(shares * logs).sum(axis=1))


def decided(found: Clustered, chosen: Numbers, back: Flags) -> float:
    """Return the held-out texts that activate their own cluster, minus those with another."""
    if not back.any():
        return 0.0
    counts = found.counts[:, chosen]
    model = PrTFIDF().fit(counts[~back], found.labels[~back])
    outputs = model.predict_proba(counts[back])
    yes = outputs.max(axis=1) > MIDDLE
    right = model.classes_[outputs.argmax(axis=1)] == found.labels[back]
    return float((yes & right).sum() - (yes & ~right).sum())


def taught(found: Clustered, chosen: Numbers, general: Sequence[list[str]], k: int) -> StateMap:
    """Teach PrTFIDF the clusters and the general text, with the chosen words."""
    vocabulary = [found.vocabulary[number] for number in chosen.tolist()]
    index = {word: number for number, word in enumerate(vocabulary)}
    last = int(found.labels.max(initial=0)) + 1
    counts = vstack([found.counts[:, chosen], counted(general, index)], format="csr")
    labels = np.concatenate((found.labels, np.full(len(general), last)))
    model = PrTFIDF().fit(counts, labels)
    opinions, prior = model.class_given_word_, model.class_prior_
    if not len(general):
        opinions = np.hstack((opinions, np.zeros((len(opinions), 1))))
        prior = np.append(prior, 0.0)
    return StateMap(k, tuple(vocabulary), opinions, prior)
