"""A set of URLs, one bit for each known URL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from foragers.core.types import UrlId


class IdSet:
    """A growing set of non-negative integers."""

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
        index = url >> 3
        return index < len(self._bits) and bool(self._bits[index] >> (url & 7) & 1)

    def __iter__(self) -> Iterator[UrlId]:
        """Give the members in ascending order."""
        for byte, bits in enumerate(self._bits):
            for bit in range(8) if bits else ():
                if bits >> bit & 1:
                    yield byte << 3 | bit

    def add(self, url: UrlId) -> None:
        """Add a URL."""
        index = url >> 3
        if index >= len(self._bits):
            self._bits.extend(bytes(index + 1 - len(self._bits) + len(self._bits) // 8))
        if not self._bits[index] >> (url & 7) & 1:
            self._bits[index] |= 1 << (url & 7)
            self._count += 1

    def update(self, urls: Iterable[UrlId]) -> None:
        """Add many URLs."""
        for url in urls:
            self.add(url)
