"""The live web as the crawl sees it when other machines fetch: a world that gives orders.

Scope, traps, history and the numbers of URLs stay here; a node sends what it has extracted.  All
hosts of a site go to one node.  An order whose node has died is given to another.  The first answer
to an order counts; a later one is counted, and its page is in the WARC files of its node.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from math import inf

from foragers.core.clock import steady
from foragers.core.types import Status
from foragers.errors import DamagedError
from foragers.fetching.job import FetchJob
from foragers.fetching.live import Live
from foragers.fetching.remote.messages import Answer, Order, pack_order, unpack_answer
from foragers.fetching.remote.ordering import OrderingDownloads
from foragers.fetching.remote.tables import CrawlTables
from foragers.urls.parse import host_of, site_of


@dataclass(slots=True)
class OrderedDownloads(OrderingDownloads):
    """Downloads by nodes.

    `late` counts answers that came when the order was answered already, and `forged` those by
    a process without the token.

    `nodes` has the capacity of each living node, and `read` the last answer that was read of each.
    `_given` has the job and the node of each order that has no answer, `_sites` the node of each
    site, `_hosts` that of hosts which another node has than the rest of their site, and `_moving`
    the sites that nodes are asked to leave to others.
    """

    tables: CrawlTables = field(kw_only=True)
    nodes: dict[int, int] = field(default_factory=dict)
    read: dict[int, int] = field(default_factory=dict)
    late: int = 0
    forged: int = 0
    _given: dict[int, tuple[FetchJob, int]] = field(default_factory=dict)
    _outbox: list[tuple[int, int, bytes]] = field(default_factory=list)
    _sites: dict[str, int] = field(default_factory=dict)
    _hosts: dict[str, int] = field(default_factory=dict)
    _moving: dict[int, tuple[str, int]] = field(default_factory=dict)
    _loads: Counter[int] = field(default_factory=Counter)
    _watched: float = 0.0
    _looked: float = 0.0
    _gave: float = 0.0
    _has_told: bool = False

    @property
    def capacity(self) -> int:
        """The number of downloads that all nodes can do at once."""
        return sum(self.nodes.values())

    def send_due(self, now: float) -> None:
        """Give the orders of new jobs, and those of dead nodes to others."""
        if now >= self._watched + self.settings.cluster.watch:
            self._watched = now
            self._watch()
        if self.nodes:
            waiting, self._waiting = self._waiting, []
            for job in waiting:
                self._give(job)
        # Orders after answers go at once; those for hosts that are free now share an exchange.
        if self._outbox and (self._has_told or now >= self._gives_at):
            self.tables.give(self._outbox)
            self._outbox, self._gave, self._has_told = [], now, False

    @property
    def _gives_at(self) -> float:
        """When new orders are given at the latest."""
        return self._gave + self.settings.cluster.tick if self._outbox else inf

    def wait(self, until: float) -> None:
        """Wait for answers, not for long and at the latest until a time, and process them."""
        cluster, now = self.settings.cluster, steady()
        soonest, latest = self._looked + cluster.tick, self._looked + cluster.look
        until = min(until, self._gives_at, self._watched + cluster.watch)
        if now < soonest:  # so that many answers are read, told and written at once
            time.sleep(max(0.0, min(soonest, until) - now))
        elif self.tables.database.was_called(min(latest, until) - now) or now >= latest:
            self._looked = steady()
            self._has_told = self._read_answers(self.read) or self._has_told

    def widen(self, url: str) -> None:
        """Add the target of a seed's redirect to the scope, here and on all nodes."""
        OrderingDownloads.widen(self, url)
        self.tables.widen(url)

    def _watch(self) -> None:
        """See which nodes live; take back the orders of those that have died."""
        self.nodes = self.tables.nodes()
        for node in self.nodes:
            self.read.setdefault(node, self.tables.read_before.get(node, 0))
        gone = self.read.keys() - self.nodes.keys()
        if gone:
            # What a node wrote before it died counts; then nothing more is read of it.
            self._read_answers({node: self.read[node] for node in gone})
        for node in gone:
            del self.read[node], self._loads[node]
        for number in [number for number, (_, node) in self._given.items() if node in gone]:
            job, _ = self._given.pop(number)
            self._waiting.append(job)
        self._moving = {
            number: (site, target)
            for number, (site, target) in self._moving.items()
            if target in self.nodes and self._sites[site] in self.nodes
        }
        self._balance()
        oldest = min((*self._given, *self._moving), default=self.tables.last_order + 1)
        self.tables.drop_before(oldest)

    def _give(self, job: FetchJob) -> None:
        """Order a job from the node that has its site, or from the one with most room."""
        site = site_of(host_of(job.url))
        if any(site == moving for moving, _ in self._moving.values()):
            self._waiting.append(job)  # until its node has left the site
            return
        node = self._hosts.get(host_of(job.url)) or self._sites.get(site, 0)
        if node not in self.nodes:
            node = min(self.nodes, key=lambda node: self._loads[node] / self.nodes[node])
            self._sites[site] = node
            self._hosts.pop(host_of(job.url), None)
        self._given[self._send(node, self._order(job))] = job, node
        self._loads[node] += 1

    def _send(self, node: int, order: Order) -> int:
        """Write an order with the next ones, and return its number."""
        self.tables.last_order += 1
        self._outbox.append((self.tables.last_order, node, pack_order(order)))
        return self.tables.last_order

    def _balance(self) -> None:
        """Ask the node with most sites to leave some to the node with fewest."""
        counts = Counter(self._sites.values())
        if len(self.nodes) < 2 or self._moving:
            return
        most, fewest = (pick(self.nodes, key=lambda node: counts[node]) for pick in (max, min))
        movable = (site for site, node in self._sites.items() if node == most)
        for site in list(islice(movable, (counts[most] - counts[fewest]) // 2)):
            self._moving[self._send(most, Order.to_leave(site))] = site, fewest

    def _read_answers(self, read: dict[int, int]) -> bool:
        """Process new answers; return whether there were any."""
        rows = self.tables.answers(read) if read else ()
        for node, number, order, body in rows:
            self.read[node] = number
            if not body:
                self.forged += 1
                continue
            job, holder = self._given.pop(order, (None, 0))
            try:
                answer = unpack_answer(body)
            except DamagedError as error:
                answer = Answer("", 0, 0.0, Status.FAILED, f"cannot be read: {error}")
            if job is not None:
                self._loads[holder] -= 1
                self._take(job, answer)
            elif order in self._moving:
                site, target = self._moving.pop(order)
                self._sites[site] = target
                for host in [host for host in self._hosts if site_of(host) == site]:
                    del self._hosts[host]
            else:
                self.late += 1
        return bool(rows)

    def _take(self, job: FetchJob, answer: Answer) -> None:
        """Make a page of an answer, or order the job from the node that has its host."""
        if answer.status is None and answer.holder:
            host = host_of(answer.url)
            self._hosts[host] = self._sites[site_of(host)] = answer.holder
            job.chain.url, job.chain.hops = answer.url, answer.hops
            self._waiting.append(job)
        else:
            OrderingDownloads._take(self, job, answer)


@dataclass(slots=True)
class ClusterWorld(Live):
    """The live web, fetched by nodes; a crawl without any waits for one."""

    @property
    def ordered(self) -> OrderedDownloads:
        """The downloads by nodes."""
        assert isinstance(self.downloads, OrderedDownloads)
        return self.downloads

    @property
    def running(self) -> int:
        """The number of jobs in progress, at least 1 while there is no node."""
        return self.downloads.running or int(not self.ordered.nodes)

    @property
    def free(self) -> int:
        """The number of jobs that the nodes can take."""
        is_over = steady() >= self.deadline
        return 0 if is_over else max(0, self.ordered.capacity - self.downloads.running)
