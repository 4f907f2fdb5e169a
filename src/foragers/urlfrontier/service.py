"""The service: the methods of the interface, over gRPC.

With a folder, every message that changes the frontier is logged before it is answered, and a new
start takes the log in again: nothing that was acknowledged is lost.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any

import grpc

from foragers.crawling.learner import CrawlLearner
from foragers.errors import UsageError
from foragers.storage.warc.writer import locked
from foragers.urlfrontier.messages import METHODS, SERVICE, classes
from foragers.urlfrontier.queues import CrawlFrontier, FrontierItem, Metadata, State

OK, SKIPPED = 0, 1
LISTED = 100
"""How many queues or URLs a list has if the client names no number."""
DAY = 86_400
MAX_URL = 16_384
THREADS = 16
LOG = "CREATE TABLE IF NOT EXISTS puts (number INTEGER PRIMARY KEY, item BLOB NOT NULL)"


class FrontierService:
    """Answers the methods of the interface; one at a time, since a strategy learns in order."""

    def __init__(
        self,
        make: Callable[[], CrawlLearner],
        folder: Path | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._make, self._now = make, now
        self._types = classes()
        self._crawls: dict[str, CrawlFrontier] = {}
        self._active = True
        self._lock = Lock()
        self._log: sqlite3.Connection | None = None
        self._folder_lock = -1
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            self._folder_lock = locked(folder)
            self._log = opened(folder)
            for (item,) in self._log.execute("SELECT item FROM puts ORDER BY number"):
                self._put(self._types["URLItem"].FromString(item))

    def close(self) -> None:
        """Close the log."""
        with self._lock:
            if self._log is not None:
                self._log.close()
                self._log = None
                os.close(self._folder_lock)

    def handlers(self) -> grpc.GenericRpcHandler:
        """Return the methods for a server of gRPC."""
        kinds = {
            (False, False): grpc.unary_unary_rpc_method_handler,
            (False, True): grpc.unary_stream_rpc_method_handler,
            (True, True): grpc.stream_stream_rpc_method_handler,
        }
        made = {}
        for name, method in METHODS.items():
            kind = kinds[method.takes_many, method.gives_many]
            made[name] = kind(
                getattr(self, name),
                request_deserializer=self._types[method.takes].FromString,
                response_serializer=self._types[method.gives].SerializeToString,
            )
        handler: grpc.GenericRpcHandler = grpc.method_handlers_generic_handler(SERVICE, made)
        return handler

    def ListNodes(self, _request: Any, _context: Any) -> Any:  # noqa: N802 - the interface's names
        """Return the nodes: this one."""
        return self._types["StringList"](values=["localhost"])

    def ListCrawls(self, _request: Any, _context: Any) -> Any:  # noqa: N802
        """Return the crawls."""
        with self._lock:
            return self._types["StringList"](values=sorted(self._crawls))

    def DeleteCrawl(self, request: Any, _context: Any) -> Any:  # noqa: N802
        """Forget a crawl."""
        with self._lock:
            crawl = self._crawls.pop(request.value, None)
            self._forget(request.value)
            return self._types["Long"](value=crawl.delete() if crawl else 0)

    def ListQueues(self, request: Any, _context: Any) -> Any:  # noqa: N802
        """Return the keys of queues."""
        with self._lock:
            crawl = self._crawls.get(request.crawlID)
            every = list(crawl.queues.values()) if crawl else []
            now = self._now()
            keys = [
                one.key
                for one in every
                if request.include_inactive or (one.is_active and one.blocked_until <= now)
            ]
        part = keys[request.start : request.start + (request.size or LISTED)]
        return self._types["QueueList"](
            values=part, start=request.start, size=len(part), crawlID=request.crawlID
        )

    def GetURLs(self, request: Any, _context: Any) -> Iterator[Any]:  # noqa: N802
        """Send the best URLs that may be requested now."""
        named = request.WhichOneof("item") == "crawlID"
        limits = (request.max_urls_per_queue, request.max_queues, request.key)
        with self._lock:
            names = [request.crawlID] if named else sorted(self._crawls)
            sent = [
                self._info(item, name)
                for name in names
                if self._active and name in self._crawls
                for item in self._crawls[name].take(*limits, request.delay_requestable)
            ]
        yield from sent

    def PutURLs(self, items: Iterator[Any], _context: Any) -> Iterator[Any]:  # noqa: N802
        """Add URLs, or take in what came of them."""
        for item in items:
            with self._lock:
                status = self._logged(item)
            kind = item.WhichOneof("item")
            url = getattr(item, kind).info.url if kind else ""
            yield self._types["AckMessage"](ID=item.ID or url, status=status)

    def PutDiscovered(self, batches: Iterator[Any], _context: Any) -> Iterator[Any]:  # noqa: N802
        """Add the URLs of whole pages."""
        item, found = self._types["URLItem"], self._types["DiscoveredURLItem"]
        for batch in batches:
            with self._lock:
                statuses = [self._logged(item(discovered=found(info=info))) for info in batch.items]
            yield self._types["BatchAck"](ID=batch.ID, statuses=statuses)

    def GetStats(self, request: Any, _context: Any) -> Any:  # noqa: N802
        """Return how many URLs wait and are in progress."""
        with self._lock:
            crawl = self._crawls.get(request.crawlID)
            every = list(crawl.queues.values()) if crawl else []
        chosen = [one for one in every if not request.key or one.key == request.key]
        return self._types["Stats"](
            size=sum(one.waiting for one in chosen),
            inProcess=sum(one.sent for one in chosen),
            counts={
                "completed": sum(one.completed for one in chosen),
                "active_queues": sum(one.is_active for one in chosen),
            },
            numberOfQueues=len(chosen),
            crawlID=request.crawlID,
        )

    def DeleteQueue(self, request: Any, _context: Any) -> Any:  # noqa: N802
        """Forget the URLs of a queue."""
        with self._lock:
            crawl = self._crawls.get(request.crawlID)
            queue = crawl.find(request.key) if crawl else None
            gone = crawl.delete(queue) if crawl is not None and queue is not None else 0
            self._forget(request.crawlID, request.key)
        return self._types["Long"](value=gone)

    def BlockQueueUntil(self, request: Any, _context: Any) -> Any:  # noqa: N802
        """Send no URLs of a queue until a time."""
        with self._lock:
            self._crawl(request.crawlID).queue_of(request.key).blocked_until = float(request.time)
        return self._types["Empty"]()

    def SetActive(self, request: Any, _context: Any) -> Any:  # noqa: N802
        """Stop sending URLs, or go on."""
        self._active = request.state
        return self._types["Empty"]()

    def GetActive(self, _request: Any, _context: Any) -> Any:  # noqa: N802
        """Return whether URLs are sent."""
        return self._types["Boolean"](state=self._active)

    def SetDelay(self, request: Any, _context: Any) -> Any:  # noqa: N802
        """Set the pause of a queue, or of all."""
        with self._lock:
            crawl = self._crawl(request.crawlID)
            if request.key:
                crawl.queue_of(request.key).delay = float(request.delay_requestable)
            else:
                crawl.delay = float(request.delay_requestable)
        return self._types["Empty"]()

    def SetLogLevel(self, _request: Any, _context: Any) -> Any:  # noqa: N802
        """Accept a log level; there is nothing to log."""
        return self._types["Empty"]()

    def SetCrawlLimit(self, request: Any, _context: Any) -> Any:  # noqa: N802
        """Set the largest number of URLs of a queue that are fetched."""
        with self._lock:
            self._crawl(request.crawlID).queue_of(request.key).limit = request.limit
        return self._types["Empty"]()

    def GetURLStatus(self, request: Any, context: Any) -> Any:  # noqa: N802
        """Return what is known of a URL."""
        with self._lock:
            crawl = self._crawls.get(request.crawlID)
            url = crawl.learner.table.find(request.url) if crawl else None
            item = crawl.items.get(url) if crawl is not None and url is not None else None
            if item is not None:
                return self._item(item, request.crawlID)
        return context.abort(grpc.StatusCode.NOT_FOUND, "the URL is not known")

    def ListURLs(self, request: Any, _context: Any) -> Iterator[Any]:  # noqa: N802
        """Send what is known of all URLs."""
        with self._lock:
            found = self._filtered(request)[request.start :][: request.size or LISTED]
            items = [self._item(item, request.crawlID) for item in found]
        yield from items

    def CountURLs(self, request: Any, _context: Any) -> Any:  # noqa: N802
        """Return how many URLs are known."""
        with self._lock:
            return self._types["Long"](value=len(self._filtered(request)))

    def PurgeURLs(self, request: Any, _context: Any) -> Any:  # noqa: N802
        """Forget URLs that are older than some days."""
        with self._lock:
            crawl = self._crawls.get(request.crawlID)
            queue = crawl.find(request.key) if crawl and request.key else None
            if crawl is None or (request.key and queue is None):
                return self._types["Long"](value=0)
            return self._types["Long"](value=crawl.purge(self._now() - request.days * DAY, queue))

    def _crawl(self, name: str) -> CrawlFrontier:
        """Return a crawl, which is made if it is new."""
        if name not in self._crawls:
            self._crawls[name] = CrawlFrontier(self._make(), self._now)
        return self._crawls[name]

    def _logged(self, item: Any) -> int:
        """Take in a message, and log it if it could be used."""
        status = self._put(item)
        if status == OK and self._log is not None:
            self._log.execute("INSERT INTO puts (item) VALUES (?)", (item.SerializeToString(),))
        return status

    def _put(self, item: Any) -> int:
        """Take in a message; return its status."""
        kind = item.WhichOneof("item")
        if kind is None:
            return SKIPPED
        what = getattr(item, kind)
        info = what.info
        if not info.url or len(info.url) > MAX_URL:
            return SKIPPED
        metadata: Metadata = {name: list(more.values) for name, more in info.metadata.items()}
        crawl = self._crawl(info.crawlID)
        if kind == "discovered":
            used = crawl.discover(info.url, info.key, metadata)
        else:
            used = crawl.update(info.url, info.key, metadata, float(what.refetchable_from_date))
        return OK if used else SKIPPED

    def _forget(self, crawl: str, key: str | None = None) -> None:
        """Remove the messages of a crawl, or of one of its queues, from the log."""
        if self._log is None:
            return
        gone = []
        for number, data in self._log.execute("SELECT number, item FROM puts"):
            item = self._types["URLItem"].FromString(data)
            info = getattr(item, item.WhichOneof("item")).info
            if info.crawlID == crawl and key in (None, info.key):
                gone.append((number,))
        self._log.executemany("DELETE FROM puts WHERE number = ?", gone)

    def _filtered(self, request: Any) -> list[FrontierItem]:
        crawl = self._crawls.get(request.crawlID)
        if crawl is None:
            return []
        wanted = request.filter.lower() if request.ignoreCase else request.filter
        return [
            item
            for item in crawl.items.values()
            if (not request.key or crawl.queues[item.queue].key == request.key)
            and wanted in (item.href.lower() if request.ignoreCase else item.href)
        ]

    def _info(self, item: FrontierItem, crawl: str) -> Any:
        values = self._types["StringList"]
        return self._types["URLInfo"](
            url=item.href,
            key=self._crawls[crawl].queues[item.queue].key,
            metadata={name: values(values=list(more)) for name, more in item.metadata.items()},
            crawlID=crawl,
        )

    def _item(self, item: FrontierItem, crawl: str) -> Any:
        """Return a URL as the interface shows it: fetched before, or only discovered."""
        info, made = self._info(item, crawl), {"creation_date": int(item.created)}
        if item.state in (State.COMPLETED, State.DUE_LATER):
            due = int(item.until) if item.state is State.DUE_LATER else 0
            known = self._types["KnownURLItem"](info=info, refetchable_from_date=due)
            return self._types["URLItem"](known=known, **made)
        found = self._types["DiscoveredURLItem"](info=info)
        return self._types["URLItem"](discovered=found, **made)


def opened(folder: Path) -> sqlite3.Connection:
    """Open the log of a folder."""
    file = folder / "frontier.sqlite"
    try:
        log = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
        log.execute("PRAGMA journal_mode = WAL")
        log.execute("PRAGMA synchronous = NORMAL")
        log.execute(LOG)
    except sqlite3.Error as error:
        raise UsageError(f"{file} cannot be opened ({error}); choose another --out") from error
    return log


def serve(service: FrontierService, address: str) -> tuple[grpc.Server, int]:
    """Start a server at an address (HOST:PORT), and return it with its port."""
    # Two servers must not share a port, each with a part of the crawlers.
    server = grpc.server(ThreadPoolExecutor(THREADS), options=[("grpc.so_reuseport", 0)])
    server.add_generic_rpc_handlers((service.handlers(),))
    port = 0
    with suppress(RuntimeError):
        port = server.add_insecure_port(address)
    if not port:
        raise UsageError(f"--listen {address}: cannot listen there; choose another address")
    server.start()
    return server, port
