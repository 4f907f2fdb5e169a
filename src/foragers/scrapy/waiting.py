"""Requests that wait: in memory, or in a file of the job folder.

A file keeps a request until its page was learned from, so that a job that was killed loses
none.  Like Scrapy's own queues, the file holds pickled requests: resume only jobs of your own.
"""

from __future__ import annotations

import pickle
import sqlite3
from collections import Counter, deque
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from scrapy import Request, Spider
from scrapy.utils.request import request_from_dict

from foragers.core.types import UrlId

SCHEMA = """
CREATE TABLE IF NOT EXISTS requests (
    id INTEGER PRIMARY KEY, url TEXT, parent TEXT, slot TEXT, plain INTEGER, data BLOB
);
"""


class StoredRequest(NamedTuple):
    """A request stored in a file; a `plain` one is not ordered by the strategy."""

    row: int
    url: str
    parent: str
    slot: str
    plain: int


class MemoryRequests:
    """Requests in memory."""

    def __init__(self) -> None:
        self._requests: dict[UrlId, deque[Request]] = {}
        self._length = 0

    def add(self, url: UrlId, request: Request) -> None:
        """Add a request."""
        self._requests.setdefault(url, deque()).append(request)
        self._length += 1

    def take(self, url: UrlId) -> Request | None:
        """Remove and return the oldest request for a URL, if one waits."""
        waiting = self._requests.get(url)
        if waiting is None:
            return None
        request = waiting.popleft()
        self._length -= 1
        if not waiting:
            del self._requests[url]
        return request

    def oldest(self) -> UrlId | None:
        """Return the URL that has waited longest."""
        return next(iter(self._requests), None)

    def __contains__(self, url: UrlId) -> bool:
        return url in self._requests

    def __len__(self) -> int:
        return self._length


class JobRequests:
    """Requests in a file; only their numbers are in memory."""

    def __init__(self, file: Path, spider: Spider) -> None:
        self._spider = spider
        self._rows: dict[UrlId, deque[int]] = {}
        self._length = 0
        self._taken: dict[UrlId, list[int]] = {}
        self._file = sqlite3.connect(file, isolation_level=None)
        # A killed process loses nothing; a power failure may lose the last seconds.
        self._file.execute("PRAGMA journal_mode = WAL")
        self._file.execute("PRAGMA synchronous = OFF")
        self._file.executescript(SCHEMA)

    def stored(self) -> Iterator[StoredRequest]:
        """Return the requests in the file."""
        every = self._file.execute("SELECT id, url, parent, slot, plain FROM requests ORDER BY id")
        yield from map(StoredRequest._make, every.fetchall())

    def restore(self, url: UrlId, row: int) -> None:
        """Let a request of the file wait again."""
        self._rows.setdefault(url, deque()).append(row)
        self._length += 1

    def add(self, url: UrlId, request: Request, parent: str, slot: str) -> None:
        """Add a request for a download slot; raise a ValueError if it cannot be stored."""
        self.restore(url, self.keep(request, parent, slot))

    def keep(self, request: Request, parent: str = "", slot: str = "", plain: bool = False) -> int:
        """Write a request to the file, and return its row; a plain one waits in Scrapy's queue."""
        try:
            data = pickle.dumps(request.to_dict(spider=self._spider), pickle.HIGHEST_PROTOCOL)
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            raise ValueError(str(error)) from error
        cursor = self._file.execute(
            "INSERT INTO requests (url, parent, slot, plain, data) VALUES (?, ?, ?, ?, ?)",
            (request.url, parent, slot, plain, data),
        )
        return int(cursor.lastrowid or 0)

    def read(self, row: int) -> Request:
        """Return the request of a row."""
        (data,) = self._file.execute("SELECT data FROM requests WHERE id = ?", (row,)).fetchone()
        return request_from_dict(pickle.loads(data), spider=self._spider)

    def take(self, url: UrlId) -> Request | None:
        """Return the oldest request for a URL, if one waits; it stays in the file until `done`."""
        rows = self._rows.get(url)
        if rows is None:
            return None
        row = rows.popleft()
        self._length -= 1
        if not rows:
            del self._rows[url]
        self.taken(url, row)
        return self.read(row)

    def taken(self, url: UrlId, row: int) -> None:
        """Note that a request was sent; it stays in the file until `done`."""
        self._taken.setdefault(url, []).append(row)

    def drop(self, row: int) -> None:
        """Remove a request."""
        self._file.execute("DELETE FROM requests WHERE id = ?", (row,))

    def done(self, url: UrlId) -> None:
        """Remove the requests for a URL that were taken."""
        for row in self._taken.pop(url, ()):
            self.drop(row)

    def oldest(self) -> UrlId | None:
        """Return the URL that has waited longest."""
        return next(iter(self._rows), None)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __contains__(self, url: UrlId) -> bool:
        return url in self._rows

    def __len__(self) -> int:
        return self._length


def slots_of(counter: Counter[str], active: dict[str, int]) -> set[str]:
    """Return the download slots that have more requests in progress than the least busy one."""
    least = min((active.get(slot, 0) for slot in counter), default=0)
    return {slot for slot in counter if active.get(slot, 0) > least}
