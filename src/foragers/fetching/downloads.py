"""The downloads of a live crawl: from a choice to a page.

A *job* is the download of a choice: of the robots.txt of its host first, if that is not known, then
of the page, then of the targets of its redirects.  Every request waits until its host may be
requested (`Throttle`).  A job that is refused, or is done, becomes a page.

A known page is requested only if it has changed.  A page that cannot be fetched because its host
asks for a pause is *deferred*: there is a page for it, and its choice is added to `retries`.

A job whose host cannot be reached just now, or asks for long pauses, is *set aside*: its
connection is free for others, there is no page for its choice yet, and the choice is to be sent
again later.  The job then continues where it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf

from foragers.core.clock import steady, to_system
from foragers.core.types import Choice, Page, Status, status_of
from foragers.fetching.extractor import Extracted, PageExtractor
from foragers.fetching.history import FetchHistory, is_seed
from foragers.fetching.job import FetchJob, ResponseRecorder, Retry
from foragers.fetching.outages import OutageMonitor
from foragers.fetching.page_builder import extract, page_of, unchanged_page
from foragers.fetching.page_renderer import NoRenderer, PageRenderer
from foragers.fetching.redirects import REDIRECTS, RedirectChain
from foragers.fetching.robots_cache import RobotsCache, RobotsEntry
from foragers.fetching.scheduler import DownloadScheduler
from foragers.fetching.settings import DEFAULT_FETCHING, FetchSettings
from foragers.fetching.sitemaps import ListSources
from foragers.fetching.throttle import Throttle
from foragers.filters.scope import Scope
from foragers.http.causes import KNOWN_BEFORE, LATER, PER_HOST, SCOPE
from foragers.http.messages import (
    NOT_MODIFIED,
    FetchError,
    Response,
    failure_reason,
    has_failed,
    is_unreachable,
    retry_after,
)
from foragers.urls.parse import host_of, origin_of, without_credentials
from foragers.urls.table import UrlTable

NETWORK_DOWN = "no host can be reached"


@dataclass(slots=True)
class Downloads:
    """The jobs in progress; `retries` are choices to be sent again, `notices` lines for users."""

    scheduler: DownloadScheduler
    agent: str
    extractor: PageExtractor
    table: UrlTable = field(default_factory=UrlTable)
    recorder: ResponseRecorder | None = None
    history: FetchHistory = field(default_factory=FetchHistory)
    lists: ListSources = field(default_factory=ListSources)
    renderer: PageRenderer = field(default_factory=NoRenderer)
    settings: FetchSettings = DEFAULT_FETCHING
    outages: OutageMonitor = field(init=False)
    retries: list[Retry] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    running: int = 0
    _robots: RobotsCache = field(init=False)
    _need_robots: dict[str, list[FetchJob]] = field(default_factory=dict)
    _redirected: dict[Choice, FetchJob] = field(default_factory=dict)
    _named_hosts: set[str] = field(default_factory=set)
    _ready: list[tuple[int, Page]] = field(default_factory=list)
    _choices: dict[int, Choice] = field(default_factory=dict)
    _started: int = 0

    def __post_init__(self) -> None:
        self.outages = OutageMonitor(self.throttle, self.settings.outages)
        self._robots = RobotsCache(self.settings.robots)

    @property
    def throttle(self) -> Throttle:
        """The rate limits of hosts and IP addresses."""
        return self.scheduler.throttle

    @property
    def scope(self) -> Scope:
        """The scope of the crawl, which grows with the targets of seeds' redirects."""
        return self.extractor.scope

    @property
    def pending(self) -> list[Choice]:
        """The choices in progress."""
        return list(self._choices.values())

    @property
    def has_news(self) -> bool:
        """Whether pages are ready, or jobs were set aside."""
        return bool(self._ready) or any(retry.unanswered for retry in self.retries)

    def start(self, choice: Choice) -> None:
        """Start the download of a choice."""
        self.running, self._started = self.running + 1, self._started + 1
        self._choices[self._started] = choice
        url = without_credentials(self.table.href(choice.url))
        job = self._redirected.pop(choice, None) or FetchJob(choice, self._chain(url))
        job.number = self._started
        job.cached = self.history.cached(choice.url, self.table)
        if choice.purpose.is_list:
            job.max_bytes = self.scheduler.client.limits.body
        if self.history.is_full(choice.host):
            self._end(
                job, Status.SKIPPED, f"{PER_HOST} {self.history.limits.of(choice.host)} pages"
            )
        else:
            self._consider(job)

    def send_due(self, now: float) -> None:
        """Send the jobs that are due, and extract the pages that were rendered."""
        for job in self.scheduler.due(now):
            self._queue(job)
        for page in self.renderer.finished(self.recorder):
            self._extract(page.job, page.outcome, page.record, page.note)

    def wait(self, until: float) -> None:
        """Wait for responses, not for long and at the latest until a time, and process them."""
        for job, response in self.scheduler.responses(self.renderer.until(until)):
            self._receive(job, response)

    def take_ready(self) -> Sequence[Page]:
        """Return the pages that are ready, once."""
        ready, self._ready = self._ready, []
        for number, _ in ready:
            del self._choices[number]
        return [page for _, page in ready]

    def widen(self, url: str) -> None:
        """Add the target of a seed's redirect to the scope."""
        self.extractor.scope = self.scope.and_seed(url)

    def close(self) -> None:
        """Drop all connections."""
        self.renderer.close()
        self.scheduler.client.close()

    def _chain(self, url: str) -> RedirectChain:
        return RedirectChain(url, self.settings.redirects)

    def _consider(self, job: FetchJob) -> None:
        """Send the next request of a job, if filters and robots.txt allow it."""
        reason = self._refuse(job)
        if reason is None:
            url = job.url
            entry = self._robots.get(url, steady())
            if entry is None:
                self._request_robots(job)
                return
            reason = entry.refuse(self.agent, url)
            if reason is not None and entry.is_temporary:
                self._defer(job, Status.SKIPPED, reason, entry.until)
                return
        if reason is None:
            self._queue(job)
        else:
            self._end(job, Status.SKIPPED, reason)

    def _refuse(self, job: FetchJob) -> str | None:
        """Return why scope or traps refuse the next URL of a job, or None."""
        choice = job.choice
        if choice.purpose.is_list:
            refused = self.scope.refuse_host(job.url)
            return None if refused is None else SCOPE + refused
        # The target of a seed's redirect counts as a seed.
        depth = choice.depth if is_seed(choice) else max(choice.depth, int(job.hops > 0))
        again = self.history.is_known(choice.url)
        return self.extractor.refuse(job.url, depth, job.hops, again)

    def _request_robots(self, job: FetchJob) -> None:
        """Let a job wait for robots.txt, and request that if no other job waits for it."""
        origin = origin_of(job.url)
        waiting = self._need_robots.setdefault(origin, [])
        waiting.append(job)
        if len(waiting) == 1:
            self._queue(FetchJob(job.choice, self._chain(f"{origin}/robots.txt"), origin))

    def _queue(self, job: FetchJob) -> None:
        """Send a request when its host is free, unless that takes too long."""
        wait = self.scheduler.send(job)
        if not wait:
            return
        host, state = host_of(job.url), self.throttle.state(host_of(job.url))
        delay = max(state.crawl_delay, self.throttle.delay)
        if not state.down and wait <= delay:
            self._notify(host, f"{host} asks for {delay:,.0f} s between requests; others go first")
        if state.down or wait <= delay:
            self._set_aside(job, steady() + wait)
            return
        reason = f"{host_of(job.url)} asks for a pause of {wait:.0f} s"
        if job.origin:
            self._store_robots(job.origin, RobotsEntry.unavailable(reason, steady() + wait))
        else:
            self._defer(job, Status.SKIPPED, reason, steady() + wait)

    def _defer(
        self,
        job: FetchJob,
        status: Status,
        reason: str,
        until: float,
        record: str = "",
        most: int | None = None,
    ) -> None:
        """End a job for now, and add its choice to the retries, unless deferred `most` times."""
        most = self.settings.retries.deferrals if most is None else most
        self.retries.append(Retry(until, job.choice, most))
        self._end(job, status, reason + LATER, record, to_system(until))

    def _set_aside(self, job: FetchJob, until: float) -> None:
        """Free the connections of a job and of those that wait for it, without a page."""
        now = steady()
        jobs = self._need_robots.pop(job.origin, []) if job.origin else [job]
        for other in jobs:
            host = self.table.host_name(other.choice.host)
            # After a redirect to another host, that host must wait, and not the one of the choice.
            same_host = host == host_of(job.url)
            pause = until - now if same_host else self.throttle.wait(host, now) or 0.0
            self._put_off(other, until, pause)

    def _put_off(self, job: FetchJob, until: float, pause: float) -> None:
        """Let the choice of a job be sent again, and its host be left alone until then."""
        if job.hops:
            self._redirected[job.choice] = job
        self.retries.append(Retry(until, job.choice, unanswered=True, pause=pause))
        del self._choices[job.number]
        self.running -= 1

    def _not_reached(self, job: FetchJob, response: Response) -> None:
        """Set a job aside whose host cannot be reached, or give up the host for a while."""
        host, now = host_of(job.url), steady()
        reason = failure_reason(response)
        if self.outages.failed(host, now):
            self.notices.append(f"{NETWORK_DOWN}: {reason}; the crawl waits until it is back")
        if not self.outages.gives_up(host, now):
            if not self.outages.is_down:
                self._notify(host, f"{host} cannot be reached ({reason}); it is tried again")
            self._set_aside(job, now + (self.throttle.wait(host, now) or 0.0))
            return
        self.throttle.leave(host, now + self.settings.outages.given_up_for)
        until = self.throttle.free_at(host)
        if job.origin:
            self._store_robots(job.origin, RobotsEntry.unavailable(reason, until))
        else:
            self._defer(job, Status.FAILED, reason, until)

    def _notify(self, host: str, line: str) -> None:
        """Add a notice about a host, once for each host and not for very many hosts."""
        most = self.settings.named_hosts
        if host not in self._named_hosts and len(self._named_hosts) < most:
            self._named_hosts.add(host)
            self.notices.append(line)
            if len(self._named_hosts) == most:
                self.notices.append("further hosts like these are not reported")

    def _receive(self, job: FetchJob, response: Response) -> None:
        """Process a response, or that there is none."""
        if is_unreachable(response):
            self._not_reached(job, response)
            return
        if response.head:
            passed = self.outages.responded(host_of(job.url), steady())
            if passed:
                self.notices.append(f"the network is back after {passed:,.0f} s")
        if job.origin:
            self._receive_robots(job, response)
        else:
            self._receive_page(job, response)

    def _receive_robots(self, job: FetchJob, response: Response) -> None:
        """Store a robots.txt, or follow its redirect."""
        target, most = job.chain.next_url(response), self.settings.redirects.max_robots_hops
        if target.startswith(("http://", "https://")) and job.hops < most:
            job.follow(target)
            self._queue(job)
        else:
            entry = RobotsEntry.of(response, steady(), self.settings.robots)
            self._store_robots(job.origin, entry)

    def _store_robots(self, origin: str, entry: RobotsEntry) -> None:
        """Store the robots.txt of an origin, and continue the jobs that waited for it."""
        robots = entry.robots
        self.throttle.obey(host_of(origin), robots.delay(self.agent) or 0.0, steady())
        self._robots.put(origin, entry)
        waiting = self._need_robots.pop(origin, [])
        if robots.reachable:
            is_seed_host = any(is_seed(job.choice) for job in waiting)
            self.lists.from_robots(origin, robots.sitemaps, is_seed_host)
        for job in waiting:
            self._consider(job)

    def _receive_page(self, job: FetchJob, response: Response) -> None:
        """Follow a redirect, or make a page of the response."""
        record = self._archive(response)
        if response.error is not None:
            self._fail(job, response, record)
        elif response.code in REDIRECTS:
            self._follow(job, response, record)
        elif response.code == NOT_MODIFIED and job.conditions:
            self._finish_unchanged(job, "304", record)
        elif not 200 <= response.code < 300:
            self._end_with_code(job, response, record)
        elif job.hops and self._is_another(job, job.url):
            self._end(job, Status.UNWANTED, KNOWN_BEFORE, record)
        else:
            if job.hops and is_seed(job.choice):
                self.widen(job.url)
            if not self.renderer.takes(job, response, record):
                self._extract(job, response, record)

    def _archive(self, response: Response) -> str:
        """Archive a response, if that is allowed, and return its place."""
        if self.recorder is None or self.extractor.forbids_copy(response):
            return ""
        return self.recorder.record(response)

    def _fail(self, job: FetchJob, response: Response, record: str) -> None:
        """End a job without a usable response, for now if it may succeed later."""
        settings, reason = self.settings.retries, failure_reason(response)
        most = {
            FetchError.TIMEOUT: settings.deferrals_after_timeout,
            FetchError.LOST: settings.deferrals_after_loss,
        }.get(response.error or FetchError.BROKEN)
        if most is not None:
            until = steady() + settings.pause * self.settings.throttle.backoff
            self._defer(job, Status.FAILED, reason, until, record, most)
        else:
            refused = response.error is FetchError.REFUSED_ADDRESS
            status = Status.SKIPPED if refused else Status.FAILED
            self._end(job, status, reason, record)

    def _extract(self, job: FetchJob, response: Response, record: str, note: str = "") -> None:
        """Make a page of the content of a response."""
        requested = self.table.href(job.choice.url)
        extracted = extract(response, job, requested, self.extractor, self.lists)
        self._finish(job, extracted.noted(note), record)

    def _end_with_code(self, job: FetchJob, response: Response, record: str) -> None:
        """End a job with a status code other than success, for now or for good."""
        code = response.code
        status = Status.UNCHANGED if code == NOT_MODIFIED else status_of(code)
        patience = self.settings.throttle.max_wait
        if has_failed(response) and (wait := retry_after(response)) > patience:
            self._defer(job, status, str(code), steady() + wait, record)
        elif job.normalise_slashes(code):
            self._consider(job)
        else:
            self._end(job, status, str(code), record)

    def _is_another(self, job: FetchJob, target: str, in_progress: bool = False) -> bool:
        """Return whether a redirect leads to a page that was, or is, fetched by another job."""
        url, own, cached = self.table.find(target), job.choice.url, job.cached
        others = self._choices.values() if in_progress and url != own else ()
        if any(url == choice.url for choice in others):
            return True
        if url == own or (cached is not None and cached.final == url):
            return False
        return url in self.history.fetched

    def _follow(self, job: FetchJob, response: Response, record: str) -> None:
        """Follow the redirect of a page, unless it leads in a circle or nowhere."""
        target = job.chain.next_url(response)
        problem = job.chain.problem(response, target)
        if problem:
            self._end(job, Status.FAILED, problem, record)
        elif self._is_another(job, target, in_progress=True):
            job.follow(target)
            self._end(job, Status.UNWANTED, KNOWN_BEFORE, record)
        else:
            job.follow(target)
            self._consider(job)

    def _end(
        self,
        job: FetchJob,
        status: Status,
        reason: str,
        record: str = "",
        retry_at: float | None = None,
    ) -> None:
        """Make a page without content of a job."""
        self._finish(job, Extracted(status, reason), record, retry_at)

    def _finish(
        self, job: FetchJob, extracted: Extracted, record: str, retry_at: float | None = None
    ) -> None:
        """Make a page of a job that is done."""
        cached = job.cached
        if cached is not None and extracted.version == cached.version >= 0:
            self._finish_unchanged(job, "the same content", record)
            return
        extracted = self.lists.attached(extracted, origin_of(job.url), self.scope)
        self._hand_over(job, extracted, record, retry_at)

    def _hand_over(
        self, job: FetchJob, extracted: Extracted, record: str, retry_at: float | None
    ) -> None:
        """Make a page of a job with its final content."""
        pause = self._pause(job.choice, extracted.status)
        self._deliver(job, page_of(job, extracted, self.table, record, pause, retry_at))

    def _finish_unchanged(self, job: FetchJob, reason: str, record: str) -> None:
        """Make a page with the content that was received last time."""
        cached, choice = job.cached, job.choice
        assert cached is not None
        pause = self._pause(choice, Status.UNCHANGED)
        self._deliver(job, unchanged_page(choice, cached, self.table, reason, record, pause))

    def _pause(self, choice: Choice, status: Status) -> float:
        """Return how long a host is to be left alone after a page: for ever, if it is full."""
        if self.history.count(choice.host, status):
            return inf
        return self.throttle.wait(self.table.host_name(choice.host), steady()) or 0.0

    def _deliver(self, job: FetchJob, page: Page) -> None:
        """Return a page with the next call of `finished`."""
        self.history.add(page)
        self._ready.append((job.number, page))
        self.running -= 1
