"""Memory with a ceiling: a filter for very many numbers, and dictionaries that forget."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from foragers.filters.traps.settings import DEFAULT_TRAPS, TrapSettings
from foragers.urls.digests import Digests, digest

K = TypeVar("K")
V = TypeVar("V")
Keys = NDArray[np.uint64]

_PROBES = np.array([[1], [0x9E3779B97F4A7C15]], np.uint64)
_MASKS = np.array([1 << bit for bit in range(8)], np.uint8)
_BYTE, _BIT = np.uint64(3), np.uint64(7)


@dataclass(slots=True)
class BloomFilter:
    """A Bloom filter of one size with two probes a number."""

    log_bits: int
    bits: NDArray[np.uint8]
    added: int = 0

    @classmethod
    def empty(cls, log_bits: int) -> BloomFilter:
        """Return a table with nothing in it."""
        return cls(log_bits, np.zeros(1 << (log_bits - 3), np.uint8))

    @property
    def full(self) -> bool:
        """Whether numbers should go elsewhere now."""
        return self.added > 1 << (self.log_bits - 3)

    def has(self, keys: Keys) -> NDArray[np.bool_]:
        """Say which numbers were added, with some errors towards yes."""
        places = self._places(keys)
        # Both probes at once: each step costs the same, whatever the number.
        bits = self.bits[places >> _BYTE]
        bits &= _MASKS[places & _BIT]
        found: NDArray[np.bool_] = bits.all(axis=0)
        return found

    def add(self, keys: Keys) -> None:
        """Take numbers in."""
        places = self._places(keys)
        np.bitwise_or.at(self.bits, places >> _BYTE, _MASKS[places & _BIT])
        self.added += len(keys)

    def _places(self, keys: Keys) -> Keys:
        """Return the two places of each number."""
        places = keys * _PROBES
        places >>= np.uint64(64 - self.log_bits)
        return places


@dataclass(slots=True)
class Filter:
    """Which 64-bit numbers were seen: at most 50 MB, beyond which the oldest are forgotten.

    Small crawls have small tables.  A full one is kept and a larger one begun; after
    the largest (17 million numbers) comes another of its size, and the oldest goes.
    """

    settings: TrapSettings = DEFAULT_TRAPS
    tables: list[BloomFilter] = field(default_factory=list)
    begun: int = 0

    def has(self, keys: Keys) -> NDArray[np.bool_]:
        """Say which numbers were seen; one in six of the others may pass for seen."""
        if not self.tables:
            return np.zeros(len(keys), np.bool_)
        found = self.tables[-1].has(keys)
        for table in self.tables[:-1]:
            found |= table.has(keys)
        return found

    def add(self, keys: Keys) -> None:
        """Remember numbers."""
        if not len(keys):
            return
        if not self.tables or self.tables[-1].full:
            sizes = self.settings.filter_sizes
            self.tables.append(BloomFilter.empty(sizes[min(self.begun, len(sizes) - 1)]))
            self.begun += 1
            del self.tables[: -self.settings.filter_tables]
        self.tables[-1].add(keys)


@dataclass(slots=True)
class Recent(Generic[K, V]):
    """A dictionary of the `limit` to 2 · `limit` entries that were used last."""

    limit: int
    young: dict[K, V] = field(default_factory=dict)
    old: dict[K, V] = field(default_factory=dict)

    def get(self, key: K) -> V | None:
        """Return what is known of a key, and know it for longer."""
        value = self.young.get(key)
        if value is None:
            value = self.old.get(key)
            if value is not None:
                self.put(key, value)
        return value

    def put(self, key: K, value: V) -> None:
        """Remember, and forget the older half when there is too much."""
        self.young[key] = value
        if len(self.young) >= self.limit:
            self.old, self.young = self.young, {}

    def drop(self, key: K) -> None:
        """Forget a key."""
        if self.young:
            self.young.pop(key, None)
        if self.old:
            self.old.pop(key, None)

    def __len__(self) -> int:
        return len(self.young) + len(self.old)


@dataclass(slots=True)
class Numbers:
    """Numbers of 64 bits by the digests of their names: 25 bytes each."""

    _names: Digests = field(default_factory=Digests)
    _values: array[int] = field(default_factory=lambda: array("Q"))

    def __len__(self) -> int:
        return len(self._names)

    def get(self, name: int) -> int | None:
        """Return the number of a name."""
        found = self._names.find(name)
        return None if found is None else self._values[found]

    def put(self, name: int, value: int) -> None:
        """Give a name a number."""
        found = self._names.find(name)
        if found is None:
            self._names.add(name)
            self._values.append(value)
        else:
            self._values[found] = value


@dataclass(slots=True)
class RecentNumbers:
    """Like `Recent` from texts to numbers of 64 bits, in a tenth of the memory."""

    limit: int
    young: Numbers = field(default_factory=Numbers)
    old: Numbers = field(default_factory=Numbers)

    def get(self, key: str) -> int | None:
        """Return what is known of a key, and know it for longer."""
        name = digest(key)
        value = self.young.get(name)
        if value is None:
            value = self.old.get(name)
            if value is not None:
                self._put(name, value)
        return value

    def put(self, key: str, value: int) -> None:
        """Remember, and forget the older half when there is too much."""
        self._put(digest(key), value)

    def _put(self, name: int, value: int) -> None:
        self.young.put(name, value)
        if len(self.young) >= self.limit:
            self.old, self.young = self.young, Numbers()

    def __len__(self) -> int:
        return len(self.young) + len(self.old)
