"""Things of which one can be drawn, each with the same chance."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass(slots=True)
class Lottery:
    """A set of numbers from which one can be drawn in constant time."""

    _tickets: list[int] = field(default_factory=list)
    _places: dict[int, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._tickets)

    def __contains__(self, ticket: object) -> bool:
        return ticket in self._places

    def add(self, ticket: int) -> None:
        """Put a ticket in, once."""
        if ticket not in self._places:
            self._places[ticket] = len(self._tickets)
            self._tickets.append(ticket)

    def remove(self, ticket: int) -> None:
        """Take a ticket out, if it is in; the last one takes its place."""
        place = self._places.pop(ticket, None)
        if place is None:
            return
        last = self._tickets.pop()
        if last != ticket:
            self._tickets[place] = last
            self._places[last] = place

    def draw(self, rng: np.random.Generator) -> int:
        """Return one of the tickets, which stays in."""
        return self._tickets[int(rng.random() * len(self._tickets))]
