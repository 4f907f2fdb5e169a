"""Scrapy's scheduler, with the requests of equal priority in the order of a strategy.

Requests with another priority than 0 keep Scrapy's own order: higher ones go before, lower ones
after those that the strategy orders.  The add-on passes on what came of each request; without
it, the strategy knows the URLs alone.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from scrapy import Request, Spider
from scrapy.core.scheduler import Scheduler as PlainScheduler
from scrapy.http import Response, TextResponse
from scrapy.pqueues import DownloaderAwarePriorityQueue
from scrapy.utils.misc import load_object

from foragers.core.loop import OPEN
from foragers.core.options import Target
from foragers.core.types import HostId, Link, ParsedLink, Status, UrlId, status_of
from foragers.crawling.learner import CrawlLearner, ReceivedPage
from foragers.judges.function import resolve_judge
from foragers.parsing.html.parse import parse
from foragers.scrapy.signals import PARENT, page_parsed, request_failed
from foragers.scrapy.waiting import JobRequests, MemoryRequests, StoredRequest, slots_of
from foragers.storage.ledger.sqlite import SqliteLedger
from foragers.strategies.registry import resolve

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings
    from twisted.internet.defer import Deferred

MAX_VAIN = 100
"""Choices without a waiting request after which the oldest request is taken."""
ROW = "foragers_row"
"""The key in a request's meta for its row in the file of the job."""
logger = logging.getLogger(__name__)


