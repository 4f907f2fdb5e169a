"""What a crawl has seen of a web so far: which pages it knows, who linked to them, what they gave.

A crawl seldom fetches a page twice, so fetching is no use for capture and recapture.  But it
*sees* a page as often as another page links to it: each fetched page is an observer, who does
not talk to the others, and a link is a sighting.  Pages dealt out by their number make two
samples of sightings; where several agents choose, their pages make two more.

A few bytes are kept of each known address, and a few numbers of each host.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from foragers.types import NOWHERE, HostId, Ids, Page, Status, UrlId, Visit

KNOWN, TAKEN, NEAR = 1, 2, 4
"""Of an address: it was seen; it was asked for; a relevant page links to it."""
HALVES, AGENTS = (8, 16), (32, 64)
"""Of an address: it was seen by the one half or the other of the pages, and of the agents."""
SCATTER = 2_654_435_761
"""Deals out numbers that follow each other (Knuth's multiplicative hash)."""
FAR_AND_NEAR = 2
MOST = 255
"""Sightings are counted up to here."""
STEP = 1024
FEW = 12
"""Up to here it is quicker to go through addresses one by one."""
SHORT, LONG = 0.1, 0.3
"""How long ago still counts, as shares of all downloads."""
SOME = 10
"""The least number of downloads that count."""
SHRINK = 5.0
"""So many downloads of any host stand behind what is expected of one of which little is known."""

Bytes = NDArray[np.uint8]
T = TypeVar("T", bound=np.generic)


def bytes_column() -> Bytes:
    """Return a column for addresses."""
    return np.zeros(STEP, np.uint8)


def host_column() -> Ids:
    """Return a column for the host of each address."""
    return np.zeros(STEP, np.int32)


def by_host() -> NDArray[np.int64]:
    """Return counts by host, for pages far from and near to relevant ones."""
    return np.zeros((STEP, FAR_AND_NEAR), np.int64)


@dataclass
class Lately:
    """Means per download over a recent share of the crawl: what it found, saw, and came to."""

    share: float
    found: float = 0.0
    new: float = 0.0
    pages: float = 0.0
    expected: float = 0.0

    def add(self, downloads: int, found: bool, new: int, page: bool, expected: float) -> None:
        """Take in a download."""
        weight = 1.0 / (self.share * downloads + SOME) if downloads > SOME else 1.0 / downloads
        self.found += weight * (found - self.found)
        self.new += weight * (new - self.new)
        self.pages += weight * (page - self.pages)
        self.expected += weight * (expected - self.expected)


@dataclass
class Sightings:
    """Counts of a crawl, one visit after the other; can be pickled and goes on the same."""

    downloads: int = 0
    waiting: int = 0
    known: int = 0
    found: array[int] = field(default_factory=lambda: array("q"))
    found_at: array[int] = field(default_factory=lambda: array("q"))
    short: Lately = field(default_factory=lambda: Lately(SHORT))
    long: Lately = field(default_factory=lambda: Lately(LONG))
    marks: Bytes = field(default_factory=bytes_column, repr=False)
    counts: Bytes = field(default_factory=bytes_column, repr=False)
    hosts: Ids = field(default_factory=host_column, repr=False)
    left: NDArray[np.int64] = field(default_factory=by_host, repr=False)
    tried: NDArray[np.int64] = field(default_factory=by_host, repr=False)
    hits: NDArray[np.int64] = field(default_factory=by_host, repr=False)
    agents: dict[str, int] = field(default_factory=dict)
    pages_by_agents: list[int] = field(default_factory=lambda: [0, 0])
    all_tried: list[int] = field(default_factory=lambda: [0, 0])
    all_hits: list[int] = field(default_factory=lambda: [0, 0])

    def watch(self, visits: Sequence[Visit]) -> None:
        """Take in some visits."""
        for visit in visits:
            self._take(visit)

    def found_lately(self, downloads: int) -> int:
        """Return how many relevant pages the last so many downloads found."""
        return len(self.found_at) - bisect_right(self.found_at, self.downloads - downloads)

    def _take(self, visit: Visit) -> None:
        page, choice = visit.page, visit.page.choice
        if choice.url == NOWHERE:
            self._see(page, near=False)
            return
        is_download = page.status is not Status.SKIPPED
        is_page = page.status is Status.OK
        self._reach_for(max(choice.url, page.final), choice.host)
        mark = int(self.marks[choice.url])
        found = self._is_found(visit, mark)
        self._settle(choice.url, choice.host)
        if page.final != choice.url:
            self._settle(page.final, choice.host)
        expected, near = 0.0, (mark & NEAR) // NEAR
        if is_download:
            self.downloads += 1
            expected = self._expected(choice.host, near)
        if is_download and not mark & TAKEN:
            self._learn(choice.host, near, found)
        if found:
            self.found.append(choice.url)
            self.found_at.append(self.downloads)
        new = self._see(page, near=visit.relevant and is_page) if len(page.links) else 0
        if is_download:
            for lately in (self.short, self.long):
                lately.add(self.downloads, found, new, is_page, expected)

    def _is_found(self, visit: Visit, mark: int) -> bool:
        """Say whether a visit found a relevant page that was not found before."""
        page = visit.page
        if not visit.relevant or page.status is not Status.OK or mark & TAKEN:
            return False
        return page.final == page.choice.url or not self.marks[page.final] & TAKEN

    def _learn(self, host: HostId, near: int, found: bool) -> None:
        """Count what a first visit to an address came to."""
        self.tried[host, near] += 1
        self.all_tried[near] += 1
        if found:
            self.hits[host, near] += 1
            self.all_hits[near] += 1

    def _expected(self, host: HostId, near: int) -> float:
        """Return how likely a page was to be relevant, by what is known of its like."""
        pooled = (self.all_hits[near] + 0.5) / (self.all_tried[near] + 1.0)
        hits, tried = float(self.hits[host, near]), float(self.tried[host, near])
        return (hits + SHRINK * pooled) / (tried + SHRINK)

    def _settle(self, url: UrlId, host: HostId) -> None:
        """Note that an address does not wait any more."""
        mark = int(self.marks[url])
        if mark & KNOWN and not mark & TAKEN:
            self.waiting -= 1
            self.left[self.hosts[url], (mark & NEAR) // NEAR] -= 1
        elif not mark & KNOWN:
            self.known += 1
            self.hosts[url] = host
        self.marks[url] = mark | KNOWN | TAKEN

    def _see(self, page: Page, near: bool) -> int:
        """Note what a page links to, and return how many of those were not known."""
        targets, hosts = page.links.targets, page.links.hosts
        if not len(targets):
            return 0
        self._reach_for(int(targets.max()), int(hosts.max()))
        marks = self.marks[targets]
        if near:
            self._draw_near(targets, marks)
        fresh = (marks & KNOWN == 0).nonzero()[0]
        new = self._meet(targets[fresh], hosts[fresh], near) if len(fresh) else 0
        if page.final != NOWHERE:
            self.marks[targets] |= KNOWN | self._halves(page) | (NEAR if near else 0)
            counts = self.counts[targets]
            self.counts[targets] = counts + (counts < MOST)
        return new

    def _halves(self, page: Page) -> int:
        """Return the marks of the samples that the sightings of a page belong to."""
        number = self.agents.setdefault(page.choice.agent, len(self.agents)) & 1
        self.pages_by_agents[number] += 1
        half = (page.final * SCATTER >> 16) & 1
        return HALVES[half] | AGENTS[number]

    def _meet(self, urls: Ids, hosts: Ids, near: bool) -> int:
        """Let new addresses wait, and return how many there are, each counted once."""
        if len(urls) > FEW:
            urls, first = np.unique(urls, return_index=True)
            hosts, new = hosts[first], len(urls)
            np.add.at(self.left, (hosts, int(near)), 1)
            self.hosts[urls] = hosts
        else:
            pairs = dict(zip(urls.tolist(), hosts.tolist(), strict=True))
            new = len(pairs)
            for url, host in pairs.items():
                self.left[host, int(near)] += 1
                self.hosts[url] = host
        self.marks[urls] |= KNOWN
        self.waiting += new
        self.known += new
        return new

    def _draw_near(self, targets: Ids, marks: Bytes) -> None:
        """Note that addresses which wait are linked from a relevant page."""
        moved = np.unique(targets[marks & (KNOWN | TAKEN | NEAR) == KNOWN])
        hosts = self.hosts[moved]
        np.subtract.at(self.left, (hosts, 0), 1)
        np.add.at(self.left, (hosts, 1), 1)

    def _reach_for(self, url: UrlId, host: HostId) -> None:
        """Make room for an address and a host."""
        if url >= len(self.marks):
            size = url + url // 2 + STEP
            self.marks, self.counts = grown(self.marks, size), grown(self.counts, size)
            self.hosts = grown(self.hosts, size)
        if host >= len(self.left):
            size = host + host // 2 + STEP
            self.left, self.tried = grown(self.left, size), grown(self.tried, size)
            self.hits = grown(self.hits, size)


def grown(column: NDArray[T], size: int) -> NDArray[T]:
    """Return a longer column that begins with what there is."""
    longer = np.zeros((size, *column.shape[1:]), column.dtype)
    longer[: len(column)] = column
    return longer
