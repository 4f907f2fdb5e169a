"""HW: the relevancy context graph, in which a page n links from the topic is worth α^n.

Hsu and Wu (2006), "Topic-specific crawling on the Web with the measurements of the relevancy
context graph".  A page's rank goes by its place in the context graph and by how its words
are distributed:

    place = Σ_n α^n · P(layer n | page)                      naive Bayes, see `layer_words`
    words = Σ_w P(w | page) · P_T(w) / (P_T(w) + P_G(w))
    promise = ½ place + ½ words

with P_T(w) ∝ Σ_n α^n · (mean share of w in the pages of layer n) for the topic, and P_G the mean
over all layers, the far one too.

All but "a context graph for each on-topic document, general and topic-specific word distributions,
relevance α^n" is our reconstruction, since we had no copy of that paper: that the graphs are
merged, naive Bayes for the place, the odds for the words, the plain mean of the two,
α = ½, and that what is far from the topic is worth nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foragers.errors import UsageError
from foragers.exact import dot
from foragers.models import Model
from foragers.strategies.layer_crawler import LayerCrawler
from foragers.strategies.layer_words import Floats, LayerWords
from foragers.strategies.page_by_page import Reader, State, Text


@dataclass
class RelevancyReader:
    """Values a page by its place in the graph and by its words."""

    words: LayerWords
    worth: Floats
    odds: Floats

    @classmethod
    def of(cls, words: LayerWords, alpha: float) -> RelevancyReader:
        """Prepare for an α."""
        worth = np.append(np.cumprod([1.0, *[alpha] * (len(words.shares) - 2)]), 0.0)
        size = words.shares.shape[1]
        topic, general = (
            np.add.reduce(worth[:, np.newaxis] * words.shares),
            words.shares.sum(axis=0),
        )
        # Laplace: one part in the size of the vocabulary for every word, seen or not.
        topic, general = (
            (row / max(row.sum(), 1e-12) + 1 / max(size, 1)) / 2 for row in (topic, general)
        )
        return cls(words, worth, topic / (topic + general))

    def read(self, text: Text, before: State | None) -> tuple[float, State | None]:
        """Return the rank of a page."""
        del before
        numbers, counts = self.words.words_of(text)
        if not len(numbers):
            return 0.0, None
        place = dot(self.worth, self.words.layers(numbers, counts, len(self.worth)))
        spoken = dot(counts, self.odds[numbers]) / float(counts.sum())
        return (place + spoken) / 2, None


@dataclass
class Hw(LayerCrawler):
    """Ranks pages by their words and by their layer in a context graph."""

    alpha: float = 0.5

    def check(self) -> None:
        """Refuse what makes no sense."""
        super().check()
        if not 0 < self.alpha <= 1:
            raise UsageError(f"hw: alpha={self.alpha:g}: must be above 0 and at most 1")

    def reader(self, model: Model) -> Reader:
        """Return someone who knows the worth of layers and words."""
        return RelevancyReader.of(LayerWords.of(model), self.alpha)
