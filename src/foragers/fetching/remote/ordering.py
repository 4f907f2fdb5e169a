"""Downloads by other processes, as the crawl sees them: from a choice to an order, and to a page.

Scope, traps, history and the numbers of URLs stay here; who answers sends what was extracted.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from foragers.core.clock import steady, to_system
from foragers.core.packing import Unpack, unpacker
from foragers.core.types import Status
from foragers.fetching.downloads import Downloads
from foragers.fetching.extractor import Extracted
from foragers.fetching.history import is_seed
from foragers.fetching.job import FetchJob, Retry
from foragers.fetching.remote.messages import Answer, Order, Validators
from foragers.http.causes import KNOWN_BEFORE


@dataclass(slots=True)
class OrderingDownloads(Downloads):
    """Downloads by order; `_waiting` are jobs for which none was given yet."""

    _waiting: list[FetchJob] = field(default_factory=list)
    _unpack: Unpack = field(default_factory=unpacker)

    def _consider(self, job: FetchJob) -> None:
        """Let a job be ordered, if the filters allow it; who fetches it looks at robots.txt."""
        reason = self._refuse(job)
        if reason is None:
            self._waiting.append(job)
        else:
            self._end(job, Status.SKIPPED, reason)

    def _order(self, job: FetchJob) -> Order:
        """Return the order for a job."""
        choice = job.choice
        return Order(
            self.table.href(choice.url),
            job.url,
            job.hops,
            choice.depth,
            is_seed(choice),
            choice.purpose,
            None if job.cached is None else Validators.of(job.cached),
        )

    def _take(self, job: FetchJob, answer: Answer) -> None:
        """Make a page of an answer, or let the choice be sent again."""
        now = steady()
        if answer.url:
            job.chain.url, job.chain.hops = answer.url, answer.hops
        self.throttle.leave(self.table.host_name(job.choice.host), now + answer.pause)
        until = now + (answer.wait or 0.0)
        if answer.status is None:
            self._put_off(job, until, answer.pause)
        elif answer.wait is not None:
            self.retries.append(Retry(until, job.choice, answer.most))
            self._end(job, answer.status, answer.reason, answer.record, to_system(until))
        elif answer.status is Status.UNCHANGED and job.cached is not None:
            self._finish_unchanged(job, answer.reason, answer.record)
        elif answer.status is Status.OK and answer.hops and self._is_another(job, answer.url):
            self._end(job, Status.UNWANTED, KNOWN_BEFORE, answer.record)
        else:
            self._hand_over(job, self._settled(job, answer), answer.record, None)

    def _settled(self, job: FetchJob, answer: Answer) -> Extracted:
        """Return the content of an answer as the trap detector and the scope have it."""
        received = answer.status in (Status.OK, Status.UNWANTED)
        if answer.hops and is_seed(job.choice) and received:
            self.widen(answer.url)
        again, requested = job.cached is not None, self.table.href(job.choice.url)
        depth = job.choice.depth
        found = answer.extracted(self._unpack)
        return self.extractor.settled(found, requested, answer.url, depth, again)
