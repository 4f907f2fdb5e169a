"""Is a file a ledger?  It may be damaged, or be made by somebody who means harm.

What is checked here need not be checked by those who read: that tables are tables with the
columns of a ledger, and that every value is of the type and size that it should be.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from foragers.errors import DamagedError
from foragers.storage.ledger.columns import COLUMNS, TEXT

URLS = ("id", "href")
MOST_BYTES = 1 << 28
"""How many bytes one value may have."""
SOUND = " AND ".join(column.sound.format(name) for name, column in COLUMNS.items())
SOUND_URL = " AND ".join((
    "typeof(id) = 'integer' AND id BETWEEN 0 AND 2147483647",
    TEXT.format(most=1_000_000).format("href"),
))  # fmt: skip


def check_ledger(connection: sqlite3.Connection) -> None:
    """Raise a DamagedError, or an error of SQLite, if a file is no ledger that can be read."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_BYTES)
    connection.execute("PRAGMA trusted_schema = OFF")
    for name, columns in (("urls", URLS), ("visits", tuple(COLUMNS))):
        check_table(connection, name, columns)
    for table, key, sound in (("visits", "number", SOUND), ("urls", "id", SOUND_URL)):
        found = connection.execute(f"SELECT {key} FROM {table} WHERE NOT ({sound}) LIMIT 1")
        if (row := found.fetchone()) is not None:
            raise DamagedError(f"row {row[0]} of {table} holds what it should not")


def check_table(connection: sqlite3.Connection, name: str, columns: tuple[str, ...]) -> None:
    """Refuse what is no plain table, since a view can be made to take for ever."""
    query = "SELECT type, sql FROM sqlite_master WHERE name = ?"
    kind, made = connection.execute(query, (name,)).fetchone() or ("", "")
    # The last column of a row tells whether a column is computed.
    found = connection.execute(f"PRAGMA table_xinfo({name})").fetchall()
    names = tuple(row[1] for row in found if not row[-1])
    virtual = str(made).upper().split()[:2] == ["CREATE", "VIRTUAL"]
    if kind != "table" or virtual or names != columns or len(found) != len(columns):
        raise DamagedError(f"it has no table {name} as ledgers have")
    triggers = "SELECT 1 FROM sqlite_master WHERE type = 'trigger' LIMIT 1"
    if connection.execute(triggers).fetchone():
        raise DamagedError("it has triggers, which no ledger has")


def damaged(path: Path | str, error: Exception) -> str:
    """Return what to tell the user of a ledger that cannot be used."""
    return f"{path} cannot be read: it is damaged ({error}); use a copy of it, or crawl anew"
