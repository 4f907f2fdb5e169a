"""A crawl's folder, opened for reading only; the crawl may be running.

Rows are only ever added to a ledger, so reading it in several steps up to a fixed row is
consistent, and no step blocks the crawl for long.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from sys import intern
from typing import Any
from urllib.parse import quote

import msgspec

from foragers.core.display import host_name
from foragers.core.files import read
from foragers.core.options import Target
from foragers.errors import DamagedError, UsageError
from foragers.evaluation.metrics.summary import Summary, summarise
from foragers.storage.ledger.checking import Checked, check_ledger, damaged, show_added
from foragers.storage.ledger.columns import FACT_COLUMNS, Facts
from foragers.storage.ledger.postgres import Database, check_tables, is_database
from foragers.storage.ledger.postgres import connect as reach
from foragers.storage.ledger.sql import SqlConnection
from foragers.storage.ledger.sqlite import VERSION
from foragers.storage.ledger.stores import LEDGER_FILE

LEDGER, OPTIONS, ARCHIVE = LEDGER_FILE, "crawl.json", "warc"
LENGTH = "SELECT coalesce(max(number), 0) FROM visits"
OWN = (LEDGER, OPTIONS, "checkpoint", "addresses", "agents.npz", "foragers.json")
"""Prefixes of the names of a crawl's own files."""
STEP = 20_000
FACTS = f"""
SELECT number, {", ".join(FACT_COLUMNS)} FROM visits
WHERE number > ? AND number <= ? ORDER BY number LIMIT ?
"""
NOTES = """
SELECT number, host, reason FROM visits WHERE number > ? AND number <= ? ORDER BY number LIMIT ?
"""
HOSTS = """
SELECT first.host, urls.href
FROM (SELECT host, min(url) AS url FROM visits WHERE number <= ? GROUP BY host) AS first
LEFT JOIN urls ON urls.id = first.url
"""


@dataclass(frozen=True)
class CrawlRecord:
    """The known options of a crawl, and why it stopped."""

    seeds: tuple[str, ...] = ()
    topic: str = ""
    strategy: str = ""
    budget: int | None = None
    stopped: str | None = None


@dataclass(frozen=True)
class CrawlFolder:
    """The ledger of a folder up to its last row at the time it was opened."""

    path: Path
    connection: SqlConnection
    length: int

    def told(self) -> CrawlRecord:
        """Return the options of the crawl; a missing or damaged file gives none."""
        try:
            options = msgspec.json.decode(read(self.path / OPTIONS), type=dict[str, Any])
        except (OSError, ValueError, RecursionError):
            return CrawlRecord()
        seeds, budget, stopped = (options.get(key) for key in ("seeds", "budget", "stopped"))
        return CrawlRecord(
            seeds=tuple(map(str, seeds)) if isinstance(seeds, list) else (),
            topic=aim_in(options),
            strategy=str(options.get("strategy") or ""),
            budget=budget if isinstance(budget, int) else None,
            stopped=None if stopped is None else str(stopped),
        )

    def rows(self, query: str, step: int = STEP) -> Iterator[Any]:
        """Yield the rows of a query that takes a first and a last number and a limit.

        The query selects the `number` of a visit, among others, and sorts by it.
        """
        last = 0
        while found := self.connection.execute(query, (last, self.length, step)).fetchall():
            yield from found
            last = found[-1]["number"]

    def facts(self) -> Facts:
        """Return all visits as columns."""
        parts, rows = [Facts.from_rows([])], []
        for _, *row in self.rows(FACTS):
            rows.append(row)
            if len(rows) == STEP:
                parts.append(Facts.from_rows(rows))
                rows = []
        parts.append(Facts.from_rows(rows))
        return Facts.joined(parts)

    def notes(self) -> tuple[list[str], list[str]]:
        """Return the host and the reason of each visit."""
        named = self.connection.execute(HOSTS, (self.length,))
        names = {host: host_name(href or "") or f"host {host}" for host, href in named}
        hosts, reasons = [], []
        for _, host, reason in self.rows(NOTES):
            hosts.append(names[host])
            reasons.append(intern(reason))
        return hosts, reasons

    def summary(self) -> Summary:
        """Return the summary of the crawl so far."""
        return summarise(self.facts(), *self.notes())


