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
from heapq import heappop, heappush
from math import inf
from typing import Protocol

from foragers.fetch.client import Client
from foragers.fetch.reply import Reply, Request, Trouble
from foragers.fetch.retrying import retry_after
from foragers.pages.coding import decoded
from foragers.pages.robots import Robots, robots_for_status
from foragers.types import Choice, Document, Link, Links, Outlink, Page, Status, UrlId, Visit
from foragers.urls import UrlTable, host_of, resolve
from foragers.worlds.courtesy import MAX_ASKED, Courtesy
from foragers.worlds.harvesting import Harvest, Harvester
from foragers.worlds.recorded import status_of

MAX_HOPS, MAX_ROBOTS_HOPS, MAX_TRIES = 10, 5, 3
ROBOTS_AGE, ROBOTS_RETRY = 24 * 3600.0, 1800.0
NOT_MODIFIED, REDIRECTS = 304, (301, 302, 303, 307, 308)
TRY_AGAIN = (408, 425, 429, 500, 502, 503, 504)
TRY_AGAIN_AFTER = (Trouble.TIMEOUT, Trouble.NO_CONNECTION, Trouble.BROKEN)
MAX_PATIENCE = 30.0
"""How long an errand may wait to try again; one that must wait longer is given up."""
GLANCE = 0.05
"""Seconds after which an errand looks again at a host that was busy."""
ACCEPT = (
    ("Accept", "text/html,application/xhtml+xml,text/plain;q=0.8,*/*;q=0.1"),
    ("Accept-Encoding", "gzip, deflate, br, zstd"),
)


class Archivist(Protocol):
    """Someone who keeps what was received."""

    def record(self, reply: Reply) -> str:
        """Keep a reply and return where it is."""
        ...


@dataclass(slots=True)
class Errand:
    """A choice on its way; with an `origin`, a visit to the robots.txt there."""

    choice: Choice
    url: str
    origin: str = ""
    hops: int = 0
    tries: int = 0
    keys: tuple[str, ...] = ()
    been: tuple[str, ...] = ()

    def go_on(self, target: str) -> None:
        """Turn to where a redirect leads."""
        self.been += (self.url,)
        self.url, self.hops, self.tries = target, self.hops + 1, 0


class Fresh:
    """The content of a page that has just been read."""

    __slots__ = ("_harvest",)

    def __init__(self, harvest: Harvest) -> None:
        self._harvest = harvest

    def document(self) -> Document:
        """Return what the page says."""
        return self._harvest.document

    def outlinks(self) -> Sequence[Outlink]:
        """Return the links that the crawl may follow."""
        return self._harvest.outlinks


