"""Bounded memory: a filter for very many keys, and dictionaries that forget old entries."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from foragers.compiled import compiled
from foragers.filters.traps.settings import DEFAULT_TRAPS, SeenContentSettings
from foragers.urls.digests import Digests, digest

LIBRARY: Any | None = compiled("foragers.filters.traps._fingerprint")
"""The same functions compiled, if they are."""
K = TypeVar("K")
V = TypeVar("V")
Keys = NDArray[np.uint64]
Hashes = NDArray[np.uint32]

_PROBES = np.array([[1], [0x9E3779B97F4A7C15]], np.uint64)
_MASKS = np.array([1 << bit for bit in range(8)], np.uint8)
_BYTE, _BIT = np.uint64(3), np.uint64(7)
_MIX, _HIGH = np.uint64(0xFF51AFD7ED558CCD), np.uint64(32)
_ANYWHERE = crc32(b"anywhere")


@dataclass(slots=True)
class BloomFilter:
    """A Bloom filter of fixed size, with two probes per key."""

    log_bits: int
    bits: NDArray[np.uint8]
    added: int = 0

    @classmethod
    def empty(cls, log_bits: int) -> BloomFilter:
        """Return a filter without keys."""
        return cls(log_bits, np.zeros(1 << (log_bits - 3), np.uint8))

    @property
    def full(self) -> bool:
        """Whether more keys would cause too many errors."""
        return self.added > 1 << (self.log_bits - 3)

    def has(self, keys: Keys) -> NDArray[np.bool_]:
        """Return which keys were added; some others count as added too."""
        if LIBRARY is not None:
            seen = np.empty(len(keys), np.bool_)
            if LIBRARY.has(self.bits, keys, seen, self.log_bits):
                return seen
        bits = self._bits(keys)
        # Both probes at once: each call costs the same, whatever the number.
        hits = self.bits[bits >> _BYTE]
        hits &= _MASKS[bits & _BIT]
        added: NDArray[np.bool_] = hits.all(axis=0)
        return added

    def add(self, keys: Keys) -> None:
        """Add keys."""
        self.added += len(keys)
        if LIBRARY is not None and LIBRARY.add(self.bits, keys, self.log_bits):
            return
        bits = self._bits(keys)
        np.bitwise_or.at(self.bits, bits >> _BYTE, _MASKS[bits & _BIT])

    def _bits(self, keys: Keys) -> Keys:
        """Return the indexes of the two bits of each key."""
        bits = keys * _PROBES
        bits >>= np.uint64(64 - self.log_bits)
        return bits


@dataclass(slots=True)
class SeenKeys:
    """Which 64-bit keys were seen: at most 50 MB, beyond which the oldest are forgotten.

    Small crawls have small filters.  When one is full, a larger one is started; after
    the largest (17 million keys) follows another of its size, and the oldest is dropped.
    """

    settings: SeenContentSettings = DEFAULT_TRAPS.seen
    filters: list[BloomFilter] = field(default_factory=list)
    started: int = 0

    def has(self, keys: Keys) -> NDArray[np.bool_]:
        """Return which keys were seen; up to one in six others counts as seen too."""
        if not self.filters:
            return np.zeros(len(keys), np.bool_)
        seen = self.filters[-1].has(keys)
        for older in self.filters[:-1]:
            seen |= older.has(keys)
        return seen

    def unseen(self, phrases: Hashes, own: Hashes, links: Hashes, path: int) -> bytes:
        """Say of each hash, by a byte, whether it is new, and remember all.

        Phrases and own links are those of a path, which is given as a number: the same hash has
        another key at each path.  The other links are those of any path.
        """
        if LIBRARY is not None:
            filters = tuple([(one.bits, one.log_bits) for one in self.filters])
            quick: tuple[bytes, bytes] | None = LIBRARY.unseen(
                phrases, own, links, path, _ANYWHERE, filters
            )
            if quick is not None:
                self.add(np.frombuffer(quick[1], np.uint64))
                return quick[0]
        keys = keyed(np.concatenate((phrases, own, links)), len(phrases) + len(own), path)
        new = ~self.has(keys)
        self.add(keys[new])
        return new.tobytes()

    def add(self, keys: Keys) -> None:
        """Remember keys."""
        if not len(keys):
            return
        if not self.filters or self.filters[-1].full:
            sizes = self.settings.log_sizes
            self.filters.append(BloomFilter.empty(sizes[min(self.started, len(sizes) - 1)]))
            self.started += 1
            del self.filters[: -self.settings.filters]
        self.filters[-1].add(keys)


def keyed(hashes: Hashes, here: int, path: int) -> Keys:
    """Return the keys of hashes: the first `here` of them for a path, the others for any path."""
    keys = hashes.astype(np.uint64)
    keys <<= _HIGH
    keys[:here] |= np.uint64(path)
    keys[here:] |= np.uint64(_ANYWHERE)
    keys *= _MIX
    keys ^= keys >> _HIGH
    keys *= _MIX
    return keys


@dataclass(slots=True)
class RecentDict(Generic[K, V]):
    """A dictionary of the `limit` to 2 · `limit` most recently used entries."""

    limit: int
    young: dict[K, V] = field(default_factory=dict)
    old: dict[K, V] = field(default_factory=dict)

    def get(self, key: K) -> V | None:
        """Return the value of a key, which counts as a use."""
        value = self.young.get(key)
        if value is None:
            value = self.old.get(key)
            if value is not None:
                self.put(key, value)
        return value

    def put(self, key: K, value: V) -> None:
        """Set the value of a key, and forget the older half when there are too many."""
        self.young[key] = value
        if len(self.young) >= self.limit:
            self.old, self.young = self.young, {}

    def missing(self, keys: Sequence[K]) -> list[K]:
        """Return the keys that are not there; for the others it counts as a use."""
        if self.old:
            return [key for key in keys if self.get(key) is None]
        return [key for key in keys if key not in self.young]

    def drop(self, key: K) -> None:
        """Forget a key."""
        if self.young:
            self.young.pop(key, None)
        if self.old:
            self.old.pop(key, None)

    def drop_all(self, keys: Sequence[K]) -> None:
        """Forget many keys, most of which are not there."""
        for entries in (self.young, self.old):
            for key in [key for key in keys if key in entries] if entries else ():
                entries.pop(key, None)

    def __len__(self) -> int:
        return len(self.young) + len(self.old)


@dataclass(slots=True)
class DigestMap:
    """A dictionary from 64-bit digests to 64-bit integers, in 25 bytes per entry."""

    _digests: Digests = field(default_factory=Digests)
    _values: array[int] = field(default_factory=lambda: array("Q"))

    def __len__(self) -> int:
        return len(self._digests)

    def get(self, key: int) -> int | None:
        """Return the value of a digest."""
        row = self._digests.find(key)
        return None if row is None else self._values[row]

    def put(self, key: int, value: int) -> None:
        """Set the value of a digest."""
        row = self._digests.find(key)
        if row is None:
            self._digests.add(key)
            self._values.append(value)
        else:
            self._values[row] = value


@dataclass(slots=True)
class RecentIntegers:
    """A `RecentDict` from strings to 64-bit integers, in a tenth of the memory."""

    limit: int
    young: DigestMap = field(default_factory=DigestMap)
    old: DigestMap = field(default_factory=DigestMap)

    def get(self, key: str) -> int | None:
        """Return the value of a key, which counts as a use."""
        name = digest(key)
        value = self.young.get(name)
        if value is None:
            value = self.old.get(name)
            if value is not None:
                self._put(name, value)
        return value

    def put(self, key: str, value: int) -> None:
        """Set the value of a key, and forget the older half when there are too many."""
        self._put(digest(key), value)

    def _put(self, name: int, value: int) -> None:
        self.young.put(name, value)
        if len(self.young) >= self.limit:
            self.old, self.young = self.young, DigestMap()

    def __len__(self) -> int:
        return len(self.young) + len(self.old)
