"""Politeness as data: which hosts are closed at the moment, and when they open.

The life of a host: open; closed while a request to it is in progress; closed for a pause
after that; open again.  Time is passed as an argument, so a pace can be pickled, replayed
and tested.

A crawl with more time than downloads waits for a good page on a closed host instead of
spending a download on a bad page of an open one: `WaitRule`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import floor, inf
from typing import cast

from foragers.core.types import HostId

MAX_COUNTED = 4096
"""Better pages on closed hosts are not counted beyond this."""
LOG_LENGTH = 65_536
"""Length of the log of opened hosts; a reader that fell behind scans all its parked hosts."""


@dataclass(frozen=True, slots=True)
class WaitRule:
    """When a page of an open host waits for better pages of closed hosts.

    It is fetched if two conditions hold: its promise is at least `share` of the best of them,
    and fewer pages than `rank` times the downloads left, or those made if they are fewer, come
    before it (promises of some strategies lie close together; equal ones count in the order in
    which they came).  Hosts that stay closed longer than `longest` seconds are not waited for.

    At first there is one download at a time, and one more for every 1 / `ramp` downloads.  The
    first pages decide what is learned and which links are known; out of their order, a crawl
    takes another way.

    A strategy that does not keep its pages in a `Frontier` is asked as if only those hosts were
    closed.  Up to `held` of its choices are held by the loop until their hosts open, or under way:
    with one, it learns from each page before it chooses the next, as with one connection.  Bandits
    and fleets need that; with two or more they found as little as a third.  So do strategies that
    keep their order (`KeepsOrder`).  A page that has been under way for `slow` seconds does not
    count.
    `python -m benchmarks politeness` measures the rule.  Its values are from trials on 18 tasks,
    with the harvest of one connection as the goal; `share` was raised from 0.5, where strategies
    with few different promises lost pages.  `ramp` is a compromise with speed.
    """

    share: float = 0.8
    rank: float = 0.1
    longest: float = 60.0
    held: int = 1
    slow: float = 5.0
    ramp: float = 0.05

    def most_ahead(self, downloads_left: float, downloads: float) -> float:
        """Return how many pages on closed hosts may come before one that is fetched."""
        least = max(1.0, min(downloads_left, downloads))
        return max(1.0, min(self.rank * least, MAX_COUNTED))

    def most_under_way(self, downloads: float) -> float:
        """Return how many downloads may be under way after a number of them."""
        return inf if self.ramp == inf else 1 + floor(self.ramp * downloads)


TAKE_ANY = WaitRule(share=0.0, rank=inf, held=0, ramp=inf)
"""Never wait: every free connection is used."""


class Closed(AbstractSet[HostId]):
    """The closed hosts, and a log of those that opened.

    A frontier that parked the pages of closed hosts reads the log from its last position.
    So hosts that stay closed cost nothing, however many they are.

    `rule`, `downloads_left` and `downloads` define how good a page of an open host must be to be
    fetched before those of closed hosts that open soon.  `is_awaited` is true if one was held back.
    """

    def __init__(self) -> None:
        self.rule = TAKE_ANY
        self.downloads_left = self.downloads = inf
        self.now = 0.0
        self.is_awaited = False
        self._hosts: set[HostId] = set()
        self._expected: dict[HostId, float] = {}
        self._log: list[HostId] = []
        self._forgotten = 0

    def __contains__(self, host: object) -> bool:
        return host in self._hosts

    def __iter__(self) -> Iterator[HostId]:
        return iter(self._hosts)

    def __len__(self) -> int:
        return len(self._hosts)

    def prefer(self, rule: WaitRule, downloads_left: float, downloads: float = inf) -> None:
        """Set how good a page must be from now on, after a number of downloads."""
        self.rule, self.is_awaited = rule, False
        self.downloads_left, self.downloads = downloads_left, downloads

    def close(self, host: HostId) -> None:
        """Close a host while a request is in progress."""
        self._hosts.add(host)
        self._expected[host] = self.now

    def close_until(self, host: HostId, moment: float) -> None:
        """Keep a host closed until a time."""
        self._hosts.add(host)
        self._expected[host] = moment

    def opens_soon(self, host: HostId) -> bool:
        """Return whether a closed host is worth waiting for.

        It is not if its pause is long, or if its request has been in progress for long.
        """
        return abs(self._expected.get(host, self.now) - self.now) <= self.rule.longest

    @property
    def expected(self) -> dict[HostId, float]:
        """When each closed host opens; for a request in progress, when it began."""
        return self._expected

    def open(self, host: HostId) -> None:
        """Open a host again and add it to the log."""
        self._hosts.discard(host)
        self._expected.pop(host, None)
        self._log.append(host)
        if len(self._log) > 2 * LOG_LENGTH:
            del self._log[:LOG_LENGTH]
            self._forgotten += LOG_LENGTH

    @property
    def awaited(self) -> int:
        """Number of closed hosts that are waited for because of better pages."""
        return sum(map(self.opens_soon, self._hosts)) if self.is_awaited else 0

    @property
    def openings(self) -> int:
        """Number of openings so far."""
        return self._forgotten + len(self._log)

    def opened_since(self, openings: int) -> Sequence[HostId] | None:
        """Return the hosts opened since a position in the log; None if it is no longer stored."""
        if self._forgotten <= openings <= self.openings:
            return self._log[openings - self._forgotten :]
        return None


class ClosedForLong(AbstractSet[HostId]):
    """Those of the closed hosts that are not waited for."""

    def __init__(self, closed: Closed) -> None:
        self._closed = closed

    def __contains__(self, host: object) -> bool:
        closed = self._closed
        return host in closed and not closed.opens_soon(cast(HostId, host))

    def __iter__(self) -> Iterator[HostId]:
        return (host for host in self._closed if not self._closed.opens_soon(host))

    def __len__(self) -> int:
        return sum(1 for _ in self)


@dataclass(slots=True)
class Pace:
    """One download at a time from each host, and a pause of `delay` seconds after it."""

    delay: float = 0.0
    closed: Closed = field(default_factory=Closed)
    downloads: int = 0
    _openings: list[tuple[float, HostId]] = field(default_factory=list)
    _started: dict[HostId, float] = field(default_factory=dict)

    def start(self, host: HostId) -> None:
        """Record the start of a download."""
        self.closed.close(host)
        self.downloads += 1
        self._started[host] = self.closed.now

    def under_way(self, slow: float) -> int:
        """Return how many downloads were started less than `slow` seconds ago."""
        return sum(self.closed.now - start < slow for start in self._started.values())

    def next_slow(self, slow: float) -> float:
        """Return when the next download will have been under way for `slow` seconds."""
        moments = (start + slow for start in self._started.values())
        return min((moment for moment in moments if moment > self.closed.now), default=inf)

    def finish(self, host: HostId, now: float, asked: float = 0.0) -> None:
        """Record the end of a download, and the pause that the host asked for."""
        self._started.pop(host, None)
        pause = max(self.delay, asked)
        if pause > 0:
            heappush(self._openings, (now + pause, host))
            self.closed.close_until(host, now + pause)
        else:
            self.closed.open(host)

    def advance(self, now: float) -> None:
        """Open the hosts whose pause is over."""
        self.closed.now = now
        while self._openings and self._openings[0][0] <= now:
            self.closed.open(heappop(self._openings)[1])

    @property
    def next_opening(self) -> float:
        """When the next paused host opens; infinity if none is paused."""
        return self._openings[0][0] if self._openings else inf
