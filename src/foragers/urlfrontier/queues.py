"""The URLs of one crawl, in the order of a strategy and within the limits of their queues.

The life of a URL: it waits; it is sent, and locked for some seconds; it is completed, or waits
again when it is due, or when its lock has run out.  A queue is mostly a host.  It may be blocked,
have a delay between two requests, and have a limit of completed URLs.

The strategy learns from what the crawler says of a URL that it has processed: the metadata
`relevance` (a number from 0 to 1), or `title` and `text` if there is a topic; `fetch.statusCode`;
and the URLs discovered on that page, which name it in their metadata (`parent`, or the last value
of `url.path`) with the text of the link (`anchor`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from heapq import heappop, heappush
from urllib.parse import urlsplit

from foragers.core.types import Document, HostId, Link, ParsedLink, Status, UrlId, status_of
from foragers.crawling.learner import CrawlLearner, ReceivedPage

Metadata = Mapping[str, Sequence[str]]
LOCKED = 30.0
"""Seconds for which a URL that was sent is locked if the client names none."""
MAX_VAIN = 1000
"""Choices that are not waiting after which the order of discovery is used."""


class State(StrEnum):
    """What a URL does."""

    WAITING = "waiting"
    SENT = "sent"
    DUE_LATER = "due later"
    COMPLETED = "completed"


@dataclass(slots=True)
class FrontierItem:
    """A URL of a crawl."""

    url: UrlId
    href: str
    queue: HostId
    metadata: Metadata
    created: float
    state: State = State.WAITING
    until: float = 0.0


@dataclass(slots=True)
class FrontierQueue:
    """The state of a queue."""

    key: str
    waiting: int = 0
    sent: int = 0
    completed: int = 0
    blocked_until: float = 0.0
    delay: float | None = None
    limit: int = 0
    last_sent: float = float("-inf")

    @property
    def is_active(self) -> bool:
        """Whether it has URLs that are not completed."""
        return self.waiting + self.sent > 0


@dataclass
class CrawlFrontier:
    """The queues of one crawl; `now` returns the time in seconds since 1970."""

    learner: CrawlLearner
    now: Callable[[], float]
    delay: float = 0.0
    items: dict[UrlId, FrontierItem] = field(default_factory=dict)
    queues: dict[HostId, FrontierQueue] = field(default_factory=dict)
    _later: list[tuple[float, UrlId]] = field(default_factory=list)
    _again: dict[UrlId, None] = field(default_factory=dict)
    _children: dict[UrlId, list[ParsedLink]] = field(default_factory=dict)
    _new: list[tuple[UrlId, HostId]] = field(default_factory=list)

    def discover(self, href: str, key: str, metadata: Metadata) -> bool:
        """Add a URL unless it is known; return whether it can be used."""
        url = self.learner.number(href)
        if url is None:
            return False
        if url in self.items:
            return True
        queue = self.learner.table.host_id(key or host_of(href))
        self._queue(queue, key or host_of(href)).waiting += 1
        self.items[url] = FrontierItem(url, href, queue, metadata, self.now())
        parent = self._parent(metadata)
        if parent is None:
            self._new.append((url, queue))
        else:
            self._children.setdefault(parent, []).append(
                ParsedLink(href, first(metadata, "anchor"))
            )
        return True

    def update(self, href: str, key: str, metadata: Metadata, due: float) -> bool:
        """Take in what came of a URL; return whether it can be used."""
        if not self.discover(href, key, metadata):
            return False
        url = self.learner.number(href)
        assert url is not None
        item = self.items[url]
        item.metadata = metadata
        self._move(item, State.DUE_LATER if due > 0 else State.COMPLETED)
        if due > 0:
            item.until = due
            heappush(self._later, (due, url))
        self._learn(item)
        return True

    def take(
        self, per_queue: int = 0, queues: int = 0, key: str = "", locked: float = 0.0
    ) -> Iterator[FrontierItem]:
        """Give the best URLs that may be requested now, and lock them."""
        self._wake()
        self._offer()
        given: dict[HostId, int] = {}
        while (item := self._next(self._closed(given, per_queue, queues, key))) is not None:
            self._move(item, State.SENT)
            item.until = self.now() + (locked or LOCKED)
            heappush(self._later, (item.until, item.url))
            given[item.queue] = given.get(item.queue, 0) + 1
            self.queues[item.queue].last_sent = self.now()
            yield item

    def delete(self, queue: HostId | None = None) -> int:
        """Forget the URLs of a queue, or all; return their number."""
        gone = [item.url for item in self.items.values() if queue in (None, item.queue)]
        for url in gone:
            del self.items[url]
            self._again.pop(url, None)
        if queue is None:
            self.queues.clear()
        else:
            self.queues.pop(queue, None)
        return len(gone)

    def purge(self, before: float, queue: HostId | None = None) -> int:
        """Forget the URLs that were created before a time; return their number."""
        old = [
            item
            for item in self.items.values()
            if item.created < before and queue in (None, item.queue)
        ]
        for item in old:
            self._count(item, -1)
            del self.items[item.url]
            self._again.pop(item.url, None)
        return len(old)

    def find(self, key: str) -> HostId | None:
        """Return the queue of a key, if there is one."""
        return next((number for number, one in self.queues.items() if one.key == key), None)

    def queue_of(self, key: str) -> FrontierQueue:
        """Return the queue of a key, which is made if it is new."""
        return self._queue(self.learner.table.host_id(key), key)

    def _queue(self, number: HostId, key: str) -> FrontierQueue:
        return self.queues.setdefault(number, FrontierQueue(key))

    def _closed(
        self, given: Mapping[HostId, int], per_queue: int, queues: int, key: str
    ) -> frozenset[HostId]:
        """Return the queues that must not be asked."""
        now, full = self.now(), 0 < queues <= len(given)
        return frozenset(
            number
            for number, one in self.queues.items()
            if (key and one.key != key)
            or one.blocked_until > now
            or (one.limit and one.completed + one.sent >= one.limit)
            or (0 < per_queue <= given.get(number, 0))
            or (number not in given and (full or self._rests(one, now)))
        )

    def _rests(self, queue: FrontierQueue, now: float) -> bool:
        """Return whether the delay of a queue has not passed yet."""
        delay = self.delay if queue.delay is None else queue.delay
        return delay > 0 and now < queue.last_sent + delay

    def _next(self, closed: frozenset[HostId]) -> FrontierItem | None:
        """Return the next URL: one that waits again, else the choice of the strategy."""
        for url in self._again:
            if self.items[url].queue not in closed:
                del self._again[url]
                return self.items[url]
        for _ in range(MAX_VAIN):
            choice = self.learner.choose(closed)
            if choice is None:
                break
            item = self.items.get(choice.url)
            if item is not None and item.state is State.WAITING:
                return item
        if len(closed) == len(self.queues) or not any(one.waiting for one in self.queues.values()):
            return None
        # A strategy may wait for pages, or have dropped some: then the order of discovery decides.
        return next(
            (
                item
                for item in self.items.values()
                if item.state is State.WAITING and item.queue not in closed
            ),
            None,
        )

    def _wake(self) -> None:
        """Let URLs wait again whose lock has run out, or that are due."""
        now = self.now()
        while self._later and self._later[0][0] <= now:
            moment, url = heappop(self._later)
            item = self.items.get(url)
            if item is not None and item.until == moment and item.state in WAKES:
                self._move(item, State.WAITING)
                self._again[url] = None

    def _offer(self) -> None:
        """Offer URLs that no page in progress links to."""
        for parent in list(self._children):
            item = self.items.get(parent)
            if item is None or item.state is not State.SENT:
                for out in self._children.pop(parent):
                    url = self.learner.number(out.href)
                    if url is not None and url in self.items:
                        self._new.append((url, self.items[url].queue))
        if self._new:
            new, self._new = self._new, []
            self.learner.offer(new)

    def _learn(self, item: FrontierItem) -> None:
        """Tell the strategy what came of a URL, with the links found there."""
        links = []
        for out in self._children.pop(item.url, ()):
            url = self.learner.number(out.href)
            if url is not None and url in self.items:
                links.append(Link(url, self.items[url].queue, out.href, out.anchor))
        text = " ".join(item.metadata.get("text", ()))
        document = Document(title=first(item.metadata, "title"), text=text)
        status, relevance = status_in(item.metadata), number_in(item.metadata, "relevance")
        page = ReceivedPage(item.href, item.href, status, document, wanted=bool(relevance))
        self._offer_before(links)
        self.learner.learn(page, links, relevance)

    def _offer_before(self, links: Sequence[Link]) -> None:
        """Offer what waits to be offered before a page is told, except its own links."""
        own = {link.url for link in links}
        new, self._new = [pair for pair in self._new if pair[0] not in own], []
        self.learner.offer(new)

    def _parent(self, metadata: Metadata) -> UrlId | None:
        """Return the page on which a URL was discovered, if it is known."""
        href = first(metadata, "parent") or (metadata.get("url.path") or [""])[-1]
        url = self.learner.table.find(href) if href else None
        return url if url in self.items else None

    def _move(self, item: FrontierItem, state: State) -> None:
        self._count(item, -1)
        item.state = state
        self._count(item, 1)

    def _count(self, item: FrontierItem, by: int) -> None:
        queue = self.queues.get(item.queue)
        if queue is not None:
            name = COUNTED[item.state]
            setattr(queue, name, getattr(queue, name) + by)


COUNTED = {
    State.WAITING: "waiting",
    State.SENT: "sent",
    State.DUE_LATER: "waiting",
    State.COMPLETED: "completed",
}
WAKES = (State.SENT, State.DUE_LATER)


def first(metadata: Metadata, key: str) -> str:
    """Return the first value of a key, or nothing."""
    values = metadata.get(key) or ("",)
    return values[0]


def host_of(href: str) -> str:
    """Return the host of a URL."""
    return (urlsplit(href).hostname or "").lower()


def number_in(metadata: Metadata, key: str) -> float | None:
    """Return a number from 0 to 1 that the metadata names, if it is one."""
    try:
        value = float(first(metadata, key))
    except ValueError:
        return None
    return min(1.0, max(0.0, value)) if value == value else None


def status_in(metadata: Metadata) -> Status:
    """Return how a download ended, by the HTTP status that the metadata names."""
    code = first(metadata, "fetch.statusCode")
    return status_of(int(code)) if code.isascii() and code.isdigit() else Status.OK
