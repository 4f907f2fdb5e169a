"""The pages of a crawl that can be searched and filtered, in a temporary database."""

from __future__ import annotations

import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from hashlib import blake2b
from math import inf
from pathlib import Path
from typing import Any, Protocol

import msgspec
from msgspec import structs

from foragers.core.content import StoredContent
from foragers.core.display import host_name, opening, plain
from foragers.core.packing import unpacker_of
from foragers.reports.crawl_folder import CrawlFolder
from foragers.serve.settings import ServeSettings

PAGES = """
SELECT number, urls.href AS url, title, language, time, relevance, relevant, agent, words
FROM visits LEFT JOIN urls ON urls.id = visits.final
WHERE number > ? AND number <= ? AND status = 'ok' AND words IS NOT NULL ORDER BY number LIMIT ?
"""
SCHEMA = """
CREATE TABLE pages (
    number INTEGER PRIMARY KEY, url TEXT, host TEXT, title TEXT, language TEXT, time REAL,
    relevance REAL, relevant INTEGER, agent TEXT, snippet TEXT
);
CREATE INDEX by_relevance ON pages (relevant, relevance DESC, number);
CREATE INDEX by_any_relevance ON pages (relevance DESC, number);
CREATE INDEX by_host ON pages (host, relevant, relevance DESC, number);
CREATE INDEX by_language ON pages (language, relevant, relevance DESC, number);
CREATE INDEX by_time ON pages (relevant, time DESC, number);
CREATE INDEX by_any_time ON pages (time DESC, number);
CREATE VIRTUAL TABLE words USING fts5 (title, url, text, tags, content='', tokenize='unicode61');
"""
INDEXED = "INSERT INTO pages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
AT_ONCE = 200
MOST_RANKED = 10_000
"""Results of a search that are ranked by their words; of more, the most relevant come first."""
LARGEST = 2**63 - 1
"""The largest number that SQLite takes."""
ORDERS = {"relevance": "relevance DESC, number", "time": "time DESC, number"}


class PageEntry(msgspec.Struct, frozen=True):
    """A page in a list."""

    number: int
    url: str
    host: str
    title: str
    language: str
    time: float
    relevance: float
    relevant: bool
    agent: str
    snippet: str


def entry_of(row: Any, text: str, settings: ServeSettings) -> PageEntry:
    """Return a page of the ledger as it stands in a list."""
    url = row["url"] or ""
    return PageEntry(
        row["number"], url, host_name(url), plain(row["title"] or ""), row["language"] or "",
        row["time"], row["relevance"], bool(row["relevant"]), plain(row["agent"] or "", 60),
        opening(text, settings.snippet),
    )  # fmt: skip


class Wishes(msgspec.Struct, frozen=True):
    """What a reader wants to see; times are seconds since 1970."""

    words: str = ""
    host: str = ""
    language: str = ""
    least: float = 0.0
    since: float = 0.0
    until: float = 0.0
    every: bool = False
    order: str = "relevance"
    page: int = 1


class SearchIndex(Protocol):
    """The pages of a crawl that can be searched; `last` is the visit up to which they can."""

    last: int

    def add(self, folder: CrawlFolder, seconds: float = inf) -> None:
        """Add the pages since the last time, for some seconds."""
        ...

    def find(self, wishes: Wishes) -> tuple[list[PageEntry], int]:
        """Return a page of results, and the number of all results."""
        ...

    def choices(self, column: str) -> list[tuple[str, int]]:
        """Return the values of a column with their numbers of pages, the most frequent first."""
        ...

    def get(self, number: int) -> PageEntry | None:
        """Return a page by its number."""
        ...

    def close(self) -> None:
        """Close what is open."""
        ...


