"""The pages of a crawl one after the other, as they are exported."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import msgspec

from foragers.packing import unpacker_of
from foragers.reporting.folder import CrawlFolder, Row
from foragers.reporting.plain import iso

STEP = 200
"""How many pages are in memory at once."""

PAGES = """
SELECT number, u.href, f.href, status, reason, time, title, language, published, relevance,
       relevant, promise, agent, p.href, depth, record, {words}
FROM visits
LEFT JOIN urls u ON u.id = visits.url
LEFT JOIN urls f ON f.id = visits.final
LEFT JOIN urls p ON p.id = visits.parent
WHERE number > ? AND number <= ? {only} ORDER BY number LIMIT ?
"""


class Exported(msgspec.Struct, frozen=True, kw_only=True):
    """One download, as a line of JSON has it; what was not asked for is left out."""

    url: str
    final_url: str
    status: str
    reason: str
    fetched: str | None
    title: str
    text: str | msgspec.UnsetType = msgspec.UNSET
    language: str
    published: str | None
    relevance: float
    relevant: bool
    promise: float
    agent: str
    parent: str | None
    depth: int
    links: list[str] | msgspec.UnsetType = msgspec.UNSET
    warc: str | None
    offset: int | None


@dataclass(frozen=True)
class Selection:
    """Which pages are wanted, and how much of them."""

    relevant: bool = False
    text: bool = True
    links: bool = True

    @property
    def fields(self) -> list[str]:
        """The names of what is wanted, in their order."""
        left_out = {"text": not self.text, "links": not self.links}
        return [name for name in Exported.__struct_fields__ if not left_out.get(name)]

    @property
    def condition(self) -> str:
        """The selection in SQL."""
        return "AND relevant AND status IN ('ok', 'unchanged')" if self.relevant else ""


class Text(msgspec.Struct):
    """All that is wanted of a document."""

    text: str = ""


class Href(msgspec.Struct):
    """All that is wanted of a link."""

    href: str


class Words(msgspec.Struct, array_like=True):
    """The text and the links of a page, without all else that a ledger keeps of them."""

    document: Text
    listed: list[Href] = []
    etag: str = ""
    modified: str = ""
    targets: list[int] = []
    hosts: list[int] = []
    written: list[str] = []

    @property
    def hrefs(self) -> list[str]:
        """The addresses of the links, which the first ledgers had one by one."""
        return self.written or [link.href for link in self.listed]


LONGEST_OFFSET = 18
"""Digits of a place in a file: none is larger."""
Read = Callable[[bytes | None], Words]


def pages(folder: CrawlFolder, selection: Selection) -> Iterator[Exported]:
    """Give the pages of a crawl in the order of their downloads."""
    words = "words" if selection.text or selection.links else "NULL"
    read = reader()
    query = PAGES.format(words=words, only=selection.condition)
    for row in folder.rows(query, STEP):
        yield exported(row, read(row[-1]), selection)


def count(folder: CrawlFolder, selection: Selection) -> int:
    """Return how many pages are selected."""
    query = f"SELECT count(*) FROM visits WHERE number <= ? {selection.condition}"
    found: int = folder.connection.execute(query, (folder.length,)).fetchone()[0]
    return found


def reader() -> Read:
    """Return what unpacks the words of a row."""
    unpack = unpacker_of(Words)
    return lambda packed: Words(Text()) if packed is None else unpack(packed)


def exported(row: Row, words: Words, selection: Selection) -> Exported:
    """Return a row as it is exported."""
    _, url, final, status, reason, time, title, language, published, relevance, relevant = row[:11]
    promise, agent, parent, depth, record = row[11:16]
    file, offset = place(record)
    return Exported(
        url=url or "",
        final_url=final or url or "",
        status=status,
        reason=reason,
        fetched=iso(time),
        title=title,
        language=language,
        published=iso(published),
        relevance=relevance,
        relevant=bool(relevant),
        promise=promise,
        agent=agent,
        parent=parent,
        depth=depth,
        warc=file,
        offset=offset,
        text=words.document.text if selection.text else msgspec.UNSET,
        links=words.hrefs if selection.links else msgspec.UNSET,
    )


def place(record: str) -> tuple[str | None, int | None]:
    """Return the file and the offset at which an answer is archived."""
    file, _, offset = record.rpartition("#")
    sound = offset.isdecimal() and len(offset) <= LONGEST_OFFSET
    return (file, int(offset)) if file and sound else (None, None)
