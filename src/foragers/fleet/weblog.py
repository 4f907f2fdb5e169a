"""The weblog: the starting URLs that a forager knows, and what a path from each was worth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np

from foragers.types import UrlId


@dataclass(slots=True)
class Weblog:
    """URLs with their values, the best first; the first `starts` are the starting list."""

    size: int = 100
    starts: int = 10
    values: dict[UrlId, float] = field(default_factory=dict)

    @classmethod
    def of(cls, urls: Iterable[UrlId], size: int = 100, starts: int = 10) -> Weblog:
        """Return a weblog of seeds, all of the value 0 (Algorithm 10)."""
        return cls(size, starts, dict.fromkeys(urls, 0.0))

    def __len__(self) -> int:
        return len(self.values)

    @property
    def starting(self) -> list[UrlId]:
        """The starting list."""
        return list(self.values)[: self.starts]

    def update(self, urls: Sequence[UrlId], rewards: Sequence[float], beta: float) -> None:
        """Learn from a path (Algorithm 1).

        A URL's sum is that of the rewards from its step to the end of the path.  Of equal
        values, those known longer come first.
        """
        sums = list(accumulate(reversed(rewards)))[::-1]
        known = self.values
        path: dict[UrlId, float] = {}
        for url, total in zip(urls, sums, strict=True):
            path.setdefault(url, total)  # one that comes twice: what its first visit led to
        for url, total in path.items():
            old = known.get(url)
            known[url] = total if old is None else (1 - beta) * old + beta * total
        best = sorted(known, key=known.__getitem__, reverse=True)  # stable, also when reversed
        self.values = {url: known[url] for url in best[: self.size]}

    def note(self, url: UrlId) -> None:
        """Add a page to a weblog that is not updated, until its starting list is full."""
        if len(self.values) < self.starts:
            self.values.setdefault(url, 0.0)

    def split(self, rng: np.random.Generator) -> Weblog:
        """Give half of the URLs away, drawn at random (Algorithm 6).

        Of an odd number the larger half stays.  One URL cannot be split: both keep it.
        """
        urls = list(self.values)
        if len(urls) < 2:
            return Weblog(self.size, self.starts, dict(self.values))
        leaving = set(rng.permutation(len(urls))[: len(urls) // 2].tolist())
        given = {url: self.values[url] for at, url in enumerate(urls) if at in leaving}
        self.values = {url: value for url, value in self.values.items() if url not in given}
        return Weblog(self.size, self.starts, given)
