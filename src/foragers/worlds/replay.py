"""Replay: a world whose answers are all known, and whose time is simulated.

`Recorded` plays an archive, recorded or generated.  A download costs a fixed time, or one
between the two ends of `latency` that is fixed for each host.
Without `since` the web stands still as it was at the end of the recording; with it
the clock starts there, and pages and versions appear when they did.  A page that is
not there (yet) answers 404.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heappop, heappush
from math import inf
from typing import NamedTuple, cast

import numpy as np

from foragers.core.types import (
    Choice,
    Document,
    EmptyContent,
    HostId,
    Ids,
    Link,
    Links,
    Page,
    ParsedLink,
    Status,
    UrlId,
    status_of,
)
from foragers.worlds.archive import Archive, Texts

MAX_HOPS = 10
"""How many redirects one download follows."""

GOLDEN = 0.6180339887498949
NOTHING = EmptyContent()
CACHED = ("_columns", "_no_links")
"""What is not pickled, since it can be had again."""

NO_IDS: Ids = np.empty(0, np.int32)


class VersionContent:
    """The words of one version, fetched from the archive when asked for."""

    __slots__ = ("_texts", "_version")

    def __init__(self, texts: Texts, version: int) -> None:
        self._texts = texts
        self._version = version

    def document(self) -> Document:
        """Return what the version says."""
        return self._texts.document(self._version)

    def outlinks(self) -> Sequence[ParsedLink]:
        """Return its links as the page shows them."""
        return self._texts.outlinks(self._version)


class ArchiveColumns(NamedTuple):
    """The archive's columns as memoryviews, which give single numbers faster than arrays do."""

    latest: memoryview[int]
    version_starts: memoryview[int]
    times: memoryview[float]
    codes: memoryview[int]
    redirects: memoryview[int]
    same_as: memoryview[int]
    link_starts: memoryview[int]
    targets: Ids
    target_hosts: Ids

    @classmethod
    def of(cls, archive: Archive) -> ArchiveColumns:
        """Return the columns of an archive."""
        return cls(
            archive.latest.data,
            archive.version_starts.data,
            cast("memoryview[float]", archive.times.data),
            archive.codes.data,
            archive.redirects.data,
            archive.same_as.data,
            archive.link_starts.data,
            archive.targets,
            archive.target_hosts,
        )


@dataclass
class Recorded:
    """A world that plays an archive."""

    archive: Archive
    since: float | None = None
    seconds_per_page: float = 1.0
    connections: int = 1
    latency: tuple[float, float] | None = None
    now: float = field(init=False)
    _running: list[tuple[float, int, Choice]] = field(init=False, default_factory=list)
    _started: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.now = self.archive.end if self.since is None else self.since

    @property
    def free(self) -> int:
        """How many downloads may be started now."""
        return self.connections - len(self._running)

    @property
    def left(self) -> float:
        """There is no budget here: any number of downloads may be started."""
        return inf

    @property
    def running(self) -> int:
        """How many downloads are under way."""
        return len(self._running)

    @property
    def seeds(self) -> Sequence[Link]:
        """Where a crawl begins."""
        book = self.archive.book
        return [Link(url, book.host(url), book.href(url)) for url in self.archive.seeds]

    def start(self, choice: Choice) -> None:
        """Begin a download."""
        self._started += 1
        ready = self.now + self._seconds(choice.host)
        heappush(self._running, (ready, self._started, choice))

    def _seconds(self, host: HostId) -> float:
        """Return how long a download from a host takes."""
        if self.latency is None:
            return self.seconds_per_page
        least, most = self.latency
        # Spread evenly over the hosts: multiples of the golden ratio fill an interval best.
        return least + (most - least) * (host * GOLDEN % 1.0)

    def finished(self, until: float = inf) -> Sequence[Page]:
        """Let time pass to the next answers, or to `until`, and return them."""
        running = self._running
        due = running[0][0] if running else inf
        if due > until or not running:
            if until != inf:
                self.now = max(self.now, until)
            return ()
        self.now = due
        pages = []
        while running and running[0][0] == due:
            pages.append(self.answer(heappop(running)[2]))
        return pages

    def answer(self, choice: Choice) -> Page:
        """Return what a URL shows now, redirects followed."""
        columns = self._columns
        url = choice.url
        version = self.version_at(url)
        hops = 0
        while version >= 0 and (onward := columns.redirects[version]) >= 0:
            hops += 1
            if hops > MAX_HOPS:
                return self._empty(choice, url, Status.FAILED, "too many redirects")
            url = onward
            version = self.version_at(url)
        if version < 0:
            return self._empty(choice, url, Status.MISSING, "404")
        if not 200 <= (code := columns.codes[version]) < 300:
            return self._empty(choice, url, status_of(code), str(code))
        first, last = columns.link_starts[version], columns.link_starts[version + 1]
        content = VersionContent(self.archive.texts, version)
        links = Links(
            columns.targets[first:last],
            columns.target_hosts[first:last],
            self.archive.book,
            content,
        )
        born, same = columns.times[version], columns.same_as[version]
        return Page(choice, Status.OK, "", url, self.now, born, same, links, content)

    def version_at(self, url: UrlId) -> int:
        """Return the version of a URL that is on show now, or -1."""
        if self.since is None:
            return self._columns.latest[url]
        first, last = self._columns.version_starts[url : url + 2]
        found = bisect_right(self._columns.times, self.now, first, last) - 1
        return found if found >= first else -1

    def _empty(self, choice: Choice, url: UrlId, status: Status, reason: str) -> Page:
        return Page(choice, status, reason, url, self.now, self.now, -1, self._no_links, NOTHING)

    @cached_property
    def _no_links(self) -> Links:
        return Links(NO_IDS, NO_IDS, self.archive.book, NOTHING)

    @cached_property
    def _columns(self) -> ArchiveColumns:
        return ArchiveColumns.of(self.archive)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name not in CACHED}
