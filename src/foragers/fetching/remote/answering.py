"""Downloads for a crawl in another process: from an order to an answer.

The process that answers does HTTP, robots.txt, redirects, rate limits, extraction and archive.  It
has its own numbers of URLs, which the crawl never sees.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import msgspec

from foragers.core.clock import steady, to_system
from foragers.core.content import MemoryContent
from foragers.core.packing import Compress, compressor
from foragers.core.types import NO_PARENT, Choice, Document, Page, Status, Visit
from foragers.fetching.downloads import Downloads
from foragers.fetching.extractor import Extracted
from foragers.fetching.history import CachedPage
from foragers.fetching.job import FetchJob
from foragers.fetching.remote.messages import Answer, FoundContent, Order, Validators


@dataclass(slots=True)
class AnsweringDownloads(Downloads):
    """Downloads by order; `answers` are ready to be sent, each with the number of its order."""

    answers: list[tuple[int, Answer]] = field(default_factory=list)
    _orders: dict[int, int] = field(default_factory=dict)
    _compress: Compress = field(default_factory=compressor)

    @property
    def has_news(self) -> bool:
        """Whether answers are ready."""
        return bool(self.answers)

    def take(self, number: int, order: Order) -> None:
        """Begin with an order."""
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

    def _cached(self, choice: Choice, known: Validators) -> CachedPage:
        """Return the last visit of a page that is requested again."""
        content, final = MemoryContent(Document()), self.table.intern(known.url)
        page = Page(
            choice, Status.OK, "", final, known.seen, known.seen, known.version,
            content.columns(), content,
        )  # fmt: skip
        return CachedPage(Visit(page, 0.0, False), known.url, known.etag, known.modified)

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
        answer = Answer(
            job.url, job.hops, self._left(job.choice), extracted.status, extracted.reason, record,
            wait, most, found=self._found(extracted),
        )  # fmt: skip
        self._answer(job, answer)

    def _found(self, extracted: Extracted) -> FoundContent | None:
        """Return the content of a page as it is sent, None if there is none."""
        if extracted.version < 0 and extracted.text == Document() and not extracted.links:
            return None
        # A page without a date appeared when it was received, by the clock of the crawl.
        is_dated = extracted.born < time.time() - self.scheduler.client.limits.total
        return FoundContent.of(extracted, extracted.born if is_dated else 0.0, self._compress)

    def _finish_unchanged(self, job: FetchJob, reason: str, record: str) -> None:
        """Answer that a page has not changed."""
        pause = self._left(job.choice)
        self._answer(job, Answer(job.url, job.hops, pause, Status.UNCHANGED, reason, record))

    def _left(self, choice: Choice) -> float:
        """Return how long a host is to be left alone."""
        host = self.table.host_name(choice.host)
        return max(0.0, self.throttle.free_at(host) - steady())

    def _answer(self, job: FetchJob, answer: Answer) -> None:
        state = self.throttle.hosts.get(self.table.host_name(job.choice.host))
        if state is not None and (state.busy or state.down):
            answer = msgspec.structs.replace(answer, busy=state.busy, down=state.down)
        self.answers.append((self._orders.pop(job.number), answer))
        del self._choices[job.number]
        self.running -= 1