@dataclass(slots=True)
class Live:
    """The web as it is now."""

    addresses: tuple[str, ...]
    client: Client
    agent: str
    harvester: Harvester
    courtesy: Courtesy
    archivist: Archivist | None = None
    connections: int = 16
    obey_robots: bool = True
    deadline: float = inf
    table: UrlTable = field(default_factory=UrlTable)
    _robots: dict[str, tuple[Robots, float]] = field(default_factory=dict)
    _for_robots: dict[str, list[Errand]] = field(default_factory=dict)
    _requests: dict[int, Errand] = field(default_factory=dict)
    _waiting: list[tuple[float, int, Errand]] = field(default_factory=list)
    _ready: list[Page] = field(default_factory=list)
    _choices: dict[UrlId, Choice] = field(default_factory=dict)
    _order: int = 0
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
            self._send_those_due(now)
            soonest = min(until, self._waiting[0][0] if self._waiting else inf)
            if self._ready or now >= until or (not self._under_way and until == inf):
                break
            if self.client.running:
                for reply in self.client.finished(max(0.0, min(soonest - now, 1.0))):
                    self._take(reply)
            else:
                time.sleep(max(0.0, min(soonest - now, 1.0)))
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
            raise ValueError("the ledger does not fit the options of this crawl")
        self.harvester.recall(visit, href)

    def close(self) -> None:
        """Drop all connections."""
        self.client.close()

    def _consider(self, errand: Errand) -> None:
        """Send an errand on, if it may go where it is going."""
        reason = self.harvester.refuse(errand.url, errand.choice.depth, errand.hops)
        if reason is None and self.obey_robots:
            origin = "/".join(errand.url.split("/", 3)[:3])
            robots, until = self._robots.get(origin, (None, 0.0))
            if robots is None or until < time.time():
                self._ask_robots(origin, errand)
                return
            if not robots.allowed(self.agent, errand.url):
                reason = "robots.txt" if robots.reachable else "robots.txt cannot be had"
        if reason is None:
            self._queue(errand)
        else:
            self._end(errand, Status.SKIPPED, reason)

    def _ask_robots(self, origin: str, errand: Errand) -> None:
        """Let an errand wait for robots.txt, and send another for that if none is on its way."""
        waiting = self._for_robots.setdefault(origin, [])
        waiting.append(errand)
        if len(waiting) == 1:
            self._queue(Errand(errand.choice, f"{origin}/robots.txt", origin))

    def _queue(self, errand: Errand) -> None:
        """Send an errand off now, or when its host may be asked again."""
        now = time.time()
        wait = self.courtesy.wait(host_of(errand.url), now)
        self._order += 1
        if wait == 0.0:
            errand.keys = self.courtesy.start(host_of(errand.url))
            self._requests[self._order] = errand
            self.client.start(Request(errand.url, ACCEPT, self._order))
        else:
            heappush(self._waiting, (now + (GLANCE if wait is None else wait), self._order, errand))

    def _send_those_due(self, now: float) -> None:
        """Send off the errands whose time has come."""
        while self._waiting and self._waiting[0][0] <= now:
            self._queue(heappop(self._waiting)[2])

    def _take(self, reply: Reply) -> None:
        """Take in a reply, and let the errand that brought it go on or end."""
        errand = self._requests.pop(reply.request.tag)
        failed = reply.trouble in TRY_AGAIN_AFTER or reply.code in TRY_AGAIN
        pause = self.courtesy.finish(
            host_of(errand.url),
            errand.keys,
            time.time(),
            seconds=reply.seconds,
            failed=failed,
            address=reply.address,
            retry_after=retry_after(reply),
        )
        if failed and errand.tries + 1 < MAX_TRIES and pause <= MAX_PATIENCE:
            errand.tries += 1
            self._queue(errand)
        elif errand.origin:
            self._take_robots(errand, reply)
        else:
            self._take_page(errand, reply, pause)

    def _take_robots(self, errand: Errand, reply: Reply) -> None:
        """Learn what a host wants, and let those go on who waited for it."""
        target = self._target(errand, reply)
        if target and errand.hops < MAX_ROBOTS_HOPS:
            errand.go_on(target)
            self._queue(errand)
            return
        coded = reply.header("Transfer-Encoding"), reply.header("Content-Encoding")
        body = decoded(reply.body, *coded) if any(coded) else reply.body
        robots = robots_for_status(None if reply.trouble else reply.code, body)
        age = ROBOTS_AGE if robots.reachable else ROBOTS_RETRY
        self._robots[errand.origin] = robots, time.time() + age
        state = self.courtesy.state(host_of(errand.origin))
        state.asked = min(robots.delay(self.agent) or 0.0, MAX_ASKED)
        for waiting in self._for_robots.pop(errand.origin):
            self._consider(waiting)

    def _take_page(self, errand: Errand, reply: Reply, pause: float) -> None:
        """Go on to where a page redirects, or make a page of the reply."""
        record = self.archivist.record(reply) if self.archivist else ""
        if reply.trouble is not None:
            skipped = reply.trouble is Trouble.REFUSED_ADDRESS
            reason = f"{reply.trouble.value}: {reply.detail}".rstrip(": ")
            status = Status.SKIPPED if skipped else Status.FAILED
            self._end(errand, status, reason, pause=pause, record=record)
        elif reply.code in REDIRECTS:
            self._follow(errand, reply, pause, record)
        elif not 200 <= reply.code < 300:
            unchanged = reply.code == NOT_MODIFIED
            status = Status.UNCHANGED if unchanged else status_of(reply.code)
            self._end(errand, status, str(reply.code), pause=pause, record=record)
        else:
            asked = self.table.href(errand.choice.url)
            harvest = self.harvester.harvest(reply, asked, errand.url, errand.choice.depth)
            self._finish(errand, harvest, pause, record)

    def _follow(self, errand: Errand, reply: Reply, pause: float, record: str) -> None:
        """Go on to where a page redirects, unless that leads round in circles or nowhere."""
        target = self._target(errand, reply)
        if not target:
            reason = f"{reply.code} to nowhere"
        elif target == errand.url or target in errand.been:
            reason = "redirects in a circle"
        elif errand.hops >= MAX_HOPS:
            reason = f"more than {MAX_HOPS} redirects"
        else:
            errand.go_on(target)
            self._consider(errand)
            return
        self._end(errand, Status.FAILED, reason, pause=pause, record=record)

    def _target(self, errand: Errand, reply: Reply) -> str:
        """Return where a reply redirects to, or nothing."""
        location = reply.header("Location")
        if reply.trouble or reply.code not in REDIRECTS or not location:
            return ""
        try:
            return resolve(location, errand.url).partition("#")[0]
        except ValueError:
            return ""

    def _end(
        self, errand: Errand, status: Status, reason: str, pause: float = 0.0, record: str = ""
    ) -> None:
        """Make a page without content of an errand."""
        self._finish(errand, Harvest(status, reason), pause, record)

    def _finish(self, errand: Errand, harvest: Harvest, pause: float, record: str) -> None:
        """Make a page of an errand that is over."""
        now = time.time()
        try:
            final = self.table.intern(errand.url)
        except ValueError:
            final = errand.choice.url
        targets, hosts = self.table.intern_many([out.href for out in harvest.outlinks])
        content = Fresh(harvest)
        self._ready.append(
            Page(
                errand.choice,
                harvest.status,
                harvest.reason,
                final,
                now,
                harvest.born or now,
                harvest.version,
                Links(targets, hosts, self.table, content),
                content,
                pause,
                record,
            )
        )
        self._under_way -= 1
