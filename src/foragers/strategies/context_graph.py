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
from typing import ClassVar

from foragers.models import Model
from foragers.strategies.layer_words import KIND, LayerWords, fit
from foragers.strategies.layers import Layers
from foragers.strategies.page_by_page import PageByPage, Reader, State, Text

LAYERS = 6
"""Wanted pages, four layers around them, and all the others."""


@dataclass
class LayerReader:
    """Finds the queue for the links of a page."""

    words: LayerWords
    sure: float

    def read(self, text: Text, before: State | None) -> tuple[float, State | None]:
        """Return a promise that sorts by queue first, and in a queue by likelihood."""
        del before
        graph = len(self.words.likelihoods) - 1
        shares = self.words.layers(*self.words.words_of(text), graph)
        layer = int(shares.argmax())
        likely = float(shares[layer])
        queue = layer if likely >= self.sure else graph
        # Between two queues there is room for a likelihood of 1.
        return (graph - queue + likely / (1 + 1e-9)) / (graph + 1), None


@dataclass
class ContextGraph(PageByPage):
    """Links of pages first that seem nearest to what is wanted."""

    model_kind: ClassVar[tuple[str, int]] = KIND
    sure: float = 0.5

    @property
    def layers(self) -> int:
        """In how many layers it is learned on the job."""
        return LAYERS

    def fit(self, layers: Layers) -> Model:
        """Learn the words of each layer."""
        return fit(layers)

    def reader(self, model: Model) -> Reader:
        """Return someone who knows the layers."""
        return LayerReader(LayerWords.of(model), self.sure)
