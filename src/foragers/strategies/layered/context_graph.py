"""Two strategies on context graphs: a queue for every distance from relevant pages, and HW.

**context-graph.**  Diligenti, Coetzee, Lawrence, Giles and Gori (2000), "Focused crawling using
context graphs".  A page is put into the layer that its words fit best, and its links into the
queue of that layer, sorted by how well they fit; pages that fit no layer go into the last queue.
The next page comes from the first queue that is not empty.

Where we had to guess: the paper's threshold for "other" (here a layer must have at least the
probability `sure`); that words count as often as they stand in a page; and the size of the
vocabulary.  The paper makes its graph with a search engine that knows the links to a page.  We
take it from recorded worlds (`foragers train --kind context-graph`) or, without a model, from the
first pages of the crawl, which know only the links that were followed.

**hw**, the relevancy context graph, in which a page n links from the topic is worth α^n.

Hsu and Wu (2006), "Topic-specific crawling on the Web with the measurements of the relevancy
context graph".  The rank of a page depends on its layer in the context graph and on the
distribution of its words:

    layer = Σ_n α^n · P(layer n | page)                      naive Bayes, see `layer_words`
    words = Σ_w P(w | page) · P_T(w) / (P_T(w) + P_G(w))
    promise = ½ layer + ½ words

with P_T(w) ∝ Σ_n α^n · (mean share of w in the pages of layer n) for the topic, and P_G the mean
over all layers, the far one too.

Everything except "a context graph for each on-topic document, general and topic-specific word
distributions, relevance α^n" is our reconstruction, since we had no copy of that paper: that the
graphs are merged, naive Bayes for the layer, the odds for the words, the mean of the two,
α = ½, and that the last layer is worth nothing.
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
        # The promises of two queues do not overlap.
        return (graph - queue + likely / (1 + 1e-9)) / (graph + 1), None


@dataclass
class ContextGraph(LayerCrawler):
    """Estimates from the words of a page how many links away relevant pages are."""

    sure: float = 0.5

    def check(self) -> None:
        """Raise a UsageError for invalid parameters."""
        super().check()
        if not 0 <= self.sure <= 1:
            raise UsageError(f"context-graph: sure={self.sure:g}: must be between 0 and 1")

    def reader(self, model: Model) -> PageReader:
        """Return a reader with the layers of a model."""
        return LayerReader(LayerWords.of(model), self.sure)


@dataclass
class RelevancyReader:
    """Scores a page by its layer in the graph and by its words."""

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
        # Laplace smoothing: every word, seen or not, gets one part in the vocabulary's size.
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
        by_layer = dot(self.worth, self.words.layers(numbers, counts, len(self.worth)))
        by_words = dot(counts, self.odds[numbers]) / float(counts.sum())
        return (by_layer + by_words) / 2, None


@dataclass
class Hw(LayerCrawler):
    """Ranks pages by their words and by their layer in a context graph."""

    alpha: float = 0.5

    def check(self) -> None:
        """Raise a UsageError for invalid parameters."""
        super().check()
        if not 0 < self.alpha <= 1:
            raise UsageError(f"hw: alpha={self.alpha:g}: must be above 0 and at most 1")

    def reader(self, model: Model) -> PageReader:
        """Return a reader with the values of layers and words."""
        return RelevancyReader.of(LayerWords.of(model), self.alpha)
