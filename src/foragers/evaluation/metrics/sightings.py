"""What a crawl has seen of a web so far: which pages it knows, who linked to them, what it found.

A crawl seldom fetches a page twice, so fetching is no use for capture and recapture.  But it
*sees* a page as often as another page links to it: each fetched page is an observer, who does
not talk to the others, and a link is a sighting.  Pages dealt out by their number make two
samples of sightings; where several agents choose, their pages make two more.

One byte is kept of each known address, and a few of each relevant page.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from foragers.core.types import NO_PARENT, Ids, Page, Status, UrlId, Visit
from foragers.http.causes import LeftOut, left_out

KNOWN, TAKEN = 1, 2
"""Of an address: it was seen; it was asked for."""
HALVES, AGENTS = (4, 8), (16, 32)
"""Of an address: it was seen by the one half or the other of the pages, and of the agents."""
LEFT_OUT = {LeftOut.TRAPS: 64, LeftOut.FAILURES: 128, LeftOut.LIMITS: 192}
"""Of an address: it was not had, and why."""
SCATTER = 2_654_435_761
"""Deals out numbers that follow each other (Knuth's multiplicative hash)."""
STEP = 1024
SHORT, LONG = 0.1, 0.3
"""How long ago still counts, as shares of all downloads."""
SOME = 10
"""The least number of downloads that count."""

Bytes = NDArray[np.uint8]


def no_marks() -> Bytes:
    """Return a column for addresses of which nothing is known."""
    return np.zeros(STEP, np.uint8)


@dataclass
class Lately:
    """Relevant pages found per address tried, over a recent share of the crawl."""

    share: float
    found: float = 0.0

    def add(self, tried: int, found: bool) -> None:
        """Take in what the latest of so many addresses came to."""
        weight = 1.0 / (self.share * tried + SOME) if tried > SOME else 1.0 / tried
        self.found += weight * (found - self.found)


@dataclass
class Sightings:
    """Counts of a crawl, one visit after the other; can be pickled and goes on the same.

    `left_out` are known addresses that were not had: by trap rules, failures or limits.
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
    marks: Bytes = field(default_factory=no_marks, repr=False)
    agents: dict[str, int] = field(default_factory=dict)
    pages_by_agents: list[int] = field(default_factory=lambda: [0, 0])
    left_out: dict[str, int] = field(default_factory=lambda: dict.fromkeys(LEFT_OUT, 0))

    def watch(self, visits: Sequence[Visit]) -> None:
        """Take in some visits."""
        for visit in visits:
            self._take(visit)

    def found_lately(self, downloads: int) -> int:
        """Return how many relevant pages the last so many downloads found."""
        return len(self.found_at) - bisect_right(self.found_at, self.downloads - downloads)

    def _take(self, visit: Visit) -> None:
        page, url = visit.page, visit.page.choice.url
        if url == NO_PARENT:
            self._see(page.links.targets, KNOWN)
            return
        self._make_room(max(url, page.final))
        is_first = self._settle(url)
        # One that was not had at first, and is at last, is found then.
        is_new = is_first or bool(self.marks[url] & LEFT_OUT[LeftOut.LIMITS])
        if page.final != url:
            is_new &= self._settle(page.final)
        deferred = page.retry_at is not None
        self._leave_out(url, left_out(page.status.value, page.reason, deferred), is_first)
        self.pages += is_new and page.status is Status.OK
        if page.status is not Status.SKIPPED:
            self.downloads += 1
            found = is_new and visit.relevant and page.status is Status.OK
            if found:
                self.found.append(url)
                self.found_at.append(self.downloads)
            if is_first:  # what waits has not been fetched: visits to old friends say nothing of it
                self.tried += 1
                self.short.add(self.tried, found)
                self.long.add(self.tried, found)
        if len(page.links):
            self._see(page.links.targets, KNOWN | self._samples(page))

    def _leave_out(self, url: UrlId, why: LeftOut | None, is_first: bool) -> None:
        """Note why an address was not had, or that it was at last."""
        bits, mark = LEFT_OUT[LeftOut.LIMITS], int(self.marks[url])
        before, now = mark & bits, LEFT_OUT[why] if why else 0
        if before == now or not (is_first or before):  # a page that was had stays so
            return
        for one, bit in LEFT_OUT.items():
            self.left_out[one] += (bit == now) - (bit == before)
        self.marks[url] = mark & ~bits | now

    def _settle(self, url: UrlId) -> bool:
        """Note that an address does not wait any more, and say whether it was not asked for yet."""
        mark = int(self.marks[url])
        if mark & TAKEN:
            return False
        if mark & KNOWN:
            self.waiting -= 1
        else:
            self.known += 1
        self.marks[url] = mark | KNOWN | TAKEN
        return True

    def _see(self, targets: Ids, mark: int) -> None:
        """Note what a page links to."""
        try:
            marks = self.marks[targets]
        except IndexError:
            self._make_room(int(targets.max()))
            marks = self.marks[targets]
        fresh = targets[marks & KNOWN == 0]
        if len(fresh):
            new = len(set(fresh.tolist()))
            self.waiting += new
            self.known += new
        self.marks[targets] = marks | mark

    def _samples(self, page: Page) -> int:
        """Return the marks of the samples that the sightings of a page belong to."""
        number = self.agents.setdefault(page.choice.agent, len(self.agents)) & 1
        self.pages_by_agents[number] += 1
        return HALVES[(page.final * SCATTER >> 16) & 1] | AGENTS[number]

    def _make_room(self, url: UrlId) -> None:
        """See to it that there is a mark for an address."""
        if url >= len(self.marks):
            longer = np.zeros(url + url // 2 + STEP, np.uint8)
            longer[: len(self.marks)] = self.marks
            self.marks = longer
