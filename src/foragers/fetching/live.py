"""The live web.

An *errand* is a choice on its way: to robots.txt of its host first, if that is not
known, then to the page, then to where that redirects.  Every request waits its turn at
its host (`Courtesy`).  An errand that may not go on, or is done, becomes a page.

A choice of a known page asks whether it has changed.  A page that could not be had because
its host wants to be left alone is put off: it is answered, and noted in `again`.

An errand whose host cannot be reached just now, or wants long pauses, is set aside: its place
is free, its choice has no answer yet and is to be made again later, where it had come to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf

from foragers.core.clock import from_system, steady, to_system
from foragers.core.types import Choice, HostId, Link, Page, Status, Visit, status_of
from foragers.errors import UsageError
from foragers.fetching.extractor import Extracted, PageExtractor
from foragers.fetching.history import FetchHistory, is_seed
from foragers.fetching.job import (
    MAX_ROUNDS,
    REDIRECTS,
    Again,
    FetchJob,
    ResponseRecorder,
    is_not_reached,
    reason_of,
)
from foragers.fetching.outages import DEFAULT_OUTAGES, OutageSettings, Weather
from foragers.fetching.page_builder import page_of, read, unchanged_page
from foragers.fetching.page_renderer import NoRenderer, PageRenderer
from foragers.fetching.robots_cache import RobotsCache, RobotsEntry
from foragers.fetching.scheduler import DownloadScheduler
from foragers.fetching.sitemaps import ListSources
from foragers.fetching.throttle import HostDelays
from foragers.http.causes import LATER, PER_HOST, SCOPE
from foragers.http.messages import FetchError, Response, has_failed, retry_after
from foragers.storage.ledger.crawl_ledger import CrawlLedger
from foragers.urls.parse import host_of, origin_of, without_credentials
from foragers.urls.table import UrlTable

MAX_ROBOTS_HOPS = 5
NOT_MODIFIED = 304
MAX_TURN = 0.5
"""Seconds after which others have a turn, who show how the crawl goes."""
AGAIN, ROUNDS = 20.0, {FetchError.TIMEOUT: 1, FetchError.LOST: 0}
"""Seconds after which a page without an answer is requested again, and how often in one run."""
MAX_TOLD = 20
"""Of how many hosts it is told that they cannot be reached, or want long pauses."""
AWAY = "nobody can be reached"
KNOWN_BEFORE = "redirects to a page fetched before"


@dataclass(slots=True)
class Live:
    """The web as it is now; `again` are choices to be made again, `notices` lines for users."""

    addresses: tuple[str, ...]
    dispatch: DownloadScheduler
    agent: str
    harvester: PageExtractor
    archivist: ResponseRecorder | None = None
    connections: int = 16
    deadline: float = inf
    table: UrlTable = field(default_factory=UrlTable)
    visited: FetchHistory = field(default_factory=FetchHistory)
    lists: ListSources = field(default_factory=ListSources)
    renderings: PageRenderer = field(default_factory=NoRenderer)
    outages: OutageSettings = DEFAULT_OUTAGES
    weather: Weather = field(init=False)
    again: list[Again] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    _half_way: dict[Choice, FetchJob] = field(default_factory=dict)
    _told: set[str] = field(default_factory=set)
    _permissions: RobotsCache = field(default_factory=RobotsCache)
    _ready: list[tuple[int, Page]] = field(default_factory=list)
    _choices: dict[int, Choice] = field(default_factory=dict)
    _under_way: int = 0
    _started: int = 0

    def __post_init__(self) -> None:
        self.weather = Weather(self.dispatch.courtesy, self.outages)

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
        now = steady()
        free = self.connections - busy if now < self.deadline else 0
        return self.weather.places(free, self._under_way, now)

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
        errand = self._half_way.pop(choice, None) or FetchJob(choice, url)
        errand.number = self._started
        errand.known = self.visited.recall(choice.url, self.table)
        if choice.purpose.is_list:
            errand.enough = self.dispatch.client.limits.body
        if self.visited.is_full(choice.host):
            self._end(errand, Status.SKIPPED, f"{PER_HOST} {self.visited.per_host} pages")
        else:
            self._consider(errand)

    def finished(self, until: float = inf) -> Sequence[Page]:
        """Wait for pages, not for long and at the latest until a time, and return them."""
        turn = steady() + MAX_TURN
        while not self._ready and not self._is_set_aside:
            now = steady()
            for errand in self.dispatch.due(now):
                self._queue(errand)
            for task in self.renderings.finished(self.archivist):
                self._read(task.errand, task.outcome, task.record, task.note)
            # The deadline is read each time: an interrupt brings it forward.
            latest = min(until, self.deadline, turn)
            if (
                self._ready
                or self._is_set_aside
                or now >= latest
                or (not self._under_way and until == inf)
            ):
                break
            for errand, reply in self.dispatch.replies(self.renderings.until(latest)):
                self._hear(errand, reply)
        ready, self._ready = self._ready, []
        for number, _ in ready:
            del self._choices[number]
        return [page for _, page in ready]

    @property
    def _is_set_aside(self) -> bool:
        """Whether places have become free without an answer."""
        return any(one.aside for one in self.again)

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

    def restore_history(self, ledger: CrawlLedger) -> None:
        """Know again what was fetched, and ask a ledger for what pages were like."""
        self.visited.memory = ledger
        self.visited.load(ledger.facts(), self.table, ledger.lists())

    def restore_delays(self, delays: HostDelays) -> None:
        """Know again which hosts are to be left alone, by the system's clock."""
        steadily = {host: (from_system(at), busy) for host, (at, busy) in delays.items()}
        self.dispatch.courtesy.recall(steadily)

    def delays(self) -> HostDelays:
        """Return which hosts are to be left alone until when, by the system's clock."""
        found = self.dispatch.courtesy.wishes(steady())
        return {host: (to_system(at), busy) for host, (at, busy) in found.items()}

    def closed_for(self, seconds: float) -> dict[str, float]:
        """Return until when hosts are to be left alone, if that is longer than some seconds."""
        found, now = self.dispatch.courtesy.wishes(steady()), steady()
        return {host: at for host, (at, _) in found.items() if at > now + seconds}

    def free_at(self, host: str) -> float:
        """Return when a host may be asked."""
        return self.dispatch.courtesy.free_at(host)

    def is_down(self, host: str) -> bool:
        """Say whether a host could not be reached the last time."""
        return self.dispatch.courtesy.state(host).down > 0

    def full_hosts(self) -> list[HostId]:
        """Return the hosts that have given as many pages as they may."""
        return [host for host in self.visited.counts if self.visited.is_full(host)]

    def widen(self, url: str) -> None:
        """Let the scope hold where a seed redirects to."""
        self.harvester.scope = self.harvester.scope.and_seed(url)

    @property
    def wants_lists(self) -> bool:
        """Whether sitemaps or feeds are looked for."""
        return self.lists.sitemaps or self.lists.feeds

    @property
    def is_away(self) -> bool:
        """Whether no host at all can be reached."""
        return self.weather.is_away

    @property
    def away_for(self) -> float:
        """For how many seconds no host has been reached."""
        return self.weather.away(steady())

    @property
    def until_probe(self) -> float:
        """In how many seconds it is tried again whether a host can be reached."""
        return max(0.0, self.weather.probe_at - steady())

    def is_cut_off(self, patience: float) -> bool:
        """Say whether no host has been reached for longer than a patience in seconds."""
        return self.away_for > patience * self.dispatch.courtesy.backoff

    def take_again(self) -> list[Again]:
        """Return the choices to be made again, once."""
        again, self.again = self.again, []
        return again

    def take_notices(self) -> list[str]:
        """Return the lines for who watches the crawl, once."""
        notices, self.notices = self.notices, []
        return notices

    def close(self) -> None:
        """Drop all connections."""
        self.renderings.close()
        self.dispatch.client.close()

    def _consider(self, errand: FetchJob) -> None:
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

    def _refuse(self, errand: FetchJob) -> str | None:
        """Return why an errand may not go where it is going, by scope and traps."""
        choice = errand.choice
        if choice.purpose.is_list:
            refused = self.harvester.scope.refuse_host(errand.url)
            return None if refused is None else SCOPE + refused
        # Where a seed redirects to is as good as the seed.
        depth = choice.depth if is_seed(choice) else max(choice.depth, int(errand.hops > 0))
        again = self.visited.is_known(choice.url)
        return self.harvester.refuse(errand.url, depth, errand.hops, again)

    def _queue(self, errand: FetchJob) -> None:
        """Send an errand off in time, unless that is too long to wait."""
        wait = self.dispatch.send(errand)
        if not wait:
            return
        host, state = host_of(errand.url), self.dispatch.courtesy.state(host_of(errand.url))
        slow = max(state.asked, self.dispatch.courtesy.delay)
        if not state.down and wait <= slow:
            self._say(host, f"{host} wants {slow:,.0f} s between requests; its pages wait aside")
        if state.down or wait <= slow:
            self._set_aside(errand, steady() + wait)
            return
        reason = f"{host_of(errand.url)} asks for a pause of {wait:.0f} s"
        if errand.origin:
            self._learn(errand.origin, RobotsEntry.denied(reason, steady() + wait))
        else:
            self._put_off(errand, Status.SKIPPED, reason, steady() + wait)

    def _put_off(
        self,
        errand: FetchJob,
        status: Status,
        reason: str,
        until: float,
        record: str = "",
        rounds: int = MAX_ROUNDS,
    ) -> None:
        """End an errand for now, and note when it may be tried again."""
        self.again.append(Again(until, errand.choice, rounds))
        self._end(errand, status, reason + LATER, record, to_system(until))

    def _set_aside(self, errand: FetchJob, until: float) -> None:
        """Give the place of an errand, and of those that wait for it, to others for a while."""
        courtesy, now = self.dispatch.courtesy, steady()
        waiting = self._permissions.recall(errand.origin) if errand.origin else [errand]
        for one in waiting:
            choice, host = one.choice, self.table.host_name(one.choice.host)
            # Where a redirect led elsewhere, it is not the host that is chosen which must wait.
            pause = until - now if host == host_of(errand.url) else courtesy.wait(host, now) or 0.0
            if one.hops:
                self._half_way[choice] = one
            self.again.append(Again(until, choice, aside=True, pause=pause))
            del self._choices[one.number]
            self._under_way -= 1

    def _not_reached(self, errand: FetchJob, reply: Response) -> None:
        """Set an errand aside whose host cannot be reached, or give that up for a while."""
        host, now = host_of(errand.url), steady()
        courtesy, reason = self.dispatch.courtesy, reason_of(reply)
        if self.weather.failed(host, now):
            self.notices.append(f"{AWAY}: {reason}; the crawl waits until it is back")
        if not self.weather.is_hopeless(host, now):
            if not self.weather.is_away:
                self._say(host, f"{host} cannot be reached ({reason}); it is asked again")
            self._set_aside(errand, now + (courtesy.wait(host, now) or 0.0))
            return
        courtesy.leave(host, now + self.outages.gone)
        until = courtesy.free_at(host)
        if errand.origin:
            self._learn(errand.origin, RobotsEntry.denied(reason, until))
        else:
            self._put_off(errand, Status.FAILED, reason, until)

    def _say(self, host: str, line: str) -> None:
        """Tell something of a host once, and not of very many hosts."""
        if host not in self._told and len(self._told) < MAX_TOLD:
            self._told.add(host)
            self.notices.append(line)
            if len(self._told) == MAX_TOLD:
                self.notices.append("of more hosts like these nothing is said")

    def _hear(self, errand: FetchJob, reply: Response) -> None:
        """Take in an answer, or that there is none."""
        if is_not_reached(reply):
            self._not_reached(errand, reply)
            return
        if reply.head:
            passed = self.weather.answered(host_of(errand.url), steady())
            if passed:
                self.notices.append(f"the network is back after {passed:,.0f} s")
        take = self._take_robots if errand.origin else self._take_page
        take(errand, reply)

    def _take_robots(self, errand: FetchJob, reply: Response) -> None:
        """Find out what a host wants, there or where its robots.txt redirects to."""
        target = errand.target(reply)
        if target.startswith(("http://", "https://")) and errand.hops < MAX_ROBOTS_HOPS:
            errand.go_on(target)
            self._queue(errand)
        else:
            self._learn(errand.origin, RobotsEntry.of(reply, steady()))

    def _learn(self, origin: str, permission: RobotsEntry) -> None:
        """Take in what a host wants, and let those go on who waited for it."""
        robots = permission.robots
        self.dispatch.courtesy.obey(host_of(origin), robots.delay(self.agent) or 0.0, steady())
        waiting = self._permissions.learn(origin, permission)
        if robots.reachable:
            is_seed_host = any(is_seed(errand.choice) for errand in waiting)
            self.lists.from_robots(origin, robots.sitemaps, is_seed_host)
        for errand in waiting:
            self._consider(errand)

    def _take_page(self, errand: FetchJob, reply: Response) -> None:
        """Go on to where a page redirects, or make a page of the reply."""
        record = self._archived(reply)
        if reply.trouble is not None:
            self._in_trouble(errand, reply, record)
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
                self.widen(errand.url)
            if not self.renderings.takes(errand, reply, record):
                self._read(errand, reply, record)

    def _archived(self, reply: Response) -> str:
        """Keep a reply, if it may be kept, and return where it is."""
        if self.archivist is None or self.harvester.forbids_copy(reply):
            return ""
        return self.archivist.record(reply)

    def _in_trouble(self, errand: FetchJob, reply: Response, record: str) -> None:
        """End an errand that has no usable answer, for now if another time may be better."""
        reason, rounds = reason_of(reply), ROUNDS.get(reply.trouble or FetchError.BROKEN)
        if rounds is not None:
            until = steady() + AGAIN * self.dispatch.courtesy.backoff
            self._put_off(errand, Status.FAILED, reason, until, record, rounds)
        else:
            refused = reply.trouble is FetchError.REFUSED_ADDRESS
            status = Status.SKIPPED if refused else Status.FAILED
            self._end(errand, status, reason, record)

    def _read(self, errand: FetchJob, reply: Response, record: str, note: str = "") -> None:
        """Make a page of what a reply says."""
        asked = self.table.href(errand.choice.url)
        harvest = read(reply, errand, asked, self.harvester, self.lists)
        self._finish(errand, harvest.noted(note), record)

    def _refused(self, errand: FetchJob, reply: Response, record: str) -> None:
        """End an errand for which there is no page, for now or for good."""
        status = Status.UNCHANGED if reply.code == NOT_MODIFIED else status_of(reply.code)
        patience = self.dispatch.courtesy.settings.max_wait
        if has_failed(reply) and (wait := retry_after(reply)) > patience:
            self._put_off(errand, status, str(reply.code), steady() + wait, record)
        elif errand.respelled(reply.code):
            self._consider(errand)
        else:
            self._end(errand, status, str(reply.code), record)

    def _is_another(self, errand: FetchJob, address: str, under_way: bool = False) -> bool:
        """Say whether a redirect leads to a page that was, or is, fetched from elsewhere."""
        url, own, known = self.table.find(address), errand.choice.url, errand.known
        if under_way and url != own and any(url == one.url for one in self._choices.values()):
            return True
        if url == own or (known is not None and known.final == url):
            return False
        return url in self.visited.fetched

    def _follow(self, errand: FetchJob, reply: Response, record: str) -> None:
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

    def _end(
        self,
        errand: FetchJob,
        status: Status,
        reason: str,
        record: str = "",
        retry_at: float | None = None,
    ) -> None:
        """Make a page without content of an errand."""
        self._finish(errand, Extracted(status, reason), record, retry_at)

    def _finish(
        self, errand: FetchJob, harvest: Extracted, record: str, retry_at: float | None = None
    ) -> None:
        """Make a page of an errand that is over."""
        known = errand.known
        if known is not None and harvest.version == known.version >= 0:
            self._finish_unchanged(errand, "the same content", record)
            return
        pause = self._pause(errand.choice, harvest.status)
        harvest = self.lists.attached(harvest, origin_of(errand.url), self.harvester.scope)
        self._deliver(errand, page_of(errand, harvest, self.table, record, pause, retry_at))

    def _finish_unchanged(self, errand: FetchJob, reason: str, record: str) -> None:
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

    def _deliver(self, errand: FetchJob, page: Page) -> None:
        """Hand a page over."""
        self.visited.note(page)
        self._ready.append((errand.number, page))
        self._under_way -= 1
