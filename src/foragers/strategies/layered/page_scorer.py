"""Crawlers that look at a page to tell what its links are worth, each with a reader of its own.

Crawlers that know how the pages of each layer speak: context graphs and HW.

Crawlers that follow the path to a page through hidden layers: HMM and BPM.
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
from foragers.strategies.layered.online import Apprentice
from foragers.text.words import ENGLISH_STOPWORDS, words

State = NDArray[np.float32]
Text = Mapping[str, int]

MOST_LETTERS = 40_000
"""How much of a page is read: what it is about shows early, and pages can be very long."""


class PageReader(Protocol):
    """Someone who tells from the words of a page what its links are worth."""

    def read(self, text: Text, before: State | None) -> tuple[float, State | None]:
        """Return the promise of a page's links, and what to remember for the pages behind them."""
        ...


@dataclass
class Usual:
    """The mean promise of some pages."""

    count: int = 0
    mean: float = 0.0

    def add(self, promise: float) -> None:
        """Take in a page."""
        self.count += 1
        self.mean += (promise - self.mean) / self.count


@dataclass
class PageByPage(ABC):
    """Queues the links of a page by the promise of the page.

    Without a model it begins as best-first does, by the relevance of the page, and learns from
    what it sees; when it has learned, all that waits is valued anew.  A page that is not kept
    (noindex, a sitemap) is not read: its links have the mean promise of the pages read so far.
    """

    model: Model | None = None
    frontier: Frontier = field(default_factory=Frontier)
    _reader: PageReader | None = field(default=None, init=False, repr=False)
    _apprentice: Apprentice | None = field(default=None, init=False, repr=False)
    _states: RowBlocks[np.float32] = field(
        default_factory=lambda: RowBlocks(np.float32), init=False, repr=False
    )
    _places: UrlColumn[np.int64] = field(
        default_factory=lambda: UrlColumn(np.int64(-1)), init=False, repr=False
    )
    _width: int = field(default=0, init=False, repr=False)
    _usual: Usual = field(default_factory=Usual, init=False, repr=False)

    @abstractmethod
    def fit(self, layers: Layers) -> Model:
        """Learn from pages whose distance is known."""

    @abstractmethod
    def reader(self, model: Model) -> PageReader:
        """Return someone who knows what a model holds."""

    @property
    @abstractmethod
    def layers(self) -> int:
        """In how many layers it is learned on the job."""

    def check(self) -> None:
        """Refuse a model that is not whole."""
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
            elif page.status is Status.OK and (len(page.links) or self._apprentice):
                # Pages without links are learned from as well: wanted ones often have none.
                text = text_of(full_text(page.document)[:MOST_LETTERS])
                if len(page.links):
                    self.queue(page, self._value(visit, text))
                self._learn(visit, text)
            elif len(page.links):
                self.queue(page, self._usual.mean)

    def queue(self, page: Page, promise: float) -> None:
        """Queue the links of a page that is worth so much."""
        depth = page.choice.depth + 1
        links = zip(page.links.targets.tolist(), page.links.hosts.tolist(), strict=True)
        for url, host in links:
            self.frontier.push(url, host, promise, page.final, depth)

    def _begin(self, page: Page) -> None:
        self.frontier.extend(page.links, 1.0, page.final, 0)
        if self.model is not None:
            self._reader = self.reader(self.model)
        else:
            self._apprentice = Apprentice()

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
            self._places.reach(url)[url] = self._states.add(state)
        return promise

    def _state(self, url: UrlId) -> State | None:
        places = self._places.values
        if not 0 <= url < len(places) or places[url] < 0:
            return None
        return self._states.view(int(places[url]), self._width)

    def _learn(self, visit: Visit, text: Text) -> None:
        apprentice = self._apprentice
        if apprentice is None:
            return
        if apprentice.see(visit, text):
            self._reader = reader = self.reader(self.fit(apprentice.layers(self.layers)))
            self._value_anew(apprentice, reader)
        if apprentice.is_done:
            self._apprentice = None

    def _value_anew(self, apprentice: Apprentice, reader: PageReader) -> None:
        """Give all that waits the promise that it would have had."""
        best: dict[UrlId, float] = {}
        self._usual = Usual()
        for page, text in zip(apprentice.pages, apprentice.texts, strict=True):
            promise = self._read(reader, page.url, page.parent, text)
            self._usual.add(promise)
            for url in page.targets.tolist():
                best[url] = max(best.get(url, 0.0), promise)
        self.frontier.rescore(
            np.array(list(best), np.int32), np.array(list(best.values()), np.float64)
        )


def text_of(text: str) -> Text:
    """Return the words of a text that say something, with their counts."""
    return Counter(words(text, ENGLISH_STOPWORDS))


LAYERS = 6
"""Wanted pages, four layers around them, and all the others."""


@dataclass
class LayerCrawler(PageByPage):
    """Learns the words of layers; what it makes of them is its reader's."""

    model_kind: ClassVar[tuple[str, int]] = LAYERS_KIND

    @property
    def layers(self) -> int:
        """In how many layers it is learned on the job."""
        return LAYERS

    def fit(self, layers: Layers) -> Model:
        """Learn the words of each layer."""
        return fit_layers(layers)


STATES, CLUSTERS, RANK = 4, 8, 20
"""What is learned on the job; trained beforehand, a model may have more."""


@dataclass
class PathCrawler(PageByPage):
    """Learns a hidden Markov model; what it makes of it is its reader's."""

    model_kind: ClassVar[tuple[str, int]] = HMM_KIND

    @property
    def layers(self) -> int:
        """In how many layers it is learned on the job."""
        return STATES

    def fit(self, layers: Layers) -> Model:
        """Learn the hidden Markov model."""
        return fit_hmm(layers, CLUSTERS, RANK)
