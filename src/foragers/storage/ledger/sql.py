"""A ledger in a database that speaks SQL; `sqlite` and `postgres` say how it is written there.

Rows are only added, and read a few at a time: all of a large ledger would not fit in memory.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import msgspec

from foragers.core.content import ContentToStore, PackedContent, StoredContent
from foragers.core.packing import compressor, unpacker_of
from foragers.core.population import Census
from foragers.core.types import NO_PARENT, Addresses, Choice, Document, Page, Status, UrlId, Visit
from foragers.errors import DamagedError, UsageError
from foragers.storage.ledger.checking import damaged
from foragers.storage.ledger.columns import (
    CHOICE_COLUMNS,
    FACT_COLUMNS,
    SELECT,
    Facts,
    VisitRow,
    choice_of,
)
from foragers.urls.id_set import IdSet

URLS = "CREATE TABLE urls (id INTEGER PRIMARY KEY, href TEXT NOT NULL);"
PAGES = """
CREATE VIEW pages AS
    SELECT number, u.href AS url, f.href AS final, status, reason, time, born, promise, agent,
           p.href AS parent, depth, relevance, relevant, title, language, published, record
    FROM visits
    JOIN urls u ON u.id = visits.url
    JOIN urls f ON f.id = visits.final
    LEFT JOIN urls p ON p.id = visits.parent;
"""
LAST = (
    f"{SELECT} WHERE final = ? AND number < ? AND words IS NOT NULL"
    " AND status IN ('ok', 'unwanted') ORDER BY number DESC LIMIT 1"
)
VERSION_WORDS = (
    "SELECT words FROM visits WHERE final = ? AND version = ? AND status = 'ok' AND number < ?"
    " AND words IS NOT NULL ORDER BY number DESC LIMIT 1"
)
DEFERRED = (
    f"SELECT {', '.join(CHOICE_COLUMNS)} FROM visits WHERE retry_at IS NOT NULL"
    " AND number IN (SELECT max(number) FROM visits GROUP BY url) ORDER BY number"
)
LISTED = "SELECT DISTINCT final FROM visits WHERE purpose IN ('sitemap', 'feed')"
INDEX = "CREATE INDEX IF NOT EXISTS visits_final ON visits (final)"
NAMED = "SELECT id FROM urls WHERE id > ? ORDER BY id LIMIT ?"
VISITS = f"{SELECT} WHERE number > ? ORDER BY number LIMIT ?"
FACTS = (
    f"SELECT number, {', '.join(FACT_COLUMNS)} FROM visits WHERE number > ? ORDER BY number LIMIT ?"
)
REASONS = "SELECT number, reason FROM visits WHERE number > ? ORDER BY number LIMIT ?"
ROWS_AT_ONCE = 10_000
"""The number of rows read at a time: as rows they take ten times the memory of columns."""
VISITS_AT_ONCE = 200
"""The number of visits read at a time, with their content."""

NOTHING = ContentToStore(Document())
"""The content of a visit that brought none."""

Name = tuple[UrlId, str]


class Rows(Protocol):
    """The result of a query."""

    def fetchone(self) -> Any:
        """Return the next row, or None."""
        ...

    def fetchall(self) -> list[Any]:
        """Return all rows that are left."""
        ...

    def __iter__(self) -> Iterator[Any]:
        """Return the rows one by one."""
        ...


class SqlConnection(Protocol):
    """A connection to a database; parameters of a query are written as question marks."""

    def execute(self, query: str, parameters: Sequence[Any] = (), /) -> Rows:
        """Run a query."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


def paged(connection: SqlConnection, query: str, after: int, step: int) -> Iterator[Any]:
    """Yield the rows of a query that takes the number before the first row, and how many rows.

    The first column is the number by which the rows are sorted.
    """
    while found := connection.execute(query, (after, step)).fetchall():
        yield from found
        after = found[-1][0]


