"""The spider: links valued by the rewards they lead to (Rennie and McCallum 1999).

The spider is trained beforehand on webs where the pages behind every link are known.  From the
words of a new link it computes the probability of each of a few bins of value (equations 3 to 5
of the paper), and the promise

    promise = Σ P(bin | words) · mean Q of the bin

The known link with the highest promise is followed next; a page with several links to it has the
best of their promises.  With `online`, and without a model, it learns during the crawl.  Until
such a spider has found a first reward it works like best-first.  Seeds are fetched first.

The longer a text, the more extreme are the probabilities of equation 3.  `spider` therefore limits
the words of a page and of a link that count in full (`WordLimits`); under the names of the
paper all words count, as in the paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from foragers.core.models import Model
from foragers.core.protocols import Reasons
from foragers.core.types import NO_PARENT, Addresses, Choice, HostId, Link, Page, UrlId, Visit
from foragers.errors import UsageError
from foragers.frontier.frontier import Frontier
from foragers.judges.topic import Topic
from foragers.strategies.spider.explain import reasons_of
from foragers.strategies.spider.features import Lexicon, Said
from foragers.strategies.spider.online import Experience
from foragers.strategies.spider.scoring import LinkMemory, Scorer, WordLimits, scorer_of
from foragers.strategies.spider.settings import DEFAULT_SPIDER, SpiderSettings
from foragers.text.link_counts import FEWEST, FINEST, KIND, VERSION, LinkCounts
from foragers.text.link_text import TEXTS


@dataclass
class Spider:
    """Rates links by the words around them, as learned on other webs.

    `model` is a file made by `foragers train`.  It serves 2 to 5 `bins`, and the `text` related
    or full-page.  `online` continues to learn during the crawl; a link of the crawl counts as much
    as `weight` links of the model.  In a text of more than `page_words` or `link_words` words each
    word counts less; 0 is no limit.
    """

    topic: Topic
    model: Model | None = None
    bins: int = 4
    text: str = "related"
    online: bool = False
    weight: float = 10.0
    page_words: float = 5.0
    link_words: float = 10.0
    frontier: Frontier = field(default_factory=Frontier)
    settings: SpiderSettings = field(default=DEFAULT_SPIDER, repr=False)
    _lexicon: Lexicon | None = field(default=None, repr=False)
    _scorer: Scorer | None = field(default=None, repr=False)
    _experience: Experience | None = field(default=None, repr=False)
    _memory: LinkMemory | None = field(default=None, repr=False)
    _next_lesson: int = field(default=0, repr=False)
    _seeds: set[UrlId] = field(default_factory=set, repr=False)

    model_kind: ClassVar[tuple[str, int]] = (KIND, VERSION)
    fewest: ClassVar[int] = FEWEST

    def check(self) -> None:
        """Raise a UsageError for invalid parameters, or for those that do not fit the model."""
        if not self.fewest <= self.bins <= FINEST:
            raise UsageError(f"spider: bins={self.bins}: use {self.fewest} to {FINEST}")
        if self.text not in TEXTS:
            raise UsageError(f"spider: text={self.text}: use {' or '.join(TEXTS)}")
        if not self.weight > 0:
            raise UsageError(f"spider: weight={self.weight:g}: must be above 0")
        for name, limit in (("page_words", self.page_words), ("link_words", self.link_words)):
            if not limit >= 0:
                raise UsageError(f"spider: {name}={limit:g}: must be 0 (no limit) or more")
        if self.model is not None:
            LinkCounts.of(self.model).check(TEXTS[self.text], "spider")

    @property
    def _limits(self) -> WordLimits:
        return WordLimits(self.page_words, self.link_words)

    @property
    def learns(self) -> bool:
        """Whether promises depend on the pages that this crawl has found."""
        return self.online or self.model is None

    @property
    def keeps_order(self) -> bool:
        """Whether pages are waited for in order: its first lessons are from very few pages."""
        return self.learns

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        """Choose the n most promising pages on open hosts."""
        return self.frontier.pop(n, closed)

    def tell(self, visits: Sequence[Visit]) -> None:
        """Queue each link by its promise."""
        lexicon = self._lexicon or self._begin()
        for visit in visits:
            self.frontier.fetched(visit.page)
            self._queue(visit, lexicon)
        if self._experience and self._is_time(self._experience):
            self._learn(self._experience)

    def _begin(self) -> Lexicon:
        """Load the model."""
        counts = None if self.model is None else LinkCounts.of(self.model)
        most = self.settings.max_words
        self._lexicon = lexicon = Lexicon.of(TEXTS[self.text], counts, self.learns, most)
        if counts is not None and counts.links.any():
            self._scorer = replace(scorer_of(lexicon, counts, self.bins), limits=self._limits)
        if self.learns:
            self._experience = Experience(lexicon, counts, self.weight, settings=self.settings)
        return lexicon

    def _queue(self, visit: Visit, lexicon: Lexicon) -> None:
        """Queue the links of a page; a spider that learns reads known links too."""
        page, wants = visit.page, self.frontier.wants
        urls, hosts = page.links.targets.tolist(), page.links.hosts.tolist()
        indexes = list(range(len(urls)))
        if page.choice.url == NO_PARENT:
            self._seeds.update(urls)
        if self._experience is None:
            indexes = [i for i in indexes if wants(urls[i])]
            if not indexes:
                return
        promises = self._promises(visit, indexes, lexicon)
        depth = page.choice.depth + 1
        for i, promise in zip(indexes, promises, strict=True):
            self.frontier.push(urls[i], hosts[i], promise, page.final, depth)

    def _promises(self, visit: Visit, indexes: list[int], lexicon: Lexicon) -> list[float]:
        """Return the promises of links by their words, or by the topic before the first lesson."""
        page, scorer = visit.page, self._scorer
        texts = Said.at(page.links, indexes, lexicon.reads_around)
        shared, own = lexicon.of_page(page.document), None
        if self._experience is not None:
            own = lexicon.of_links(texts)
            self._experience.add(visit, shared, own)
        if page.choice.url == NO_PARENT:
            return [self.settings.max_value] * len(indexes)
        if scorer is None:
            likeness = self.topic.likeness
            return [(visit.relevance + likeness(anchor)) / 2 for anchor in texts.anchors]
        if not indexes:
            return []
        if own is not None:
            scores = scorer.scores(shared, own)
        else:
            if self._memory is None:
                self._memory = LinkMemory(lexicon, scorer, self.settings.cached_links)
            scores = self._memory.scores(shared, page.links.targets[indexes].tolist(), texts)
        worth: list[float] = scorer.worth(scores).tolist()
        return worth

    def _is_time(self, experience: Experience) -> bool:
        """Return whether to learn now: at the first reward, and then ever more rarely."""
        if experience.rewards and self._scorer is None:
            return True
        due = max(self._next_lesson, self.settings.first_lesson)
        return self._scorer is not None and len(experience) >= due

    def _learn(self, experience: Experience) -> None:
        """Learn, and rescore all waiting links."""
        pages, settings = len(experience), self.settings
        self._next_lesson = max(pages + settings.first_lesson, int(settings.lesson_growth * pages))
        self._scorer = replace(experience.scorer(self.bins), limits=self._limits)
        wants = self.frontier.wants
        urls = (url for url in experience.known() if url not in self._seeds)
        if waiting := [url for url in urls if wants(url)]:
            worth = experience.judged(self._scorer, waiting)
            self.frontier.rescore(np.array(waiting, np.int32), worth)

    def explain(self, page: Page, link: Link) -> Reasons | None:
        """Return which words of a link speak for which bin; None before the first lesson."""
        lexicon = self._lexicon or self._begin()
        if self._scorer is None:
            return None
        return reasons_of(lexicon, self._scorer, page, link, self.settings.shown_words)

    def learned(self, addresses: Addresses) -> Model:  # noqa: ARG002  words need no URLs
        """Return a model of the counts of the given model and of this crawl."""
        if self._experience is None or not len(self._experience):
            return self.model or LinkCounts.nothing(TEXTS[self.text]).model({})
        return self._experience.learned().model({"learned from": "a crawl"})


@dataclass
class RlImmediate(Spider):
    """A spider that asks only whether a link leads to a relevant page: two bins."""

    bins: int = field(default=2, init=False)
    page_words: float = 0.0
    link_words: float = 0.0


@dataclass
class RlFuture(Spider):
    """A spider that also values relevant pages further on: three to five bins."""

    page_words: float = 0.0
    link_words: float = 0.0

    fewest: ClassVar[int] = 3


@dataclass
class FullPage(Spider):
    """A spider that reads the whole page, the link's anchor text and its URL."""

    text: str = field(default="full-page", init=False)
    page_words: float = 0.0
    link_words: float = 0.0


@dataclass
class Related(Spider):
    """A spider that reads title, headings, anchor text, URL and the words near the link."""

    text: str = field(default="related", init=False)
    page_words: float = 0.0
    link_words: float = 0.0
