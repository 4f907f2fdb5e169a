"""The queue of known URLs that were not fetched yet, most promising first.

The life of a URL: *unknown*; pushed, and so *waiting* in the heap of its host; pushed
again with a better promise, and so moved up; popped, and so *taken* for good.

The best entry of every host is in one heap of hosts.  A closed host is parked beside that
heap and returns when it opens.  If the closed hosts come with a rule for waiting
(`pace.WaitRule`), a page that is much worse than the parked ones is held back.

Equal promises leave in the order in which they came.  Stale entries (moved up, or taken)
stay in the heaps and are skipped when they reach the top.

If very many URLs wait, each host keeps a few of its best in the heap and packs the others
into its *tail*: a million waiting URLs then take 40 MB.  Up to a limit nothing is packed.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush, heapreplace
from math import inf
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from foragers.compiled import compiled
from foragers.core.pace import Closed
from foragers.core.types import NO_PARENT, Choice, HostId, Ids, Links, Page, UrlId
from foragers.frontier.overflow import (
    FEW_OF_HOST,
    NONE,
    Entry,
    Key,
    PackedQueue,
    Records,
    Rescoring,
)
from foragers.frontier.scores import Floats, ScoreColumn, promises_at

LIBRARY: Any | None = compiled("foragers.frontier._queue")
"""The rescoring of a frontier, and its waiting for better pages, compiled, if they are."""
TAKEN = inf
"""The promise of a URL that was taken: no other is better, so it is never pushed again."""
MANY = 1 << 16
"""Compact the frontier every this many pushes."""
REFILL = 8
"""Minimum number of entries moved back to the heap of a host at a time."""
FEW_HEADS = 16
"""Rebuild the heap of parked hosts when it has this many entries more than it needs."""
SPARSE = 12
"""A dictionary takes as much memory as a column this many times as long."""


@dataclass(slots=True)
class Frontier:
    """A queue of URLs ordered by promise, that can leave out closed hosts."""

    follows_wait_rule: ClassVar[bool] = True
    agent: str = ""
    _heaps: dict[HostId, list[Entry]] = field(default_factory=dict, repr=False)
    _tails: dict[HostId, PackedQueue] = field(default_factory=dict, repr=False)
    _hosts: list[tuple[float, int, HostId]] = field(default_factory=list, repr=False)
    _parked: set[HostId] = field(default_factory=set, repr=False)
    _parked_heads: list[tuple[float, int, HostId]] = field(default_factory=list, repr=False)
    _promises: dict[UrlId, float] | ScoreColumn = field(default_factory=dict, repr=False)
    _waiting: int = 0
    _pushed: int = 0
    _kept: int = field(default=1, repr=False)
    _next_tidying: int = field(default_factory=lambda: MANY, repr=False)
    _openings_seen: int = 0
    _watched: Closed | None = field(default=None, repr=False)
    _dealt: int = 0

    def __len__(self) -> int:
        return self._waiting

    def __contains__(self, url: object) -> bool:
        return url in self._promises

    def push(
        self, url: UrlId, host: HostId, promise: float, parent: UrlId = NO_PARENT, depth: int = 0
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
        if order >= self._next_tidying:
            self._tidy()

    def push_all(
        self,
        urls: Sequence[UrlId],
        hosts: Sequence[HostId],
        promises: Sequence[float],
        parent: UrlId,
        depth: int,
    ) -> None:
        """Add the links of a page, or raise their promises, as `push` does one by one."""
        known, order = self._promises, self._pushed
        column = known.reach(max(urls, default=0)) if isinstance(known, ScoreColumn) else None
        if column is None or order + len(urls) >= self._next_tidying:
            for url, host, promise in zip(urls, hosts, promises, strict=True):
                self.push(url, host, promise, parent, depth)
            return
        heaps, heads = self._heaps, self._hosts
        for url, host, promise in zip(urls, hosts, promises, strict=True):
            before = column[url]
            if before != before:  # nan: it is not known yet
                self._waiting += 1
            elif promise <= before:
                continue
            column[url] = promise
            order += 1
            heap = heaps.get(host)
            if heap is None:
                heap = heaps[host] = []
            entry = (-promise, order, url, parent, depth)
            heappush(heap, entry)
            if heap[0] is entry:
                heappush(heads, (-promise, order, host))
        self._pushed = order

    def extend(self, links: Links, promise: float, parent: UrlId, depth: int) -> None:
        """Add the links of a page that are not known yet, all with one promise."""
        known = self._promises
        urls = links.targets.tolist()
        if isinstance(known, ScoreColumn):
            found = known.at(links.targets)
            fresh = (found != found).nonzero()[0].tolist()
        else:
            fresh = [index for index, url in enumerate(urls) if url not in known]
        if fresh:
            hosts = links.hosts.tolist()
            for index in fresh:
                self.push(urls[index], hosts[index], promise, parent, depth)

    def wants(self, url: UrlId) -> bool:
        """Say whether a URL, known or not, may still be chosen."""
        return self._promises.get(url) != TAKEN

    def wants_each(self, urls: Ids) -> NDArray[np.bool_]:
        """Say of each of many URLs whether it may still be chosen."""
        found: NDArray[np.bool_] = promises_at(self._promises, urls) != TAKEN
        return found

    def scores(self) -> array[float] | None:
        """Return the promises of all known URLs as a column, nan for others; None without one."""
        known = self._promises
        return known.column if isinstance(known, ScoreColumn) else None

    def wanted(self, links: Links) -> list[int]:
        """Return the indexes of a page's links that may still be chosen."""
        known = self._promises
        if isinstance(known, ScoreColumn):
            found: list[int] = (known.at(links.targets) != TAKEN).nonzero()[0].tolist()
            return found
        promise_of = known.get
        return [i for i, url in enumerate(links.targets.tolist()) if promise_of(url) != TAKEN]

    def take(self, url: UrlId) -> None:
        """Mark a URL as fetched, so that it is never chosen (again)."""
        self._waiting -= self._promises.get(url, TAKEN) != TAKEN
        self._promises[url] = TAKEN

    def fetched(self, page: Page) -> None:
        """Mark the requested URL, and the URL after redirects, as taken."""
        self.take(page.choice.url)
        if page.final != page.choice.url:
            self.take(page.final)

    def pop(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        """Take the n most promising URLs on open hosts, or fewer if it is better to wait."""
        if self._parked:
            self._bring_back(closed)
        choices: list[Choice] = []
        hosts, promises, tails = self._hosts, self._promises, self._tails
        choosy = closed if isinstance(closed, Closed) and closed.rule.share > 0 else None
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
            negative, _, url, parent, depth = heap[0]
            counts = promises[url] == -negative
            if counts and choosy and self._parked and self._better_waits((negative, order), choosy):
                choosy.is_awaited = True
                break
            heappop(heap)
            if counts:
                choices.append(Choice(url, host, -negative, self.agent, parent, depth))
                promises[url] = TAKEN
                self._waiting -= 1
            if host in tails:
                self._refill(host, heap)
            if heap:
                heapreplace(hosts, (heap[0][0], heap[0][1], host))
            else:
                heappop(hosts)
        return choices

    def _better_waits(self, key: Key, closed: Closed) -> bool:
        """Say whether a page comes too far behind pages of hosts that open soon.

        Of equal promises, the one that came first is ahead, as with one connection.
        """
        rule, heads, promise = closed.rule, self._parked_heads, -key[0]
        if not heads or heads[0] > key:
            return False
        heaps, parked, size = self._heaps, self._parked, len(heads)
        most = rule.most_ahead(closed.downloads_left, closed.downloads)
        may_be_many = most <= self._pushed - self._dealt
        column = self.scores() if LIBRARY is not None else None
        if LIBRARY is not None and column is not None:
            found: bool | None = LIBRARY.better_waits(
                key, heads, heaps, parked, self._tails, column, closed.expected, closed.now,
                rule.longest, rule.share, most, may_be_many,
            )  # fmt: skip
            if found is not None:
                return found
        ahead, seen, waiting = 0, set[HostId](), [0]
        while waiting:
            index = waiting.pop()
            if index >= size or heads[index] > key:
                continue
            head, order, host = heads[index]
            waiting += (2 * index + 1, 2 * index + 2)
            heap = heaps[host] if host in parked else None
            if not heap or heap[0][1] != order or host in seen or not closed.opens_soon(host):
                continue
            seen.add(host)
            is_waiting = self._promises[heap[0][2]] == -head  # and neither taken nor moved up
            if is_waiting and head < 0 and promise < rule.share * -head:
                return True
            if may_be_many:
                ahead += self._count_ahead(host, key, most - ahead)
                if ahead >= most:
                    return True
        return False

    def _count_ahead(self, host: HostId, key: Key, most: float) -> int:
        """Count a host's entries that come before a key, up to a number."""
        heap, ahead, waiting = self._heaps[host], 0, [0]
        while waiting and ahead < most:
            index = waiting.pop()
            if index < len(heap) and heap[index] < key:
                ahead += self._promises[heap[index][2]] == -heap[index][0]
                waiting += (2 * index + 1, 2 * index + 2)
        if ahead < most and host in self._tails:
            ahead += self._tails[host].count_ahead(key)
        return ahead

    def best(self, closed: AbstractSet[HostId]) -> float:
        """Return the promise of the URL to be popped next; minus infinity if there is none."""
        if self._parked:
            self._bring_back(closed)
        hosts = self._hosts
        while hosts:
            _, order, host = hosts[0]
            heap = self._heaps[host]
            if not heap or heap[0][1] != order:
                heappop(hosts)
            elif host in closed:
                heappop(hosts)
                self._park(host, closed)
            elif self._promises[heap[0][2]] == -heap[0][0]:
                return -heap[0][0]
            else:
                heappop(heap)
                if host in self._tails:
                    self._refill(host, heap)
                if heap:
                    heapreplace(hosts, (heap[0][0], heap[0][1], host))
                else:
                    heappop(hosts)
        return -inf

    def best_of(self, host: HostId) -> float:
        """Return the best promise among the URLs of one host; minus infinity if none waits."""
        heap = self._heaps.get(host)
        while heap:
            if self._promises[heap[0][2]] == -heap[0][0]:
                return -heap[0][0]
            self._drop_first(host, heap)
        return -inf

    def pop_from(self, host: HostId) -> Choice | None:
        """Take the most promising URL of one host, whatever others promise; None if none waits."""
        if self.best_of(host) == -inf:
            return None
        heap = self._heaps[host]
        negative, _, url, parent, depth = heap[0]
        self._drop_first(host, heap)
        self._promises[url] = TAKEN
        self._waiting -= 1
        return Choice(url, host, -negative, self.agent, parent, depth)

    def _drop_first(self, host: HostId, heap: list[Entry]) -> None:
        """Drop the first entry of a host, and line the host up with the next one."""
        heappop(heap)
        if host in self._tails:
            self._refill(host, heap)
        if heap:
            heappush(self._hosts, (heap[0][0], heap[0][1], host))
        else:
            self._parked.discard(host)

    def rescore(self, urls: Ids, promises: Floats) -> None:
        """Give many waiting URLs new promises, better or worse; the others are left alone.

        Equal promises still leave in the order in which they came.
        """
        if not isinstance(self._promises, ScoreColumn):
            self._promises = ScoreColumn(self._promises)
        if self._rescore_quickly(urls, promises):
            return
        gathered = Rescoring.of(self._heaps, self._tails, self._counts)
        known = self._promises.at(urls)
        waiting = (known == known) & (known != TAKEN)
        self._promises.put(urls[waiting], promises[waiting])
        gathered.entries["negative"] = -self._promises.at(gathered.entries["url"])
        self._deal(gathered)

    def _rescore_quickly(self, urls: Ids, promises: Floats) -> bool:
        """Do the same compiled; False if it cannot be done so."""
        scores = self.scores()
        if LIBRARY is None or scores is None:
            return False
        buffers = {host: tail.buffers() for host, tail in self._tails.items()}
        quick: tuple[dict[HostId, list[Entry]], dict[HostId, bytes], int] | None
        quick = LIBRARY.rescored(self._heaps, buffers, scores, urls, promises, FEW_OF_HOST)
        if quick is None:
            return False
        del buffers
        heaps, others, number = quick
        self._tails.clear()
        tails = {
            host: PackedQueue.of(others.pop(host), heaps[host][0][:2]) for host in list(others)
        }
        self._take_up(heaps, tails, number)
        return True

    def _deal(self, gathered: Rescoring) -> None:
        """Put all waiting URLs into tails, and the best of each host into its heap."""
        self._take_up(*gathered.dealt(), len(gathered.entries))

    def _take_up(
        self,
        heaps: dict[HostId, list[Entry]],
        tails: dict[HostId, PackedQueue],
        number: int,
    ) -> None:
        """Take up the heaps and tails of all waiting URLs."""
        self._heaps, self._tails = heaps, tails
        self._dealt = self._pushed - number
        self._parked.intersection_update(self._heaps)
        self._line_up()

    def _line_up(self) -> None:
        """Put the best of every host that is not parked into the heap of hosts."""
        self._hosts = [
            (heap[0][0], heap[0][1], host)
            for host, heap in self._heaps.items()
            if heap and host not in self._parked
        ]
        heapify(self._hosts)
        self._line_up_parked()

    def _line_up_parked(self) -> None:
        """Put the best of every parked host into their heap."""
        heaps = ((host, self._heaps[host]) for host in sorted(self._parked))
        self._parked_heads = [(heap[0][0], heap[0][1], host) for host, heap in heaps if heap]
        heapify(self._parked_heads)

    def _counts(self, records: Records) -> NDArray[np.bool_]:
        """Say which entries are neither taken nor moved up."""
        promises = promises_at(self._promises, records["url"])
        return np.asarray(promises == -records["negative"])

    def _tidy(self) -> None:
        """Pack entries that take more memory than necessary."""
        self._next_tidying = self._pushed + MANY
        known = self._promises
        if isinstance(known, dict) and len(known) >= MANY and max(known) < SPARSE * len(known):
            self._promises = ScoreColumn(known)
        near = sum(map(len, self._heaps.values()))
        if near > max(MANY, 2 * len(self._heaps)):
            self._kept = max(1, MANY // (2 * len(self._heaps)))
            for host, heap in self._heaps.items():
                if len(heap) > self._kept:
                    self._pack(host, heap)
        if near + sum(map(len, self._tails.values())) > 2 * self._waiting + MANY:
            # Most of it was taken, or moved up.
            self._deal(Rescoring.of(self._heaps, self._tails, self._counts))
        elif len(self._hosts) > MANY + 2 * len(self._heaps):
            self._line_up()

    def _pack(self, host: HostId, heap: list[Entry]) -> None:
        """Put all but the best of a host into its tail."""
        heap.sort()
        tail = self._tails.get(host)
        if tail is None:
            tail = self._tails[host] = PackedQueue()
        tail.add(heap[self._kept :])
        del heap[self._kept :]

    def _refill(self, host: HostId, heap: list[Entry]) -> None:
        """Ensure that the best URL of a host is in its heap."""
        tail = self._tails[host]
        while tail.best < heap[0] if heap else tail.best != NONE:
            heap += tail.take(max(self._kept, REFILL), self._counts, self.scores())
            heapify(heap)
        if tail.best == NONE:
            del self._tails[host]

    def _park(self, host: HostId, closed: AbstractSet[HostId]) -> None:
        """Park a closed host, and start to read the log of openings if it is the first."""
        if not self._parked:
            self._watch(closed)
        self._parked.add(host)
        best = self._heaps[host][0]
        heappush(self._parked_heads, (best[0], best[1], host))
        if len(self._parked_heads) > 2 * len(self._parked) + FEW_HEADS:
            self._line_up_parked()

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
        """Store the log of openings to read from now on."""
        self._watched = closed if isinstance(closed, Closed) else None
        self._openings_seen = self._watched.openings if self._watched is not None else 0
