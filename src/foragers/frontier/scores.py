"""The promise of every URL that a large frontier knows, eight bytes each.

URLs are numbered from zero in the order in which they are met, so a column indexed by these numbers
is mostly full.  A dictionary takes ten times as much memory.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from math import inf, nan

import numpy as np
from numpy.typing import NDArray

from foragers.core.types import Ids, UrlId

Floats = NDArray[np.float64]

FAR = 1 << 20
"""Numbers this far beyond the end of the column, and negative ones, are in a dictionary."""


class ScoreColumn:
    """A mapping from URLs to promises, with the methods that a frontier needs."""

    __slots__ = ("_column", "_nearest", "_odd")

    def __init__(self, known: Mapping[UrlId, float]) -> None:
        self._column = array("d")
        self._odd: dict[UrlId, float] = {}
        self._nearest: float = inf
        for url, promise in known.items():
            self[url] = promise

    def get(self, url: UrlId, default: float | None = None) -> float | None:
        """Return the promise of a URL, or a default if it is not known."""
        column = self._column
        if 0 <= url < len(column):
            found = column[url]
            return found if found == found else default  # nan is not equal to itself
        return self._odd.get(url, default)

    def __getitem__(self, url: UrlId) -> float:
        found = self.get(url)
        if found is None:
            raise KeyError(url)
        return found

    def __contains__(self, url: object) -> bool:
        return isinstance(url, int) and self.get(url) is not None

    def __setitem__(self, url: UrlId, promise: float) -> None:
        column = self._column
        missing = url + 1 - len(column)
        if 0 < missing < FAR:
            self._grow(missing)
        if 0 <= url < len(column):
            column[url] = promise
        else:
            self._odd[url] = promise
            if 0 <= url < self._nearest:
                self._nearest = url

    def at(self, urls: Ids) -> Floats:
        """Return the promises of many URLs; nan for unknown ones."""
        if self._holds(urls):
            found: Floats = self._floats()[urls]
            return found
        return np.array([self.get(url, nan) for url in urls.tolist()], np.float64)

    def put(self, urls: Ids, promises: Floats) -> None:
        """Set the promises of many URLs that are known."""
        if self._holds(urls):
            self._floats()[urls] = promises
        else:
            for url, promise in zip(urls.tolist(), promises.tolist(), strict=True):
                self[url] = promise

    @property
    def column(self) -> array[float] | None:
        """The promises of all URLs that are known, by number; None if some are far beyond."""
        return None if self._nearest < inf else self._column

    def reach(self, url: UrlId) -> array[float] | None:
        """Return the column with room for a URL and all before it; None if one is far beyond."""
        missing = url + 1 - len(self._column)
        if 0 < missing < FAR:
            self._grow(missing)
        return None if missing >= FAR else self.column

    def _holds(self, urls: Ids) -> bool:
        return len(urls) > 0 and bool(urls.min() >= 0) and int(urls.max()) < len(self._column)

    def _floats(self) -> Floats:
        """Return a view for numpy; it must be released before the column grows."""
        return np.frombuffer(self._column, np.float64)

    def _grow(self, missing: int) -> None:
        """Make the column longer, and move entries of the dictionary into it."""
        self._column.extend(array("d", [nan]) * (missing + len(self._column) // 32 + 64))
        if self._nearest < len(self._column):
            for near in [url for url in self._odd if 0 <= url < len(self._column)]:
                self._column[near] = self._odd.pop(near)
            self._nearest = min((url for url in self._odd if url >= 0), default=inf)

    def __getstate__(self) -> tuple[Floats, dict[UrlId, float], float]:
        # A view, so that writing it to a file needs no copy.
        return self._floats() if self._column else np.empty(0), self._odd, self._nearest

    def __setstate__(self, state: tuple[Floats, dict[UrlId, float], float]) -> None:
        column, self._odd, self._nearest = state
        self._column = array("d")
        self._column.frombytes(column.data.cast("B") if len(column) else b"")


def promises_at(known: Mapping[UrlId, float] | ScoreColumn, urls: Ids) -> Floats:
    """Return the promises of many URLs from a dictionary or a column."""
    if isinstance(known, ScoreColumn):
        return known.at(urls)
    return np.array([known.get(url, nan) for url in urls.tolist()], np.float64)
