"""The records of a population as tables beside a ledger's visits.

They are written from the strategy's records from time to time.  Existing rows stay, unless the
records of a resumed crawl differ.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from foragers.core.population import NOBODY, Census, Lives, Transfers
from foragers.core.types import NO_PARENT
from foragers.storage.ledger.sql import SqlConnection

SCHEMA = """
CREATE TABLE IF NOT EXISTS lives (
    kind TEXT NOT NULL,           -- an agent signs as kind-agent: visits.agent
    number INTEGER NOT NULL,      -- 1, 2, 3 … in the order in which it happened
    time REAL NOT NULL,
    what TEXT NOT NULL,           -- birth or death
    agent INTEGER NOT NULL,
    parent INTEGER,               -- of whom it was born; NULL for the first, and for deaths
    population INTEGER NOT NULL,  -- how many of the kind lived after that
    PRIMARY KEY (kind, number)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS energy (
    kind TEXT NOT NULL,
    number INTEGER NOT NULL,
    time REAL NOT NULL,
    what TEXT NOT NULL,           -- endow, give, leave, take, share, pay or bury
    agent INTEGER,                -- who got it, or lost it
    parent INTEGER,               -- who shared it
    document INTEGER,             -- where it came from, or lies: urls.id
    amount REAL NOT NULL,
    PRIMARY KEY (kind, number)
) WITHOUT ROWID;
"""
LAST = {
    table: f"SELECT * FROM {table} WHERE kind = ? ORDER BY number DESC LIMIT 1"
    for table in ("lives", "energy")
}
INSERT = {
    "lives": "INSERT INTO lives VALUES (?, ?, ?, ?, ?, ?, ?)",
    "energy": "INSERT INTO energy VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
}

Row = tuple[str | int | float | None, ...]


def keep_census(connection: sqlite3.Connection, census: Census) -> None:
    """Add new records of a population to the tables of a ledger in SQLite."""
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'lives'").fetchone():
        connection.executescript(f"BEGIN; {SCHEMA} COMMIT;")
    with connection:
        add_census(connection, census)


def add_census(connection: SqlConnection, census: Census) -> None:
    """Add new records of a population to tables that exist."""
    for kind, lives in census.lives.items():
        add(connection, "lives", kind, len(lives), life_rows(kind, lives))
    for kind, transfers in census.transfers.items():
        add(connection, "energy", kind, len(transfers), energy_rows(kind, transfers))


def add(
    connection: SqlConnection, table: str, kind: str, many: int, row: Callable[[int], Row]
) -> None:
    """Add the rows, numbered from 1, that a table lacks; replace all if they differ."""
    last = connection.execute(LAST[table], (kind,)).fetchone()
    written = 0 if last is None else int(last[1])
    if written > many or (written and last != row(written)):
        connection.execute(f"DELETE FROM {table} WHERE kind = ?", (kind,))
        written = 0
    for number in range(written + 1, many + 1):
        connection.execute(INSERT[table], row(number))


def life_rows(kind: str, lives: Lives) -> Callable[[int], Row]:
    """Return a function from the number of a birth or death to its row."""

    def row(number: int) -> Row:
        event = lives[number - 1]
        parent = None if event.parent == NOBODY else event.parent
        return kind, number, event.time, event.what, event.member, parent, event.population

    return row


def energy_rows(kind: str, transfers: Transfers) -> Callable[[int], Row]:
    """Return a function from the number of a transfer to its row."""

    def row(number: int) -> Row:
        moved = transfers[number - 1]
        agent = None if moved.agent == NOBODY else moved.agent
        parent = None if moved.parent == NOBODY else moved.parent
        document = None if moved.document == NO_PARENT else moved.document
        return kind, number, moved.time, moved.what, agent, parent, document, moved.amount

    return row
