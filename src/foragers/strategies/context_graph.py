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
"""

from __future__ import annotations

from dataclasses import dataclass

from foragers.errors import UsageError
from foragers.models import Model
from foragers.strategies.layer_crawler import LayerCrawler
from foragers.strategies.layer_words import LayerWords
from foragers.strategies.page_by_page import Reader, State, Text


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

    def reader(self, model: Model) -> Reader:
        """Return someone who knows the layers."""
        return LayerReader(LayerWords.of(model), self.sure)