class Scheduler(PlainScheduler):
    """Scrapy's scheduler with a learning order; the settings begin with FORAGERS_."""

    learner: CrawlLearner
    waiting: MemoryRequests
    job: JobRequests | None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the scheduler of a crawl."""
        scheduler = super().from_crawler(crawler)
        scheduler.learner = learner_of(crawler.settings)
        return scheduler

    def open(self, spider: Spider) -> Deferred[None] | None:
        """Open the queues, and learn again what an earlier run of the job has learned."""
        opened = super().open(spider)
        assert self.crawler is not None
        self.waiting, self.job = MemoryRequests(), None
        self._new: list[tuple[UrlId, HostId]] = []
        self._expected: dict[UrlId, HostId] = {}
        self._seen: set[UrlId] = set()
        self._slots: Counter[str] = Counter()
        self._urgent = 0
        self._fair = asks_for_fairness(self.crawler.settings)
        self.crawler.signals.connect(self._parsed, page_parsed)
        self.crawler.signals.connect(self._failed, request_failed)
        if self.dqdir is not None:
            self._resume(Path(self.dqdir).parent, spider)
        return opened

    def close(self, reason: str) -> Deferred[None] | None:
        """Close the queues; with a job folder everything is on disk."""
        waits = len(self.job) if self.job is not None else 0
        if self.job is not None:
            self.job.close()
        if isinstance(self.learner.ledger, SqliteLedger):
            self.learner.ledger.close()
        if self.dqs is not None and waits:
            state = self.dqs.close()
            # Scrapy's state lists the priorities of all waiting requests; ours have priority 0.
            state = sorted({*state, 0}) if isinstance(state, list) else state
            assert self.dqdir is not None
            self._write_dqs_state(self.dqdir, state)
            return self.df.close(reason)
        return super().close(reason)

    def enqueue_request(self, request: Request) -> bool:
        """Let a request wait, unless it is a duplicate; return whether it waits."""
        url = self.learner.number(request.url) if request.priority == 0 else None
        if url is None or url in self._seen:
            enqueued = super().enqueue_request(request)
            self._urgent += enqueued and request.priority > 0
            return enqueued
        if not request.dont_filter and self.df.request_seen(request):
            self.df.log(request, self.spider)
            return False
        known = url in self.waiting or (self.job is not None and url in self.job)
        where = self._store(url, request)
        host = self._host(url, self._slot(request))
        if not known:
            if PARENT in request.meta:
                self._expected[url] = host
            else:
                self._new.append((url, host))
        assert self.stats is not None
        self.stats.inc_value(f"scheduler/enqueued/{where}")
        self.stats.inc_value("scheduler/enqueued")
        return True

    def next_request(self) -> Request | None:
        """Return the next request: urgent ones, then the strategy's choice, then the others."""
        request = None if self._urgent else self._chosen()
        if request is None:
            request = self.mqs.pop()
            # The least busy slot may have lower ones only, while others have urgent ones.
            if (
                request is not None
                and request.priority < 0
                and (ours := self._chosen()) is not None
            ):
                self.mqs.push(request)
                request = ours
            elif request is not None:
                self._sent(request)
        if request is None:
            return super().next_request()
        assert self.stats is not None
        self.stats.inc_value("scheduler/dequeued")
        return request

    def _sent(self, request: Request) -> None:
        """Count a request of Scrapy's own queue that is sent."""
        self._urgent -= request.priority > 0
        assert self.stats is not None
        self.stats.inc_value("scheduler/dequeued/memory")
        row = request.meta.pop(ROW, None)
        if row is not None and self.job is not None:
            url = self.learner.number(request.url)
            if url is None:
                self.job.drop(row)
            else:
                self.job.taken(url, row)

    def _dqpush(self, request: Request) -> bool:
        """Write a request to the file of the job, and let it wait in memory.

        Scrapy's own files are broken by a kill.
        """
        if self.job is None:
            return False
        try:
            row = self.job.keep(request, plain=True)
        except ValueError as error:
            self._not_stored(request, error)
            return False
        request.meta[ROW] = row
        self._mqpush(request)
        return True

    def __len__(self) -> int:
        """Return the number of waiting requests."""
        return super().__len__() + len(self.waiting) + (len(self.job) if self.job else 0)

    def _store(self, url: UrlId, request: Request) -> str:
        """Store a request, and return where: on disk if it can be written."""
        slot = self._slot(request)
        self._slots[slot] += 1
        if self.job is not None:
            try:
                self.job.add(url, request, str(request.meta.get(PARENT, "")), slot)
            except ValueError as error:
                self._not_stored(request, error)
            else:
                return "disk"
        self.waiting.add(url, request)
        return "memory"

    def _not_stored(self, request: Request, error: ValueError) -> None:
        """Count a request that cannot be written to disk, and report the first one."""
        if self.logunser:
            logger.warning(
                "Unable to serialize request: %s - reason: %s - no more unserializable requests"
                " will be logged (stats being collected)",
                request,
                error,
                extra={"spider": self.spider},
            )
            self.logunser = False
        assert self.stats is not None
        self.stats.inc_value("scheduler/unserializable")

    def _take(self, url: UrlId) -> Request | None:
        """Take a waiting request for a URL; further ones for it go to Scrapy's queues."""
        request, where = self.waiting.take(url), "memory"
        if request is None and self.job is not None:
            request, where = self.job.take(url), "disk"
        if request is None:
            return None
        self._leaves(request, where)
        self._seen.add(url)
        while (other := self.waiting.take(url)) is not None:
            self._slots[self._slot(other)] -= 1
            self._mqpush(other)
        while self.job is not None and (other := self.job.take(url)) is not None:
            self._slots[self._slot(other)] -= 1
            self._mqpush(other)
        return request

    def _leaves(self, request: Request, where: str) -> None:
        """Count a request that no longer waits."""
        slot = self._slot(request)
        self._slots[slot] -= 1
        if not self._slots[slot]:
            del self._slots[slot]
        assert self.stats is not None
        self.stats.inc_value(f"scheduler/dequeued/{where}")

    def _chosen(self) -> Request | None:
        """Return the request that the strategy chooses."""
        self._offer()
        closed = self._busy_slots() if self._fair else OPEN
        for _ in range(MAX_VAIN):
            choice = self.learner.choose(closed)
            if choice is None:
                break
            if (request := self._take(choice.url)) is not None:
                return request
            self.learner.underway.pop(choice.url, None)
        if self._expected:
            self._new.extend(self._expected.items())
            self._expected.clear()
            return self._chosen()
        if closed:
            return None
        # A strategy may drop URLs, or wait for pages: then the oldest request goes.
        oldest = self.waiting.oldest()
        if oldest is None and self.job is not None:
            oldest = self.job.oldest()
        return None if oldest is None else self._take(oldest)

    def _offer(self) -> None:
        """Offer the URLs without a parent that came since the last choice."""
        if self._new:
            new, self._new = self._new, []
            self.learner.offer(new)

    def _slot(self, request: Request) -> str:
        """Return the download slot of a request."""
        assert self.crawler is not None
        assert self.crawler.engine is not None
        return str(self.crawler.engine.downloader.get_slot_key(request))

    def _host(self, url: UrlId, slot: str) -> HostId:
        """Return the host of a request; download slots are hosts if they are to be fair."""
        table = self.learner.table
        return table.host_id(f"slot {slot}") if self._fair else table.host(url)

    def _busy_slots(self) -> frozenset[HostId]:
        """Return the slots that have more requests in progress than the least busy one."""
        assert self.crawler is not None
        assert self.crawler.engine is not None
        slots = self.crawler.engine.downloader.slots
        active = {name: len(slot.active) for name, slot in slots.items()}
        busy = slots_of(self._slots, active)
        return frozenset(self.learner.table.host_id(f"slot {name}") for name in busy)

    def _parsed(self, response: Response, urls: Sequence[str], items: int) -> None:
        """Learn from a response, and from the requests and items that the spider made of it."""
        first = response.meta.get("redirect_urls", [response.url])[0]
        page = received(response, first, urls, items > 0)
        self._learn(page)

    def _failed(self, request: Request, reason: str, skipped: bool) -> None:
        """Learn that a request has no response."""
        first = request.meta.get("redirect_urls", [request.url])[0]
        status = Status.SKIPPED if skipped else Status.FAILED
        self._learn(ReceivedPage(first, request.url, status, reason=reason))

    def _learn(self, page: ReceivedPage, relevance: float | None = None) -> None:
        """Tell the strategy a page with its links that wait to be requested."""
        url = self.learner.number(page.url)
        if url is None:
            return
        self._offer()
        self.learner.learn(page, self._links(page.links), relevance)
        if self.job is not None:
            self.job.done(url)

    def _links(self, parsed: Sequence[ParsedLink]) -> list[Link]:
        """Return the links of a page, each with the host that the strategy is to see."""
        links = []
        for out in parsed:
            url = self.learner.number(out.href)
            if url is not None:
                host = self._expected.pop(url, self.learner.table.host(url))
                links.append(
                    Link(
                        url, host, out.href, out.anchor, out.around, out.path, out.position, out.rel
                    )
                )
        return links

    def _resume(self, folder: Path, spider: Spider) -> None:
        """Open the files of a job folder, and learn from the pages of its earlier runs."""
        self.job = JobRequests(folder / "foragers-requests.sqlite", spider)
        for stored in self.job.stored():
            request = self.job.read(stored.row)
            # A kill loses the end of Scrapy's own list of requests that were seen.
            self.df.request_seen(request)
            if stored.plain:
                request.meta[ROW] = stored.row
                self._urgent += request.priority > 0
                self._mqpush(request)
            elif (url := self.learner.number(stored.url)) is not None:
                self._wait_again(self.job, url, stored)
        before = sorted(
            folder.glob("foragers-ledger-*.sqlite"), key=lambda file: int(file.stem[16:])
        )
        for file in before:
            self._learn_again(file)
        self.learner.ledger = SqliteLedger(
            folder / f"foragers-ledger-{len(before) + 1}.sqlite", self.learner.table
        )

    def _wait_again(self, job: JobRequests, url: UrlId, stored: StoredRequest) -> None:
        """Let a request of an earlier run wait for the strategy."""
        job.restore(url, stored.row)
        self._slots[stored.slot] += 1
        host = self._host(url, stored.slot)
        if stored.parent:
            self._expected[url] = host
        else:
            self._new.append((url, host))

    def _learn_again(self, file: Path) -> None:
        """Learn from the pages of an earlier run."""
        ledger = SqliteLedger(file, self.learner.table)
        try:
            for visit in ledger.read():
                page, choice = visit.page, visit.page.choice
                self.df.request_seen(Request(ledger.href(choice.url)))
                self._learn(
                    ReceivedPage(
                        ledger.href(choice.url), ledger.href(page.final), page.status,
                        page.document, page.content.outlinks(), reason=page.reason,
                    ),
                    visit.relevance,
                )  # fmt: skip
        finally:
            ledger.close()


