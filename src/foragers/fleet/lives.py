"""The ledger of births and deaths: twenty bytes an event, however many there are."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

NOBODY = -1
"""The parent of those who were there from the beginning."""


class LifeEvent(NamedTuple):
    """A birth (of a parent, or of none: -1) or a death, and how many lived after it."""

    time: float
    what: Literal["birth", "death"]
    member: int
    parent: int
    population: int


def _integers() -> array[int]:
    return array("i")


@dataclass(slots=True)
class Lives(Sequence[LifeEvent]):
    """Events in the order in which they happened, kept as columns; a death has no parent."""

    _times: array[float] = field(default_factory=lambda: array("d"), repr=False)
    _members: array[int] = field(default_factory=_integers, repr=False)
    _parents: array[int] = field(default_factory=_integers, repr=False)
    _populations: array[int] = field(default_factory=_integers, repr=False)

    def __len__(self) -> int:
        return len(self._times)

    def born(self, time: float, member: int, parent: int, population: int) -> None:
        """Note a birth."""
        self._note(time, member, parent, population)

    def died(self, time: float, member: int, population: int) -> None:
        """Note a death: the member is written as its complement, which is below zero."""
        self._note(time, ~member, NOBODY, population)

    def _note(self, time: float, member: int, parent: int, population: int) -> None:
        self._times.append(time)
        self._members.append(member)
        self._parents.append(parent)
        self._populations.append(population)

    @overload
    def __getitem__(self, index: int) -> LifeEvent: ...
    @overload
    def __getitem__(self, index: slice) -> list[LifeEvent]: ...
    def __getitem__(self, index: int | slice) -> LifeEvent | list[LifeEvent]:
        """Return an event, or some of them."""
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        member = self._members[index]
        return LifeEvent(
            self._times[index],
            "birth" if member >= 0 else "death",
            member if member >= 0 else ~member,
            self._parents[index],
            self._populations[index],
        )

    def columns(self) -> dict[str, NDArray[np.generic]]:
        """Return the events as arrays: `times`, `members`, `births` and `parents`."""
        members = np.array(self._members, np.int32)
        births = members >= 0
        return {
            "times": np.array(self._times, np.float64),
            "members": np.where(births, members, ~members).astype(np.int32),
            "births": births,
            "parents": np.array(self._parents, np.int32),
        }
