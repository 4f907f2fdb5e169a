"""The ledger of energy: who got how much, from where; some thirty bytes a transfer.

    endow   from outside to a first agent
    give    from outside, by a new document, to the agent that found it
    leave   from outside to a new document, where it stays
    take    from a document to an agent
    share   from a parent to its clone
    pay     from an agent, for a visit that brings nothing
    bury    from an agent, when it dies

Amounts may be below nothing: of a document that costs, or of an agent that dies owing.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, overload

from foragers.fleet.lives import NOBODY
from foragers.types import NOWHERE, UrlId

KINDS = ("endow", "give", "leave", "take", "share", "pay", "bury")


class Transfer(NamedTuple):
    """An amount of energy, with the agent, its parent and the document that it concerns."""

    time: float
    what: str
    agent: int
    parent: int
    document: UrlId
    amount: float


def _integers() -> array[int]:
    return array("i")


def _floats() -> array[float]:
    return array("d")


@dataclass(slots=True)
class Transfers(Sequence[Transfer]):
    """Transfers in the order in which they happened, kept as columns."""

    _times: array[float] = field(default_factory=_floats, repr=False)
    _kinds: array[int] = field(default_factory=lambda: array("b"), repr=False)
    _agents: array[int] = field(default_factory=_integers, repr=False)
    _parents: array[int] = field(default_factory=_integers, repr=False)
    _documents: array[int] = field(default_factory=_integers, repr=False)
    _amounts: array[float] = field(default_factory=_floats, repr=False)

    def __len__(self) -> int:
        return len(self._times)

    def note(
        self,
        time: float,
        what: str,
        amount: float,
        agent: int = NOBODY,
        document: UrlId = NOWHERE,
        parent: int = NOBODY,
    ) -> None:
        """Note a transfer."""
        self._times.append(time)
        self._kinds.append(KINDS.index(what))
        self._agents.append(agent)
        self._parents.append(parent)
        self._documents.append(document)
        self._amounts.append(amount)

    @overload
    def __getitem__(self, index: int) -> Transfer: ...
    @overload
    def __getitem__(self, index: slice) -> list[Transfer]: ...
    def __getitem__(self, index: int | slice) -> Transfer | list[Transfer]:
        """Return a transfer, or some of them."""
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        return Transfer(
            self._times[index],
            KINDS[self._kinds[index]],
            self._agents[index],
            self._parents[index],
            self._documents[index],
            self._amounts[index],
        )
