"""Optimal: the spider paper's oracle, which knows the graph and goes to the nearest reward.

No real crawler can do it, since none knows the graph; it is the upper limit for all others.
It is greedy (section 3 of the paper: "always follows the path to the nearest reward"), so on
rare graphs a detour would be better.

`_distance[u]` is the number of downloads after which u can be fetched, given the known links.
New links can only bring pages nearer, so distances are lowered outwards from each visited page
and never computed again, unless a page does not have the links that it should have.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Protocol

from foragers.core.types import NO_PARENT, Choice, HostId, Status, UrlId, Visit


class Oracle(Protocol):
    """Knows the whole web."""

    @property
    def rewards(self) -> AbstractSet[UrlId]:
        """The relevant pages, by the URL where redirects end."""
        ...

    def final(self, url: UrlId) -> UrlId:
        """Return where fetching a URL ends, or -1 if no page is there."""
        ...

    def host(self, url: UrlId) -> HostId:
        """Return the host of a URL."""
        ...

    def successors(self, url: UrlId) -> Sequence[UrlId]:
        """Return the distinct URLs that the page at a final URL links to."""
        ...


@dataclass(slots=True)
class Optimal:
    """An oracle that goes straight to the nearest relevant page; only for comparison."""

    oracle: Oracle
    _distance: dict[UrlId, int] = field(default_factory=dict, repr=False)
    _before: dict[UrlId, UrlId] = field(default_factory=dict, repr=False)
    _nearest: list[tuple[int, int, UrlId]] = field(default_factory=list, repr=False)
    _known: dict[UrlId, tuple[UrlId, int]] = field(default_factory=dict, repr=False)
    _asked: set[UrlId] = field(default_factory=set, repr=False)
    _told: set[UrlId] = field(default_factory=set, repr=False)
    _fetched: set[UrlId] = field(default_factory=set, repr=False)
    _astray: bool = False
    _order: int = 0

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        """Choose the first step towards each of the n nearest rewards on open hosts."""
        choices = self.choose(n, closed)
        if self._astray and not choices and n > 0:
            self.start_over()
            choices = self.choose(n, closed)
        return choices

    def choose(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        """Go through the rewards, nearest first."""
        choices: list[Choice] = []
        later: list[tuple[int, int, UrlId]] = []
        while len(choices) < n and self._nearest:
            entry = heappop(self._nearest)
            distance, _, reward = entry
            if distance != self._distance[reward] or self.oracle.final(reward) in self._fetched:
                continue
            step = self.first_step(reward)
            if step in self._told:
                # The page was fetched but led elsewhere: distances are computed again if needed.
                self._astray = True
                continue
            if step not in self._asked and (host := self.oracle.host(step)) not in closed:
                parent, depth = self._known[step]
                choices.append(Choice(step, host, 1 / distance, "", parent, depth))
                self._asked.add(step)
            # Further away, or on a closed host: consider this reward again later.
            if step != reward or step not in self._asked:
                later.append(entry)
        for entry in later:
            heappush(self._nearest, entry)
        return choices

    def first_step(self, reward: UrlId) -> UrlId:
        """Return the first page of the shortest path to a reward."""
        step = reward
        while self._distance[step] > 1:
            step = self._before[step]
        return step

    def tell(self, visits: Sequence[Visit]) -> None:
        """Add the links of each page, and lower the distances behind them."""
        for visit in visits:
            page = visit.page
            url = page.choice.url
            self._told.update((url, page.final))
            self._asked.update((url, page.final))
            self._fetched.add(page.final)
            links = list(dict.fromkeys(page.links.targets.tolist()))
            for target in links:
                self._known.setdefault(target, (page.final, page.choice.depth + 1))
            if page.status is not Status.OK and self.oracle.final(url) >= 0:
                self.start_over()
            self.lower(links)

    def start_over(self) -> None:
        """Compute all distances again: a page did not lead where it should have."""
        self._astray = False
        self._distance.clear()
        self._before.clear()
        self._nearest.clear()
        self.lower(self._known)

    def lower(self, links: Iterable[UrlId]) -> None:
        """Set the distance of known URLs to 1, and lower the distances behind them."""
        queue: deque[UrlId] = deque()
        for url in links:
            self._bring_near(url, 1, NO_PARENT, queue)
        while queue:
            url = queue.popleft()
            distance = self._distance[url] + 1
            final = self.oracle.final(url)
            if final >= 0:
                for successor in self.oracle.successors(final):
                    self._bring_near(successor, distance, url, queue)

    def _bring_near(self, url: UrlId, distance: int, before: UrlId, queue: deque[UrlId]) -> None:
        """Lower the distance of a URL, if the new one is smaller."""
        if url in self._asked or self._distance.get(url, distance + 1) <= distance:
            return
        self._distance[url] = distance
        self._before[url] = before
        queue.append(url)
        final = self.oracle.final(url)
        if final in self.oracle.rewards and final not in self._fetched:
            self._order += 1
            heappush(self._nearest, (distance, self._order, url))
