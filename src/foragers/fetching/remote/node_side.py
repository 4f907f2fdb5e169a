"""Downloads as a node does them: by order, from hosts that it has leased, to an answer.

Every request needs the leases of its host and of its IP address, and a node whose own lease lasts
long enough.  That is checked when a request is started, when it connects, and when it is sent.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from math import inf

from foragers.core.clock import steady, to_system
from foragers.core.content import MemoryContent
from foragers.core.types import NO_PARENT, Choice, Document, Page, Status, Visit
from foragers.fetching.downloads import Downloads
from foragers.fetching.extractor import Extracted
from foragers.fetching.history import CachedPage
from foragers.fetching.job import FetchJob
from foragers.fetching.remote.messages import Answer, FoundContent, Order, Validators
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
class NodeDownloads(Downloads):
    """Downloads by order; `answers` are ready to be sent, each with the number of its order.

    `leaving` are sites to be left to other nodes, each with the number of that order.
    """

    answers: list[tuple[int, Answer]] = field(default_factory=list)
    leaving: dict[str, int] = field(default_factory=dict)
    _orders: dict[int, int] = field(default_factory=dict)

    @property
    def leases(self) -> Leases:
        """What the node has leased."""
        assert isinstance(self.throttle, LeasedThrottle)
        return self.throttle.leases

    @property
    def has_news(self) -> bool:
        """Whether answers are ready."""
        return bool(self.answers)

    def take(self, number: int, order: Order) -> None:
        """Begin with an order."""
        if not order.url:
            self.leaving[order.at] = number
            return
        url = self.table.intern(order.url)
        parent = NO_PARENT if order.is_seed else url
        choice = Choice(url, self.table.host(url), 0.0, "", parent, order.depth, order.purpose)
        self.running, self._started = self.running + 1, self._started + 1
        self._choices[self._started], self._orders[self._started] = choice, number
        job = FetchJob(choice, self._chain(order.at), number=self._started)
        job.chain.hops = order.hops
        job.cached = None if order.cached is None else self._cached(choice, order.cached)
        if choice.purpose.is_list:
            job.max_bytes = self.scheduler.client.limits.body
        self._consider(job)

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

    def _cached(self, choice: Choice, known: Validators) -> CachedPage:
        """Return the last visit of a page that is requested again."""
        content, final = MemoryContent(Document()), self.table.intern(known.url)
        page = Page(
            choice, Status.OK, "", final, known.seen, known.seen, known.version,
            content.columns(), content,
        )  # fmt: skip
        return CachedPage(Visit(page, 0.0, False), known.url, known.etag, known.modified)

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

    def _put_off(self, job: FetchJob, until: float, pause: float) -> None:
        """Let an order be given again later."""
        self._answer(job, Answer(job.url, job.hops, pause, wait=until - steady()))

    def _hand_over(
        self, job: FetchJob, extracted: Extracted, record: str, retry_at: float | None
    ) -> None:
        """Answer an order with what was extracted."""
        wait, most = None, 0
        if retry_at is not None:
            wait, most = max(0.0, retry_at - to_system(steady())), self.retries.pop().most
        now = time.time()
        # A page without a date appeared when it was received, by the clock of the crawl.
        is_dated = extracted.born < now - self.scheduler.client.limits.total
        found = FoundContent.of(extracted, extracted.born if is_dated else 0.0)
        is_empty = extracted.text == Document() and not extracted.links
        answer = Answer(
            job.url, job.hops, self._left(job.choice), extracted.status, extracted.reason, record,
            wait, most, found=None if is_empty and extracted.version < 0 else found,
        )  # fmt: skip
        self._answer(job, answer)

    def _finish_unchanged(self, job: FetchJob, reason: str, record: str) -> None:
        """Answer that a page has not changed."""
        pause = self._left(job.choice)
        self._answer(job, Answer(job.url, job.hops, pause, Status.UNCHANGED, reason, record))

    def _left(self, choice: Choice) -> float:
        """Return how long a host is to be left alone, and note a pause that outlasts a lease."""
        host = self.table.host_name(choice.host)
        pause = max(0.0, self.throttle.free_at(host) - steady())
        if pause > self.settings.cluster.lease:
            self.leases.notes[host] = self.throttle.state(host).crawl_delay, pause
        return pause

    def _answer(self, job: FetchJob, answer: Answer) -> None:
        self.answers.append((self._orders.pop(job.number), answer))
        del self._choices[job.number]
        self.running -= 1
