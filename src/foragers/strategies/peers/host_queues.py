"""A frontier of which a strategy first chooses the host, and then takes its best URL."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from math import inf

import numpy as np
from numpy.typing import NDArray

from foragers.core.types import Choice, HostId, Ids, Page, UrlId
from foragers.frontier.columns import UrlColumn
from foragers.frontier.frontier import Frontier

Floats = NDArray[np.float64]
Hosts = NDArray[np.intp]


@dataclass(slots=True)
class HostQueues:
    """The waiting URLs of each host, and their best promise in a column by host."""

    _frontier: Frontier = field(default_factory=Frontier)
    _best: UrlColumn[np.float64] = field(default_factory=lambda: UrlColumn(np.float64(-inf)))

    def __len__(self) -> int:
        return len(self._frontier)

    def __contains__(self, url: object) -> bool:
        return url in self._frontier

    def wants(self, url: UrlId) -> bool:
        """Return whether a URL, known or not, may still be chosen."""
        return self._frontier.wants(url)

    def push(self, url: UrlId, host: HostId, promise: float, parent: UrlId, depth: int) -> None:
        """Add a URL, or raise its promise."""
        self._frontier.push(url, host, promise, parent, depth)
        self._look(host)

    def take(self, url: UrlId, host: HostId) -> None:
        """Mark a URL as chosen, so that it is not chosen again."""
        self._frontier.take(url)
        self._look(host)

    def fetched(self, page: Page) -> None:
        """Mark the requested URL, and the URL after redirects, as taken."""
        self._frontier.fetched(page)
        self._look(page.choice.host)

    def rescore(self, urls: Ids, promises: Floats) -> None:
        """Give many waiting URLs new promises."""
        self._frontier.rescore(urls, promises)
        for host in np.flatnonzero(self._best.values > -inf).tolist():
            self._look(host)

    def waiting(self, closed: AbstractSet[HostId]) -> Hosts:
        """Return the open hosts of which a URL waits, in the order of their numbers."""
        hosts = np.flatnonzero(self._best.values > -inf)
        return hosts[[host not in closed for host in hosts.tolist()]] if closed else hosts

    def best(self, hosts: Hosts) -> Floats:
        """Return the best promise of each host."""
        return self._best.values[hosts]

    def pop(self, host: HostId) -> Choice | None:
        """Take the best URL of a host; None if it is gone, since a redirect led there."""
        known = self._frontier.best_of(host) == self._best.values[host]
        choice = self._frontier.pop_from(host) if known else None
        self._look(host)
        return choice

    def _look(self, host: HostId) -> None:
        """Note the best promise of a host."""
        if host >= 0:
            self._best.reach(host)[host] = self._frontier.best_of(host)
