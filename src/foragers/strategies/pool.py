"""Numbers for very many pages in few bytes: rows in large blocks, and columns by URL."""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

Kind = TypeVar("Kind", bound=np.generic)

SMALLEST, LARGEST = 1 << 10, 1 << 20
"""How many numbers a block holds: few at first, so that small crawls stay small."""
SHIFT = 32


class Pool(Generic[Kind]):
    """Rows of numbers, one after the other in blocks; what is written is never moved."""

    __slots__ = ("_blocks", "_kind", "_used")

    def __init__(self, kind: type[Kind]) -> None:
        self._kind = kind
        self._blocks: list[NDArray[Kind]] = []
        self._used = 0

    def add(self, row: NDArray[Kind]) -> int:
        """Write a row down, and return its place."""
        if not self._blocks or self._used + len(row) > len(self._blocks[-1]):
            size = min(SMALLEST << len(self._blocks), LARGEST)
            self._blocks.append(np.empty(max(size, len(row)), self._kind))
            self._used = 0
        place = (len(self._blocks) - 1) << SHIFT | self._used
        self._blocks[-1][self._used : self._used + len(row)] = row
        self._used += len(row)
        return place

    def view(self, place: int, count: int) -> NDArray[Kind]:
        """Return a row; writing to it changes the pool."""
        first = place & (1 << SHIFT) - 1
        return self._blocks[place >> SHIFT][first : first + count]

    @property
    def nbytes(self) -> int:
        """How much memory the blocks take."""
        return sum(block.nbytes for block in self._blocks)

    def __getstate__(self) -> tuple[type[Kind], list[NDArray[Kind]], int]:
        # The free end of the last block is not worth packing; the next row begins a new one.
        last = [block[: self._used].copy() for block in self._blocks[-1:]]
        return self._kind, [*self._blocks[:-1], *last], self._used

    def __setstate__(self, state: tuple[type[Kind], list[NDArray[Kind]], int]) -> None:
        self._kind, self._blocks, self._used = state


class Column(Generic[Kind]):
    """One number for every URL, which grows as URLs become known."""

    __slots__ = ("_empty", "values")

    def __init__(self, empty: Kind) -> None:
        self._empty = empty
        self.values: NDArray[Kind] = np.full(SMALLEST, empty)

    def reach(self, url: int) -> NDArray[Kind]:
        """Return the numbers, with room for a URL."""
        if url >= len(self.values):
            # By little: copying is cheap, and room that is filled takes memory.
            grown = np.full(max(url + 1, len(self.values) * 9 // 8), self._empty)
            grown[: len(self.values)] = self.values
            self.values = grown
        return self.values

    def __getstate__(self) -> tuple[Kind, NDArray[Kind]]:
        return self._empty, self.values

    def __setstate__(self, state: tuple[Kind, NDArray[Kind]]) -> None:
        self._empty, self.values = state
