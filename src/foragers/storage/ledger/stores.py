"""Where the ledger of a crawl is: in a file of its folder, or in a database."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

from foragers.core.types import Addresses
from foragers.storage.ledger.checking import check_visits
from foragers.storage.ledger.crawl_ledger import CrawlLedger
from foragers.storage.ledger.postgres import Database, PostgresLedger, connect
from foragers.storage.ledger.sqlite import SqliteLedger

LEDGER_FILE = "ledger.sqlite"
RECEIVED = "SELECT 1 FROM visits WHERE status NOT IN ('skipped', 'failed') LIMIT 1"
COUNT = "SELECT coalesce(max(number), 0) FROM visits"


class LedgerStore(Protocol):
    """A place for one ledger."""

    def visits(self) -> int:
        """Return the number of visits, 0 if there is no readable ledger."""
        ...

    def has_received(self) -> bool:
        """Return whether a server has responded: not every visit was skipped, or failed."""
        ...

    def told(self) -> str:
        """Return the options of the crawl, as JSON, if they are stored here."""
        ...

    def tell(self, options: str) -> None:
        """Store the options of the crawl, if this is a place that others look at."""
        ...

    def clear(self) -> None:
        """Remove all visits."""
        ...

    def ledger(self, addresses: Addresses) -> CrawlLedger:
        """Open the ledger, which is created if it does not exist."""
        ...

    def close(self) -> None:
        """Release the place."""
        ...


@dataclass(frozen=True)
class FolderStore:
    """A ledger in the folder of its crawl."""

    folder: Path

    def visits(self) -> int:
        """Return the number of visits, 0 if there is no readable ledger."""
        return int(self._first(COUNT) or 0)

    def has_received(self) -> bool:
        """Return whether a server has responded."""
        return self._first(f"SELECT count(*) FROM ({RECEIVED})") != 0

    def told(self) -> str:
        """Return nothing: the folder has the options in a file."""
        return ""

    def tell(self, options: str) -> None:
        """Store nothing: the folder has the options in a file."""

    def clear(self) -> None:
        """Remove all visits."""
        for file in self.folder.glob(f"{LEDGER_FILE}*"):
            file.unlink()

    def ledger(self, addresses: Addresses) -> CrawlLedger:
        """Open the ledger."""
        return SqliteLedger(self.folder / LEDGER_FILE, addresses)

    def close(self) -> None:
        """Do nothing: the ledger closes its file."""

    def _first(self, query: str) -> int | None:
        """Return the first number of a result, None if the query fails."""
        name = f"file:{quote(str(self.folder))}/{LEDGER_FILE}?mode=ro"
        try:
            with closing(sqlite3.connect(name, uri=True)) as ledger:
                check_visits(ledger)
                return int(ledger.execute(query).fetchone()[0])
        except (sqlite3.Error, ValueError):
            return None


@dataclass(frozen=True)
class DatabaseStore:
    """A ledger in PostgreSQL."""

    database: Database

    def visits(self) -> int:
        """Return the number of visits."""
        return int(self.database.execute(COUNT).fetchone()[0])

    def has_received(self) -> bool:
        """Return whether a server has responded."""
        return self.database.execute(RECEIVED).fetchone() is not None

    def told(self) -> str:
        """Return the options of the crawl, as JSON, or "" before it has begun."""
        return str(self.database.execute("SELECT options FROM crawl").fetchone()[0])

    def tell(self, options: str) -> None:
        """Store the options of the crawl."""
        self.database.execute("UPDATE crawl SET options = ?", (options,))

    def clear(self) -> None:
        """Remove all visits."""
        self.database.execute("TRUNCATE visits, urls")

    def ledger(self, addresses: Addresses) -> CrawlLedger:
        """Open the ledger."""
        return PostgresLedger(self.database, addresses)

    def close(self) -> None:
        """Close the connection, which gives up the lock."""
        self.database.close()


def open_store(folder: Path, place: str = "", *, standby: bool = False) -> LedgerStore:
    """Return where a crawl writes its ledger: in a folder, or in the database at a URL.

    A database is locked.  A `standby` waits for the end of the crawl that holds the lock.
    """
    if not place:
        return FolderStore(folder)
    database = connect(place)
    try:
        database.lock(wait=standby)
        database.prepare()
    except BaseException:
        database.close()
        raise
    return DatabaseStore(database)
