"""A ledger in SQLite: it survives a kill, and can be queried with SQL.

Rows are only added.  They are committed in batches; a killed crawl loses at most the current batch,
and never leaves a broken file (write-ahead log).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from foragers.core.population import Census
from foragers.core.types import Addresses
from foragers.errors import DamagedError, UsageError
from foragers.storage.ledger.checking import check_ledger, damaged, upgrade
from foragers.storage.ledger.columns import INSERT, TABLE, VisitRow
from foragers.storage.ledger.population import keep_census
from foragers.storage.ledger.sql import INDEX, PAGES, URLS, Name, SqlLedger

VERSION = 2
SCHEMA = f"{URLS}\n{TABLE}\n{PAGES}"
LONGEST_WAIT = 60.0
"""Seconds to wait for another program that holds the ledger."""


class SqliteLedger(SqlLedger):
    """A crawl's visits in a SQLite file (or `:memory:`)."""

    _connection: sqlite3.Connection

    def __init__(
        self, path: Path | str, addresses: Addresses, *, words: bool = True, batch: int = 1
    ) -> None:
        connection = connect(path)
        try:
            super().__init__(connection, str(path), addresses, words=words, batch=batch)
        except BaseException:
            connection.close()
            raise

    def keep_census(self, census: Census) -> None:
        """Store the records of a population beside the visits."""
        self.commit()
        keep_census(self._connection, census)

    def _write(self, names: Sequence[Name], rows: Sequence[VisitRow]) -> None:
        with self._connection:
            if names:
                self._connection.executemany("INSERT INTO urls VALUES (?, ?)", names)
            self._connection.executemany(INSERT, rows)

    def _make_index(self) -> None:
        with self._connection:
            self._connection.execute(INDEX)


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
