"""A thread in which a node speaks with the database.

So a database that hangs holds up no download, and a lease that runs out is noticed in time.  The
thread tells reports, and looks for orders when the crawl calls, or after a while without a call.
"""

from __future__ import annotations

import select
import socket
from collections.abc import Callable
from contextlib import suppress
from math import ceil
from queue import Empty, SimpleQueue
from threading import Thread
from typing import NamedTuple, TypeVar

from foragers.core.clock import steady
from foragers.errors import DatabaseError, UsageError
from foragers.fetching.remote.tables import News, NodeTables, Report, StaleError
from foragers.fetching.settings import ClusterSettings

NOTHING = Report()
Kind = TypeVar("Kind")


class Reply(NamedTuple):
    """What came of a report: the news, or none if the database could not be reached."""

    report: Report
    news: News | None = None
    is_stale: bool = False


class DatabaseTalk:
    """Speaks with the database for one node; `connect` makes a new connection."""

    def __init__(
        self,
        connect: Callable[[], NodeTables],
        number: int,
        capacity: int,
        settings: ClusterSettings,
    ) -> None:
        self._connect = connect
        self._number = number
        self._capacity = capacity
        self._settings = settings
        self._said: SimpleQueue[Report] = SimpleQueue()
        self._heard: SimpleQueue[Reply] = SimpleQueue()
        self._bell, self._rope = socket.socketpair()
        self._wake, self._alarm = socket.socketpair()
        for end in (self._bell, self._rope, self._wake, self._alarm):
            end.setblocking(False)
        self._tables: NodeTables | None = None
        self._last_order = 0
        self._look_at = 0.0
        self._ends = self._leaves = False
        self._thread = Thread(target=self._run, daemon=True)

    @property
    def descriptor(self) -> int:
        """What can be read from when something was heard."""
        return self._bell.fileno()

    def start(self) -> None:
        """Begin to listen to the crawl."""
        self._thread.start()

    def say(self, report: Report) -> None:
        """Let a report be told."""
        self._said.put(report)
        _ring(self._alarm)

    def heard(self) -> list[Reply]:
        """Return what was heard since the last time."""
        _silence(self._bell)
        return _taken(self._heard)

    def end(self, *, leave: bool) -> None:
        """End it; a node that is to leave first tells its last reports, for which this waits."""
        self._leaves, self._ends = leave, True
        _ring(self._alarm)
        if leave and self._thread.is_alive():
            self._thread.join()
        self._bell.close()
        self._alarm.close()

    def _run(self) -> None:
        while not self._ends:
            self._tell(self._next())
        with suppress(DatabaseError, UsageError):
            if self._leaves:
                for report in _taken(self._said):
                    self._tell(report)
                self._connected().leave(self._number)
        self._disconnect()
        self._wake.close()
        self._rope.close()

    def _next(self) -> Report:
        """Wait for a report or a call, or until it is time to look; return what is to be told."""
        if self._said.empty():
            waiting = select.poll()
            waiting.register(self._wake, select.POLLIN)
            if self._tables is not None:
                waiting.register(self._tables.database.descriptor, select.POLLIN)
            waiting.poll(ceil(1000 * max(0.0, self._look_at - steady())))
        _silence(self._wake)
        try:
            return self._said.get_nowait()
        except Empty:
            return NOTHING

    def _tell(self, report: Report) -> None:
        """Tell a report, over a new connection if the old one has broken, and hear the news."""
        try:
            tables = self._connected()
            looks = tables.database.was_called() or steady() >= self._look_at
            last = self._last_order if looks else None
            news = tables.exchange(self._number, self._capacity, last, report)
            # A call may have come with a result, and there may be more orders than were read.
            again = tables.database.was_called() or len(news.orders) >= self._settings.orders
        except StaleError:
            self._hear(Reply(report, is_stale=True))
            return
        except (DatabaseError, UsageError):
            self._disconnect()
            self._look_at = steady() + self._settings.reconnect
            if report is not NOTHING:
                self._hear(Reply(report))
            return
        if looks or again:
            self._look_at = 0.0 if again else steady() + self._settings.look
        if news.orders:
            self._last_order = news.orders[-1][0]
        if report is not NOTHING or news.orders:
            self._hear(Reply(report, news))

    def _hear(self, heard: Reply) -> None:
        self._heard.put(heard)
        _ring(self._rope)

    def _connected(self) -> NodeTables:
        if self._tables is None:
            tables = self._connect()
            tables.open(self._number)
            self._tables = tables
        return self._tables

    def _disconnect(self) -> None:
        if self._tables is not None:
            self._tables.database.close()
            self._tables = None


def _ring(end: socket.socket) -> None:
    """Let the other end of a socket be readable; it may be so already."""
    with suppress(OSError):
        end.send(b"!")


def _silence(end: socket.socket) -> None:
    """Read what rang."""
    with suppress(OSError):
        end.recv(4096)


def _taken(queue: SimpleQueue[Kind]) -> list[Kind]:
    """Take everything out of a queue."""
    found = []
    with suppress(Empty):
        while True:
            found.append(queue.get_nowait())
    return found
