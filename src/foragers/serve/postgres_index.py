"""The search of a crawl whose ledger is in PostgreSQL: tables of its own there, with a GIN index.

They lie beside the ledger, which is only read, and stay when the server ends, so that the next one
goes on where this one was.  One server writes at a time; others show what it has written.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from math import inf
from queue import Empty, LifoQueue
from typing import Any
from unicodedata import normalize

import msgspec

from foragers.core.content import StoredContent
from foragers.core.packing import unpacker_of
from foragers.errors import DatabaseError, UsageError
from foragers.reports.crawl_folder import CrawlFolder
from foragers.serve.page_index import (
    AT_ONCE,
    MOST_RANKED,
    ORDERS,
    PAGES,
    Choices,
    PageEntry,
    Wishes,
    conditions_of,
    entry_of,
    frequent,
)
from foragers.serve.settings import ServeSettings
from foragers.storage.ledger.postgres import Database, storable
from foragers.storage.ledger.postgres import connect as reach

SCHEMA = """
CREATE TABLE IF NOT EXISTS search_pages (
    number BIGINT PRIMARY KEY, url TEXT, host TEXT, title TEXT, language TEXT,
    time DOUBLE PRECISION, relevance DOUBLE PRECISION, relevant BOOLEAN, agent TEXT, snippet TEXT,
    words TSVECTOR
);
CREATE TABLE IF NOT EXISTS search_state (last BIGINT NOT NULL, began DOUBLE PRECISION NOT NULL);
CREATE INDEX IF NOT EXISTS search_by_words ON search_pages USING gin (words);
CREATE INDEX IF NOT EXISTS search_by_relevance ON search_pages (relevant, relevance DESC, number);
CREATE INDEX IF NOT EXISTS search_by_any_relevance ON search_pages (relevance DESC, number);
CREATE INDEX IF NOT EXISTS search_by_host ON search_pages (host, relevant, relevance DESC, number);
CREATE INDEX IF NOT EXISTS search_by_time ON search_pages (relevant, time DESC, number);
CREATE INDEX IF NOT EXISTS search_by_any_time ON search_pages (time DESC, number);
"""
LOCK = "pg_try_advisory_lock(1718579042, hashtext(current_schema()))"
ADD = """
INSERT INTO search_pages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
    setweight(to_tsvector('simple', ?), 'A') || setweight(to_tsvector('simple', ?), 'B')
    || setweight(to_tsvector('simple', ?), 'C'))
