"""The live web.

An *errand* is a choice on its way: to robots.txt of its host first, if that is not
known, then to the page, then to where that redirects.  Every request waits its turn at
its host (`Courtesy`).  An errand that may not go on, or is done, becomes a page.

Time is the real one, and downloads go on while `finished` waits for them.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf

from msgspec.structs import replace

from foragers.errors import UsageError
from foragers.fetch.reply import Reply, Trouble
from foragers.types import Choice, Ids, Link, Links, Page, Status, UrlId, Visit
from foragers.urls import UrlTable, host_of
from foragers.worlds.dispatch import Dispatch
from foragers.worlds.errand import (
    REDIRECTS,
    Archivist,
    Errand,
    Permission,
    Permissions,
    is_address,
    reason_of,
)
from foragers.worlds.harvesting import Fresh, Harvest, Harvester
from foragers.worlds.recorded import status_of

MAX_HOPS, MAX_ROBOTS_HOPS = 10, 5
NOT_MODIFIED = 304


@dataclass(slots=True)
class Live:
    """The web as it is now; `fetched` are the pages that came back, wherever they were asked."""

    addresses: tuple[str, ...]
    dispatch: Dispatch
    agent: str
    harvester: Harvester
    archivist: Archivist | None = None
    connections: int = 16
    obey_robots: bool = True
    deadline: float = inf
    table: UrlTable = field(default_factory=UrlTable)
    fetched: set[UrlId] = field(default_factory=set)
    _permissions: Permissions = field(default_factory=Permissions)
    _ready: list[Page] = field(default_factory=list)
    _choices: dict[UrlId, Choice] = field(default_factory=dict)
    _under_way: int = 0

    @property
    def now(self) -> float:
        """The time."""
        return time.time()

    @property
    def running(self) -> int:
        """How many errands are under way."""
        return self._under_way

    @property
    def free(self) -> int:
        """How many errands may be started."""
        return self.connections - self._under_way if time.time() < self.deadline else 0

    @property
    def seeds(self) -> Sequence[Link]:
        """Where the crawl begins."""
        urls = dict.fromkeys(self.table.intern(address) for address in self.addresses)
        return [Link(url, self.table.host(url), self.table.href(url)) for url in urls]

    def start(self, choice: Choice) -> None:
        """Send someone for a page."""
        self._under_way += 1
        self._choices[choice.url] = choice
        self._consider(Errand(choice, self.table.href(choice.url)))

    def finished(self, until: float = inf) -> Sequence[Page]:
        """Wait for pages, at the latest until a time, and return them."""
        until = min(until, self.deadline)
        while not self._ready:
            now = time.time()
            for errand in self.dispatch.due(now):
                self._queue(errand)
            if self._ready or now >= until or (not self._under_way and until == inf):
                break
            for errand, reply in self.dispatch.replies(until):
                take = self._take_robots if errand.origin else self._take_page
                take(errand, reply)
        pages, self._ready = self._ready, []
        for page in pages:
            self._choices.pop(page.choice.url, None)
        return pages

    @property
    def pending(self) -> list[Choice]:
        """The choices that have not been answered yet."""
        return list(self._choices.values())

    def restore(self, visit: Visit, href: str) -> None:
        """Number the addresses of a visit from the ledger as they were numbered then."""
        final = self.table.intern(href)
        targets, _ = self.table.intern_many([link.href for link in visit.links])
        if final != visit.page.final or targets.tolist() != visit.links.targets.tolist():
            raise UsageError("the ledger does not fit this crawl; choose another --out")
        self.harvester.recall(visit, href)

    def close(self) -> None:
        """Drop all connections."""
        self.dispatch.client.close()

    def _consider(self, errand: Errand) -> None:
        """Send an errand on, if it may go where it is going."""
        reason = self.harvester.refuse(errand.url, errand.choice.depth, errand.hops)
        if reason is None and self.obey_robots:
            known = self._permissions.of(errand.url, time.time())
            if known is None:
                for_robots = self._permissions.wait(errand)
                if for_robots is not None:
                    self._queue(for_robots)
                return
            reason = known.refuse(self.agent, errand.url)
        if reason is None:
            self._queue(errand)
        else:
            self._end(errand, Status.SKIPPED, reason)

    def _queue(self, errand: Errand) -> None:
        """Send an errand off in time, unless that is too long to wait."""
        wait = self.dispatch.send(errand)
        if wait:
            reason = f"{host_of(errand.url)} asks to be left alone for {wait:.0f} s"
            self._turn_back(errand, reason, time.time() + wait)

    def _turn_back(self, errand: Errand, reason: str, until: float) -> None:
        """End an errand that would have to wait too long."""
        if errand.origin:
            self._learn(errand.origin, Permission.denied(reason, until))
        else:
            self._end(errand, Status.SKIPPED, reason)

    def _take_robots(self, errand: Errand, reply: Reply) -> None:
        """Find out what a host wants, there or where its robots.txt redirects to."""
        target = errand.target(reply)
        if target.startswith(("http://", "https://")) and errand.hops < MAX_ROBOTS_HOPS:
            errand.go_on(target)
            self._queue(errand)
        else:
            self._learn(errand.origin, Permission.of(reply, time.time()))

    def _learn(self, origin: str, permission: Permission) -> None:
        """Take in what a host wants, and let those go on who waited for it."""
        asked = permission.robots.delay(self.agent) or 0.0
        self.dispatch.courtesy.obey(host_of(origin), asked, time.time())
        for waiting in self._permissions.learn(origin, permission):
            self._consider(waiting)

    def _take_page(self, errand: Errand, reply: Reply) -> None:
        """Go on to where a page redirects, or make a page of the reply."""
        record = self.archivist.record(reply) if self.archivist else ""
        if reply.trouble is not None:
            skipped = reply.trouble is Trouble.REFUSED_ADDRESS
            status = Status.SKIPPED if skipped else Status.FAILED
            self._end(errand, status, reason_of(reply), record)
        elif reply.code in REDIRECTS:
            self._follow(errand, reply, record)
        elif not 200 <= reply.code < 300:
            unchanged = reply.code == NOT_MODIFIED
            status = Status.UNCHANGED if unchanged else status_of(reply.code)
            self._end(errand, status, str(reply.code), record)
        elif errand.hops and self.table.find(errand.url) in self.fetched:
            self._end(errand, Status.UNWANTED, "redirects to a page fetched before", record)
        else:
            self._finish(errand, self._harvest(errand, reply), record)

    def _harvest(self, errand: Errand, reply: Reply) -> Harvest:
        """Read a page; one that our own code cannot cope with must not end the crawl."""
        asked = self.table.href(errand.choice.url)
        try:
            return self.harvester.harvest(reply, asked, errand.url, errand.choice.depth)
        except Exception as error:
            return Harvest(Status.FAILED, f"cannot be read: {type(error).__name__}: {error}")

    def _follow(self, errand: Errand, reply: Reply, record: str) -> None:
        """Go on to where a page redirects, unless that leads round in circles or nowhere."""
        target = errand.target(reply)
        known = self.table.find(target) if target else None
        if not target:
            self._end(errand, Status.FAILED, f"{reply.code} to nowhere", record)
        elif target == errand.url or target in errand.been:
            self._end(errand, Status.FAILED, "redirects in a circle", record)
        elif errand.hops >= MAX_HOPS:
            self._end(errand, Status.FAILED, f"more than {MAX_HOPS} redirects", record)
        elif known != errand.choice.url and (known in self.fetched or known in self._choices):
            errand.go_on(target)
            self._end(errand, Status.UNWANTED, "redirects to a page fetched before", record)
        else:
            errand.go_on(target)
            self._consider(errand)

    def _number(self, harvest: Harvest) -> tuple[Harvest, Ids, Ids]:
        """Number the links of a page, without those that are no addresses."""
        try:
            return harvest, *self.table.intern_many([out.href for out in harvest.outlinks])
        except ValueError:
            sound = tuple(out for out in harvest.outlinks if is_address(out.href))
            harvest = replace(harvest, outlinks=sound)
        return harvest, *self.table.intern_many([out.href for out in sound])

    def _end(self, errand: Errand, status: Status, reason: str, record: str = "") -> None:
        """Make a page without content of an errand."""
        self._finish(errand, Harvest(status, reason), record)

    def _finish(self, errand: Errand, harvest: Harvest, record: str) -> None:
        """Make a page of an errand that is over."""
        now, choice = time.time(), errand.choice
        try:
            final = self.table.intern(errand.url)
        except ValueError:
            final = choice.url
        if harvest.status is Status.OK:
            self.fetched.add(final)
        harvest, targets, hosts = self._number(harvest)
        content = Fresh(harvest)
        self._ready.append(
            Page(
                choice,
                harvest.status,
                harvest.reason,
                final,
                now,
                harvest.born or now,
                harvest.version,
                Links(targets, hosts, self.table, content),
                content,
                self.dispatch.courtesy.wait(self.table.host_name(choice.host), now) or 0.0,
                record,
            )
        )
        self._under_way -= 1
