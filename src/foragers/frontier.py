"""The pages that are known and not yet fetched, most promising first.

The life of a URL: *unknown*; pushed, and so *waiting* in the heap of its host; pushed
again with a better promise, and so moved up; popped, and so *taken* for good.  The
best entry of every host stands in one heap of hosts.  A host found closed is parked
beside that heap and comes back when it opens.

Equal promises leave in the order in which they came.  Entries that no longer count
(moved up, or taken) stay where they are and are passed over when they surface.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from heapq import heappop, heappush, heapreplace
from math import inf

from foragers.pace import Closed
from foragers.types import NOWHERE, Choice, HostId, Links, Page, UrlId

Entry = tuple[float, int, UrlId, UrlId, int]
"""(-promise, order of arrival, URL, parent, depth): tuples compare as the heap should."""

TAKEN = inf
"""The promise of a URL that was taken: no other is better, so it is never pushed again."""


@dataclass(slots=True)
class Frontier:
    """A queue of URLs ordered by promise, that can leave out closed hosts."""

    agent: str = ""
    _heaps: dict[HostId, list[Entry]] = field(default_factory=dict, repr=False)
    _hosts: list[tuple[float, int, HostId]] = field(default_factory=list, repr=False)
    _parked: set[HostId] = field(default_factory=set, repr=False)
    _promises: dict[UrlId, float] = field(default_factory=dict, repr=False)
    _waiting: int = 0
    _pushed: int = 0
    _openings_seen: int = 0
    _watched: Closed | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return self._waiting

    def __contains__(self, url: object) -> bool:
        return url in self._promises

    def push(
        self, url: UrlId, host: HostId, promise: float, parent: UrlId = NOWHERE, depth: int = 0
    ) -> None:
        """Add a URL, or raise its promise; one that was taken stays taken."""
        known = self._promises.get(url)
        if known is None:
            self._waiting += 1
        elif promise <= known:
            return
        self._promises[url] = promise
        self._pushed = order = self._pushed + 1
        heap = self._heaps.get(host)
        if heap is None:
            heap = self._heaps[host] = []
        entry = (-promise, order, url, parent, depth)
        heappush(heap, entry)
        if heap[0] is entry:
            heappush(self._hosts, (-promise, order, host))

    def extend(self, links: Links, promise: float, parent: UrlId, depth: int) -> None:
        """Add the links of a page that are not known yet, all with one promise."""
        known = self._promises
        urls = links.targets.tolist()
        fresh = [place for place, url in enumerate(urls) if url not in known]
        if fresh:
            hosts = links.hosts.tolist()
            for place in fresh:
                self.push(urls[place], hosts[place], promise, parent, depth)

    def take(self, url: UrlId) -> None:
        """Mark a URL as fetched, so that it is never chosen (again)."""
        self._waiting -= self._promises.get(url, TAKEN) != TAKEN
        self._promises[url] = TAKEN

    def fetched(self, page: Page) -> None:
        """Mark what was asked for, and where that led, as taken."""
        self.take(page.choice.url)
        if page.final != page.choice.url:
            self.take(page.final)

    def pop(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        """Take the n most promising URLs on open hosts."""
        if self._parked:
            self._bring_back(closed)
        choices: list[Choice] = []
        hosts, promises = self._hosts, self._promises
        while hosts and len(choices) < n:
            _, order, host = hosts[0]
            heap = self._heaps[host]
            if not heap or heap[0][1] != order:
                heappop(hosts)
                continue
            if host in closed:
                heappop(hosts)
                self._park(host, closed)
                continue
            negative, _, url, parent, depth = heappop(heap)
            if promises[url] == -negative:
                choices.append(Choice(url, host, -negative, self.agent, parent, depth))
                promises[url] = TAKEN
                self._waiting -= 1
            if heap:
                heapreplace(hosts, (heap[0][0], heap[0][1], host))
            else:
                heappop(hosts)
        return choices

    def _park(self, host: HostId, closed: AbstractSet[HostId]) -> None:
        """Set a closed host aside, and begin to watch for openings if it is the first."""
        if not self._parked:
            self._watch(closed)
        self._parked.add(host)

    def _bring_back(self, closed: AbstractSet[HostId]) -> None:
        """Return the parked hosts that have opened."""
        opened = None
        # Another set, or another's log, says nothing of the hosts parked because of this one.
        if self._watched is not None and self._watched is closed:
            opened = self._watched.opened_since(self._openings_seen)
        self._watch(closed)
        for host in list(self._parked) if opened is None else opened:
            if host in self._parked and host not in closed:
                self._parked.discard(host)
                best = self._heaps[host][0]
                heappush(self._hosts, (best[0], best[1], host))

    def _watch(self, closed: AbstractSet[HostId]) -> None:
        """Remember whose log of openings to read from here on."""
        self._watched = closed if isinstance(closed, Closed) else None
        self._openings_seen = self._watched.openings if self._watched is not None else 0
