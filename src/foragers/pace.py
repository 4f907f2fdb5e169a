"""Politeness as data: which hosts are closed at the moment, and when they open.

The life of a host: open; closed while a download from it is under way; closed for a
pause after that; open again.  Time comes in as an argument, so that a pace can be
pickled, replayed and tested.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import inf

from foragers.types import HostId

LOG_LENGTH = 65_536
"""How many openings are remembered; who is further behind looks at all it has parked."""


class Closed(AbstractSet[HostId]):
    """The closed hosts, and a log of those that opened.

    A frontier that parked the pages of closed hosts reads the log from where it left
    off, so that hosts which stay closed cost nothing, however many they are.
    """

    def __init__(self) -> None:
        self._hosts: set[HostId] = set()
        self._log: list[HostId] = []
        self._forgotten = 0

    def __contains__(self, host: object) -> bool:
        return host in self._hosts

    def __iter__(self) -> Iterator[HostId]:
        return iter(self._hosts)

    def __len__(self) -> int:
        return len(self._hosts)

    def close(self, host: HostId) -> None:
        """Close a host."""
        self._hosts.add(host)

    def open(self, host: HostId) -> None:
        """Open a host again and note it in the log."""
        self._hosts.discard(host)
        self._log.append(host)
        if len(self._log) > 2 * LOG_LENGTH:
            del self._log[:LOG_LENGTH]
            self._forgotten += LOG_LENGTH

    @property
    def openings(self) -> int:
        """How many openings there have been so far."""
        return self._forgotten + len(self._log)

    def opened_since(self, openings: int) -> Sequence[HostId] | None:
        """Return the hosts opened after so many openings, or None if that is forgotten."""
        if self._forgotten <= openings <= self.openings:
            return self._log[openings - self._forgotten :]
        return None


@dataclass(slots=True)
class Pace:
    """One download at a time from each host, and a pause of `delay` seconds after it."""

    delay: float = 0.0
    closed: Closed = field(default_factory=Closed)
    delays: dict[HostId, float] = field(default_factory=dict)
    _openings: list[tuple[float, HostId]] = field(default_factory=list)

    def slow_down(self, host: HostId, delay: float) -> None:
        """Ask for a longer pause on one host from now on."""
        self.delays[host] = max(delay, self.delays.get(host, 0.0))

    def start(self, host: HostId) -> None:
        """Note that a download begins."""
        self.closed.close(host)

    def finish(self, host: HostId, now: float, asked: float = 0.0) -> None:
        """Note that a download ended, after which the host asked for a pause."""
        pause = max(self.delay, self.delays.get(host, 0.0), asked)
        if pause > 0:
            heappush(self._openings, (now + pause, host))
        else:
            self.closed.open(host)

    def advance(self, now: float) -> None:
        """Open the hosts whose pause is over."""
        while self._openings and self._openings[0][0] <= now:
            self.closed.open(heappop(self._openings)[1])

    @property
    def next_opening(self) -> float:
        """When the next paused host opens; infinity if none is paused."""
        return self._openings[0][0] if self._openings else inf
