"""Why a page was fetched: the path that led to it, what it promised, and what came of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec
import zstandard

from foragers.content import Kept
from foragers.reporting.folder import CrawlFolder, Row
from foragers.reporting.nearest import Linking, links_to, nearest, spellings
from foragers.reporting.pages import place
from foragers.reporting.plain import iso
from foragers.types import NOWHERE, Link
from foragers.urls import normalise

LEAPS = "SELECT number, url, final, parent FROM visits WHERE number > ? AND number <= ? LIMIT ?"
VISIT = """
SELECT number, u.href, f.href, status, reason, time, promise, relevance, relevant, title, agent,
       depth, record, url, parent
FROM visits
LEFT JOIN urls u ON u.id = visits.url
LEFT JOIN urls f ON f.id = visits.final
WHERE number = ?
"""


class Step(msgspec.Struct, frozen=True):
    """One download on the way, and the words of the link that led to it."""

    number: int
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
    """What is known about an address.

    `path` leads from a seed to its last download; `downloads` are the numbers of all.
    An address that was not fetched has `linked_from`, one never seen has `nearest`.
    """

    asked: str
    fetched: bool = False
    seed: bool = False
    path: tuple[Step, ...] = ()
    downloads: tuple[int, ...] = ()
    linked_from: tuple[Linking, ...] = ()
    links: int = 0
    nearest: tuple[str, ...] = ()

    @property
    def known(self) -> bool:
        """Whether the crawl has seen the address at all."""
        return bool(self.fetched or self.seed or self.links)


def explain(folder: CrawlFolder, asked: str) -> Explanation:
    """Say why a page was fetched, or why not."""
    seed = is_seed(folder, asked)
    numbers = numbers_of(folder, asked)
    if numbers and (leaps := Leaps.of(folder, numbers)).downloads:
        path = tuple(steps(folder, leaps.path()))
        return Explanation(asked, True, seed, path, tuple(leaps.downloads))
    linked, links = links_to(folder, asked)
    close = () if linked or seed else tuple(nearest(folder, asked))
    return Explanation(asked, seed=seed, linked_from=linked, links=links, nearest=close)


def is_seed(folder: CrawlFolder, asked: str) -> bool:
    """Say whether the crawl began at an address."""
    wanted = spellings(asked)
    return any(not wanted.isdisjoint(spellings(seed)) for seed in folder.told().seeds)


def numbers_of(folder: CrawlFolder, asked: str) -> set[int]:
    """Return the numbers under which an address stands in the ledger."""
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
    """Return the key of an address, which is itself if it is no good one."""
    try:
        return normalise(href)
    except ValueError:
        return href


@dataclass(frozen=True)
class Leaps:
    """Which download led to which: its number, by the URL it gave; and the parents."""

    downloads: list[int]
    giving: dict[int, list[int]]
    parents: list[int]

    @classmethod
    def of(cls, folder: CrawlFolder, wanted: set[int]) -> Leaps:
        """Read through the ledger once, since it has no index by URL."""
        downloads: list[int] = []
        giving: dict[int, list[int]] = {}
        parents = [NOWHERE]
        for number, url, final, parent in folder.rows(LEAPS):
            parents.extend([NOWHERE] * (number - len(parents)))
            parents.append(parent)
            for known in {url, final}:
                giving.setdefault(known, []).append(number)
            if url in wanted or final in wanted:
                downloads.append(number)
        return cls(downloads, giving, parents)

    def path(self) -> list[int]:
        """Return the downloads from a seed to the last download of what is wanted."""
        number = self.downloads[-1]
        path = [number]
        while (parent := self.parents[number]) != NOWHERE:
            # A page leads on only after it was fetched, which also rules out circles.
            earlier = [one for one in self.giving.get(parent, ()) if one < number]
            if not earlier:
                break
            number = earlier[-1]
            path.append(number)
        return path[::-1]


def steps(folder: CrawlFolder, path: list[int]) -> Iterator[Step]:
    """Give the downloads on a path, each with the link on the one before."""
    before: int | None = None
    for number in path:
        row = folder.connection.execute(VISIT, (number,)).fetchone()
        yield step(row, None if before is None else link_between(folder, before, row[13]))
        before = number


def step(row: Row, link: Link | None) -> Step:
    """Return one download on a path."""
    number, url, final, status, reason, time, promise, relevance, relevant, title = row[:10]
    agent, depth, record = row[10:13]
    file, offset = place(record)
    return Step(
        number=number,
        url=url or "",
        final_url=final or url or "",
        anchor=link.anchor if link else None,
        around=link.around if link else None,
        promise=promise,
        relevance=relevance,
        relevant=bool(relevant),
        status=status,
        reason=reason,
        fetched=iso(time),
        title=title,
        agent=agent,
        depth=depth,
        warc=file,
        offset=offset,
    )


def link_between(folder: CrawlFolder, number: int, url: int) -> Link | None:
    """Return the first link with words that a download has to a URL."""
    query = "SELECT words FROM visits WHERE number = ?"
    (packed,) = folder.connection.execute(query, (number,)).fetchone()
    if packed is None:
        return None
    kept = msgspec.msgpack.decode(zstandard.ZstdDecompressor().decompress(packed), type=Kept)
    links = [link for link in kept.links if link.url == url]
    return next((link for link in links if link.anchor), links[0] if links else None)
