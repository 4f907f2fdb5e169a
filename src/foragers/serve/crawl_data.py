"""What the pages show of a crawl, read from its folder and remembered until the ledger grows."""

from __future__ import annotations

import sqlite3
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from foragers.core.content import StoredContent
from foragers.core.display import host_name, plain
from foragers.core.options import Target
from foragers.core.packing import unpacker_of
from foragers.crawling.feedback import Remark, remark
from foragers.errors import DamagedError, UsageError
from foragers.evaluation.metrics.counts import downloaded
from foragers.evaluation.metrics.recall import Estimate
from foragers.evaluation.metrics.summary import Summary, part, summarise
from foragers.judges.build import build_judge, teachable
from foragers.judges.words import Standing
from foragers.reports import figures
from foragers.reports.crawl_folder import CrawlFolder, CrawlRecord, opened
from foragers.reports.figures import estimate_of, standing_of
from foragers.reports.retell import aim_of
from foragers.storage.ledger.columns import Facts

PAGES = """
SELECT number, urls.href AS url, title, language, time, relevance, relevant, words FROM visits
LEFT JOIN urls ON urls.id = visits.final
WHERE number > ? AND number <= ? AND status = 'ok' AND words IS NOT NULL ORDER BY number LIMIT ?
"""
SCHEMA = """
CREATE TABLE pages (
    number INTEGER PRIMARY KEY, url TEXT, host TEXT, title TEXT, language TEXT, time REAL,
    relevance REAL, relevant INTEGER, snippet TEXT
);
CREATE INDEX by_relevance ON pages (relevant DESC, relevance DESC, number);
CREATE INDEX by_host ON pages (host);
CREATE VIRTUAL TABLE words USING fts5 (title, url, text, content='', tokenize='unicode61');
"""
INDEXED = "INSERT INTO pages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
AT_ONCE = 500
LARGEST = 2**63 - 1
"""The largest number that SQLite takes."""


@dataclass(frozen=True)
class ServeSettings:
    """How much is shown, and how often the folder is read."""

    per_page: int = 20  # pages in a list
    snippet: int = 240  # characters of a page in a list
    refresh: float = 2.0  # seconds between two looks at a ledger; a person reads no faster
    searched: int = 100_000  # characters of a page that can be searched; memory
    hosts: int = 200  # in the list of hosts to choose from


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
    snippet: str


class Wishes(msgspec.Struct, frozen=True):
    """What a reader wants to see."""

    words: str = ""
    host: str = ""
    language: str = ""
    least: float = 0.0
    since: float = 0.0
    every: bool = False
    page: int = 1


@dataclass(frozen=True)
class Snapshot:
    """A crawl at one moment."""

    length: int
    record: CrawlRecord
    summary: Summary
    facts: Facts
    estimate: Estimate | None
    standing: Standing | None

    @property
    def harvest(self) -> str:
        """The picture of pages found over downloads, as SVG."""
        if not self.summary.downloads:
            return ""
        return figures.harvest(part(self.facts, downloaded(self.facts)))


