"""Why a page was fetched: the path to it, its promise, and the outcome."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from foragers.core.display import iso
from foragers.core.protocols import Reasons
from foragers.core.types import NO_PARENT, Link, Status
from foragers.errors import UsageError
from foragers.reports.crawl_folder import CrawlFolder
from foragers.reports.export import place
from foragers.reports.retell import ContentSource, judged, links_leading_to, reasons, visit_row
from foragers.reports.similar_urls import Linking, links_to, nearest, spellings
from foragers.urls.parse import normalise

Column = NDArray[np.int64]

LEAPS = """
SELECT number, url, final, parent, status = 'skipped' FROM visits
WHERE number > ? AND number <= ? ORDER BY number LIMIT ?
"""
VISIT = """
SELECT number, url, status, reason, time, promise, relevance, relevant, title, agent, depth,
       record, u.href AS asked, f.href AS found
FROM visits
LEFT JOIN urls u ON u.id = visits.url
LEFT JOIN urls f ON f.id = visits.final
WHERE number = ?
"""


class PathStep(msgspec.Struct, frozen=True):
    """One visit on the path, and the words of the link that led to it.

    `number` is that of the visit in the ledger, and `download` that of the download; a skipped page
    has none.
    """

    number: int
    download: int | None
    url: str
    final_url: str
    anchor: str | None
    around: str | None
    promise: float
    relevance: float
    relevant: bool
    status: str
    reason: str
    fetched: str | None
    title: str
    agent: str
    depth: int
    warc: str | None
    offset: int | None


class Explanation(msgspec.Struct, frozen=True):
    """The explanation of a URL.

    `path` leads from a seed to its last download, or to its last skip if there was none.
    `downloads` are the visits at which it was fetched, `skips` those at which it was not requested.
    `reasons` are those of the strategy for the last link, if it gives more than a promise.
    `judged` has the words that the judge found on the page.  A URL that was not chosen has
    `linked_from`, an unknown one `nearest`.
    """

    asked: str
    fetched: bool = False
    seed: bool = False
    path: tuple[PathStep, ...] = ()
    downloads: tuple[int, ...] = ()
    skips: tuple[int, ...] = ()
    linked_from: tuple[Linking, ...] = ()
    links: int = 0
    nearest: tuple[str, ...] = ()
    reasons: Reasons | None = None
    judged: Reasons | None = None

    @property
    def known(self) -> bool:
        """Whether the crawl has seen the URL at all."""
        return bool(self.path or self.seed or self.links)


def explain(
    folder: CrawlFolder,
    asked: str,
    telling: ContentSource,
    strategy: str = "",
    most: int | None = None,
) -> Explanation:
    """Say why a page was fetched, or why not; by the crawl's own strategy unless one is named.

    Raises a UsageError if more than `most` visits would have to be read again for it.
    """
    seed = is_seed(folder, asked)
    if urls := numbers_of(folder, asked):
        leaps = Leaps.of(folder)
        if rows := leaps.downloads(urls):
            had = [row for row in rows if not leaps.skipped[row]]
            # The target of redirects is explained by its own download, if there was one.
            own = [row for row in had if int(leaps.urls[row]) in urls]
            numbers = leaps.path((own or had or rows)[-1])
            check_length(numbers[-1], most)
            counts = dict(zip(leaps.numbers.tolist(), leaps.ordinals.tolist(), strict=True))
            path = tuple(steps(folder, numbers, telling, counts))
            before = numbers[-2] if len(numbers) > 1 else None
            why = None
            if before is not None or len(had) > 1:
                why = reasons(folder, telling, before, numbers[-1], strategy)
            downloads = tuple(leaps.numbers[had].tolist())
            skips = tuple(leaps.numbers[row].item() for row in rows if leaps.skipped[row])
            found = judged(folder, telling, numbers[-1]) if had else None
            return Explanation(
                asked, bool(had), seed, path, downloads, skips, reasons=why, judged=found
            )
    check_length(folder.length, most)
    linked, links = links_to(folder, asked)
    close = () if linked or seed else tuple(nearest(folder, asked))
    return Explanation(asked, seed=seed, linked_from=linked, links=links, nearest=close)


def check_length(visits: int, most: int | None) -> None:
    """Raise a UsageError if too many visits would have to be read again."""
    if most is not None and visits > most:
        raise UsageError(
            f"for this, {visits:,} visits would have to be read again, and {most:,} are allowed"
            " here; use foragers explain"
        )


def is_seed(folder: CrawlFolder, asked: str) -> bool:
    """Return whether the crawl began at a URL."""
    wanted = spellings(asked)
    return any(not wanted.isdisjoint(spellings(seed)) for seed in folder.told().seeds)


def numbers_of(folder: CrawlFolder, asked: str) -> set[int]:
    """Return the numbers of a URL in the ledger."""
    connection = folder.connection
    exact = connection.execute("SELECT id FROM urls WHERE href = ?", (asked,)).fetchall()
    if exact:
        return {number for (number,) in exact}
    try:
        key = normalise(asked)
    except ValueError:
        return set()
    rows = connection.execute("SELECT id, href FROM urls")
    return {number for number, href in rows if key_of(href) == key}


def key_of(href: str) -> str:
    """Return the key of a URL; an invalid URL is its own key."""
    try:
        return normalise(href)
    except ValueError:
        return href


FIRST_PART = 1024
"""Visits that are searched first for the parent of a page."""


@dataclass(frozen=True)
class Leaps:
    """The chosen, final and parent URLs of all visits, one row per visit."""

    numbers: Column
    urls: Column
    finals: Column
    parents: Column
    skipped: Column

    @classmethod
    def of(cls, folder: CrawlFolder) -> Leaps:
        """Read the whole ledger once, since it has no index by URL."""
        columns = tuple(array("q") for _ in range(5))
        for row in folder.rows(LEAPS):
            for column, value in zip(columns, row, strict=True):
                column.append(value)
        return cls(*(np.array(column, np.int64) for column in columns))

    @property
    def ordinals(self) -> Column:
        """The number of downloads up to each visit."""
        return np.cumsum(self.skipped == 0)

    def downloads(self, urls: set[int]) -> list[int]:
        """Return the rows in which some URLs were chosen, or redirected to."""
        wanted = list(urls)
        rows: list[int] = np.flatnonzero(
            np.isin(self.urls, wanted) | np.isin(self.finals, wanted)
        ).tolist()
        return rows

    def path(self, row: int, most: float = inf) -> list[int]:
        """Return the numbers of the downloads from a seed to the one in a row: the last ones."""
        path = [row]
        while len(path) < most and (parent := int(self.parents[row])) != NO_PARENT:
            # A page has links only after it was fetched, which also excludes cycles.
            row = self._last(parent, row)
            if row < 0:
                break
            path.append(row)
        numbers: list[int] = self.numbers[path[::-1]].tolist()
        return numbers

    def _last(self, url: int, row: int) -> int:
        """Return the last row before another in which a URL was chosen or led to; -1: none."""
        # A parent is mostly not far: wider and wider parts are searched.
        end, size = row, FIRST_PART
        while end > 0:
            begin = max(0, end - size)
            part = slice(begin, end)
            found = np.flatnonzero((self.urls[part] == url) | (self.finals[part] == url))
            if len(found):
                return begin + int(found[-1])
            end, size = begin, 4 * size
        return -1


def steps(
    folder: CrawlFolder, path: list[int], telling: ContentSource, downloads: dict[int, int]
) -> Iterator[PathStep]:
    """Yield the visits on a path, each with its number and the link on the page before."""
    before: int | None = None
    for number in path:
        row = folder.connection.execute(VISIT, (number,)).fetchone()
        link = None
        if before is not None:
            page = telling.visit(visit_row(folder, before)).page
            link = next(iter(links_leading_to(page.links, row["url"])), None)
        yield step(row, link, downloads[number])
        before = number


def step(row: Any, link: Link | None, download: int) -> PathStep:
    """Return one download on a path."""
    file, offset = place(row["record"])
    return PathStep(
        number=row["number"],
        download=None if row["status"] == Status.SKIPPED.value else download,
        url=row["asked"] or "",
        final_url=row["found"] or row["asked"] or "",
        anchor=link.anchor if link else None,
        around=link.around if link else None,
        promise=row["promise"],
        relevance=row["relevance"],
        relevant=bool(row["relevant"]),
        status=row["status"],
        reason=row["reason"],
        fetched=iso(row["time"]),
        title=row["title"],
        agent=row["agent"],
        depth=row["depth"],
        warc=file,
        offset=offset,
    )
