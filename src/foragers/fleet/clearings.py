"""Documents from which there are still ways to go, and how promising each of them is."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from foragers.fleet.lottery import Lottery
from foragers.types import HostId, UrlId

KEPT = 50_000
"""How many documents are kept with their links; the oldest are forgotten first."""


@dataclass(slots=True)
class Ways:
    """The links of a document that nobody has followed when last looked at."""

    urls: list[UrlId]
    hosts: list[HostId]
    promises: NDArray[np.float32]
    depth: int

    def prune(self, known: Container[UrlId]) -> None:
        """Leave out what has been followed since."""
        kept = [place for place, url in enumerate(self.urls) if url not in known]
        if len(kept) < len(self.urls):
            self.urls = [self.urls[place] for place in kept]
            self.hosts = [self.hosts[place] for place in kept]
            self.promises = self.promises[kept]

    def pick(self, temperature: float, rng: np.random.Generator) -> int:
        """Return the place of a link, likelier the more promising it is (`P ∝ exp(p/T)`)."""
        weights = np.exp((self.promises - self.promises.max()) / temperature, dtype=np.float64)
        reach = np.cumsum(weights)
        found = np.searchsorted(reach, rng.random() * reach[-1], side="right")
        return min(int(found), len(self.urls) - 1)


@dataclass(slots=True)
class Clearings:
    """The documents with ways to go, any of which can be drawn."""

    _ways: dict[UrlId, Ways] = field(default_factory=dict)
    _lottery: Lottery = field(default_factory=Lottery)

    def __len__(self) -> int:
        return len(self._ways)

    def add(self, document: UrlId, ways: Ways) -> None:
        """Keep a document with its links, and forget the oldest if there are too many."""
        self._ways[document] = ways
        self._lottery.add(document)
        if len(self._ways) > KEPT:
            self.close(next(iter(self._ways)))

    def close(self, document: UrlId) -> None:
        """Forget a document."""
        self._ways.pop(document, None)
        self._lottery.remove(document)

    def ways(self, document: UrlId, known: Container[UrlId]) -> Ways | None:
        """Return the links of a document that nobody has followed, None if there are none."""
        ways = self._ways.get(document)
        if ways is not None:
            ways.prune(known)
            if not ways.urls:
                self.close(document)
                return None
        return ways

    def draw(self, known: Container[UrlId], rng: np.random.Generator) -> UrlId | None:
        """Return a document with ways to go, if there is one."""
        while len(self._lottery):
            document = self._lottery.draw(rng)
            if self.ways(document, known) is not None:
                return document
        return None