class PageIndex:
    """The pages of a crawl that can be searched and filtered, in a temporary database."""

    def __init__(self, settings: ServeSettings) -> None:
        self._settings = settings
        self._folder = tempfile.TemporaryDirectory(prefix="foragers-")
        self._database = sqlite3.connect(
            Path(self._folder.name) / "index.sqlite", isolation_level=None, check_same_thread=False
        )
        self._database.row_factory = sqlite3.Row
        self._database.execute("PRAGMA journal_mode = OFF")
        self._database.execute("PRAGMA synchronous = OFF")
        self._database.executescript(SCHEMA)
        self._lock = threading.Lock()
        self.last = 0

    def close(self) -> None:
        """Remove the database."""
        with self._lock:
            self._database.close()
            self._folder.cleanup()

    def add(self, folder: CrawlFolder) -> None:
        """Add the pages since the last time."""
        unpack = unpacker_of(StoredContent)
        while True:
            given = (self.last, folder.length, AT_ONCE)
            rows = folder.connection.execute(PAGES, given).fetchall()
            with self._lock:
                self._database.execute("BEGIN")
                for row in rows:
                    self._index(row, unpack(row["words"]).document().text)
                self._database.execute("COMMIT")
            if not rows:
                self.last = folder.length
                return
            self.last = rows[-1]["number"]

    def _index(self, row: sqlite3.Row, text: str) -> None:
        url, title = row["url"] or "", row["title"] or ""
        snippet = plain(text, self._settings.snippet)
        self._database.execute(
            INDEXED,
            (
                row["number"], url, host_name(url), plain(title), row["language"] or "",
                row["time"], row["relevance"], row["relevant"], snippet,
            ),
        )  # fmt: skip
        self._database.execute(
            "INSERT INTO words (rowid, title, url, text) VALUES (?, ?, ?, ?)",
            (row["number"], title, url, text[: self._settings.searched]),
        )

    def find(self, wishes: Wishes) -> tuple[list[PageEntry], int]:
        """Return a page of results, and the number of all results."""
        conditions, values = ["1"], list[object]()
        if not wishes.every and not wishes.words:
            conditions.append("relevant")
        for name in ("host", "language"):
            if value := getattr(wishes, name):
                conditions.append(f"pages.{name} = ?")
                values.append(value)
        if wishes.least > 0:
            conditions.append("relevance >= ?")
            values.append(wishes.least)
        if wishes.since > 0:
            conditions.append("time >= ?")
            values.append(wishes.since)
        source, order = "pages", "relevance DESC, number"
        if wishes.words:
            source = "words JOIN pages ON pages.number = words.rowid"
            conditions.append("words MATCH ?")
            values.append(quoted(wishes.words))
            order = "bm25(words, 5.0, 2.0, 1.0), number"
        where = f"FROM {source} WHERE {' AND '.join(conditions)}"
        first = (max(1, wishes.page) - 1) * self._settings.per_page
        with self._lock:
            (total,) = self._database.execute(f"SELECT count(*) {where}", values).fetchone()
            rows = self._database.execute(
                f"SELECT pages.* {where} ORDER BY {order} LIMIT ? OFFSET ?",
                (*values, self._settings.per_page, first),
            ).fetchall()
        return [msgspec.convert(dict(row), PageEntry, strict=False) for row in rows], int(total)

    def choices(self, column: str) -> list[tuple[str, int]]:
        """Return the values of a column with their numbers of pages, the most frequent first."""
        query = (
            f"SELECT {column}, count(*) FROM pages GROUP BY {column}"
            f" ORDER BY count(*) DESC, {column} LIMIT ?"
        )
        with self._lock:
            rows = self._database.execute(query, (self._settings.hosts,)).fetchall()
        return [(str(value), int(count)) for value, count in rows if value]

    def get(self, number: int) -> PageEntry | None:
        """Return a page by its number."""
        if number > LARGEST:
            return None
        with self._lock:
            row = self._database.execute(
                "SELECT * FROM pages WHERE number = ?", (number,)
            ).fetchone()
        return None if row is None else msgspec.convert(dict(row), PageEntry, strict=False)


def quoted(words: str) -> str:
    """Return words as a query of FTS5, in which nothing is an operator."""
    plain_words = words.replace('"', " ").replace("\0", " ").split()
    return " ".join(f'"{word}"' for word in plain_words) or '""'


@dataclass
class CrawlData:
    """A crawl folder, read again when it has grown."""

    path: Path
    settings: ServeSettings = field(default_factory=ServeSettings)
    _snapshot: Snapshot | None = None
    _index: PageIndex | None = None
    _looked: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def index(self) -> PageIndex:
        """The pages that can be searched."""
        if self._index is None:
            raise UsageError("the crawl was not read yet")
        return self._index

    def close(self) -> None:
        """Remove what was made for the pages."""
        if self._index is not None:
            self._index.close()
            self._index = None

    def look(self) -> Snapshot:
        """Return the crawl as it is now, at most a few seconds old."""
        with self._lock:
            now = time.monotonic()
            if self._snapshot is not None and now - self._looked < self.settings.refresh:
                return self._snapshot
            self._looked = now
            try:
                with opened(self.path) as folder:
                    return self._read(folder)
            except DamagedError as error:
                raise UsageError(str(error)) from error

    def _read(self, folder: CrawlFolder) -> Snapshot:
        if self._index is None:
            self._index = PageIndex(self.settings)
        before, record = self._snapshot, folder.told()
        if before is None or before.length != folder.length or before.record != record:
            self._index.add(folder)
            facts = folder.facts()
            self._snapshot = before = Snapshot(
                folder.length, record, summarise(facts, *folder.notes()), facts,
                estimate_of(folder), standing_of(folder),
            )  # fmt: skip
        return before

    @property
    def learns(self) -> bool:
        """Whether the judge of the crawl learns from what readers say."""
        with opened(self.path) as folder:
            aim = aim_of(folder)
        return aim != Target() and teachable(build_judge(aim)) is not None

    def say(self, number: int, more: bool) -> PageEntry:
        """Tell the crawl that pages like one are wanted, or are not."""
        page = self.index.get(number)
        if page is None:
            raise UsageError("there is no such page")
        if not self.learns:
            raise UsageError("the judge of this crawl does not learn from pages")
        remark(self.path, Remark(page.url, number, more))
        return page


def reasons_of(summary: Summary, statuses: Sequence[str]) -> list[tuple[str, int]]:
    """Return the reasons of some outcomes with their numbers, the most frequent first."""
    return [
        (one.reason or one.status, one.count) for one in summary.outcomes if one.status in statuses
    ]
