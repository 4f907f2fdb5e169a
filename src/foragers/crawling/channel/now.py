"""What a crawl is doing now: its requests, the hosts it waits for and why, what it has learned.

A running crawl writes it to `now.json` about every second.  After the end the last one stays.
"""

from __future__ import annotations

import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from foragers.core.clock import steady, to_system
from foragers.core.files import read, write
from foragers.core.protocols import SaysLessons
from foragers.crawling.own_requests import OwnRequests
from foragers.crawling.settings import NowSettings
from foragers.errors import UsageError
from foragers.evaluation.metrics.recall import Estimate
from foragers.fetching.live import Live
from foragers.judges.words import Standing
from foragers.storage.storing import storing

if TYPE_CHECKING:
    from foragers.crawling.session import Session

NOW = "now.json"
ALIVE = 60.0
"""Seconds after which a crawl that has written nothing is taken for dead."""
MOST_BYTES = 1 << 22


class WaitingHost(msgspec.Struct, frozen=True):
    """A host that is left alone until a time, why, and the number of its deferred pages."""

    host: str
    until: float
    why: str
    pages: int = 0


class CrawlNow(msgspec.Struct, frozen=True):
    """What a crawl is doing; times are seconds since 1970, and `hosts_waiting` counts all hosts."""

    updated: float
    running: bool
    downloads: int
    budget: int
    requests: tuple[str, ...] = ()
    in_progress: int = 0
    waiting: tuple[WaitingHost, ...] = ()
    hosts_waiting: int = 0
    awaited: int = 0
    queue: int | None = None
    condition: str = ""
    paused: bool = False
    ends: float | None = None
    estimate: Estimate | None = None
    judge: Standing | None = None
    lessons: tuple[str, ...] = ()

    def is_alive(self, now: float) -> bool:
        """Return whether the crawl seems to run at a time."""
        return self.running and now - self.updated < ALIVE


def read_now(folder: Path) -> CrawlNow | None:
    """Return what the crawl in a folder is doing, or did last; None if it is not known."""
    file = folder / NOW
    try:
        if not file.is_file() or file.stat().st_size > MOST_BYTES:
            return None
        return msgspec.json.decode(read(file), type=CrawlNow)
    except (OSError, ValueError, RecursionError):
        return None


@dataclass
class NowFile:
    """Writes what a crawl is doing, not more often than is worth its time."""

    folder: Path
    settings: NowSettings
    _next: float = 0.0
    _written: int = 0
    _lessons: tuple[str, ...] = field(default=())

    def write(self, session: Session, ended: bool = False) -> None:
        """Write it, if it is time; the visits so far are on disk then too."""
        began = steady()
        if began < self._next and not ended:
            return
        if not ended:
            with storing(self.folder):
                session.ledger.commit()
        if ended or self._written % self.settings.lessons_every == 0:
            strategy = session.crawl.strategy
            said = strategy.lessons() if isinstance(strategy, SaysLessons) else ()
            self._lessons = tuple(said)
        self._written += 1
        told = now_of(session, self._lessons, not ended, self.settings.listed)
        with suppress(OSError, UsageError):  # the crawl matters more
            write(self.folder / NOW, msgspec.json.encode(told) + b"\n")
        took = steady() - began
        self._next = began + max(self.settings.every, took / self.settings.cost)


def now_of(session: Session, lessons: tuple[str, ...], running: bool, listed: int) -> CrawlNow:
    """Return what a crawl is doing."""
    live, pending = session.live, session.live.pending
    waiting = waiting_hosts(live, session.own_requests)
    return CrawlNow(
        updated=time.time(),
        running=running,
        downloads=max(0, session.world.started - len(pending)),
        budget=session.budget,
        requests=tuple(live.table.href(choice.url) for choice in pending[:listed]),
        in_progress=len(pending),
        waiting=tuple(waiting[:listed]),
        hosts_waiting=len(waiting),
        awaited=session.awaited,
        queue=session.waiting,
        condition=session.condition,
        paused=session.world.paused,
        ends=to_system(session.ends) if 0 < session.ends < inf else None,
        estimate=session.latest,
        judge=session.standing,
        lessons=lessons,
    )


def waiting_hosts(live: Live, own_requests: OwnRequests) -> list[WaitingHost]:
    """Return the hosts that are left alone for now, the one that opens next first."""
    throttle, now = live.downloads.throttle, steady()
    name = live.table.host_name
    pages = Counter(name(choice.host) for _, _, choice in own_requests.deferred)
    found = []
    for host, state in throttle.hosts.items():
        until = throttle.free_at(host)
        if until <= now and not state.down:
            continue
        if state.down:
            why = "it cannot be reached"
        elif state.busy:
            why = "it was overloaded, or asked for a pause"
        elif state.crawl_delay > throttle.delay:
            why = f"its robots.txt asks for {state.crawl_delay:g} s between requests"
        elif state.failures:
            why = "its last request failed"
        else:
            why = "pause between two requests"
        found.append(WaitingHost(host, to_system(max(until, now)), why, pages[host]))
    return sorted(found, key=lambda one: (one.until, one.host))
