"""Replay: a world whose pages are all known, and whose time is simulated.

`Recorded` plays an archive, recorded or generated.  A download takes a fixed time, or one between
the two ends of `latency` that is fixed for each host and random seed.  With `robots`, the first
download of a host takes twice as long and that many seconds more: robots.txt comes before it, and a
pause.  Without `since` the web does not change: it is as it was at the end of the recording.  With
it the clock starts there, and pages and versions appear when they did.  A page that does not exist
(yet) has status 404.
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

from foragers.core.content import MemoryContent
from foragers.core.types import (
    Choice,
    Document,
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
"""The largest number of redirects of a download."""

GOLDEN = 0.6180339887498949
SILVER = 0.41421356237309515
NOTHING = MemoryContent(Document())
CACHED = ("_columns", "_no_links")
"""Attributes that are not pickled, since they can be computed again."""

NO_IDS: Ids = np.empty(0, np.int32)


class VersionContent:
    """The content of one version, read from the archive on demand."""

    __slots__ = ("_texts", "_version")

    def __init__(self, texts: Texts, version: int) -> None:
        self._texts = texts
        self._version = version

    def document(self) -> Document:
        """Return the text of the version."""
        return self._texts.document(self._version)

    def outlinks(self) -> Sequence[ParsedLink]:
        """Return its links as parsed."""
        return self._texts.outlinks(self._version)


class ArchiveColumns(NamedTuple):
    """The archive's columns as memoryviews, whose elements are read faster than those of arrays."""

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
    robots: float | None = None
    seed: int = 0
    now: float = field(init=False)
    _running: list[tuple[float, int, Choice]] = field(init=False, default_factory=list)
    _started: int = field(init=False, default=0)
    _asked: set[HostId] = field(init=False, default_factory=set)

    def __post_init__(self) -> None:
        self.now = self.archive.end if self.since is None else self.since

    @property
    def free(self) -> int:
        """The number of downloads that may be started now."""
        return self.connections - len(self._running)

    @property
    def left(self) -> float:
        """Infinity: there is no budget here."""
        return inf

    @property
    def running(self) -> int:
        """The number of downloads in progress."""
        return len(self._running)

    @property
    def seeds(self) -> Sequence[Link]:
        """The seeds of the world."""
        book = self.archive.book
        return [Link(url, book.host(url), book.href(url)) for url in self.archive.seeds]

    def start(self, choice: Choice) -> None:
        """Start a download."""
        self._started += 1
        ready = self.now + self._seconds(choice.host)
        if self.robots is not None and choice.host not in self._asked:
            self._asked.add(choice.host)
            ready += self._seconds(choice.host) + self.robots
        heappush(self._running, (ready, self._started, choice))

    def _seconds(self, host: HostId) -> float:
        """Return the duration of a download from a host."""
        if self.latency is None:
            return self.seconds_per_page
        least, most = self.latency
        # Evenly spread over the hosts: multiples of the golden ratio fill an interval best.
        # Another seed shifts them all, so that hosts answer in another order.
        return least + (most - least) * ((host * GOLDEN + self.seed * SILVER) % 1.0)

    def finished(self, until: float = inf) -> Sequence[Page]:
        """Let time pass to the next pages, or to `until`, and return them."""
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
        """Return the current page of a URL, after redirects."""
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
        """Return the current version of a URL, or -1."""
        if self.since is None:
            return self._columns.latest[url]
        first, last = self._columns.version_starts[url : url + 2]
        version = bisect_right(self._columns.times, self.now, first, last) - 1
        return version if version >= first else -1

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
