"""Auto, the default strategy: several features score every link, and their weights are learned.

1. When a page is read, the features of its links are extracted (`features`): groups of similar
   links, words, the relevance of the page, similarity to the topic.  They are kept as columns while
   the links wait (`pending_links`).
2. A link's promise is the probability that the page exists, times that it is worth fetching: a
   logistic regression over all features (`combiner`).  A page's promise is that of the best link to
   it.  Before anything is learned, the prior weights give a best-first crawl.
3. When a page was fetched, its groups count whether the link was worth following (`group_rates`:
   the same position on the same page, on the pages of the host, directory, anchor, URL shape), and
   the words of its links are learned (`word_weights`).
4. A link is worth 1 if its page is relevant; it is also rewarded for relevant pages found through
   its page, so that hubs count (`reward`).
5. From time to time the weights are fitted again, and all pending links are scored again.

A page that is not kept (noindex, a copy, a sitemap) is no example, but its links are followed.
Where news is wanted, pages are fetched again (`revisit`), and three features are not used: the
rates of the parent page and of words, and the distance from the seeds before the first find.  Where
every new link of a front page is news, they would rank all links first.  Nothing needs training
beforehand.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from typing import ClassVar

import numpy as np

from foragers.core.models import Model
from foragers.core.protocols import Part, Reasons
from foragers.core.types import (
    NO_PARENT,
    Addresses,
    Choice,
    HostId,
    Ids,
    Link,
    Page,
    Status,
    UrlId,
    Visit,
)
from foragers.errors import UsageError
from foragers.frontier.columns import UrlColumn
from foragers.frontier.frontier import Frontier
from foragers.judges.topic import NoTopic, Topic
from foragers.strategies.auto.combiner import (
    FIRST_WEIGHTS,
    FIRST_WITHOUT_TOPIC,
    NAMES,
    Combiner,
    Floats,
)
from foragers.strategies.auto.explain import LinkReasons, lessons_in
from foragers.strategies.auto.features import features_of, host_group, host_of
from foragers.strategies.auto.group_rates import Rates, SeedRate
from foragers.strategies.auto.learning import Learners, Nearness
from foragers.strategies.auto.page_history import Watched
from foragers.strategies.auto.pending_links import LinkFeatures, PendingLinks, spoken_of
from foragers.strategies.auto.revisit import Revisits, why_now, why_seed_link
from foragers.strategies.auto.reward import Credit, Followed, Likeness
from foragers.strategies.auto.saved import KIND as LORE
from foragers.strategies.auto.saved import TEXT, Lore, PretrainedScorer
from foragers.strategies.auto.settings import DEFAULTS, AutoSettings
from foragers.strategies.auto.word_weights import WordWeights
from foragers.text.link_counts import KIND, VERSION, LinkCounts
from foragers.text.link_text import TEXTS
from foragers.urls.id_set import IdSet

FETCHED = -1
"""In place of the number of links to a page: it is there."""
NO_PROMISES = np.empty(0)


@dataclass
class Auto:
    """Learns while it crawls which links lead to relevant pages.

    `model` is a file made by `foragers train`: its score is one more feature of every link.  `lore`
    is the state that earlier crawls with the same target have learned (`--learned`).
    """

    topic: Topic
    frontier: Frontier = field(default_factory=Frontier)
    model: Model | None = None
    lore: Model | None = None
    new_within: float = field(default_factory=lambda: inf)  # no parameter: the aim says it
    settings: AutoSettings = field(default=DEFAULTS, repr=False)
    learns: bool = field(default=True, init=False, repr=False)
    _in_links: UrlColumn[np.int32] = field(
        default_factory=lambda: UrlColumn(np.int32(0)), init=False, repr=False
    )
    _pages: IdSet = field(default_factory=IdSet, init=False, repr=False)
    _fetched: list[UrlId] = field(default_factory=list, init=False, repr=False)
    _turns: dict[UrlId, int] = field(default_factory=dict, init=False, repr=False)
    _downloads: int = field(default=0, init=False, repr=False)
    _next_look: int = field(default=0, init=False, repr=False)
    _next_fit: int = field(default=10, init=False, repr=False)
    _schooling: PretrainedScorer | None = field(default=None, init=False, repr=False)
    _again: Revisits | None = field(default=None, init=False, repr=False)
    _before: Lore | None = field(default=None, init=False, repr=False)
    _finds: int = field(default=0, init=False, repr=False)
    _taught: bool = field(default=False, init=False, repr=False)

    model_kind: ClassVar[tuple[str, int]] = (KIND, VERSION)
    learned_kind: ClassVar[tuple[str, int]] = LORE
    learned_field: ClassVar[str] = "lore"

    @cached_property
    def _rates(self) -> Rates:
        return Rates(self.settings)

    @cached_property
    def _seeds(self) -> SeedRate:
        return SeedRate(self.settings.seed_shrinkage)

    @cached_property
    def _words(self) -> WordWeights:
        return WordWeights(self.settings)

    @cached_property
    def _combiner(self) -> Combiner:
        first = FIRST_WITHOUT_TOPIC if isinstance(self.topic, NoTopic) else FIRST_WEIGHTS
        return Combiner(self.settings, first.copy(), first.copy())

    @cached_property
    def _pending(self) -> PendingLinks:
        return PendingLinks(self.settings)

    @cached_property
    def _likeness(self) -> Likeness:
        return Likeness(self.settings)

    @cached_property
    def _credit(self) -> Credit:
        return Credit(self.settings)

    def check(self) -> None:
        """Refuse a model that is not for the text that is read."""
        if self.model is not None:
            tally = LinkCounts.of(self.model)
            tally.check(TEXTS[TEXT], "auto")
            if not tally.links.any():
                raise UsageError("auto: the model was made of no links; train one on a larger web")
        if self.lore is not None:
            Lore.of(self.lore)

    @property
    def revisits(self) -> bool:
        """Whether pages are visited again: where news is wanted."""
        return self.new_within < inf

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        """Choose the n most promising pages on open hosts."""
        if self._again is not None:
            return self._again.ask(n, closed, self.frontier)
        return self.frontier.pop(n, closed)

    def tell(self, visits: Sequence[Visit]) -> None:
        """Learn what the links to the pages were worth, and judge the links on them.

        All that is learned is learned here: a crawl that is taken up, or explained, is told again.
        """
        for visit in visits:
            page = visit.page
            if page.choice.url == NO_PARENT and self.lore is not None:
                self._take_up(Lore.of(self.lore), page)
            self.frontier.fetched(page)
            # A page that was fetched under another address before brings nothing new.
            is_page = page.status is Status.OK and page.final not in self._pages
            if self.revisits:
                is_page |= self._come_back(visit) and page.status is Status.OK
            if page.choice.url != NO_PARENT:
                self._downloads += 1
                if not page.choice.purpose.is_own:
                    self._learn(visit, is_page)
            if is_page or (page.status is not Status.OK and self._leads_on(page)):
                self._read(visit, is_page)
            one = page.choice.url
            for url in (
                (one,) if one == page.final != NO_PARENT else {one, page.final} - {NO_PARENT}
            ):
                self._in_links.reach(url)[url] = FETCHED
                self._fetched.append(url)
            if page.final != NO_PARENT:
                self._pages.add(page.final)
            if self._downloads >= self._next_look:
                self._look()

    def _take_up(self, before: Lore, seeds: Page) -> None:
        """Begin with what earlier crawls learned, if they knew most of the seeds' hosts."""
        self.lore, self._before = None, before
        hrefs = seeds.links.addresses.hrefs(seeds.links.targets.tolist())
        self._taught = before.knows([href.split("/", 3)[2] for href in hrefs], self.settings)
        if self._taught:
            before.teach(self._rates, self._words, self._combiner)

    def _come_back(self, visit: Visit) -> bool:
        """Tell those who watch pages what there is; return whether it is to be read again."""
        if self._again is None:
            self._again = Revisits(Watched(self.new_within, self.settings.revisits))
        links = visit.page.links
        new = self._in_links.at(links.targets) == 0
        return self._again.tell(visit, links.targets[new], links.hosts[new])

    def _leads_on(self, page: Page) -> bool:
        """Say whether a page links to one that no page linked to before."""
        return bool(len(page.links)) and 0 in self._in_links.at(page.links.targets)

    def _learn(self, visit: Visit, is_page: bool) -> None:
        """Let everyone who spoke of a page learn what it was worth."""
        page, worth = visit.page, 0.0
        if is_page:
            worth = self._likeness.worth(visit.relevance, visit.relevant)
        if not self._pending.has(page.choice.url):
            return
        if page.choice.parent == NO_PARENT and not self.revisits:
            self._seeds.count(visit.relevant)
            if visit.relevant:
                return  # It was given, and says nothing about links.
        answered, learners = is_page or self._leads_on(page), self._learners
        taught, place = learners.learn(page.choice.url, worth, answered, not self.revisits)
        self._finds += visit.relevant and is_page
        if worth > 0:
            for raised in self._credit.pass_back(page.choice.parent, worth):
                learners.reward(raised, not self.revisits)
        self._credit.add(page.final, Followed(page.choice.parent, taught, place, worth))
        if self._downloads >= self._next_fit:
            self._combiner.fit()
            self._next_fit = self._downloads + max(10, self._downloads // self.settings.refit_share)

    def _read(self, visit: Visit, is_page: bool) -> None:
        """Judge the links of a page, those to pages that enough links speak of left out."""
        page = visit.page
        is_seeds = page.choice.url == NO_PARENT
        lean = 0.0
        if is_page and not is_seeds:
            lean = self._words.read_page(page.document, visit.relevant)
        places = self._fresh(page)
        if not places:
            return
        trained: Floats | float = 0.0
        if self.model is not None and is_page and not is_seeds:
            trained = self._schooled(self.model).says(page, places)
        by_page = not self.revisits
        known = features_of(visit, places, lean, self.topic, self._rates, trained, by_page)
        self._pending.add(known)
        if is_seeds and by_page and not isinstance(self.topic, NoTopic):
            # Without words nothing says what to try on a host of which nothing is known.
            hrefs = page.links.addresses.hrefs(known.urls.tolist())
            self._rates.give(host_group(host_of(href)) for href in hrefs)
        promises, urls = self._promises(known), known.urls.tolist()
        if is_seeds and len(places) > self.settings.few_seeds:
            # Whoever gave many seeds knew why; of a few, one site teaches something for the next.
            for turn, url in enumerate(urls[: self.settings.first_seeds], 1):
                self._turns.setdefault(url, turn)
            self._raise_due(known.urls, promises)
        hosts, depth = page.links.hosts[places].tolist(), page.choice.depth + 1
        self.frontier.push_all(urls, hosts, promises.tolist(), page.final, depth)

    def _schooled(self, model: Model) -> PretrainedScorer:
        if self._schooling is None:
            self._schooling = PretrainedScorer.of(model, self.settings.most_trained)
        return self._schooling

    def _fresh(self, page: Page) -> list[int]:
        """Return the places of the links whose pages wait and are not spoken of enough."""
        urls = page.links.targets
        # A page that is read again is not another one that speaks of what it links to.
        again, most = page.final in self._pages, self.settings.most_in_links
        return spoken_of(urls, self._in_links, again, most, self.frontier)

    @property
    def _learners(self) -> Learners:
        return Learners(self._rates, self._words, self._combiner, self._pending, self._in_links)

    def _nearness(self) -> Nearness | None:
        """Return what a link gains by being near to a seed."""
        if self.revisits:
            return None
        # Until something is found nothing tells one section from another: stay near the seeds.
        lost = self.settings.early_depth / (1 + self._finds)
        return Nearness(lost, self._seeds.gain(self._rates.usual))

    def _promises(self, known: LinkFeatures) -> Floats:
        """Return how likely each link is worth following."""
        return self._learners.promises(known, self._nearness())

    def _raise_due(self, urls: Ids, promises: Floats) -> None:
        """Let the seeds whose turn it is promise most."""
        due = [url for url, turn in self._turns.items() if turn <= self._downloads + 1]
        if due:
            promises[np.isin(urls, due)] = 1.0

    def _look(self) -> None:
        """Judge all that waits anew."""
        self._next_look = self._downloads + max(3, self._downloads // self.settings.rescore_share)
        self._rates.refresh()
        self._words.refresh(self._rates.usual)
        self._forget()
        promises = np.concatenate([NO_PROMISES, *map(self._promises, self._pending.blocks())])
        self._raise_due(self._pending.urls, promises)
        most = self.settings.most_pending
        if len(promises) > most:
            kept = np.zeros(len(promises), np.bool_)
            kept[np.argsort(-promises, kind="stable")[:most]] = True
            self._pending.keep(kept)
            promises = promises[kept]
        self.frontier.rescore(*self._learners.best_of_each(promises))

    def _forget(self) -> None:
        """Forget the links of pages that were fetched, and drop them if they are many."""
        self._pending.forget(self._fetched)
        for url in self._fetched:
            self._turns.pop(url, None)
        self._fetched.clear()
        waits = self._in_links.values[self._pending.urls] >= 0
        few = self.settings.drop_below * len(waits)
        if len(waits) > self.settings.most_pending or np.count_nonzero(waits) < few:
            self._pending.keep(waits)

    def learned(self, addresses: Addresses) -> Model:  # noqa: ARG002  groups have names
        """Return what this crawl and those before it have taught."""
        lore = Lore.learned(self._rates, self._words, self._combiner)
        if self._before is not None:
            lore = lore.and_before(self._before, self._taught)
        return lore.model()

    def lessons(self) -> Sequence[str]:
        """Say which features decide about links, by what was learned so far."""
        return lessons_in(self._combiner.spread())

    def explain(self, page: Page, link: Link) -> Reasons | None:  # noqa: ARG002  kept with the pending links
        """Say what each feature added to the promise of a link."""
        if self._again is not None and (why := why_now(self._again, link.url)) is not None:
            return why
        known = self._pending.of(link.url)
        if not len(known.urls):
            return None
        features, promises = self._learners.features(known), self._promises(known)
        self._raise_due(known.urls, promises)
        best = self._learners.best(features)
        adds = features[:, best] * self._combiner.weights
        order = np.argsort(-np.abs(adds), kind="stable")
        parts = tuple(
            Part(NAMES[place], (float(features[place, best]), float(adds[place])))
            for place in order.tolist()
            if adds[place]
        )
        chance = float(promises.max())
        told = LinkReasons(
            link,
            known.at([best]),
            dict(zip(NAMES, adds.tolist(), strict=True)),
            self._rates,
            self._words,
            max(1, int(self._in_links.values[link.url])),
            self.settings.explain,
        )
        why = Reasons(
            f"it had a probability of {chance:.3f} of being worth following, {told.sentence()}",
            ("value", "adds"),
            parts,
            "“adds” is to the log-odds, with the weight that the feature had at that time",
            chance,
        )
        return why if self._again is None else why_seed_link(self._again, link.url, why)
