"""Strategies that score the links of a page by the page, with a reader of their own.

`LayerCrawler` is for those that know the words of each layer (context graphs and HW),
`PathCrawler` for those that follow the path to a page through hidden layers (HMM and BPM).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from foragers.core.models import Model
from foragers.core.types import NO_PARENT, Choice, HostId, Page, Status, UrlId, Visit
from foragers.frontier.columns import RowBlocks, UrlColumn
from foragers.frontier.frontier import Frontier
from foragers.judges.topic import full_text
from foragers.strategies.layered.hmm_model import HMM_KIND, fit_hmm
from foragers.strategies.layered.layer_words import LAYERS_KIND, fit_layers
from foragers.strategies.layered.layers import Layers
from foragers.strategies.layered.online import OnlineLearner
from foragers.strategies.layered.settings import DEFAULT_LAYERED, LayeredSettings
from foragers.text.words import ENGLISH_STOPWORDS, words

State = NDArray[np.float32]
Text = Mapping[str, int]


class PageReader(Protocol):
    """Computes the promise of links from the words of their page."""

    def read(self, text: Text, before: State | None) -> tuple[float, State | None]:
        """Return the promise of a page's links, and a state for the pages behind them."""
        ...


@dataclass
class MeanPromise:
    """The mean promise of pages."""

    count: int = 0
    mean: float = 0.0

    def add(self, promise: float) -> None:
        """Add a page."""
        self.count += 1
        self.mean += (promise - self.mean) / self.count


@dataclass
class PageScorer(ABC):
    """Queues the links of a page by the promise of the page.

    Without a model it begins like best-first, with the relevance of the page, and learns from
    the pages of the crawl; after a lesson all waiting links are rescored.  A page that is not kept
    (noindex, a sitemap) is not read: its links have the mean promise of the pages read so far.
    """

    model: Model | None = None
    frontier: Frontier = field(default_factory=Frontier)
    settings: LayeredSettings = field(default=DEFAULT_LAYERED, repr=False)
    _reader: PageReader | None = field(default=None, init=False, repr=False)
    _learner: OnlineLearner | None = field(default=None, init=False, repr=False)
    _states: RowBlocks[np.float32] = field(
        default_factory=lambda: RowBlocks(np.float32), init=False, repr=False
    )
    _state_rows: UrlColumn[np.int64] = field(
        default_factory=lambda: UrlColumn(np.int64(-1)), init=False, repr=False
    )
    _width: int = field(default=0, init=False, repr=False)
    _usual: MeanPromise = field(default_factory=MeanPromise, init=False, repr=False)

    @abstractmethod
    def fit(self, layers: Layers) -> Model:
        """Learn from pages whose distance is known."""

    @abstractmethod
    def reader(self, model: Model) -> PageReader:
        """Return a reader with a model."""

    @property
    @abstractmethod
    def layers(self) -> int:
        """The number of layers when it learns from the crawl."""

    def check(self) -> None:
        """Raise a UsageError if the model is damaged."""
        if self.model is not None:
            self.reader(self.model)

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        """Choose the n most promising pages on open hosts."""
        return self.frontier.pop(n, closed)

    def tell(self, visits: Sequence[Visit]) -> None:
        """Queue the links of each page."""
        for visit in visits:
            page = visit.page
            self.frontier.fetched(page)
            if page.choice.url == NO_PARENT:
                self._begin(page)
            elif page.status is Status.OK and (len(page.links) or self._learner):
                # Pages without links are used for learning too: relevant ones often have none.
                text = text_of(full_text(page.document)[: self.settings.max_chars])
                if len(page.links):
                    self.queue(page, self._value(visit, text))
                self._learn(visit, text)
            elif len(page.links):
                self.queue(page, self._usual.mean)

    def queue(self, page: Page, promise: float) -> None:
        """Queue the links of a page with a promise."""
        depth = page.choice.depth + 1
        links = zip(page.links.targets.tolist(), page.links.hosts.tolist(), strict=True)
        for url, host in links:
            self.frontier.push(url, host, promise, page.final, depth)

    def _begin(self, page: Page) -> None:
        self.frontier.extend(page.links, 1.0, page.final, 0)
        if self.model is not None:
            self._reader = self.reader(self.model)
        else:
            self._learner = OnlineLearner(self.settings)

    def _value(self, visit: Visit, text: Text) -> float:
        page, promise = visit.page, visit.relevance
        if self._reader is not None:
            promise = self._read(self._reader, page.final, page.choice.parent, text)
        self._usual.add(promise)
        return promise

    def _read(self, reader: PageReader, url: UrlId, parent: UrlId, text: Text) -> float:
        promise, state = reader.read(text, self._state(parent))
        if state is not None:
            self._width = len(state)
            self._state_rows.reach(url)[url] = self._states.add(state)
        return promise

    def _state(self, url: UrlId) -> State | None:
        rows = self._state_rows.values
        if not 0 <= url < len(rows) or rows[url] < 0:
            return None
        return self._states.view(int(rows[url]), self._width)

    def _learn(self, visit: Visit, text: Text) -> None:
        learner = self._learner
        if learner is None:
            return
        if learner.see(visit, text):
            self._reader = reader = self.reader(self.fit(learner.layers(self.layers)))
            self._rescore(learner, reader)
        if learner.is_done:
            self._learner = None

    def _rescore(self, learner: OnlineLearner, reader: PageReader) -> None:
        """Give all waiting links the promise that they would have had."""
        best: dict[UrlId, float] = {}
        self._usual = MeanPromise()
        for page, text in zip(learner.pages, learner.texts, strict=True):
            promise = self._read(reader, page.url, page.parent, text)
            self._usual.add(promise)
            for url in page.targets.tolist():
                best[url] = max(best.get(url, 0.0), promise)
        self.frontier.rescore(
            np.array(list(best), np.int32), np.array(list(best.values()), np.float64)
        )


def text_of(text: str) -> Text:
    """Return the words of a text without stop words, with their counts."""
    return Counter(words(text, ENGLISH_STOPWORDS))


@dataclass
class LayerCrawler(PageScorer):
    """Learns the words of layers; its reader computes the promises."""

    model_kind: ClassVar[tuple[str, int]] = LAYERS_KIND

    @property
    def layers(self) -> int:
        """The number of layers when it learns from the crawl."""
        return self.settings.layers

    def fit(self, layers: Layers) -> Model:
        """Learn the words of each layer."""
        return fit_layers(layers, self.settings)


@dataclass
class PathCrawler(PageScorer):
    """Learns a hidden Markov model; its reader computes the promises."""

    model_kind: ClassVar[tuple[str, int]] = HMM_KIND

    @property
    def layers(self) -> int:
        """The number of layers when it learns from the crawl."""
        return self.settings.states

    def fit(self, layers: Layers) -> Model:
        """Learn the hidden Markov model."""
        return fit_hmm(layers, self.settings.clusters, self.settings.rank, self.settings)
