"""Links that were not there before: addresses that turned up on a page visited again.

What such a link leads to is most likely as new as the link.  Its promise is the share of
links like it, new on the same page, that led to news; it sinks to nothing by the time when
what was new at sight is no news any more.
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
"""In place of an agent: the link to the page was new."""


class Source(NamedTuple):
    """Where a new link was found, and when."""

    place: int
    time: float
    host: HostId
    parent: UrlId
    depth: int


class Judging(Protocol):
    """Someone who knows what links that were new on a page have been worth."""

    within: float

    def promise(self, place: int) -> float:
        """Return how likely a link that was new on a page leads to news."""
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
        """Take in the new links of a page; of too many the oldest are forgotten."""
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
        """Return on which page a link is new."""
        found = self._sources.get(url)
        return None if found is None else found.place

    def source(self, url: UrlId) -> int | None:
        """Return on which page a link was new, and forget the link."""
        found = self._sources.pop(url, None)
        return None if found is None else found.place

    def best(
        self, closed: AbstractSet[HostId], frontier: Frontier, now: float, judging: Judging
    ) -> float:
        """Return the promise of the best link on an open host, which may then be taken."""
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
        """Choose the link that was found to be the best."""
        worth, url = self._first
        source = self._sources[url]
        frontier.take(url)  # which also takes it out of the heap, once it is met there
        return Choice(url, source.host, worth, FRESH, source.parent, source.depth)


def worth_of(source: Source, now: float, judging: Judging) -> float:
    """Return the promise of a link now."""
    left = 1 - (now - source.time) / judging.within
    return judging.promise(source.place) * left if left > 0 else 0.0
