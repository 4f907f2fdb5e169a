"""The live web.

An *errand* is a choice on its way: to robots.txt of its host first, if that is not
known, then to the page, then to where that redirects.  Every request waits its turn at
its host (`Courtesy`).  An errand that may not go on, or is done, becomes a page.

A choice of a known page asks whether it has changed.  A page that could not be had because
its host wants to be left alone is put off: it is answered, and noted in `again`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf

from foragers.causes import PER_HOST, SCOPE
from foragers.clock import steady
from foragers.errors import UsageError
from foragers.fetch.reply import Reply, Trouble
from foragers.fetch.retrying import retry_after
from foragers.rendering.renderings import Renderings
from foragers.types import Choice, Link, Page, Status, Visit
from foragers.urls import UrlTable, host_of
from foragers.worlds.dispatch import MAX_PATIENCE, Dispatch
from foragers.worlds.errand import (
    LATER,
    REDIRECTS,
    Archivist,
    Errand,
    Permission,
    Permissions,
    has_failed,
    origin_of,
    reason_of,
    without_credentials,
)
from foragers.worlds.finishing import page_of, read, unchanged_page
from foragers.worlds.harvesting import Harvest, Harvester
from foragers.worlds.lists import FEED, SITEMAP, Lists
from foragers.worlds.recorded import status_of
from foragers.worlds.visited import Visited, is_seed

MAX_ROBOTS_HOPS = 5
NOT_MODIFIED = 304
MAX_TURN = 0.5
"""Seconds after which others have a turn, who show how the crawl goes."""
KNOWN_BEFORE = "redirects to a page fetched before"


@dataclass(slots=True)
class Live:
    """The web as it is now; `again` are choices that were put off, and until when."""

    addresses: tuple[str, ...]
    dispatch: Dispatch
    agent: str
    harvester: Harvester
    archivist: Archivist | None = None
    connections: int = 16
    deadline: float = inf
    table: UrlTable = field(default_factory=UrlTable)
    visited: Visited = field(default_factory=Visited)
    lists: Lists = field(default_factory=Lists)
    renderings: Renderings = field(default_factory=Renderings)
    again: list[tuple[float, Choice]] = field(default_factory=list)
    _permissions: Permissions = field(default_factory=Permissions)
    _ready: list[tuple[int, Page]] = field(default_factory=list)
    _choices: dict[int, Choice] = field(default_factory=dict)
    _under_way: int = 0
    _started: int = 0

    @property
    def now(self) -> float:
        """The time, by a clock that nobody sets."""
        return steady()

    @property
    def left(self) -> float:
        """There is no budget here: any number of downloads may be started."""
        return inf

    @property
    def running(self) -> int:
        """How many errands are under way."""
        return self._under_way

    @property
    def free(self) -> int:
        """How many errands may be started; those that are being rendered hold up no others."""
        busy = self._under_way - min(len(self.renderings), self.connections)
        return self.connections - busy if steady() < self.deadline else 0

    @property
    def seeds(self) -> Sequence[Link]:
        """Where the crawl begins."""
        urls = dict.fromkeys(self.table.intern(address) for address in self.addresses)
        return [Link(url, self.table.host(url), self.table.href(url)) for url in urls]

    def start(self, choice: Choice) -> None:
        """Send someone for a page."""
        self._under_way, self._started = self._under_way + 1, self._started + 1
        self._choices[self._started] = choice
        url = without_credentials(self.table.href(choice.url))
        errand = Errand(choice, url, number=self._started)
        errand.known = self.visited.recall(choice.url, self.table)
        if choice.agent in (SITEMAP, FEED):
            errand.enough = self.dispatch.client.limits.body
        if self.visited.is_full(choice.host):
            self._end(errand, Status.SKIPPED, f"{PER_HOST} {self.visited.per_host} pages")
        else:
            self._consider(errand)

    def finished(self, until: float = inf) -> Sequence[Page]:
        """Wait for pages, not for long and at the latest until a time, and return them."""
        turn = steady() + MAX_TURN
        while not self._ready:
            now = steady()
            for errand in self.dispatch.due(now):
                self._queue(errand)
            for task in self.renderings.finished(self.archivist):
                self._read(task.errand, task.outcome, task.record, task.note)
            # The deadline is read each time: an interrupt brings it forward.
            latest = min(until, self.deadline, turn)
            if self._ready or now >= latest or (not self._under_way and until == inf):
                break
            for errand, reply in self.dispatch.replies(self.renderings.until(latest)):
                take = self._take_robots if errand.origin else self._take_page
                take(errand, reply)
        ready, self._ready = self._ready, []
        for number, _ in ready:
            del self._choices[number]
        return [page for _, page in ready]

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
        self.renderings.close()
        self.dispatch.client.close()

    def _consider(self, errand: Errand) -> None:
        """Send an errand on, if it may go where it is going."""
        reason = self._refuse(errand)
        if reason is None:
            known = self._permissions.of(errand.url, steady())
            if known is None:
                for_robots = self._permissions.wait(errand)
                if for_robots is not None:
                    self._queue(for_robots)
                return
            reason = known.refuse(self.agent, errand.url)
            if reason is not None and known.is_for_now:
                self._put_off(errand, Status.SKIPPED, reason, known.until)
                return
        if reason is None:
            self._queue(errand)
        else:
            self._end(errand, Status.SKIPPED, reason)

    def _refuse(self, errand: Errand) -> str | None:
        """Return why an errand may not go where it is going, by scope and traps."""
        choice = errand.choice
        if choice.agent in (SITEMAP, FEED):
            refused = self.harvester.scope.refuse_host(errand.url)
            return None if refused is None else SCOPE + refused
        # Where a seed redirects to is as good as the seed.
        depth = choice.depth if is_seed(choice) else max(choice.depth, int(errand.hops > 0))
        again = self.visited.is_known(choice.url)
        return self.harvester.refuse(errand.url, depth, errand.hops, again)

    def _queue(self, errand: Errand) -> None:
        """Send an errand off in time, unless that is too long to wait."""
        wait = self.dispatch.send(errand)
        if not wait:
            return
        reason = f"{host_of(errand.url)} asks to be left alone for {wait:.0f} s"
        if errand.origin:
            self._learn(errand.origin, Permission.denied(reason, steady() + wait))
        else:
            self._put_off(errand, Status.SKIPPED, reason, steady() + wait)

    def _put_off(
        self, errand: Errand, status: Status, reason: str, until: float, record: str = ""
    ) -> None:
        """End an errand for now, and note when it may be tried again."""
        self.again.append((until, errand.choice))
        self._end(errand, status, reason + LATER, record)

    def _take_robots(self, errand: Errand, reply: Reply) -> None:
        """Find out what a host wants, there or where its robots.txt redirects to."""
        target = errand.target(reply)
        if target.startswith(("http://", "https://")) and errand.hops < MAX_ROBOTS_HOPS:
            errand.go_on(target)
            self._queue(errand)
        else:
            self._learn(errand.origin, Permission.of(reply, steady()))

    def _learn(self, origin: str, permission: Permission) -> None:
        """Take in what a host wants, and let those go on who waited for it."""
        robots = permission.robots
        self.dispatch.courtesy.obey(host_of(origin), robots.delay(self.agent) or 0.0, steady())
        waiting = self._permissions.learn(origin, permission)
        if robots.reachable:
            is_seed_host = any(is_seed(errand.choice) for errand in waiting)
            self.lists.from_robots(origin, robots.sitemaps, is_seed_host)
        for errand in waiting:
            self._consider(errand)

    def _take_page(self, errand: Errand, reply: Reply) -> None:
        """Go on to where a page redirects, or make a page of the reply."""
        record = self._archived(reply)
        if reply.trouble is not None:
            status = Status.SKIPPED if reply.trouble is Trouble.REFUSED_ADDRESS else Status.FAILED
            self._end(errand, status, reason_of(reply), record)
        elif reply.code in REDIRECTS:
            self._follow(errand, reply, record)
        elif reply.code == NOT_MODIFIED and errand.conditions:
            self._finish_unchanged(errand, "304", record)
        elif not 200 <= reply.code < 300:
            self._refused(errand, reply, record)
        elif errand.hops and self._is_another(errand, errand.url):
            self._end(errand, Status.UNWANTED, KNOWN_BEFORE, record)
        else:
            if errand.hops and is_seed(errand.choice):
                self.harvester.scope = self.harvester.scope.and_seed(errand.url)
            if not self.renderings.takes(errand, reply, record):
                self._read(errand, reply, record)

    def _archived(self, reply: Reply) -> str:
        """Keep a reply, if it may be kept, and return where it is."""
        if self.archivist is None or self.harvester.forbids_copy(reply):
            return ""
        return self.archivist.record(reply)

    def _read(self, errand: Errand, reply: Reply, record: str, note: str = "") -> None:
        """Make a page of what a reply says."""
        asked = self.table.href(errand.choice.url)
        harvest = read(reply, errand, asked, self.harvester, self.lists)
        self._finish(errand, harvest.noted(note), record)

    def _refused(self, errand: Errand, reply: Reply, record: str) -> None:
        """End an errand for which there is no page, for now or for good."""
        status = Status.UNCHANGED if reply.code == NOT_MODIFIED else status_of(reply.code)
        if has_failed(reply) and (wait := retry_after(reply)) > MAX_PATIENCE:
            self._put_off(errand, status, str(reply.code), steady() + wait, record)
        elif errand.respelled(reply.code):
            self._consider(errand)
        else:
            self._end(errand, status, str(reply.code), record)

    def _is_another(self, errand: Errand, address: str, under_way: bool = False) -> bool:
        """Say whether a redirect leads to a page that was, or is, fetched from elsewhere."""
        url, own, known = self.table.find(address), errand.choice.url, errand.known
        if under_way and url != own and any(url == one.url for one in self._choices.values()):
            return True
        if url == own or (known is not None and known.final == url):
            return False
        return url in self.visited.fetched

    def _follow(self, errand: Errand, reply: Reply, record: str) -> None:
        """Go on to where a page redirects, unless that leads round in circles or nowhere."""
        target = errand.target(reply)
        astray = errand.astray(reply, target)
        if astray:
            self._end(errand, Status.FAILED, astray, record)
        elif self._is_another(errand, target, under_way=True):
            errand.go_on(target)
            self._end(errand, Status.UNWANTED, KNOWN_BEFORE, record)
        else:
            errand.go_on(target)
            self._consider(errand)

    def _end(self, errand: Errand, status: Status, reason: str, record: str = "") -> None:
        """Make a page without content of an errand."""
        self._finish(errand, Harvest(status, reason), record)

    def _finish(self, errand: Errand, harvest: Harvest, record: str) -> None:
        """Make a page of an errand that is over."""
        known = errand.known
        if known is not None and harvest.version == known.version >= 0:
            self._finish_unchanged(errand, "the same content", record)
            return
        pause = self._pause(errand.choice, harvest.status)
        harvest = self.lists.attached(harvest, origin_of(errand.url), self.harvester.scope)
        self._deliver(errand, page_of(errand, harvest, self.table, record, pause))

    def _finish_unchanged(self, errand: Errand, reason: str, record: str) -> None:
        """Answer with the page that came back last time."""
        known, choice = errand.known, errand.choice
        assert known is not None
        pause = self._pause(choice, Status.UNCHANGED)
        self._deliver(errand, unchanged_page(choice, known, self.table, reason, record, pause))

    def _pause(self, choice: Choice, status: Status) -> float:
        """Return how long a host is to be left alone after a page: for ever, if it is enough."""
        if self.visited.fills(choice.host, status):
            return inf
        return self.dispatch.courtesy.wait(self.table.host_name(choice.host), steady()) or 0.0

    def _deliver(self, errand: Errand, page: Page) -> None:
        """Hand a page over."""
        self.visited.note(page)
        self._ready.append((errand.number, page))
        self._under_way -= 1
