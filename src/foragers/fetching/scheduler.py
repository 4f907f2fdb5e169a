"""Who is sent now, and who waits until a host may be asked again."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import inf

from foragers.core.clock import steady
from foragers.fetching.job import FetchJob, is_not_reached
from foragers.fetching.throttle import Throttle
from foragers.http.client import Client
from foragers.http.messages import FetchError, Request, Response, has_failed, is_busy, retry_after
from foragers.parsing.robots_txt import MAX_BYTES
from foragers.urls.parse import host_of

ACCEPT = (
    ("Accept", "text/html,application/xhtml+xml,text/plain;q=0.8,*/*;q=0.1"),
    ("Accept-Encoding", "gzip, deflate, br, zstd"),
)


@dataclass(slots=True)
class DownloadScheduler:
    """Sends errands off, each when it is its turn at its host and address."""

    client: Client
    courtesy: Throttle
    _requests: dict[int, FetchJob] = field(default_factory=dict)
    _waiting: list[tuple[float, int, FetchJob]] = field(default_factory=list)
    _order: int = 0

    def send(self, errand: FetchJob) -> float:
        """Send an errand off now or in time; return how long that is if it is too long to wait."""
        now, host = steady(), host_of(errand.url)
        wait = self.courtesy.wait(host, now)
        if wait == 0.0:
            errand.keys = self.courtesy.start(host)
            self._order += 1
            self._requests[self._order] = errand
            enough = MAX_BYTES + 1 if errand.origin else errand.enough
            headers = ACCEPT + errand.headers
            afresh = self.courtesy.state(host).down > 0
            self.client.start(Request(errand.url, headers, self._order, enough, afresh))
        elif wait is None:
            self._wait(errand, now + self.courtesy.settings.glance)
        elif wait <= self.courtesy.settings.max_wait and not self.courtesy.state(host).down:
            self._wait(errand, now + wait)
        else:
            return wait
        return 0.0

    def due(self, now: float) -> Iterator[FetchJob]:
        """Return the errands whose time has come."""
        while self._waiting and self._waiting[0][0] <= now:
            yield heappop(self._waiting)[2]

    def replies(self, until: float) -> Sequence[tuple[FetchJob, Response]]:
        """Wait for answers, not long and at most until a time, and return them."""
        now = steady()
        soonest = min(until, self._waiting[0][0] if self._waiting else inf)
        wait = max(0.0, min(soonest - now, self.courtesy.settings.max_poll))
        if not self.client.running:
            time.sleep(wait)
            return ()
        pairs = [(self._requests.pop(r.request.tag), r) for r in self.client.finished(wait)]
        return [pair for pair in pairs if self._is_over(*pair)]

    def admits(self, request: Request, address: str) -> bool:
        """Say whether an address may be connected to now, where a host turns out to be."""
        errand = self._requests[request.tag]
        host = host_of(errand.url)
        claimed = self.courtesy.claim(host, errand.keys, address, steady())
        errand.keys = claimed or errand.keys
        return bool(claimed)

    def _is_over(self, errand: FetchJob, reply: Response) -> bool:
        """Note that a host was asked; say whether the errand need not ask it again."""
        now = steady()
        if reply.trouble is FetchError.BUSY:
            self.courtesy.release(errand.keys)
            self._wait(errand, now + self.courtesy.settings.glance)
            return False
        failed, host = has_failed(reply), host_of(errand.url)
        if is_not_reached(reply):
            self.courtesy.not_reached(host, errand.keys, now)
            return True
        pause = self.courtesy.finish(
            host,
            errand.keys,
            now,
            seconds=reply.seconds,
            failed=failed,
            busy=failed and is_busy(reply),
            address=reply.address,
            retry_after=retry_after(reply) if failed else 0.0,
        )
        self.courtesy.state(host).answered |= bool(reply.head)
        settings = self.courtesy.settings
        once = self.courtesy.state(host).failures > settings.max_failures
        if failed and not once and errand.tries_left(reply) > 0 and pause <= settings.max_wait:
            errand.tries += 1
            self._wait(errand, now + pause)
            return False
        return True

    def _wait(self, errand: FetchJob, until: float) -> None:
        """Let an errand wait."""
        self._order += 1
        heappush(self._waiting, (until, self._order, errand))
