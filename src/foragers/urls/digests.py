"""A hash table from 64-bit digests to small integers, in 15 bytes per entry.

Digests are numbered in the order in which they are added.  `_slots` is a hash table with open
addressing; it has only numbers, and the digests are in a column of their own, from which the table
can be built again.  Two different URLs share a digest once in 300,000 crawls of ten million.
"""

from __future__ import annotations

from array import array
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

EMPTY = -1
FIRST_SIZE = 1 << 10
FULL = 0.7
"""The table doubles when this share of it is used."""
CHUNK = 1 << 20


def digest(text: str) -> int:
    """Return the digest of a text: the same everywhere, and hard to forge."""
    letters = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(letters, digest_size=8).digest(), "little")


class Digests:
    """Digests, numbered in the order in which they were added."""

    __slots__ = ("_column", "_mask", "_room", "_slots")

    def __init__(self) -> None:
        self._column = array("Q")
        self._make(FIRST_SIZE)

    def __len__(self) -> int:
        return len(self._column)

    def find(self, digest: int) -> int | None:
        """Return the number of a digest if it has one."""
        slots, mask = self._slots, self._mask
        slot = digest & mask
        while (number := slots[slot]) >= 0:
            if self._column[number] == digest:
                return number
            slot = (slot + 1) & mask
        return None

    def add(self, digest: int) -> int:
        """Give a new digest the next number."""
        number = len(self._column)
        if number >= self._room:
            self._make(2 * len(self._slots))
        slots, mask = self._slots, self._mask
        slot = digest & mask
        while slots[slot] >= 0:
            slot = (slot + 1) & mask
        slots[slot] = number
        self._column.append(digest)
        return number

    def number(self, digest: int) -> int:
        """Return the number of a digest, the next one if it is new."""
        slots, mask, column = self._slots, self._mask, self._column
        slot = digest & mask
        while (number := slots[slot]) >= 0:
            if column[number] == digest:
                return number
            slot = (slot + 1) & mask
        if len(column) >= self._room:
            return self.add(digest)
        slots[slot] = number = len(column)
        column.append(digest)
        return number

    def reserve(self, more: int) -> array[int]:
        """Return the table of numbers, with room for some more digests."""
        while len(self._column) + more > self._room:
            self._make(2 * len(self._slots))
        return self._slots

    def extend(self, digests: bytes) -> None:
        """Take in digests whose numbers stand in the table already."""
        self._column.frombytes(digests)

    @property
    def known(self) -> array[int]:
        """All digests in order."""
        return self._column

    def _make(self, size: int) -> None:
        """Build the table again, with a size that is a power of two."""
        self._slots = array("i", [EMPTY]) * size
        self._mask, self._room = size - 1, int(FULL * size)
        if self._column:
            slots = np.frombuffer(self._slots, np.int32)
            column = np.frombuffer(self._column, np.uint64)
            for start in range(0, len(column), CHUNK):
                fill(slots, column[start : start + CHUNK], start)

    def column(self) -> NDArray[np.uint64]:
        """Return all digests in order; the array must be released before the next one is added."""
        return np.frombuffer(self._column, np.uint64) if self._column else np.empty(0, np.uint64)

    def __getstate__(self) -> NDArray[np.uint64]:
        """Leave out the table; the column is a view, so writing it to a file takes no copy."""
        return self.column()

    def __setstate__(self, column: NDArray[np.uint64]) -> None:
        self._column = array("Q", column.tobytes())
        size = FIRST_SIZE
        while FULL * size <= len(column):
            size *= 2
        self._make(size)


def fill(slots: NDArray[np.int32], digests: NDArray[np.uint64], start: int) -> None:
    """Insert digests, numbered from `start`, into the table, all at once."""
    mask = np.uint64(len(slots) - 1)
    slots_of = (digests & mask).astype(np.intp)
    numbers = np.arange(start, start + len(digests), dtype=np.int32)
    while len(numbers):
        free = slots[slots_of] == EMPTY
        slots[slots_of[free]] = numbers[free]
        # If several want the same slot, the last one has it.
        left = slots[slots_of] != numbers
        slots_of, numbers = (slots_of[left] + 1) & int(mask), numbers[left]
