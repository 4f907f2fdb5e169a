"""Arrays that grow: columns for things that are numbered as they turn up."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from foragers.types import Ids

Kind = TypeVar("Kind", bound=np.generic)
States = NDArray[np.float32] | NDArray[np.float64]
"""A row for each state."""

Places = NDArray[np.intp]
"""Where in an array something is."""


def grown(array: NDArray[Kind], length: int, fill: float) -> NDArray[Kind]:
    """Return an array of at least so many places, twice as long if it has to grow."""
    if len(array) >= length:
        return array
    longer = np.full((max(length, 2 * len(array), 64), *array.shape[1:]), fill, array.dtype)
    longer[: len(array)] = array
    return longer


@dataclass(slots=True)
class Marks:
    """A set of small integers that answers for many at once; the flag of one in it is off."""

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
        """Put numbers into the set."""
        try:
            self._missing[numbers] = False
        except IndexError:
            self._missing = grown(self._missing, int(numbers.max()) + 1, True)
            self._missing[numbers] = False


@dataclass(slots=True)
class StateTable:
    """The different states that pages were found in, each with a number; 0 is all zeros."""

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
        """Return the number of a state, a new one if it was not seen before."""
        key = state.astype(np.float32, copy=False).tobytes()
        number = self._numbers.setdefault(key, len(self._numbers))
        if number >= len(self._states):
            self._states = grown(self._states, number + 1, 0.0)
        if number == len(self._numbers) - 1:
            self._states[number] = state
        return number
