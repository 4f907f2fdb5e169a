"""A set of URLs that takes one bit for each that there is."""

from __future__ import annotations

from collections.abc import Iterable

from foragers.core.types import UrlId


class IdSet:
    """Some of the numbers from zero on; they only become more."""

    __slots__ = ("_bits", "_count")

    def __init__(self, urls: Iterable[UrlId] = ()) -> None:
        self._bits = bytearray()
        self._count = 0
        self.update(urls)

    def __len__(self) -> int:
        return self._count

    def __contains__(self, url: object) -> bool:
        if not isinstance(url, int) or url < 0:
            return False
        place = url >> 3
        return place < len(self._bits) and bool(self._bits[place] >> (url & 7) & 1)

    def add(self, url: UrlId) -> None:
        """Put a URL into the set."""
        place = url >> 3
        if place >= len(self._bits):
            self._bits.extend(bytes(place + 1 - len(self._bits) + len(self._bits) // 8))
        if not self._bits[place] >> (url & 7) & 1:
            self._bits[place] |= 1 << (url & 7)
            self._count += 1

    def update(self, urls: Iterable[UrlId]) -> None:
        """Put many URLs into the set."""
        for url in urls:
            self.add(url)
