"""Growing arrays: rows in large blocks, columns by URL, and sets of small integers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from foragers.core.types import Ids

Kind = TypeVar("Kind", bound=np.generic)

SMALLEST, LARGEST = 1 << 10, 1 << 20
"""The size of a block: small at first, so that small crawls stay small."""
SHIFT = 32


class RowBlocks(Generic[Kind]):
    """Rows of numbers, stored in blocks; a row is never moved."""

    __slots__ = ("_blocks", "_kind", "_used")

    def __init__(self, kind: type[Kind]) -> None:
        self._kind = kind
        self._blocks: list[NDArray[Kind]] = []
        self._used = 0

    def add(self, row: NDArray[Kind]) -> int:
        """Add a row, and return its index."""
        if not self._blocks or self._used + len(row) > len(self._blocks[-1]):
            size = min(SMALLEST << len(self._blocks), LARGEST)
            self._blocks.append(np.empty(max(size, len(row)), self._kind))
            self._used = 0
        index = (len(self._blocks) - 1) << SHIFT | self._used
        self._blocks[-1][self._used : self._used + len(row)] = row
        self._used += len(row)
        return index

    def view(self, index: int, count: int) -> NDArray[Kind]:
        """Return a view of a row."""
        first = index & (1 << SHIFT) - 1
        return self._blocks[index >> SHIFT][first : first + count]

    @property
    def nbytes(self) -> int:
        """The memory of the blocks, in bytes."""
        return sum(block.nbytes for block in self._blocks)

    def __getstate__(self) -> tuple[type[Kind], list[NDArray[Kind]], int]:
        # The free end of the last block is not pickled; the next row begins a new block.
        last = [block[: self._used].copy() for block in self._blocks[-1:]]
        return self._kind, [*self._blocks[:-1], *last], self._used

    def __setstate__(self, state: tuple[type[Kind], list[NDArray[Kind]], int]) -> None:
        self._kind, self._blocks, self._used = state


class UrlColumn(Generic[Kind]):
    """One number for every URL; it grows as URLs become known."""

    __slots__ = ("_empty", "values")

    def __init__(self, empty: Kind) -> None:
        self._empty = empty
        self.values: NDArray[Kind] = np.full(SMALLEST, empty)

    def reach(self, url: int) -> NDArray[Kind]:
        """Return the numbers, with room for a URL."""
        if url >= len(self.values):
            # It grows in small steps: copying is cheap, and unused room takes memory.
            grown = np.full(max(url + 1, len(self.values) * 9 // 8), self._empty)
            grown[: len(self.values)] = self.values
            self.values = grown
        return self.values

    def at(self, urls: Ids) -> NDArray[Kind]:
        """Return the numbers of some URLs."""
        try:
            return self.values[urls]
        except IndexError:
            return self.reach(int(urls.max()))[urls]

    def __getstate__(self) -> tuple[Kind, NDArray[Kind]]:
        return self._empty, self.values

    def __setstate__(self, state: tuple[Kind, NDArray[Kind]]) -> None:
        self._empty, self.values = state


States = NDArray[np.float32] | NDArray[np.float64]
"""A row for each state."""

Places = NDArray[np.intp]
"""An index, or several."""


def grown(array: NDArray[Kind], length: int, fill: float) -> NDArray[Kind]:
    """Return an array of at least this length, twice as long if it has to grow."""
    if len(array) >= length:
        return array
    longer = np.full((max(length, 2 * len(array), 64), *array.shape[1:]), fill, array.dtype)
    longer[: len(array)] = array
    return longer


@dataclass(slots=True)
class Marks:
    """A set of small integers with vectorised lookup; the flag of a member is off."""

    _missing: NDArray[np.bool_] = field(default_factory=lambda: np.ones(64, np.bool_))

    def __contains__(self, number: int) -> bool:
        return number < len(self._missing) and not self._missing.item(number)

    def missing(self, numbers: Ids) -> NDArray[np.bool_]:
        """Say for each number whether it is not in the set."""
        try:
            return self._missing[numbers]
        except IndexError:
            self._missing = grown(self._missing, int(numbers.max()) + 1, True)
            return self._missing[numbers]

    def add(self, numbers: Ids) -> None:
        """Add numbers to the set."""
        try:
            self._missing[numbers] = False
        except IndexError:
            self._missing = grown(self._missing, int(numbers.max()) + 1, True)
            self._missing[numbers] = False


@dataclass(slots=True)
class StateTable:
    """The distinct states of pages, each with a number; 0 is the state of zeros."""

    width: int
    _states: NDArray[np.float32] = field(init=False)
    _numbers: dict[bytes, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._states = np.zeros((64, self.width), np.float32)
        self._numbers[bytes(4 * self.width)] = 0

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def states(self) -> NDArray[np.float32]:
        """All states, by number."""
        return self._states[: len(self._numbers)]

    def number(self, state: NDArray[np.float32]) -> int:
        """Return the number of a state; a new state gets a new number."""
        key = state.astype(np.float32, copy=False).tobytes()
        number = self._numbers.setdefault(key, len(self._numbers))
        if number >= len(self._states):
            self._states = grown(self._states, number + 1, 0.0)
        if number == len(self._numbers) - 1:
            self._states[number] = state
        return number