class SqlLedger(ABC):
    """A crawl's visits in a database.

    With `words` off, documents and links are not stored: enough for the metrics of a replay, whose
    world has them.  `place` is what errors call it.
    """

    def __init__(
        self,
        connection: SqlConnection,
        place: str,
        addresses: Addresses,
        *,
        words: bool = True,
        batch: int = 1,
    ) -> None:
        self._connection = connection
        self._place = place
        self._addresses = addresses
        self._words = words
        self._batch = batch
        self._compress = compressor()
        self._unpack = unpacker_of(StoredContent)
        self._encode = msgspec.msgpack.Encoder().encode
        self._nothing = self._compress(self._encode(NOTHING))
        self._named = IdSet(
            number for (number,) in paged(connection, NAMED, NO_PARENT, ROWS_AT_ONCE)
        )
        last = connection.execute("SELECT coalesce(max(number), 0) FROM visits")
        self._length: int = last.fetchone()[0]
        self._waiting: list[VisitRow] = []
        self._indexed = False

    @abstractmethod
    def _write(self, names: Sequence[Name], rows: Sequence[VisitRow]) -> None:
        """Add URLs and visits, all of them or none."""

    @abstractmethod
    def _make_index(self) -> None:
        """Make the index of visits by their page, unless there is one."""

    @abstractmethod
    def keep_census(self, census: Census) -> None:
        """Store the records of a population beside the visits."""

    def append(self, visits: Sequence[Visit]) -> None:
        """Add visits; they are on disk when the batch is full, or after `commit`."""
        for visit in visits:
            self._length += 1
            self._waiting.append(self._row(visit))
        if len(self._waiting) >= self._batch:
            self.commit()

    def commit(self) -> None:
        """Write everything appended so far to disk."""
        if self._waiting:
            names = self._new_names()
            self._write(names, self._waiting)
            self._named.update(url for url, _ in names)
            self._waiting.clear()

    def close(self) -> None:
        """Commit and close the file, also if it cannot be written."""
        try:
            self.commit()
        finally:
            self._connection.close()

    def read(self, start: int = 0) -> Iterator[Visit]:
        """Return the visits from a position on."""
        self.commit()
        rows = paged(self._connection, VISITS, start, VISITS_AT_ONCE)
        for row in map(VisitRow._make, rows):
            words = row.words
            if words is None and row.status == Status.UNCHANGED:
                words = self._words_of_version(row.final, row.version, row.number)
            kept = StoredContent(Document()) if words is None else self._unpacked(words)
            yield row.visit(kept, self)

    def last(self, final: UrlId, before: int | None = None) -> Visit | None:
        """Return the last visit at which a page was received, if any; `before` another visit."""
        self._prepare_revisits()
        columns = self._connection.execute(LAST, (final, before or self._length + 1)).fetchone()
        if columns is None:
            return None
        row = VisitRow._make(columns)
        return row.visit(self._unpacked(row.words or b""), self._addresses)

    def _unpacked(self, words: bytes) -> StoredContent:
        try:
            return self._unpack(words)
        except DamagedError as error:
            raise UsageError(damaged(self._place, error)) from error

    def _prepare_revisits(self) -> None:
        """Make an index of visits by their page, which only revisits need."""
        self.commit()
        if not self._indexed:
            self._make_index()
            self._indexed = True

    def _words_of_version(self, final: UrlId, version: int, before: int) -> bytes | None:
        """Return the packed content of a version that was received before a visit."""
        if version < 0:
            return None
        self._prepare_revisits()
        columns = self._connection.execute(VERSION_WORDS, (final, version, before)).fetchone()
        if columns is None:
            return None
        (words,) = columns
        return bytes(words)

    def facts(self) -> Facts:
        """Return all visits as columns."""
        self.commit()
        parts, last = [], 0
        while rows := self._connection.execute(FACTS, (last, ROWS_AT_ONCE)).fetchall():
            last = rows[-1][0]
            parts.append(Facts.from_rows([row[1:] for row in rows]))
        return Facts.joined(parts)

    def downloads(self) -> int:
        """Return the number of downloads: visits that were not skipped."""
        self.commit()
        query = "SELECT count(*) FROM visits WHERE status <> 'skipped'"
        count: int = self._connection.execute(query).fetchone()[0]
        return count

    def relevant(self) -> int:
        """Return the number of relevant pages found, each version counted once."""
        self.commit()
        query = "SELECT count(DISTINCT version) FROM visits WHERE relevant AND status = 'ok'"
        count: int = self._connection.execute(query).fetchone()[0]
        return count

    def reasons(self) -> list[str]:
        """Return the reason of each visit."""
        self.commit()
        return [reason for _, reason in paged(self._connection, REASONS, 0, ROWS_AT_ONCE)]

    def deferred(self) -> list[Choice]:
        """Return the choices that were deferred at their last visit, in the order of the visits."""
        self.commit()
        return [choice_of(row) for row in self._connection.execute(DEFERRED)]

    def choice(self, number: int) -> Choice:
        """Return the choice of a visit; visits are numbered from 1."""
        self.commit()
        query = f"SELECT {', '.join(CHOICE_COLUMNS)} FROM visits WHERE number = ?"
        return choice_of(self._connection.execute(query, (number,)).fetchone())

    def lists(self) -> list[UrlId]:
        """Return the URLs of lists of pages."""
        self.commit()
        return [url for (url,) in self._connection.execute(LISTED)]

    def href(self, url: UrlId) -> str:
        """Return a URL that a visit mentions, as a string."""
        columns = self._connection.execute("SELECT href FROM urls WHERE id = ?", (url,)).fetchone()
        return str(columns[0])

    def hrefs(self, urls: Sequence[UrlId]) -> list[str]:
        """Return many URLs that visits mention, as strings."""
        return list(map(self.href, urls))

    def __len__(self) -> int:
        return self._length

    def _row(self, visit: Visit) -> VisitRow:
        if not self._words:
            return VisitRow.of(self._length, visit)
        document = visit.page.document
        return VisitRow.of(self._length, visit, document, self._packed(visit.page, document))

    def _packed(self, page: Page, document: Document) -> bytes | None:
        """Return the packed content of a page; that of an unchanged page is stored once."""
        if page.status is Status.UNCHANGED and self._words_of_version(
            page.final, page.version, self._length
        ):
            return None
        sent: PackedContent | None = getattr(page.content, "packed", None)
        if sent is not None and (packed := sent.numbered(page, self._compress)) is not None:
            return packed
        if brings_nothing(page, document):
            return self._nothing
        return self._compress(self._encode(ContentToStore.of(page, document)))

    def _new_names(self) -> list[tuple[UrlId, str]]:
        """Return the strings of the URLs that this batch is the first to mention."""
        mentioned: dict[UrlId, None] = {}
        for row in self._waiting:
            mentioned.update(dict.fromkeys((row.url, row.final, row.parent)))
        fresh = [url for url in mentioned if url != NO_PARENT and url not in self._named]
        return [(url, self._addresses.href(url)) for url in fresh]


def brings_nothing(page: Page, document: Document) -> bool:
    """Return whether a page has no content at all, as most that are missing or were skipped."""
    content = page.content
    links = content.outlinks()
    return (
        isinstance(links, tuple)  # columns of links may have words, even if there is no link
        and not (links or len(page.links))
        and document == NOTHING.words
        and not (getattr(content, "etag", "") or getattr(content, "modified", ""))
    )
