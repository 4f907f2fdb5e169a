"""Sends requests, each when its host and IP address may be asked."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import inf

from foragers.core.clock import steady
from foragers.fetching.job import FetchJob
from foragers.fetching.settings import DEFAULT_FETCHING, RetrySettings
from foragers.fetching.throttle import Throttle
from foragers.http.client import Client
from foragers.http.messages import (
    FetchError,
    Request,
    Response,
    has_failed,
    is_busy,
    is_unreachable,
    retry_after,
)
from foragers.parsing.robots_txt import MAX_BYTES
from foragers.urls.parse import host_of

ACCEPT = (
    ("Accept", "text/html,application/xhtml+xml,text/plain;q=0.8,*/*;q=0.1"),
    ("Accept-Encoding", "gzip, deflate, br, zstd"),
)


@dataclass(slots=True)
class DownloadScheduler:
    """Sends jobs, repeats failed requests, and returns the responses."""

    client: Client
    throttle: Throttle
    retries: RetrySettings = DEFAULT_FETCHING.retries
    _requests: dict[int, FetchJob] = field(default_factory=dict)
    _waiting: list[tuple[float, int, FetchJob]] = field(default_factory=list)
    _order: int = 0

    def send(self, job: FetchJob) -> float:
        """Send a job now or when its host is free; return the wait if that is too long, else 0."""
        now, url, settings = steady(), job.url, self.throttle.settings
        host = host_of(url)
        wait = self.throttle.wait(host, now)
        if wait == 0.0:
            job.keys = self.throttle.start(host)
            self._order += 1
            self._requests[self._order] = job
            max_bytes = MAX_BYTES + 1 if job.origin else job.max_bytes
            headers = ACCEPT + job.headers
            fresh_dns = self.throttle.state(host).down > 0
            request = Request(url, headers, self._order, max_bytes, fresh_dns)
            self.client.start(request, self._admits)
        elif wait is None:
            self._wait(job, now + settings.check_again)
        elif wait <= settings.max_wait and not self.throttle.state(host).down:
            self._wait(job, now + wait)
        else:
            return wait
        return 0.0

    def due(self, now: float) -> Iterator[FetchJob]:
        """Return the waiting jobs that are due."""
        while self._waiting and self._waiting[0][0] <= now:
            yield heappop(self._waiting)[2]

    def responses(self, until: float) -> Sequence[tuple[FetchJob, Response]]:
        """Wait for responses, not for long and at most until a time, and return them."""
        now = steady()
        soonest = min(until, self._waiting[0][0] if self._waiting else inf)
        wait = max(0.0, min(soonest - now, self.throttle.settings.max_poll))
        if not (self.client.running or self.client.listens):
            time.sleep(wait)
            return ()
        pairs = [(self._requests.pop(r.request.tag), r) for r in self.client.finished(wait)]
        return [pair for pair in pairs if self._is_over(*pair)]

    def _admits(self, request: Request, address: str) -> bool:
        """Return whether a request may connect now to the resolved address of its host."""
        job = self._requests[request.tag]
        host = host_of(job.url)
        claimed = self.throttle.claim(host, job.keys, address, steady())
        job.keys = claimed or job.keys
        return bool(claimed)

    def _is_over(self, job: FetchJob, response: Response) -> bool:
        """Record the end of a request; return False if it will be repeated."""
        now, settings = steady(), self.throttle.settings
        if response.error is FetchError.BUSY:
            self.throttle.release(job.keys)
            self._wait(job, now + settings.check_again)
            return False
        failed, host = has_failed(response), host_of(job.url)
        if is_unreachable(response):
            self.throttle.not_reached(host, job.keys, now)
            return True
        pause = self.throttle.finish(
            host,
            job.keys,
            now,
            seconds=response.seconds,
            failed=failed,
            busy=failed and is_busy(response),
            address=response.address,
            retry_after=retry_after(response) if failed else 0.0,
        )
        state = self.throttle.state(host)
        state.answered |= bool(response.head)
        once = state.failures > settings.max_failures
        repeats = failed and not once and job.tries_left(response, self.retries) > 0
        if repeats and pause <= settings.max_wait:
            job.tries += 1
            self._wait(job, now + pause)
            return False
        return True

    def _wait(self, job: FetchJob, until: float) -> None:
        """Let a job wait until a time."""
        self._order += 1
        heappush(self._waiting, (until, self._order, job))
