"""A ledger in SQLite: it survives a kill, and can be queried with SQL.

Rows are only added.  They are committed in batches; a killed crawl loses at most the current batch,
and never leaves a broken file (write-ahead log).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import zstandard

from foragers.core.content import StoredContent
from foragers.core.packing import unpacker_of
from foragers.core.population import Census
from foragers.core.types import NO_PARENT, Addresses, Choice, Document, Page, Status, UrlId, Visit
from foragers.errors import DamagedError, UsageError
from foragers.storage.ledger.checking import check_ledger, damaged, upgrade
from foragers.storage.ledger.columns import (
    CHOICE_COLUMNS,
    INSERT,
    SELECT,
    SELECT_FACTS,
    TABLE,
    Facts,
    VisitRow,
    choice_of,
)
from foragers.storage.ledger.population import keep_census
from foragers.urls.id_set import IdSet

VERSION = 2
SCHEMA = f"""
CREATE TABLE urls (id INTEGER PRIMARY KEY, href TEXT NOT NULL);
{TABLE}
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
LONGEST_WAIT = 60.0
"""Seconds to wait for another program that holds the ledger."""
FACTS_AT_ONCE = 10_000
"""The number of rows turned into columns at a time: as rows they take ten times the memory."""


class SqliteLedger:
    """A crawl's visits in a SQLite file (or `:memory:`).

    With `words` off, documents and links are not stored: enough for the metrics of a replay, whose
    world has them.
    """

    def __init__(
        self, path: Path | str, addresses: Addresses, *, words: bool = True, batch: int = 1
    ) -> None:
        self._path = path
        self._addresses = addresses
        self._words = words
        self._batch = batch
        self._compress = zstandard.ZstdCompressor(level=1).compress
        self._unpack = unpacker_of(StoredContent)
        self._encode = msgspec.msgpack.Encoder().encode
        self._connection = connect(path)
        try:
            names = self._connection.execute("SELECT id FROM urls")
            self._named = IdSet(number for (number,) in names)
            last = self._connection.execute("SELECT coalesce(max(number), 0) FROM visits")
            self._length: int = last.fetchone()[0]
        except BaseException:
            self._connection.close()
            raise
        self._waiting: list[VisitRow] = []
        self._indexed = False

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
            with self._connection:
                self._connection.executemany("INSERT INTO urls VALUES (?, ?)", names)
                self._connection.executemany(INSERT, self._waiting)
            self._named.update(url for url, _ in names)
            self._waiting.clear()

    def keep_census(self, census: Census) -> None:
        """Store the records of a population beside the visits."""
        self.commit()
        keep_census(self._connection, census)

    def close(self) -> None:
        """Commit and close the file, also if it cannot be written."""
        try:
            self.commit()
        finally:
            self._connection.close()

    def read(self, start: int = 0) -> Iterator[Visit]:
        """Return the visits from a position on."""
        self.commit()
        rows = self._connection.execute(f"{SELECT} WHERE number > ? ORDER BY number", (start,))
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
            raise UsageError(damaged(self._path, error)) from error

    def _prepare_revisits(self) -> None:
        """Make an index of visits by their page, which only revisits need."""
        self.commit()
        if not self._indexed:
            with self._connection:
                self._connection.execute(INDEX)
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
        rows = self._connection.execute(f"{SELECT_FACTS} ORDER BY number")
        parts = []
        while batch := rows.fetchmany(FACTS_AT_ONCE):
            parts.append(Facts.from_rows(batch))
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
        rows = self._connection.execute("SELECT reason FROM visits ORDER BY number")
        return [reason for (reason,) in rows]

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
        return self._compress(self._encode(StoredContent.of(page, document)))

    def _new_names(self) -> list[tuple[UrlId, str]]:
        """Return the strings of the URLs that this batch is the first to mention."""
        mentioned: dict[UrlId, None] = {}
        for row in self._waiting:
            mentioned.update(dict.fromkeys((row.url, row.final, row.parent)))
        fresh = [url for url in mentioned if url != NO_PARENT and url not in self._named]
        return [(url, self._addresses.href(url)) for url in fresh]


def connect(path: Path | str) -> sqlite3.Connection:
    """Open the file of a ledger, which is created if it does not exist."""
    try:
        connection = sqlite3.connect(path, timeout=LONGEST_WAIT)
    except sqlite3.Error as error:
        raise UsageError(f"{path} cannot be opened ({error}); choose another file") from error
    try:
        prepare(connection, path)
    except BaseException as error:
        connection.close()
        if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
            raise UsageError(f"{path} is locked; end the program that holds it") from error
        if isinstance(error, sqlite3.DatabaseError):
            raise UsageError(f"{path} is not a ledger ({error}); choose another file") from error
        raise
    return connection


def prepare(connection: sqlite3.Connection, path: Path | str) -> None:
    """Create the tables in an empty file; raise a UsageError if it is something else."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    if tables and not tables.issuperset(("urls", "visits")):
        raise UsageError(f"{path} is the database of another program; choose another file")
    if version > VERSION:
        raise UsageError(f"{path} was written by a newer foragers; upgrade to read it")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    if not tables:
        connection.executescript(f"BEGIN; {SCHEMA} PRAGMA user_version = {VERSION}; COMMIT;")
    try:
        check_ledger(connection)
        upgrade(connection, VERSION)
    except (DamagedError, UnicodeDecodeError, sqlite3.DatabaseError) as error:
        raise UsageError(damaged(path, error)) from error
