"""A population with bounds: who lives, who was born of whom and when, who died.

It knows nothing of what its members do, so that any kind of agent can live in it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, Literal, NamedTuple, Protocol, TypeVar


class Numbered(Protocol):
    """A member of a population: it has a number, and keeps it."""

    @property
    def number(self) -> int:
        """Return the number, given in the order of birth."""
        ...


Member = TypeVar("Member", bound=Numbered)


class LifeEvent(NamedTuple):
    """A birth (of a parent, or of none: -1) or a death, and how many lived after it."""

    time: float
    what: Literal["birth", "death"]
    member: int
    parent: int
    population: int


@dataclass(slots=True)
class Population(Generic[Member]):
    """Members in the order of their birth, at least `least` and at most `most` of them."""

    least: int
    most: int
    members: list[Member] = field(default_factory=list)
    events: list[LifeEvent] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.members)

    @property
    def may_grow(self) -> bool:
        """Whether there is room for another member."""
        return len(self.members) < self.most

    @property
    def may_shrink(self) -> bool:
        """Whether a member may die."""
        return len(self.members) > self.least

    def add(self, member: Member, time: float, parent: int = -1) -> None:
        """Let a member be born."""
        self.members.append(member)
        self.events.append(LifeEvent(time, "birth", member.number, parent, len(self.members)))

    def remove(self, member: Member, time: float) -> None:
        """Let a member die."""
        self.members.remove(member)
        self.events.append(LifeEvent(time, "death", member.number, -1, len(self.members)))