def asks_for_fairness(settings: BaseSettings) -> bool:
    """Return whether the user chose the queue that serves the least busy download slot first."""
    name = "SCHEDULER_PRIORITY_QUEUE"
    chosen = (settings.getpriority(name) or 0) > 0
    return chosen and load_object(settings[name]) is DownloaderAwarePriorityQueue


def learner_of(settings: BaseSettings) -> CrawlLearner:
    """Return the learner that the settings describe."""
    said: dict[str, Any] = {
        "topic": settings.get("FORAGERS_TOPIC"),
        "judge": resolve_judge(settings.get("FORAGERS_JUDGE")),
        "threshold": settings.get("FORAGERS_THRESHOLD"),
    }
    if said["threshold"] is not None:
        said["threshold"] = float(said["threshold"])
    strategy = resolve(settings.get("FORAGERS_STRATEGY") or "auto")
    return CrawlLearner.of(strategy, Target(**said), settings.getint("FORAGERS_SEED"))


def received(response: Response, first: str, urls: Sequence[str], wanted: bool) -> ReceivedPage:
    """Return a response as a page, with those of its links that the spider follows."""
    status = Status.OK if response.status < 400 else status_of(response.status)
    if not isinstance(response, TextResponse):
        links = [ParsedLink(url) for url in urls]
        return ReceivedPage(first, response.url, status, links=links, wanted=wanted)
    kind = (response.headers.get("Content-Type") or b"").decode("latin-1")
    parsed = parse(response.body, response.url, kind)
    described = {out.href.partition("#")[0]: out for out in reversed(parsed.links)}
    links = [described.get(url) or ParsedLink(url) for url in urls]
    return ReceivedPage(first, response.url, status, parsed.document, links, wanted)
