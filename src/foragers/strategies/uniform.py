"""Uniform: a control for strategies that learn which pages to revisit.

Every page is visited equally often: first pages that were never fetched, in the order
found, then the page that was visited longest ago, without end.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import ClassVar

from foragers.core.types import NO_PARENT, Choice, HostId, Status, UrlId, Visit
from foragers.frontier.frontier import Frontier

STAYED = (Status.OK, Status.UNCHANGED)


@dataclass(slots=True)
class Uniform:
    """Control: fetches new pages in order, then revisits all pages in turn."""

    frontier: Frontier = field(default_factory=Frontier)
    _queues: dict[HostId, deque[tuple[int, Choice]]] = field(default_factory=dict, repr=False)
    _hosts: list[tuple[int, HostId]] = field(default_factory=list, repr=False)
    _turns: dict[UrlId, int] = field(default_factory=dict, repr=False)
    _told: int = 0

    keeps_order: ClassVar[bool] = True
    revisits: ClassVar[bool] = True
    needs_link_context: ClassVar[bool] = False

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        """Choose pages never fetched, then those fetched longest ago, on open hosts."""
        choices = list(self.frontier.pop(n, closed))
        aside = []
        while self._hosts and len(choices) < n:
            turn, host = heappop(self._hosts)
            if host in closed:
                aside.append((turn, host))
                continue
            queue = self._queues[host]
            turn, choice = queue.popleft()
            if self._turns[choice.url] == turn:  # else it was told again without being chosen
                choices.append(choice)
            if queue:
                heappush(self._hosts, (queue[0][0], host))
        for entry in aside:
            heappush(self._hosts, entry)
        return choices

    def tell(self, visits: Sequence[Visit]) -> None:
        """Queue a page that exists for its next visit, and its links for their first."""
        for visit in visits:
            page, choice = visit.page, visit.page.choice
            self.frontier.fetched(page)
            self.frontier.extend(page.links, -choice.depth, page.final, choice.depth + 1)
            if page.status in STAYED and choice.url != NO_PARENT:
                self._told += 1
                self._turns[choice.url] = self._told
                queue = self._queues.setdefault(choice.host, deque())
                if not queue:
                    heappush(self._hosts, (self._told, choice.host))
                queue.append((self._told, choice))
