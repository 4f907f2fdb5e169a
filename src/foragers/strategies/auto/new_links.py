"""New links: links to unknown URLs, found on a page that was visited again.

The page behind such a link is probably as new as the link.  The promise of a new link is the share
of earlier new links on the same page that led to news.  It falls to zero within the age limit for
news.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from heapq import heappop, heappush, heapreplace
from math import inf
from typing import NamedTuple, Protocol

from foragers.core.types import Choice, HostId, Ids, Page, UrlId
from foragers.frontier.frontier import Frontier
from foragers.strategies.auto.settings import REVISIT_DEFAULTS, RevisitSettings

FRESH = "new link"
"""The agent in the ledger for a new link."""


class Source(NamedTuple):
    """Where a new link was found, and when."""

    place: int
    time: float
    host: HostId
    parent: UrlId
    depth: int


class Judging(Protocol):
    """Gives the share of new links on a page that led to news (`page_history.Watched`)."""

    within: float

    def promise(self, place: int) -> float:
        """Return the probability that a new link on a page leads to news."""
        ...


@dataclass
class FreshLinks:
    """New links, the most promising first."""

    settings: RevisitSettings = REVISIT_DEFAULTS
    _sources: dict[UrlId, Source] = field(default_factory=dict, repr=False)
    _heap: list[tuple[float, float, int, UrlId]] = field(default_factory=list, repr=False)
    _added: int = 0
    _first: tuple[float, UrlId] = (0.0, -1)

    def __len__(self) -> int:
        return len(self._sources)

    def add(self, place: int, page: Page, urls: Ids, hosts: Ids) -> None:
        """Add the new links of a page; if there are too many, the oldest are dropped."""
        for url, host in dict(zip(urls.tolist(), hosts.tolist(), strict=True)).items():
            if url in self._sources:
                continue
            depth = page.choice.depth + 1
            self._sources[url] = Source(place, page.time, host, page.final, depth)
            self._added += 1
            heappush(self._heap, (-inf, -page.time, self._added, url))
            if len(self._sources) > self.settings.most_new_links:
                del self._sources[next(iter(self._sources))]

    def on(self, url: UrlId) -> int | None:
        """Return the row of the page on which a link is new."""
        found = self._sources.get(url)
        return None if found is None else found.place

    def source(self, url: UrlId) -> int | None:
        """Return the row of the page on which a link was new, and drop the link."""
        found = self._sources.pop(url, None)
        return None if found is None else found.place

    def best(
        self, closed: AbstractSet[HostId], frontier: Frontier, now: float, judging: Judging
    ) -> float:
        """Return the promise of the best link on an open host; `take` then chooses it."""
        aside = []
        found = -inf
        for _ in range(self.settings.new_link_tries):
            if not self._heap:
                break
            negative, time, order, url = self._heap[0]
            source = self._sources.get(url)
            if source is None or not frontier.wants(url):
                heappop(self._heap)
                continue
            worth = worth_of(source, now, judging)
            if worth <= 0:
                heappop(self._heap)
                del self._sources[url]
            elif source.host in closed:
                aside.append(heappop(self._heap))
            elif -worth > negative + 1e-12:
                heapreplace(self._heap, (-worth, time, order, url))
            else:
                found, self._first = worth, (worth, url)
                break
        for entry in aside:
            heappush(self._heap, entry)
        return found

    def take(self, frontier: Frontier) -> Choice:
        """Choose the link that `best` found."""
        worth, url = self._first
        source = self._sources[url]
        frontier.take(url)  # `best` later drops what the frontier does not want
        return Choice(url, source.host, worth, FRESH, source.parent, source.depth)


def worth_of(source: Source, now: float, judging: Judging) -> float:
    """Return the current promise of a link."""
    left = 1 - (now - source.time) / judging.within
    return judging.promise(source.place) * left if left > 0 else 0.0
