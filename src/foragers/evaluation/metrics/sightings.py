"""Link sightings: which pages a crawl has seen links to, and which it has found.

A crawl seldom fetches a page twice, so fetches are no use for capture and recapture.  But it *sees*
a page as often as another page links to it: each fetched page is an independent observer, and a
link is a sighting.  Pages divided by their number make two samples of sightings; if several agents
choose, their pages make two more.

A host that was requested and has given no page is *silent*: URLs that wait there are counted apart,
since they will hardly give a page.

Five bytes are stored for each known URL, and a few for each relevant page and each host.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil

import numpy as np
from numpy.typing import NDArray

from foragers.core.types import NO_PARENT, HostId, Ids, Links, Page, Status, UrlId, Visit
from foragers.http.causes import LeftOut, left_out

KNOWN, TAKEN = 1, 2
"""Marks of a URL: it was seen; it was requested."""
HALVES, AGENTS = (4, 8), (16, 32)
"""Marks of a URL: it was seen by either half of the pages, and of the agents."""
LEFT_OUT = {LeftOut.TRAPS: 64, LeftOut.FAILURES: 128, LeftOut.LIMITS: 192}
"""Marks of a URL that was not fetched, by the reason."""
SCATTER = 2_654_435_761
"""Spreads consecutive numbers (Knuth's multiplicative hash)."""
STEP = 1024
SHORT, LONG = 0.1, 0.3
"""The recent past, as shares of all downloads."""
SOME = 10
"""The least number of downloads that count."""
SILENT = 1
"""A host is silent if this many of its URLs were requested and none gave a page.  With one, stops
were right slightly more often than with two or three (docs/notes/stopping.md)."""
MOSTLY = 0.8
"""This share of the relevant pages found counts as most of them; chosen of 0.8, 0.9, 0.95 and 1."""
ANSWERED = -1
"""Replaces the number of requests in vain once the host has given a page."""

Bytes = NDArray[np.uint8]


def no_marks() -> Bytes:
    """Return a column for unknown URLs."""
    return np.zeros(STEP, np.uint8)


def no_hosts() -> Ids:
    """Return a column for the hosts of unknown URLs."""
    return np.zeros(STEP, np.int32)


@dataclass
class Lately:
    """Pages of some kind per URL tried, over a recent share of the crawl."""

    share: float
    found: float = 0.0

    def add(self, tried: int, found: bool) -> None:
        """Add the outcome of the latest URL."""
        weight = 1.0 / (self.share * tried + SOME) if tried > SOME else 1.0 / tried
        self.found += weight * (found - self.found)


@dataclass
class Sightings:
    """Counts of a crawl, visit by visit; they can be pickled and continued.

    `left_out` are known URLs that were not fetched: by trap rules, failures or limits.
    `in_vain` counts the requests to each host that has given no page yet.  `short` and `long`
    are recent yields of relevant pages, `received` is that of pages of any kind.
    """

    downloads: int = 0
    pages: int = 0
    tried: int = 0
    waiting: int = 0
    known: int = 0
    found: array[int] = field(default_factory=lambda: array("q"))
    found_at: array[int] = field(default_factory=lambda: array("q"))
    short: Lately = field(default_factory=lambda: Lately(SHORT))
    long: Lately = field(default_factory=lambda: Lately(LONG))
    received: Lately = field(default_factory=lambda: Lately(SHORT))
    marks: Bytes = field(default_factory=no_marks, repr=False)
    hosts: Ids = field(default_factory=no_hosts, repr=False)
    in_vain: dict[HostId, int] = field(default_factory=dict, repr=False)
    agents: dict[str, int] = field(default_factory=dict)
    pages_by_agents: list[int] = field(default_factory=lambda: [0, 0])
    left_out: dict[str, int] = field(default_factory=lambda: dict.fromkeys(LEFT_OUT, 0))

    def watch(self, visits: Sequence[Visit]) -> None:
        """Add visits."""
        for visit in visits:
            self._take(visit)

    def found_lately(self, downloads: int) -> int:
        """Return the number of relevant pages that the last downloads found."""
        return len(self.found_at) - bisect_right(self.found_at, self.downloads - downloads)

    @property
    def mostly_by(self) -> int:
        """The number of downloads after which most of the relevant pages had been found."""
        found = self.found_at
        return found[ceil(MOSTLY * len(found)) - 1] if found else 0

    def waiting_in_vain(self) -> int:
        """Return how many of the URLs that wait are on silent hosts."""
        silent = [host for host, times in self.in_vain.items() if times >= SILENT]
        if not silent:
            return 0
        waits = self.marks & (KNOWN | TAKEN) == KNOWN
        return int(np.isin(self.hosts[waits], silent).sum())

    def _take(self, visit: Visit) -> None:
        page, url = visit.page, visit.page.choice.url
        if url == NO_PARENT:
            self._see(page.links, KNOWN)
            return
        self._make_room(max(url, page.final))
        is_first = self._settle(url)
        # A page that fails at first, and is fetched at last, is found then.
        is_new = is_first or bool(self.marks.item(url) & LEFT_OUT[LeftOut.LIMITS])
        if page.final != url:
            is_new &= self._settle(page.final)
        self._hear(page)
        deferred = page.retry_at is not None
        self._leave_out(url, left_out(page.status, page.reason, deferred), is_first)
        self.pages += is_new and page.status is Status.OK
        if page.status is not Status.SKIPPED:
            self.downloads += 1
            found = is_new and visit.relevant and page.status is Status.OK
            if found:
                self.found.append(url)
                self.found_at.append(self.downloads)
            if (
                is_first
            ):  # waiting pages were not fetched before, so revisits say nothing about them
                self.tried += 1
                self.short.add(self.tried, found)
                self.long.add(self.tried, found)
                self.received.add(self.tried, page.status is Status.OK)
        if len(page.links):
            self._see(page.links, KNOWN | self._samples(page))

    def _hear(self, page: Page) -> None:
        """Note whether a host has given a page."""
        host = page.choice.host
        before = self.in_vain.get(host, 0)
        if page.status is Status.OK:
            self.in_vain[host] = ANSWERED
        elif before != ANSWERED:
            self.in_vain[host] = before + 1

    def _leave_out(self, url: UrlId, why: LeftOut | None, is_first: bool) -> None:
        """Record why a URL was not fetched, or that it was at last."""
        bits, mark = LEFT_OUT[LeftOut.LIMITS], self.marks.item(url)
        before, now = mark & bits, LEFT_OUT[why] if why else 0
        if before == now or not (is_first or before):  # a page that was fetched stays so
            return
        for reason, bit in LEFT_OUT.items():
            self.left_out[reason] += (bit == now) - (bit == before)
        self.marks[url] = mark & ~bits | now

    def _settle(self, url: UrlId) -> bool:
        """Record that a URL does not wait any more, and return whether it was not requested yet."""
        mark = self.marks.item(url)
        if mark & TAKEN:
            return False
        if mark & KNOWN:
            self.waiting -= 1
        else:
            self.known += 1
        self.marks[url] = mark | KNOWN | TAKEN
        return True

    def _see(self, links: Links, mark: int) -> None:
        """Record the links of a page."""
        targets = links.targets
        try:
            marks = self.marks[targets]
        except IndexError:
            self._make_room(int(targets.max()))
            marks = self.marks[targets]
        unknown = marks & KNOWN == 0
        fresh = targets[unknown]
        if len(fresh):
            new = len(set(fresh.tolist()))
            self.waiting += new
            self.known += new
            self.hosts[fresh] = links.hosts[unknown]
        self.marks[targets] = marks | mark

    def _samples(self, page: Page) -> int:
        """Return the marks of the samples that the sightings of a page belong to."""
        number = self.agents.setdefault(page.choice.agent, len(self.agents)) & 1
        self.pages_by_agents[number] += 1
        return HALVES[(page.final * SCATTER >> 16) & 1] | AGENTS[number]

    def _make_room(self, url: UrlId) -> None:
        """Make room for the mark of a URL."""
        if url >= len(self.marks):
            known, room = len(self.marks), url + url // 2 + STEP
            marks, hosts = np.zeros(room, np.uint8), np.zeros(room, np.int32)
            marks[:known], hosts[:known] = self.marks, self.hosts
            self.marks, self.hosts = marks, hosts
