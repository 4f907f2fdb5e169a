"""Auto: several advisers, believed as far as they prove right.

The default.  Every link is judged by what links like it have been worth in this crawl, at
several grains (`auto_rates`): the same place on the same page, the same place on the
host's pages, its directory, its anchor, the shape of its address; by its words
(`auto_words`); by the page it stands on; and by the topic, where there is one.  A page
without links like any seen before is judged by the prior alone, which is a best-first
crawl.  How far each adviser is believed is learned as well (`auto_advice`), and the
worth of a link includes what was found through it (`auto_credit`), so that hubs count.

Nothing needs training or tuning: the judge's verdicts are all it learns from, whatever
they rest on.  A page's promise is that of the best link that speaks of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

import numpy as np

from foragers.frontier import Frontier
from foragers.id_set import IdSet
from foragers.reasons import Part, Reasons
from foragers.strategies.auto_advice import ADVISERS, Advice, Belief, log_odds, sigmoid
from foragers.strategies.auto_clues import (
    CLUE,
    MOST_CLUES,
    MOST_IN_LINKS,
    Clues,
    Records,
    advice_of,
    doubt_of,
)
from foragers.strategies.auto_credit import Credit, Followed
from foragers.strategies.auto_rates import ROOT, Rates
from foragers.strategies.auto_words import WordWeights, link_words, page_words
from foragers.strategies.pool import Column
from foragers.text.words import url_words, words
from foragers.topics.no_topic import NoTopic
from foragers.topics.topic import Topic
from foragers.types import NOWHERE, Choice, HostId, Link, Page, Status, UrlId, Visit

LETTERS, DIGITS = re.compile("[a-zA-Z]+"), re.compile("[0-9]+")
MOST_DIRECTORIES = 4
FETCHED = -1
"""In place of the number of links to a page: it is there."""
LOOK_AGAIN, FIT_AGAIN = 50, 20
"""What waits is judged anew after a fiftieth of the downloads so far, beliefs after a twentieth."""


@dataclass
class Auto:
    """Learns which links are worth following from what following links has brought."""

    topic: Topic
    frontier: Frontier = field(default_factory=Frontier)
    learns: bool = field(default=True, init=False, repr=False)
    _rates: Rates = field(default_factory=Rates, init=False, repr=False)
    _words: WordWeights = field(default_factory=WordWeights, init=False, repr=False)
    _belief: Belief = field(default_factory=Belief, init=False, repr=False)
    _clues: Clues = field(default_factory=Clues, init=False, repr=False)
    _credit: Credit = field(default_factory=Credit, init=False, repr=False)
    _in_links: Column[np.int32] = field(
        default_factory=lambda: Column(np.int32(0)), init=False, repr=False
    )
    _pages: IdSet = field(default_factory=IdSet, init=False, repr=False)
    _downloads: int = field(default=0, init=False, repr=False)
    _next_look: int = field(default=0, init=False, repr=False)
    _next_fit: int = field(default=10, init=False, repr=False)

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        """Choose the n most promising pages on open hosts."""
        return self.frontier.pop(n, closed)

    def tell(self, visits: Sequence[Visit]) -> None:
        """Learn what the links to the pages were worth, and judge the links on them.

        All that is learned is learned here: a crawl that is taken up, or explained, is told again.
        """
        for visit in visits:
            page = visit.page
            self.frontier.fetched(page)
            # A page that was fetched under another address before brings nothing new.
            is_page = page.status is Status.OK and page.final not in self._pages
            if page.choice.url != NOWHERE:
                self._downloads += 1
                self._learn(visit, is_page)
            if is_page:
                self._read(visit)
            for url in {page.choice.url, page.final} - {NOWHERE}:
                self._in_links.reach(url)[url] = FETCHED
            if page.final != NOWHERE:
                self._pages.add(page.final)
            if self._downloads >= self._next_look:
                self._look()

    def _learn(self, visit: Visit, is_page: bool) -> None:
        """Let everyone who spoke of a page learn what it was worth."""
        page, relevance = visit.page, visit.relevance if is_page else 0.0
        clues = self._clues.of(page.choice.url)
        if not len(clues):
            return
        advice = self._advice(clues)
        groups = self._rates.lineage(clues["groups"].ravel())
        usual = float(log_odds(self._rates.table["worth"][ROOT : ROOT + 1])[0])
        self._rates.count(groups, relevance, is_page)
        self._words.learn(list(clues["words"]), relevance, usual)
        best = advice[int(np.argmax(advice @ self._belief.weights))]
        place = self._belief.remember(best, relevance)
        if relevance > 0:
            for link, more in self._credit.pass_back(page.choice.parent, relevance):
                self._rates.correct(link.groups, more)
                self._belief.correct(link.place, link.worth)
        followed = Followed(page.choice.parent, groups, place, relevance, 0.0)
        self._credit.add(page.final, followed)
        if self._downloads >= self._next_fit:
            self._belief.fit()
            self._next_fit = self._downloads + max(10, self._downloads // FIT_AGAIN)

    def _read(self, visit: Visit) -> None:
        """Judge the links of a page, those to pages that enough links speak of left out."""
        page = visit.page
        lean = 0.0
        if page.choice.url != NOWHERE:
            document = page.document
            text = " ".join((document.title, *document.headings, document.text))
            lean = self._words.read(page_words(text), visit.relevant)
        fresh = page.links.at(self._fresh(page))
        if fresh:
            clues = np.array([self._clue(link, visit, lean) for link in fresh], CLUE)
            self._clues.add(clues)
            for link, promise in zip(fresh, self._promises(clues).tolist(), strict=True):
                depth = page.choice.depth + 1
                self.frontier.push(link.url, link.host, promise, page.final, depth)

    def _fresh(self, page: Page) -> list[int]:
        """Return the places of the links whose pages wait and are not spoken of enough."""
        urls = page.links.targets
        in_links = self._in_links.reach(int(urls.max(initial=0)))
        before = in_links[urls]
        np.add.at(in_links, urls[before >= 0], 1)
        places = np.flatnonzero((before >= 0) & (before < MOST_IN_LINKS)).tolist()
        return [place for place in places if self.frontier.wants(int(urls[place]))]

    def _clue(self, link: Link, visit: Visit, lean: float) -> tuple[object, ...]:
        """Return what is known of a link."""
        start = link.href.find("/", 8)
        path, _, query = (link.href[start:] if start > 0 else "/").partition("?")
        anchor = words(link.anchor)
        topic = around = 0.0
        if not isinstance(self.topic, NoTopic):
            spelled = " ".join(url_words(path)[-6:])
            topic = max(self.topic.likeness(link.anchor), self.topic.likeness(spelled))
            around = self.topic.likeness(link.around)
        return (
            link.url,
            self._groups(link, visit.page.final, path, bool(query), anchor),
            link_words(anchor, f"{path} {query}"),
            visit.relevance,
            topic,
            around,
            lean,
            visit.page.choice.depth + 1,
        )

    def _groups(
        self, link: Link, page: UrlId, path: str, asks: bool, anchor: list[str]
    ) -> tuple[int, int, int, int]:
        """Return the groups of a link: by tag path, directory, anchor and shape of its address."""
        group, host = self._rates.group, link.host
        around = group(host)
        tags = group((page, link.path), group((host, "tags", link.path), around))
        *directories, name = path.split("/")[1:]
        directory, prefix = around, ""
        for part in directories[:MOST_DIRECTORIES]:
            prefix += f"/{part}"
            directory = group((host, prefix), directory)
        ending = name.rpartition(".")[2][:5] if "." in name else ""
        shape = LETTERS.sub("a", DIGITS.sub("0", name))[:40]
        kind = group((ending, asks))
        return (
            tags,
            directory,
            group(("anchor", *anchor[:8])),
            group((host, len(directories), shape, asks), kind),
        )

    def _advice(self, clues: Records) -> Advice:
        counts = self._in_links.values[clues["url"]].astype(np.float32)
        return advice_of(clues, self._rates, self._words, counts)

    def _promises(self, clues: Records) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """Return how likely each link is worth following."""
        said = self._advice(clues) @ self._belief.weights
        return sigmoid(said + doubt_of(clues, self._rates))

    def _look(self) -> None:
        """Judge all that waits anew."""
        self._next_look = self._downloads + max(3, self._downloads // LOOK_AGAIN)
        self._rates.refresh()
        self._words.refresh()
        self._clues.keep(self._in_links.values[self._clues.all["url"]] >= 0)
        promises = self._promises(self._clues.all)
        if len(promises) > MOST_CLUES:
            bound = np.partition(promises, -MOST_CLUES)[-MOST_CLUES]
            self._clues.keep(promises >= bound)
            promises = promises[promises >= bound]
        urls, places = np.unique(self._clues.all["url"], return_inverse=True)
        best = np.zeros(len(urls))
        np.maximum.at(best, places, promises)
        self.frontier.rescore(urls.astype(np.int32), best)

    def explain(self, page: Page, link: Link) -> Reasons | None:  # noqa: ARG002  clues know it
        """Say what each adviser made of a link."""
        clues = self._clues.of(link.url)
        if not len(clues):
            return None
        advice = self._advice(clues)
        best = int(np.argmax(advice @ self._belief.weights))
        adds = advice[best] * self._belief.weights
        order = np.argsort(-np.abs(adds), kind="stable")
        parts = tuple(
            Part(ADVISERS[place], (float(advice[best, place]), float(adds[place])))
            for place in order.tolist()
            if adds[place]
        )
        chance = float(self._promises(clues).max())
        return Reasons(
            f"the advisers together gave it a chance of {chance:.3f} of being worth following",
            ("says", "adds"),
            parts,
            "adds: to the log-odds, after how far the adviser had proved right by then",
        )