"""
WEIGHTS = "'{0.0, 0.2, 0.4, 1.0}'"
"""Of nothing, text, URL and title: the same order as in SQLite."""
COLUMNS = ", ".join(PageEntry.__struct_fields__)
CONNECTIONS = 4
"""Readers of the database at a time; others wait for their turn."""
BETWEEN_WORDS = re.compile(r"[\W_]+")
ACCENTS = re.compile("[\u0300-\u036f]")
LONGEST = 400_000
"""Bytes of a page that can be searched: words and their places take twice that, 1 MB at most."""
LONGEST_TITLE = 10_000
"""Characters of a title that can be searched."""


class PostgresIndex:
    """The pages of a crawl that can be searched and filtered, in the database of its ledger."""

    def __init__(self, place: str, settings: ServeSettings) -> None:
        self._place = place
        self._settings = settings
        self._free: LifoQueue[Database | None] = LifoQueue()
        for _ in range(CONNECTIONS):
            self._free.put(None)
        self._choices = Choices()
        self._writer = reach(place)
        self._writes = False
        try:
            self._writer.execute(SCHEMA)
        except DatabaseError:
            self._writer.close()
            raise
        self.last = 0

    @contextmanager
    def _reading(self) -> Iterator[Database]:
        """Lend a connection; one that has broken is replaced by the next reader."""
        database = self._free.get()
        try:
            if database is None:
                database = reach(self._place)
                database.execute("SET default_transaction_read_only = on")
            yield database
        except BaseException:
            if database is not None:
                database.close()
                database = None
            raise
        finally:
            self._free.put(database)

    def close(self) -> None:
        """Close the connections; the tables stay."""
        self._writer.close()
        with suppress(Empty):
            while True:
                database = self._free.get_nowait()
                if database is not None:
                    database.close()

    def add(self, folder: CrawlFolder, seconds: float = inf) -> None:
        """Add the pages since the last time, for some seconds; or see what another server added."""
        if not self._writes:
            self._writes = bool(self._writer.execute(f"SELECT {LOCK}").fetchone()[0])
        row = self._writer.execute("SELECT last, began FROM search_state").fetchone()
        if not self._writes:
            self.last = row[0] if row else 0
            return
        began = folder.connection.execute("SELECT time FROM visits WHERE number = 1").fetchone()
        if row is None or row[0] > folder.length or began is None or row[1] != began[0]:
            self._begin(began[0] if began else 0.0)  # the crawl is another one now
        else:
            self.last = row[0]
        unpack, ends = unpacker_of(StoredContent), time.monotonic() + seconds
        while self.last < folder.length and time.monotonic() <= ends:
            given = (self.last, folder.length, AT_ONCE)
            rows = folder.connection.execute(PAGES, given).fetchall()
            last = rows[-1]["number"] if len(rows) == AT_ONCE else folder.length
            with self._writer.transaction():
                for one in rows:
                    self._index(one, unpack(one["words"]).document().text)
                self._writer.execute("UPDATE search_state SET last = ?", (last,))
            self.last = last

    def _begin(self, began: float) -> None:
        """Forget what is indexed."""
        with self._writer.transaction():
            self._writer.execute("TRUNCATE search_pages, search_state")
            self._writer.execute("INSERT INTO search_state VALUES (0, ?)", (began,))
        self.last = 0

    def _index(self, row: Any, text: str) -> None:
        entry = entry_of(row, text, self._settings)
        searched = words_of(text[: self._settings.searched]).encode("utf-8", "replace")[:LONGEST]
        words = (
            words_of((row["title"] or "")[:LONGEST_TITLE]),
            words_of(entry.url),
            searched.decode("utf-8", "ignore"),
        )
        self._writer.execute(
            ADD, [storable(value) for value in (*msgspec.structs.astuple(entry), *words)]
        )

    def find(self, wishes: Wishes) -> tuple[list[PageEntry], int]:
        """Return a page of results, and the number of all results."""
        conditions, given = conditions_of(wishes)
        values = [storable(value) for value in given]
        if wishes.words:
            conditions.append("words @@ plainto_tsquery('simple', ?)")
            values.append(words_of(wishes.words))
        where = f"FROM search_pages WHERE {' AND '.join(conditions)}"
        order, ranked = ORDERS[wishes.order], list[object]()
        with self._reading() as database:
            (total,) = database.execute(f"SELECT count(*) {where}", values).fetchone()
            if wishes.words and wishes.order == "relevance" and total <= MOST_RANKED:
                order = f"ts_rank({WEIGHTS}, words, plainto_tsquery('simple', ?)) DESC, number"
                ranked = [words_of(wishes.words)]
            first = (max(1, wishes.page) - 1) * self._settings.per_page
            rows = database.execute(
                f"SELECT {COLUMNS} {where} ORDER BY {order} LIMIT ? OFFSET ?",
                (*values, *ranked, self._settings.per_page, first),
            ).fetchall()
        return [PageEntry(*row) for row in rows], int(total)

    def choices(self, column: str) -> list[tuple[str, int]]:
        """Return the values of a column with their numbers of pages, the most frequent first."""
        return self._choices.of(column, self.last, lambda: self._frequent(column))

    def _frequent(self, column: str) -> list[Any]:
        with self._reading() as database:
            given = (self._settings.hosts,)
            return database.execute(frequent("search_pages", column), given).fetchall()

    def get(self, number: int) -> PageEntry | None:
        """Return a page by its number."""
        query = f"SELECT {COLUMNS} FROM search_pages WHERE number = ?"
        with self._reading() as database:
            row = database.execute(query, (number,)).fetchone()
        return None if row is None else PageEntry(*row)


def words_of(text: str) -> str:
    """Return the words of a text with blanks between them, without accents, as FTS5 sees them.

    The parser of PostgreSQL takes a URL, a path or a number with a point for one word.
    """
    return BETWEEN_WORDS.sub(" ", ACCENTS.sub("", normalize("NFD", text)))


def search_in(place: str, settings: ServeSettings) -> PostgresIndex | None:
    """Return the search in a database; None if tables may not be made there."""
    try:
        return PostgresIndex(place, settings)
    except UsageError:
        return None
