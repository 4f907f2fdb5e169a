"""What a crawl fetches on its own account: lists of pages, and pages that were put off.

A strategy chooses pages once it is told of them.  It does not choose sitemaps and feeds
for their links, nor a page again that could not be had because its host asked to be
left alone.  These wait here, by host, until the host may be asked.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from math import inf

from foragers.core.types import LISTS, Choice, HostId, Purpose, UrlId, Visit
from foragers.fetching.job import MAX_ROUNDS

MAX_LATER = 10_000
MAX_SITEMAPS, MAX_FEEDS = 200, 10
"""How many of each are fetched of one host: there are sites with a feed for every page."""
MAX_LISTS = 100_000
GLANCES = 32
"""How many hosts are looked at in search of an open one."""


@dataclass
class OwnRequests:
    """Choices of the crawl's own; `later` are those put off, by the time when they are due."""

    later: list[tuple[float, int, Choice]] = field(default_factory=list)
    _queues: dict[HostId, deque[Choice]] = field(default_factory=dict)
    _rounds: Counter[UrlId] = field(default_factory=Counter)
    _known: set[UrlId] = field(default_factory=set)
    _lists: Counter[tuple[Purpose, HostId]] = field(default_factory=Counter)
    _order: int = 0

    def __len__(self) -> int:
        return len(self.later) + sum(map(len, self._queues.values()))

    def put_off(self, until: float, choice: Choice, rounds: int = MAX_ROUNDS) -> None:
        """Fetch a page again at a time, unless that has been tried often enough."""
        if self._rounds[choice.url] < rounds and len(self.later) < MAX_LATER:
            self._rounds[choice.url] += 1
            self._order += 1
            heappush(self.later, (until, self._order, choice))

    def set_aside(self, until: float, choice: Choice) -> None:
        """Fetch a page at a time that has come to nothing yet, which does not count."""
        self._rounds[choice.url] += 0
        self._order += 1
        heappush(self.later, (until, self._order, choice))

    def ask_again(self, choices: Iterable[Choice]) -> None:
        """Fetch pages again, unless they wait already."""
        waiting = {choice for queue in self._queues.values() for choice in queue}
        waiting.update(choice for _, _, choice in self.later)
        for choice in choices:
            if choice not in waiting:
                self._queues.setdefault(choice.host, deque()).append(choice)

    def add_lists(self, visit: Visit) -> None:
        """Take in the sitemaps and feeds that a page has brought to light."""
        page = visit.page
        for place, out in enumerate(page.content.outlinks()):
            if out.rel in LISTS:
                url, host = int(page.links.targets[place]), int(page.links.hosts[place])
                depth, purpose = page.choice.depth, Purpose(out.rel)
                self._add_list(Choice(url, host, 0.0, out.rel, page.final, depth, purpose))

    def _add_list(self, choice: Choice) -> None:
        """Take in a list, unless it is known or its host has enough of them."""
        key = choice.purpose, choice.host
        most = MAX_FEEDS if choice.purpose is Purpose.FEED else MAX_SITEMAPS
        full = self._lists[key] >= most or len(self._known) >= MAX_LISTS
        if choice.url not in self._known and not full:
            self._known.add(choice.url)
            self._lists[key] += 1
            self._queues.setdefault(choice.host, deque()).append(choice)

    def wake(self, now: float) -> None:
        """Let those go on whose time has come."""
        while self.later and self.later[0][0] <= now:
            choice = heappop(self.later)[2]
            self._queues.setdefault(choice.host, deque()).append(choice)

    def take_up(self) -> None:
        """Begin anew with a crawl that is taken up again: all are due."""
        self._rounds.clear()
        self.wake(inf)

    def next(self, closed: AbstractSet[HostId]) -> Choice | None:
        """Take a choice at an open host, if there is one among the first."""
        for _ in range(min(GLANCES, len(self._queues))):
            host = next(iter(self._queues))
            queue = self._queues.pop(host)
            if host in closed:
                self._queues[host] = queue  # behind all others
                continue
            choice = queue.popleft()
            if queue:
                self._queues[host] = queue
            return choice
        return None

    def due(self, closed: AbstractSet[HostId]) -> float:
        """Return when something can be fetched: 0 is at once, infinity never."""
        if any(host not in closed for host in self._queues):
            return 0.0
        return self.later[0][0] if self.later else inf

    def recall(self, visit: Visit, listing: bool) -> None:
        """Learn from a visit in the ledger what a crawl that goes on has still to fetch."""
        choice = visit.page.choice
        self._forget(choice)
        if listing:
            if choice.purpose.is_list:
                self._known.add(choice.url)
            self.add_lists(visit)

    def _forget(self, choice: Choice) -> None:
        """Drop a choice that was answered."""
        queue = self._queues.get(choice.host)
        if queue is not None and choice in queue:
            queue.remove(choice)
            if not queue:
                del self._queues[choice.host]
        if choice.url in self._rounds and any(choice == other for _, _, other in self.later):
            self.later = [entry for entry in self.later if entry[2] != choice]
            heapify(self.later)