@contextmanager
def opened(path: Path, known: Checked | None = None) -> Iterator[CrawlFolder]:
    """Open a crawl's folder; a UsageError says what is wrong with it.

    Rows of the ledger that are known to be sound are not checked again.
    """
    ledger = path if path.suffix == ".sqlite" and path.is_file() else path / LEDGER
    if place := database_of(path):
        with in_database(place) as there:
            yield CrawlFolder(path, there, there.execute(LENGTH).fetchone()[0])
        return
    if not ledger.is_file():
        what = f"has no {LEDGER}" if path.is_dir() else "is not a folder"
        raise UsageError(f"{path} {what}; give the --out folder of a crawl")
    connection = None
    try:
        connection = connect(ledger)
        if connection.execute("SELECT 1 FROM sqlite_master").fetchone() is None:
            raise UsageError(
                f"{ledger} cannot be read: it has no visits yet; wait for the crawl to begin"
            )
        check_ledger(connection, known)
        show_added(connection)
        yield CrawlFolder(path, connection, connection.execute(LENGTH).fetchone()[0])
    except (DamagedError, UnicodeDecodeError) as error:
        raise UsageError(damaged(ledger, error)) from error
    except sqlite3.Error as error:
        raise UsageError(f"{ledger} cannot be read ({error}); is it a ledger?") from error
    finally:
        if connection:
            connection.close()


def database_of(path: Path) -> str:
    """Return the URL of the database that a crawl's folder names, or ""."""
    try:
        named = msgspec.json.decode(read(path / OPTIONS), type=dict[str, Any]).get("ledger")
    except (OSError, ValueError, RecursionError):
        return ""
    return named if isinstance(named, str) and is_database(named) else ""


@contextmanager
def in_database(place: str) -> Iterator[Database]:
    """Open the ledger in a database for reading."""
    with closing(reach(place)) as database:
        database.execute("SET default_transaction_read_only = on")
        check_tables(database)
        yield database


def connect(ledger: Path) -> sqlite3.Connection:
    """Open a ledger for reading, and refuse one that we do not understand."""
    address = f"file:{quote(str(ledger.absolute()))}?mode=ro"
    try:
        connection, version = database(address)
    except sqlite3.OperationalError:
        if ledger.with_name(f"{ledger.name}-wal").exists():
            raise
        # In a read-only folder no other process writes the ledger either.
        connection, version = database(f"{address}&immutable=1")
    if version > VERSION:
        connection.close()
        raise UsageError(f"{ledger} was written by a newer foragers; upgrade to read it")
    return connection


def check_out(folder: Path, out: Path) -> None:
    """Refuse to overwrite a crawl's own files, or to write through a symbolic link among them."""
    place, inside = out.resolve(), folder.resolve()
    own = place.parent == inside and place.name.startswith(OWN)
    if own or place.is_relative_to(inside / ARCHIVE):
        raise UsageError(f"--out {out} is part of the crawl; choose another file")
    # Not resolved, since links on the way are what is checked.
    named, base = (Path(os.path.normpath(Path.cwd() / path)) for path in (out, folder))
    steps = [step for step in (named, *named.parents) if base in step.parents]
    beside = [out] if out.parent.resolve().is_relative_to(inside) else []
    for step in (*steps, *beside):
        if step.is_symlink():
            raise UsageError(
                f"{step} is a link in the folder of a crawl and may lead anywhere;"
                " remove it, or name another file with --out"
            )


def database(address: str) -> tuple[sqlite3.Connection, int]:
    """Open a database, and return it with its version; close it if it is not one."""
    connection = sqlite3.connect(address, uri=True, timeout=30)
    connection.row_factory = sqlite3.Row
    try:
        return connection, connection.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.Error:
        connection.close()
        raise


def aim_in(options: dict[str, Any]) -> str:
    """Return the target of a crawl as text."""
    aim = options.get("aim") or options.get("topic")
    if isinstance(aim, dict):
        known = {field.name for field in fields(Target)}
        return str(Target(**{name: value for name, value in aim.items() if name in known}))
    return str(aim or "")
