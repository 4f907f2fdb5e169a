"""Energy: who holds it, and where it went.

Energy comes in with the first agents and with every new document (which may bring less
than nothing).  Agents take it from documents, share it with their clones, pay it for
visits that bring none, and take what they owe into the grave.  At any time

    put in = held by agents + left on documents + paid + buried.

Every transfer is noted (`fleet.transfers`), so that others can keep the account again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from foragers.core.population import Transfers
from foragers.core.types import UrlId
from foragers.strategies.population.policies import Mind
from foragers.strategies.population.restart_points import Lottery

NAMED = "walker"
"""What agents are called, with their number."""


@dataclass(slots=True, eq=False)
class PopulationWalker:
    """An agent: its number, its energy, the document it is on and what it thinks of links."""

    number: int
    energy: float
    at: UrlId
    mind: Mind

    @property
    def name(self) -> str:
        """How choices are signed."""
        return f"{NAMED}-{self.number}"


@dataclass(slots=True)
class EnergyBook:
    """What was put in, paid and buried, and what still lies on documents.

    `left` is what can still be taken from documents, `to_be_had` the sum of it, and `stranded`
    the sum of what no one will want to take.  `now` is when what is noted happens.
    """

    now: float = 0.0
    put_in: float = 0.0
    paid: float = 0.0
    buried: float = 0.0
    stranded: float = 0.0
    to_be_had: float = 0.0
    left: dict[UrlId, float] = field(default_factory=dict)
    remnants: Lottery = field(default_factory=Lottery)
    transfers: Transfers = field(default_factory=Transfers, repr=False)

    def endow(self, walker: PopulationWalker) -> None:
        """Count the energy that a first agent comes with."""
        self.put_in += walker.energy
        self.transfers.note(self.now, "endow", walker.energy, walker.number)

    def give(self, walker: PopulationWalker, energy: float) -> None:
        """Let an agent take the energy of the new document it is on at once."""
        self.put_in += energy
        walker.energy += energy
        self.transfers.note(self.now, "give", energy, walker.number, walker.at)

    def leave(self, document: UrlId, energy: float) -> None:
        """Leave the energy of a new document where it is."""
        self.put_in += energy
        self.transfers.note(self.now, "leave", energy, document=document)
        if energy > 0:
            self.left[document] = energy
            self.to_be_had += energy
            self.remnants.add(document)
        else:
            self.stranded += energy

    def take(self, walker: PopulationWalker, document: UrlId) -> None:
        """Let an agent take what lies on a document."""
        found = self.left.pop(document, 0.0)
        walker.energy += found
        self.to_be_had -= found
        self.remnants.remove(document)
        self.transfers.note(self.now, "take", found, walker.number, document)

    def share(self, walker: PopulationWalker, parent: PopulationWalker) -> None:
        """Note that a clone got what it has from its parent."""
        self.transfers.note(self.now, "share", walker.energy, walker.number, parent=parent.number)

    def pay(self, walker: PopulationWalker, cost: float) -> None:
        """Let an agent pay for a visit."""
        walker.energy -= cost
        self.paid += cost
        self.transfers.note(self.now, "pay", cost, walker.number)

    def bury(self, walker: PopulationWalker) -> None:
        """Let an agent die with what it has, or owes."""
        self.buried += walker.energy
        self.transfers.note(self.now, "bury", walker.energy, walker.number)
        walker.energy = 0.0

    def rescue(self, walker: PopulationWalker, rng: np.random.Generator) -> None:
        """Move an agent, at no cost, to documents with energy until it owes nothing."""
        while walker.energy < 0 and (rich := self.draw(rng)) is not None:
            walker.at = rich
            self.take(walker, rich)

    def draw(self, rng: np.random.Generator) -> UrlId | None:
        """Return a document that still has energy, if there is one."""
        return self.remnants.draw(rng) if len(self.remnants) else None

    @property
    def held(self) -> float:
        """What agents hold, by the account: it need not be counted."""
        return self.put_in - self.stranded - self.to_be_had - self.paid - self.buried

    @property
    def lying(self) -> float:
        """What lies on documents, wanted or not."""
        return self.stranded + sum(self.left.values())

    def missing(self, walkers: Iterable[PopulationWalker]) -> float:
        """Return what the account is out by: nothing, but for rounding."""
        held = sum(walker.energy for walker in walkers)
        return self.put_in - held - self.lying - self.paid - self.buried
