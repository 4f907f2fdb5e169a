"""A strategy that orders URLs which somebody else fetches.

Foragers' own crawl asks a strategy which page to fetch, and fetches it.  Here another crawler
fetches pages.  It offers the URLs that it may request, asks for the best of them, and passes on
each page that it received.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

import msgspec
import numpy as np

from foragers.core.content import MemoryContent
from foragers.core.loop import OPEN, seed_visit
from foragers.core.options import Target
from foragers.core.plugins.guard import StrategyGuard
from foragers.core.protocols import Judge, Ledger, Strategy
from foragers.core.types import (
    Choice,
    Document,
    HostId,
    Link,
    Page,
    ParsedLink,
    Status,
    UrlId,
    Visit,
)
from foragers.judges.build import build_judge, topic_of, within_of
from foragers.judges.simple import Everything
from foragers.strategies.registry import StrategyInputs, build, guard_of
from foragers.urls.table import UrlTable

WANTED = 0.5
"""The relevance from which on a page counts as relevant where there is no judge."""


class ReceivedPage(msgspec.Struct, frozen=True):
    """A page that another crawler received.

    `url` was requested, and `final` answered after redirects.  `wanted` is whether the page gave
    what the crawler is after, if that is known without a judge.
    """

    url: str
    final: str
    status: Status = Status.OK
    document: Document = Document()
    links: Sequence[ParsedLink] = ()
    wanted: bool = False
    reason: str = ""


@dataclass
class CrawlLearner:
    """A strategy, its judge, and the numbers of URLs.

    Without a judge, the pages that gave something are relevant (`ReceivedPage.wanted`).
    """

    strategy: Strategy
    table: UrlTable
    judge: Judge | None = None
    guard: StrategyGuard | None = None
    ledger: Ledger | None = None
    underway: dict[UrlId, Choice] = field(default_factory=dict)

    @classmethod
    def of(cls, spec: str, target: Target, seed: int = 0) -> CrawlLearner:
        """Make the strategy and the judge that a user describes."""
        judge: Judge | None = build_judge(target)
        if isinstance(judge, Everything):
            judge = None
        inputs = StrategyInputs(
            topic_of(judge or Everything()),
            np.random.default_rng(seed),
            new_within=within_of(judge or Everything()),
        )
        table = UrlTable()
        return cls(build(spec, inputs), table, judge, guard_of(spec, table))

    def number(self, url: str) -> UrlId | None:
        """Return the number of a URL; None if it is no URL of a web page."""
        try:
            return self.table.intern(url)
        except ValueError:
            return None

    def offer(self, urls: Iterable[tuple[UrlId, HostId]]) -> None:
        """Offer URLs that no known page links to, as the seeds of a crawl."""
        links = [Link(url, host, self.table.href(url)) for url, host in urls]
        if links:
            self._tell(seed_visit(links, time.time()))

    def choose(self, closed: AbstractSet[HostId] = OPEN) -> Choice | None:
        """Return the best URL offered, or none."""
        if self.guard is not None:
            choices = self.guard.ask(self.strategy, 1, closed)
        else:
            choices = self.strategy.ask(1, closed)
        for choice in choices:
            self.underway[choice.url] = choice
            return choice
        return None

    def learn(
        self, page: ReceivedPage, links: Sequence[Link], relevance: float | None = None
    ) -> None:
        """Learn from a page; `relevance` is given if it was judged before."""
        url, final = self.number(page.url), self.number(page.final)
        if url is None:
            return
        choice = self.underway.pop(url, None) or Choice(url, self.table.host(url))
        content, now = MemoryContent(page.document, tuple(links)), time.time()
        columns = content.columns(self.table)
        told = Page(
            choice, page.status, page.reason, url if final is None else final, now, now, -1,
            columns, content,
        )  # fmt: skip
        if self.judge is None:
            found = float(page.wanted) if relevance is None else relevance
            visit = Visit(told, found, found >= WANTED)
        else:
            judged = self.judge.relevance(told)
            found = judged if relevance is None else relevance
            visit = Visit(told, found, found >= self.judge.threshold)
        if self.ledger is not None:
            self.ledger.append([visit])
        self._tell(visit)

    def _tell(self, visit: Visit) -> None:
        if self.guard is not None:
            self.guard.tell(self.strategy, [visit])
        else:
            self.strategy.tell([visit])