class Choices:
    """The values of columns with their numbers of pages; counted anew when the index has grown."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, list[tuple[str, int]]]] = {}

    def of(
        self, column: str, last: int, count: Callable[[], Sequence[Any]]
    ) -> list[tuple[str, int]]:
        """Return those of a column; `last` is the visit up to which pages are indexed."""
        known = self._known.get(column)
        if known is None or known[0] != last:
            known = last, [(str(value), int(pages)) for value, pages in count()]
            self._known[column] = known
        return known[1]


def frequent(table: str, column: str) -> str:
    """Return the query for the values of a column, the most frequent first."""
    return (
        f"SELECT {column}, count(*) FROM {table} WHERE {column} <> '' GROUP BY {column}"
        f" ORDER BY count(*) DESC, {column} LIMIT ?"
    )


class PageIndex:
    """The pages of a crawl that can be searched and filtered, in a temporary database."""

    def __init__(self, settings: ServeSettings) -> None:
        self._settings = settings
        self._folder = tempfile.TemporaryDirectory(prefix="foragers-")
        self._database = self._connect()
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = OFF")
        self._database.executescript(SCHEMA)
        self._lock = threading.Lock()
        self._readers = threading.local()
        self._open: list[sqlite3.Connection] = [self._database]
        self._choices = Choices()
        self.last = 0

    def _connect(self) -> sqlite3.Connection:
        place = Path(self._folder.name) / "index.sqlite"
        database = sqlite3.connect(place, isolation_level=None, check_same_thread=False, timeout=30)
        database.row_factory = sqlite3.Row
        return database

    @property
    def _reader(self) -> sqlite3.Connection:
        """A connection of this thread, so that readers do not wait for each other."""
        found: sqlite3.Connection | None = getattr(self._readers, "connection", None)
        if found is None:
            found = self._readers.connection = self._connect()
            with self._lock:
                self._open.append(found)
        return found

    def close(self) -> None:
        """Remove the database."""
        with self._lock:
            for database in self._open:
                database.close()
            self._folder.cleanup()

    def add(self, folder: CrawlFolder, seconds: float = inf) -> None:
        """Add the pages since the last time, for some seconds."""
        unpack = unpacker_of(StoredContent)
        ends = time.monotonic() + seconds
        while self.last < folder.length:
            given = (self.last, folder.length, AT_ONCE)
            rows = folder.connection.execute(PAGES, given).fetchall()
            self._database.execute("BEGIN")
            for row in rows:
                self._index(row, unpack(row["words"]).document().text)
            self._database.execute("COMMIT")
            self.last = rows[-1]["number"] if len(rows) == AT_ONCE else folder.length
            if time.monotonic() > ends:
                return

    def _index(self, row: Any, text: str) -> None:
        entry = entry_of(row, text, self._settings)
        self._database.execute(INDEXED, structs.astuple(entry))
        self._database.execute(
            "INSERT INTO words (rowid, title, url, text, tags) VALUES (?, ?, ?, ?, ?)",
            (
                entry.number, row["title"] or "", entry.url, text[: self._settings.searched],
                f"{tag('host', entry.host)} {tag('language', entry.language)}",
            ),
        )  # fmt: skip

    def find(self, wishes: Wishes) -> tuple[list[PageEntry], int]:
        """Return a page of results, and the number of all results."""
        # With words, the tags in their index stand for host and language.
        beside = structs.replace(wishes, host="", language="") if wishes.words else wishes
        conditions, values = conditions_of(beside)
        order, database = ORDERS.get(wishes.order, ORDERS["relevance"]), self._reader
        where = f"FROM pages WHERE {' AND '.join(conditions)}"
        counted = where
        if wishes.words:
            conditions.append("words MATCH ?")
            values.append(query_of(wishes))
            joined = "words JOIN pages ON pages.number = words.rowid"
            where = f"FROM {joined} WHERE {' AND '.join(conditions)}"
            counted = where if len(values) > 1 else "FROM words WHERE words MATCH ?"
        first = (max(1, wishes.page) - 1) * self._settings.per_page
        (total,) = database.execute(f"SELECT count(*) {counted}", values).fetchone()
        if wishes.words and wishes.order == "relevance" and total <= MOST_RANKED:
            order = "bm25(words, 5.0, 2.0, 1.0, 0.0), number"
        rows = database.execute(
            f"SELECT pages.* {where} ORDER BY {order} LIMIT ? OFFSET ?",
            (*values, self._settings.per_page, first),
        ).fetchall()
        return [msgspec.convert(dict(row), PageEntry, strict=False) for row in rows], int(total)

    def choices(self, column: str) -> list[tuple[str, int]]:
        """Return the values of a column with their numbers of pages, the most frequent first."""
        given = (self._settings.hosts,)
        return self._choices.of(
            column,
            self.last,
            lambda: self._reader.execute(frequent("pages", column), given).fetchall(),
        )

    def get(self, number: int) -> PageEntry | None:
        """Return a page by its number."""
        if number > LARGEST:
            return None
        query = "SELECT * FROM pages WHERE number = ?"
        row = self._reader.execute(query, (number,)).fetchone()
        return None if row is None else msgspec.convert(dict(row), PageEntry, strict=False)


def conditions_of(wishes: Wishes) -> tuple[list[str], list[object]]:
    """Return the conditions of a query but for its words, and their values."""
    conditions, values = ["true"], list[object]()
    if not wishes.every and not wishes.words:
        conditions.append("relevant = true")
    for condition, value in (
        ("host = ?", wishes.host),
        ("language = ?", wishes.language),
        ("relevance >= ?", wishes.least),
        ("time >= ?", wishes.since),
        ("time < ?", wishes.until),
    ):
        if value:
            conditions.append(condition)
            values.append(value)
    return conditions, values


def tag(kind: str, value: str) -> str:
    """Return a word that stands for the host or the language of a page."""
    return f"{kind}{blake2b(value.encode('utf-8', 'replace'), digest_size=8).hexdigest()}"


def query_of(wishes: Wishes) -> str:
    """Return the words of a search, with its host and language, as a query of FTS5."""
    parts = [f"{{title url text}} : ({quoted(wishes.words)})"]
    parts += [f"tags : {tag('host', wishes.host)}"] if wishes.host else []
    parts += [f"tags : {tag('language', wishes.language)}"] if wishes.language else []
    return " AND ".join(parts)


def quoted(words: str) -> str:
    """Return words as a query of FTS5, in which nothing is an operator."""
    plain_words = words.replace('"', " ").replace("\0", " ").split()
    return " ".join(f'"{word}"' for word in plain_words) or '""'
