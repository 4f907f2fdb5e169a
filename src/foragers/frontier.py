"""The pages that are known and not yet fetched, most promising first.

The life of a URL: *unknown*; pushed, and so *waiting* in the heap of its host; pushed
again with a better promise, and so moved up; popped, and so *taken* for good.  The
best entry of every host stands in one heap of hosts.  A host found closed is parked
beside that heap and comes back when it opens.

Equal promises leave in the order in which they came.  Entries that no longer count
(moved up, or taken) stay in their heap and are passed over when they surface.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from heapq import heappop, heappush

from foragers.pace import Closed
from foragers.types import NOWHERE, Choice, HostId, Links, UrlId

Entry = tuple[float, int, UrlId, UrlId, int]
"""(-promise, order of arrival, URL, parent, depth): tuples compare as the heap should."""

TAKEN = -1


@dataclass(slots=True)
class Frontier:
    """A queue of URLs ordered by promise, that can leave out closed hosts."""

    agent: str = ""
    _heaps: dict[HostId, list[Entry]] = field(default_factory=dict, repr=False)
    _hosts: list[tuple[float, int, HostId]] = field(default_factory=list, repr=False)
    _parked: set[HostId] = field(default_factory=set, repr=False)
    _entry_of: dict[UrlId, int] = field(default_factory=dict, repr=False)
    _promises: dict[UrlId, float] = field(default_factory=dict, repr=False)
    _pushed: int = 0
    _openings_seen: int = 0

    def __len__(self) -> int:
        return len(self._promises)

    def __contains__(self, url: object) -> bool:
        return url in self._entry_of

    def push(
        self, url: UrlId, host: HostId, promise: float, parent: UrlId = NOWHERE, depth: int = 0
    ) -> None:
        """Add a URL, or raise its promise; one that was taken stays taken."""
        if url in self._entry_of and promise <= self._promises.get(url, promise):
            return
        self._pushed = order = self._pushed + 1
        self._entry_of[url] = order
        self._promises[url] = promise
        heap = self._heaps.setdefault(host, [])
        heappush(heap, (-promise, order, url, parent, depth))
        if heap[0][1] == order:
            heappush(self._hosts, (-promise, order, host))

    def extend(self, links: Links, promise: float, parent: UrlId, depth: int) -> None:
        """Add all links of a page with one promise."""
        known = self._entry_of
        for url, host in zip(links.targets.tolist(), links.hosts.tolist(), strict=True):
            if url not in known or promise > self._promises.get(url, promise):
                self.push(url, host, promise, parent, depth)

    def take(self, url: UrlId) -> None:
        """Mark a URL as fetched, so that it is never chosen (again)."""
        self._entry_of[url] = TAKEN
        self._promises.pop(url, None)

    def pop(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        """Take the n most promising URLs on open hosts."""
        self._bring_back(closed)
        choices: list[Choice] = []
        while len(choices) < n and self._hosts:
            _, order, host = heappop(self._hosts)
            heap = self._heaps[host]
            if not heap or heap[0][1] != order:
                continue
            if host in closed:
                self._parked.add(host)
                continue
            promise, _, url, parent, depth = heappop(heap)
            if self._entry_of[url] == order:
                choices.append(Choice(url, host, -promise, self.agent, parent, depth))
                self.take(url)
            self._show(host)
        return choices

    def _show(self, host: HostId) -> None:
        """Put the best entry of a host among the hosts."""
        if heap := self._heaps[host]:
            heappush(self._hosts, (heap[0][0], heap[0][1], host))

    def _bring_back(self, closed: AbstractSet[HostId]) -> None:
        """Return the parked hosts that have opened."""
        if isinstance(closed, Closed):
            opened = closed.opened_since(self._openings_seen)
            self._openings_seen = closed.openings
        else:
            opened = None
        if not self._parked:
            return
        for host in list(self._parked) if opened is None else opened:
            if host in self._parked and host not in closed:
                self._parked.discard(host)
                self._show(host)
