"""The spider: links valued by what they lead to (Rennie and McCallum 1999).

Trained beforehand on webs where it is known what every link leads to, it tells from
the words of a new link how likely that belongs to each of a few bins of worth (equations
3 to 5 of the paper), and expects of it

    promise = Σ P(bin | words) · mean Q of the bin

Of all links known the one with the highest promise is followed next; a page to which
several links lead has the best of their promises.  With `online` it goes on learning from
the crawl under way, and so it does without a model, for want of anything else.  Until
such a spider has found a first reward it goes best-first.  Seeds come before everything
else, for whoever gave them wants them fetched.

Equation 3 is the surer the longer a text is.  `spider` therefore lets no more than some words
of a page and of a link count in full (`WordLimits`); under the paper's own names all words
count, as in the paper.
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
from foragers.text.link_counts import FEWEST, FINEST, KIND, VERSION, LinkCounts
from foragers.text.link_text import TEXTS

FIRST_LESSON, LATER = 20, 1.2
"""How many pages an online spider waits for between two lessons: so many, or 20 % more."""
BEST = 2.0
"""What no link can be worth more than: the sum of all discounts."""


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
    _lexicon: Lexicon | None = field(default=None, repr=False)
    _scorer: Scorer | None = field(default=None, repr=False)
    _experience: Experience | None = field(default=None, repr=False)
    _memory: LinkMemory | None = field(default=None, repr=False)
    _next_lesson: int = field(default=FIRST_LESSON, repr=False)
    _seeds: set[UrlId] = field(default_factory=set, repr=False)

    model_kind: ClassVar[tuple[str, int]] = (KIND, VERSION)
    fewest: ClassVar[int] = FEWEST

    def check(self) -> None:
        """Refuse what makes no sense, or what the model cannot serve."""
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
        """Whether what this crawl finds changes what it expects."""
        return self.online or self.model is None

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
        """Take up what the model knows."""
        tally = None if self.model is None else LinkCounts.of(self.model)
        self._lexicon = lexicon = Lexicon.of(TEXTS[self.text], tally, self.learns)
        if tally is not None and tally.links.any():
            self._scorer = replace(scorer_of(lexicon, tally, self.bins), limits=self._limits)
        if self.learns:
            self._experience = Experience(lexicon, tally, self.weight)
        return lexicon

    def _queue(self, visit: Visit, lexicon: Lexicon) -> None:
        """Queue the links of a page, all of them read where that is to be learned from."""
        page, wants = visit.page, self.frontier.wants
        urls, hosts = page.links.targets.tolist(), page.links.hosts.tolist()
        places = list(range(len(urls)))
        if page.choice.url == NO_PARENT:
            self._seeds.update(urls)
        if self._experience is None:
            places = [place for place in places if wants(urls[place])]
            if not places:
                return
        promises = self._promises(visit, places, lexicon)
        depth = page.choice.depth + 1
        for place, promise in zip(places, promises, strict=True):
            self.frontier.push(urls[place], hosts[place], promise, page.final, depth)

    def _promises(self, visit: Visit, places: list[int], lexicon: Lexicon) -> list[float]:
        """Return what links are worth by their words, or by the topic where nothing is known."""
        page, scorer = visit.page, self._scorer
        said = Said.at(page.links, places, lexicon.reads_around)
        shared, own = lexicon.of_page(page.document), None
        if self._experience is not None:
            own = lexicon.of_links(said)
            self._experience.add(visit, shared, own)
        if page.choice.url == NO_PARENT:
            return [BEST] * len(places)
        if scorer is None:
            likeness = self.topic.likeness
            return [(visit.relevance + likeness(anchor)) / 2 for anchor in said.anchors]
        if not places:
            return []
        if own is not None:
            scores = scorer.scores(shared, own)
        else:
            self._memory = memory = self._memory or LinkMemory(lexicon, scorer)
            scores = memory.scores(shared, page.links.targets[places].tolist(), said)
        worth: list[float] = scorer.worth(scores).tolist()
        return worth

    def _is_time(self, experience: Experience) -> bool:
        """Say whether to learn now: at the first reward, and then ever more rarely."""
        if experience.rewards and self._scorer is None:
            return True
        return self._scorer is not None and len(experience) >= self._next_lesson

    def _learn(self, experience: Experience) -> None:
        """Learn, and judge all that waits anew."""
        self._next_lesson = max(len(experience) + FIRST_LESSON, int(LATER * len(experience)))
        self._scorer = replace(experience.scorer(self.bins), limits=self._limits)
        wants = self.frontier.wants
        known = (url for url in experience.known() if url not in self._seeds)
        if waiting := [url for url in known if wants(url)]:
            worth = experience.judged(self._scorer, waiting)
            self.frontier.rescore(np.array(waiting, np.int32), worth)

    def explain(self, page: Page, link: Link) -> Reasons | None:
        """Return which words of a link speak for which bin; None while nothing is learned."""
        lexicon = self._lexicon or self._begin()
        if self._scorer is None:
            return None
        return reasons_of(lexicon, self._scorer, page, link)

    def learned(self, addresses: Addresses) -> Model:  # noqa: ARG002  words need no addresses
        """Return what the model and this crawl have taught."""
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
