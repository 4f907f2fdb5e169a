"""Downloads as a node does them: by order, from hosts that it has leased, to an answer.

Every request needs the leases of its host and of its IP address, and a node whose own lease lasts
long enough.  That is checked when a request is started, when it connects, and when it is sent.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from math import inf

from foragers.core.clock import steady
from foragers.core.types import Choice
from foragers.fetching.downloads import Downloads
from foragers.fetching.job import FetchJob
from foragers.fetching.remote.answering import AnsweringDownloads
from foragers.fetching.remote.messages import Answer, Order
from foragers.fetching.robots_cache import RobotsEntry
from foragers.fetching.settings import DEFAULT_FETCHING, ClusterSettings
from foragers.fetching.throttle import Throttle
from foragers.urls.parse import host_of, site_of

AT = "at "
"""How the keys of IP addresses begin (`Throttle.keys`)."""
OTHER_NODE = "robots.txt redirects to a host that another node has"


def lease_clock() -> float:
    """Return the seconds since the machine was started, with those in which it slept."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else steady()


@dataclass(slots=True)
class Leases:
    """What a node has leased until when, what it wants, and which nodes have the rest.

    `notes` are the delays and pauses of hosts that a successor must know; `released` are leases to
    be given up, with the pause that is left.
    """

    settings: ClusterSettings = DEFAULT_FETCHING.cluster
    until: float = -inf
    held: set[str] = field(default_factory=set)
    wanted: set[str] = field(default_factory=set)
    elsewhere: dict[str, tuple[int, float]] = field(default_factory=dict)
    notes: dict[str, tuple[float, float]] = field(default_factory=dict)
    released: dict[str, float] = field(default_factory=dict)

    @property
    def left(self) -> float:
        """For how many seconds the node is safe from being declared dead."""
        return self.until - lease_clock()

    def may_send(self) -> bool:
        """Return whether a request may begin now."""
        return self.left > self.settings.shortest

    def has(self, key: str) -> bool:
        """Return whether a host or an address may be requested; if not, the lease is wanted."""
        if key in self.held:
            return self.may_send()
        if self.holder(key) == 0:
            self.wanted.add(key)
        return False

    def holder(self, key: str) -> int:
        """Return the other node that has a lease, as far as is known, or 0."""
        node, until = self.elsewhere.get(key, (0, 0.0))
        return node if until > steady() else 0

    def release(self, key: str, pause: float) -> None:
        """Give up a lease."""
        self.held.discard(key)
        self.released[key] = pause


@dataclass(slots=True)
class LeasedThrottle(Throttle):
    """Rate limits of the hosts that a node has leased; all others count as busy."""

    leases: Leases = field(default_factory=Leases)

    def wait(self, host: str, now: float) -> float | None:
        """Return how long a request must wait, or None if it cannot be known yet."""
        leased = [self.leases.has(key) for key in self.keys(host)]
        return Throttle.wait(self, host, now) if all(leased) else None

    def claim(self, host: str, keys: tuple[str, ...], address: str, now: float) -> tuple[str, ...]:
        """Record the resolved address of a host; return no keys if it is not leased."""
        if not self.leases.has(AT + address):
            self.state(host).address = address
            return ()
        return Throttle.claim(self, host, keys, address, now)

    def obey(self, host: str, seconds: float, now: float) -> None:
        """Set the Crawl-delay of a host, which a successor must know too."""
        Throttle.obey(self, host, seconds, now)
        if seconds > self.delay:
            self.leases.notes[host] = self.state(host).crawl_delay, 0.0


@dataclass(slots=True)
class NodeDownloads(AnsweringDownloads):
    """Downloads by order, from leased hosts.

    `leaving` are sites to be left to other nodes, each with the number of that order.
    """

    leaving: dict[str, int] = field(default_factory=dict)

    @property
    def leases(self) -> Leases:
        """What the node has leased."""
        assert isinstance(self.throttle, LeasedThrottle)
        return self.throttle.leases

    def take(self, number: int, order: Order) -> None:
        """Begin with an order."""
        if order.url:
            AnsweringDownloads.take(self, number, order)
        else:
            self.leaving[order.at] = number

    def leave_idle(self) -> None:
        """Give up the leases of sites that are to be left, when nothing is to be done there."""
        working = {site_of(self.table.host_name(choice.host)) for choice in self._choices.values()}
        for site in self.leaving.keys() - working:
            hosts = {key for key in self.leases.held if not key.startswith(AT)}
            own = {host for host in hosts if site_of(host) == site}
            if any(Throttle.wait(self.throttle, host, steady()) is None for host in own):
                continue  # a request that was redirected there
            shared = self._addresses(hosts - own)
            for key in own | (self._addresses(own) - shared):
                self.leases.release(key, max(0.0, self.throttle.free_at(key) - steady()))
            self.answers.append((self.leaving.pop(site), Answer(site, 0, 0.0, wait=0.0)))

    def _addresses(self, hosts: set[str]) -> set[str]:
        """Return the keys of the IP addresses of hosts."""
        return {key for host in hosts for key in self.throttle.keys(host) if key.startswith(AT)}

    def _queue(self, job: FetchJob) -> None:
        """Send a request when its host is free, unless another node has the lease."""
        host = host_of(job.url)
        holder = next(filter(None, map(self.leases.holder, self.throttle.keys(host))), 0)
        if not holder:
            Downloads._queue(self, job)
        elif job.origin and host != host_of(job.origin):
            until = steady() + self.settings.retries.pause
            self._store_robots(job.origin, RobotsEntry.unavailable(OTHER_NODE, until))
        else:
            for other in self._need_robots.pop(job.origin, []) if job.origin else [job]:
                self._answer(other, Answer(other.url, other.hops, 0.0, wait=0.0, holder=holder))
            pause = Throttle.wait(self.throttle, host, steady())
            if host in self.leases.held and pause is not None:
                self.leases.release(host, pause)

    def _left(self, choice: Choice) -> float:
        """Return how long a host is to be left alone, and note a pause that outlasts a lease."""
        host, pause = self.table.host_name(choice.host), AnsweringDownloads._left(self, choice)
        if pause > self.settings.cluster.lease:
            self.leases.notes[host] = self.throttle.state(host).crawl_delay, pause
        return pause
