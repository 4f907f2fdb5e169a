"""Is a file a ledger?  It may be damaged, or be made by somebody who means harm.

What is checked here need not be checked by those who read: that tables are tables with the
columns of a ledger, and that every value is of the type and size that it should be.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from foragers.core.types import Status
from foragers.errors import DamagedError

URLS = ("id", "href")
VISITS = (
    *("number", "url", "final", "host", "status", "reason", "time", "born", "version"),
    *("promise", "agent", "parent", "depth", "relevance", "relevant", "title", "language"),
    *("published", "record", "words"),
)
MOST_BYTES = 1 << 28
"""How many bytes one value may have."""
IDS = "typeof({0}) = 'integer' AND {0} BETWEEN {1} AND 2147483647"
NUMBER = "typeof({0}) IN ('real', 'integer') AND abs({0}) < 1e300"
MOMENT = "typeof({0}) IN ('real', 'integer') AND abs({0}) < 6e10"
TEXT = "typeof({0}) = 'text' AND length({0}) <= {1}"
STATUSES = ", ".join(f"'{status.value}'" for status in Status)
SOUND = " AND ".join(
    (
        IDS.format("url", -1),
        IDS.format("final", -1),
        IDS.format("host", -1),
        IDS.format("parent", -1),
        IDS.format("depth", -1),
        IDS.format("number", 1),
        f"status IN ({STATUSES})",
        TEXT.format("reason", 100_000),
        MOMENT.format("time"),
        MOMENT.format("born"),
        "typeof(version) = 'integer'",
        "typeof(promise) IN ('real', 'integer')",
        TEXT.format("agent", 1000),
        NUMBER.format("relevance"),
        "typeof(relevant) = 'integer'",
        TEXT.format("title", 1_000_000),
        TEXT.format("language", 1000),
        f"(published IS NULL OR {NUMBER.format('published')})",
        TEXT.format("record", 10_000),
        "typeof(words) IN ('null', 'blob')",
    )
)
SOUND_URL = f"{IDS.format('id', 0)} AND {TEXT.format('href', 1_000_000)}"


def check_ledger(connection: sqlite3.Connection) -> None:
    """Raise a DamagedError, or an error of SQLite, if a file is no ledger that can be read."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_BYTES)
    connection.execute("PRAGMA trusted_schema = OFF")
    for name, columns in (("urls", URLS), ("visits", VISITS)):
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
