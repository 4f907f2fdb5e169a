"""A population with bounds: its members, and their births and deaths.

It knows nothing about its members except their numbers, so any kind of agent can be one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from foragers.core.population import NOBODY, Lives
from foragers.core.population import LifeEvent as LifeEvent


class Numbered(Protocol):
    """A member of a population, with a number."""

    @property
    def number(self) -> int:
        """Return the number, given in the order of birth."""
        ...


Member = TypeVar("Member", bound=Numbered)


@dataclass(slots=True)
class Population(Generic[Member]):
    """Members in the order of their birth, at least `least` and at most `most` of them."""

    least: int
    most: int
    events: Lives = field(default_factory=Lives)
    _living: dict[int, Member] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._living)

    @property
    def members(self) -> list[Member]:
        """The living members, in the order of birth."""
        return list(self._living.values())

    @property
    def may_grow(self) -> bool:
        """Whether there is room for another member."""
        return len(self._living) < self.most

    @property
    def may_shrink(self) -> bool:
        """Whether a member may die."""
        return len(self._living) > self.least

    def add(self, member: Member, time: float, parent: int = NOBODY) -> None:
        """Add a member, and record its birth."""
        self._living[member.number] = member
        self.events.born(time, member.number, parent, len(self._living))

    def remove(self, member: Member, time: float) -> None:
        """Remove a member, and record its death."""
        del self._living[member.number]
        self.events.died(time, member.number, len(self._living))
