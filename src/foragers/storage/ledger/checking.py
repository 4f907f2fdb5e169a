"""Checks that a file is a ledger; it may be damaged or malicious.

Readers rely on these checks: that tables are tables with the columns of a ledger, and that every
value has the right type and size.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from foragers.errors import DamagedError
from foragers.storage.ledger.columns import ADDED, COLUMNS, FIRST_COLUMNS, TEXT

URLS = ("id", "href")
MOST_BYTES = 1 << 28
"""The largest size of a value in bytes."""
SOUND_URL = " AND ".join((
    "typeof(id) = 'integer' AND id BETWEEN 0 AND 2147483647",
    TEXT.format(most=1_000_000).format("href"),
))  # fmt: skip


@dataclass
class Checked:
    """How far a ledger was checked: the last visit, and the last URL."""

    visits: int = 0
    urls: int = -1


def check_ledger(connection: sqlite3.Connection, known: Checked | None = None) -> None:
    """Raise a DamagedError, or an error of SQLite, if a file is no readable ledger.

    Rows that are known to be sound are not checked again; rows are only ever added.
    """
    known = known or Checked()
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_BYTES)
    connection.execute("PRAGMA trusted_schema = OFF")
    check_table(connection, "urls", URLS)
    columns = check_visits(connection)
    sound_visit = " AND ".join(COLUMNS[name].sound.format(name) for name in columns)
    tables = (
        ("visits", "number", sound_visit, known.visits),
        ("urls", "id", SOUND_URL, known.urls),
    )
    last = []
    for table, key, sound, before in tables:
        # A key that is no number comes after all numbers.
        (most,) = connection.execute(f"SELECT max({key}) FROM {table}").fetchone()
        fresh = f"{key} > {before:d} AND" if before > 0 else ""
        query = f"SELECT {key} FROM {table} WHERE {fresh} NOT ({sound}) LIMIT 1"
        for (number,) in connection.execute(query):
            raise DamagedError(f"row {number} of {table} holds what it should not")
        last.append(before if most is None else int(most))
    known.visits, known.urls = last


def check_visits(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Raise a DamagedError for a bad table of visits, and return its columns."""
    return check_table(connection, "visits", tuple(COLUMNS), FIRST_COLUMNS)


def check_table(
    connection: sqlite3.Connection, name: str, *allowed: tuple[str, ...]
) -> tuple[str, ...]:
    """Raise a DamagedError for anything but a plain table, since a view may never end.

    `allowed` are the columns that the table may have; those that it has are returned.
    """
    query = "SELECT type, sql FROM sqlite_master WHERE name = ?"
    kind, made = connection.execute(query, (name,)).fetchone() or ("", "")
    # Not as a table-valued function, which a table of the same name in the file would replace.
    columns = connection.execute(f"PRAGMA table_xinfo({name})").fetchall()
    names = tuple(column for _, column, *_, computed in columns if not computed)
    virtual = str(made).upper().split()[:2] == ["CREATE", "VIRTUAL"]
    if kind != "table" or virtual or names not in allowed or len(columns) != len(names):
        raise DamagedError(f"it has no table {name} as ledgers have")
    triggers = "SELECT 1 FROM sqlite_master WHERE type = 'trigger' LIMIT 1"
    if connection.execute(triggers).fetchone():
        raise DamagedError("it has triggers, which no ledger has")
    return names


def upgrade(connection: sqlite3.Connection, version: int) -> None:
    """Add the columns that a ledger of an earlier version does not have."""
    if check_visits(connection) == tuple(COLUMNS):
        return
    added = ((name, COLUMNS[name].declared, made) for name, made in ADDED.items())
    statements = (
        f"ALTER TABLE visits ADD COLUMN {name} {declared}; UPDATE visits SET {name} = {made};"
        for name, declared, made in added
    )
    connection.executescript(
        f"BEGIN IMMEDIATE; {' '.join(statements)} PRAGMA user_version = {version}; COMMIT;"
    )


def show_added(connection: sqlite3.Connection) -> None:
    """Show an older ledger that is only read with all columns."""
    if check_visits(connection) != tuple(COLUMNS):
        made = ", ".join(f"{made} AS {name}" for name, made in ADDED.items())
        connection.execute(f"CREATE TEMP VIEW visits AS SELECT *, {made} FROM main.visits")


def damaged(path: Path | str, error: Exception) -> str:
    """Return the error for a ledger that cannot be used."""
    return f"{path} cannot be read: it is damaged ({error}); use a copy of it, or crawl anew"
