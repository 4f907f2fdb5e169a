"""The requests that a crawl makes for itself: lists of pages, and deferred pages.

A strategy chooses pages that it was told of.  It does not choose sitemaps and feeds for their
links, nor a page again that could not be fetched because its host asked for a pause.  These
requests wait here, by host, until the host may be requested.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from math import inf

from foragers.core.types import LISTS, Choice, HostId, Purpose, UrlId, Visit
from foragers.crawling.settings import DEFAULT_SETTINGS, OwnRequestSettings
from foragers.fetching.settings import DEFAULT_FETCHING


@dataclass
class OwnRequests:
    """The crawl's own choices; `deferred` has those with a due time, as a heap."""

    settings: OwnRequestSettings = DEFAULT_SETTINGS.own_requests
    deferred: list[tuple[float, int, Choice]] = field(default_factory=list)
    _queues: dict[HostId, deque[Choice]] = field(default_factory=dict)
    _deferrals: Counter[UrlId] = field(default_factory=Counter)
    _known_lists: set[UrlId] = field(default_factory=set)
    _list_counts: Counter[tuple[Purpose, HostId]] = field(default_factory=Counter)
    _order: int = 0

    def __len__(self) -> int:
        return len(self.deferred) + sum(map(len, self._queues.values()))

    def defer(
        self, at: float, choice: Choice, most: int = DEFAULT_FETCHING.retries.deferrals
    ) -> None:
        """Request a page again at a time, unless it was deferred `most` times before."""
        if self._deferrals[choice.url] < most and len(self.deferred) < self.settings.max_deferred:
            self._deferrals[choice.url] += 1
            self._push(at, choice)

    def set_aside(self, at: float, choice: Choice) -> None:
        """Request a choice at a time that has no page yet, which is not counted."""
        self._deferrals[choice.url] += 0
        self._push(at, choice)

    def _push(self, at: float, choice: Choice) -> None:
        self._order += 1
        heappush(self.deferred, (at, self._order, choice))

    def ask_again(self, choices: Iterable[Choice]) -> None:
        """Request pages again, unless they wait already."""
        waiting = {choice for queue in self._queues.values() for choice in queue}
        waiting.update(choice for _, _, choice in self.deferred)
        for choice in choices:
            if choice not in waiting:
                self._queues.setdefault(choice.host, deque()).append(choice)

    def add_lists(self, visit: Visit) -> None:
        """Add the sitemaps and feeds among the links of a page."""
        page = visit.page
        rels = page.links.outlinks.rels if len(page.links) else ()
        for i, rel in enumerate(rels):
            if rel in LISTS:
                url, host = int(page.links.targets[i]), int(page.links.hosts[i])
                depth, purpose = page.choice.depth, Purpose(rel)
                self._add_list(Choice(url, host, 0.0, rel, page.final, depth, purpose))

    def _add_list(self, choice: Choice) -> None:
        """Add a list, unless it is known or its host has too many."""
        key, settings = (choice.purpose, choice.host), self.settings
        is_feed = choice.purpose is Purpose.FEED
        most = settings.max_feeds if is_feed else settings.max_sitemaps
        full = self._list_counts[key] >= most or len(self._known_lists) >= settings.max_lists
        if choice.url not in self._known_lists and not full:
            self._known_lists.add(choice.url)
            self._list_counts[key] += 1
            self._queues.setdefault(choice.host, deque()).append(choice)

    def release_due(self, now: float) -> None:
        """Queue the deferred requests that are due."""
        while self.deferred and self.deferred[0][0] <= now:
            choice = heappop(self.deferred)[2]
            self._queues.setdefault(choice.host, deque()).append(choice)

    def release_all(self) -> None:
        """Queue all deferred requests and forget their deferrals, when a crawl is resumed."""
        self._deferrals.clear()
        self.release_due(inf)

    def next(self, closed: AbstractSet[HostId]) -> Choice | None:
        """Remove and return a choice on an open host, if there is one among the first hosts."""
        for _ in range(min(self.settings.hosts_tried, len(self._queues))):
            host = next(iter(self._queues))
            queue = self._queues.pop(host)
            if host in closed:
                self._queues[host] = queue  # behind all others
                continue
            choice = queue.popleft()
            if queue:
                self._queues[host] = queue
            return choice
        return None

    def due(self, closed: AbstractSet[HostId]) -> float:
        """Return when a request can be sent: 0 is now, infinity never."""
        if any(host not in closed for host in self._queues):
            return 0.0
        return self.deferred[0][0] if self.deferred else inf

    def restore(self, visit: Visit, with_lists: bool) -> None:
        """Restore which requests are left, from a visit in the ledger of a resumed crawl."""
        choice = visit.page.choice
        self._forget(choice)
        if with_lists:
            if choice.purpose.is_list:
                self._known_lists.add(choice.url)
            self.add_lists(visit)

    def _forget(self, choice: Choice) -> None:
        """Drop a choice that has a page."""
        queue = self._queues.get(choice.host)
        if queue is not None and choice in queue:
            queue.remove(choice)
            if not queue:
                del self._queues[choice.host]
        was_deferred = choice.url in self._deferrals
        if was_deferred and any(choice == other for _, _, other in self.deferred):
            self.deferred = [entry for entry in self.deferred if entry[2] != choice]
            heapify(self.deferred)
