"""Context graphs: a queue for every distance from what is wanted.

Diligenti, Coetzee, Lawrence, Giles and Gori (2000), "Focused crawling using context graphs".  A
page is put into the layer that its words fit best, and its links into the queue of that layer,
sorted by how well they fit; what fits none goes into the last queue.  The next page comes from
the first queue that is not empty.

Where we had to guess: the paper's threshold for "other" (here a layer must be at least `sure`
likely); that words count as often as they stand in a page; and the size of the vocabulary.  The
paper makes its graph with a search engine that tells who links to a page; we
take it from recorded worlds (`foragers train --kind context-graph`) or, without a model, from the
first pages of the crawl, which know only the links that were followed.

HW: the relevancy context graph, in which a page n links from the topic is worth α^n.

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

from foragers.core.exact import dot
from foragers.core.models import Model
from foragers.errors import UsageError
from foragers.strategies.layered.layer_words import Floats, LayerWords
from foragers.strategies.layered.page_scorer import LayerCrawler, PageReader, State, Text


@dataclass
class LayerReader:
    """Finds the queue for the links of a page."""

    words: LayerWords
    sure: float

    def read(self, text: Text, before: State | None) -> tuple[float, State | None]:
        """Return a promise that sorts by queue first, and in a queue by likelihood."""
        del before
        graph = len(self.words.likelihoods) - 1
        numbers, counts = self.words.words_of(text)
        if not len(numbers):
            return 0.0, None
        shares = self.words.layers(numbers, counts, graph)
        layer = int(shares.argmax())
        likely = float(shares[layer])
        queue = layer if likely >= self.sure else graph
        # Between two queues there is room for a likelihood of 1.
        return (graph - queue + likely / (1 + 1e-9)) / (graph + 1), None


@dataclass
class ContextGraph(LayerCrawler):
    """Estimates from the words of a page how many links away relevant pages are."""

    sure: float = 0.5

    def check(self) -> None:
        """Refuse what makes no sense."""
        super().check()
        if not 0 <= self.sure <= 1:
            raise UsageError(f"context-graph: sure={self.sure:g}: must be between 0 and 1")

    def reader(self, model: Model) -> PageReader:
        """Return someone who knows the layers."""
        return LayerReader(LayerWords.of(model), self.sure)


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

    def reader(self, model: Model) -> PageReader:
        """Return someone who knows the worth of layers and words."""
        return RelevancyReader.of(LayerWords.of(model), self.alpha)
