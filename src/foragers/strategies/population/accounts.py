"""The account of energy.

Energy is added with the first agents and with every new document (whose energy may be negative).
Agents take it from documents, share it with their clones, pay it for visits without a new
document, and lose it when they die.  At any time

    put in = held by agents + left on documents + paid + buried.

Every transfer is recorded (`core.population.Transfers`), so that the account can be checked.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from foragers.core.population import Transfers
from foragers.core.types import UrlId
from foragers.strategies.population.policies import LinkPolicy
from foragers.strategies.population.restart_points import RandomSet

NAMED = "walker"
"""The name of agents, followed by their number."""


@dataclass(slots=True, eq=False)
class PopulationWalker:
    """An agent: its number, its energy, the document it is on, and its link policy."""

    number: int
    energy: float
    at: UrlId
    policy: LinkPolicy

    @property
    def name(self) -> str:
        """The name of the agent in its choices."""
        return f"{NAMED}-{self.number}"


@dataclass(slots=True)
class EnergyBook:
    """The energy that was put in, paid and buried, and that lies on documents.

    `left` is the energy that can still be taken from documents, `available` its sum, and
    `stranded` the sum of negative energies, which no agent takes.  `now` is the time of transfers.
    """

    now: float = 0.0
    put_in: float = 0.0
    paid: float = 0.0
    buried: float = 0.0
    stranded: float = 0.0
    available: float = 0.0
    left: dict[UrlId, float] = field(default_factory=dict)
    remnants: RandomSet = field(default_factory=RandomSet)
    transfers: Transfers = field(default_factory=Transfers, repr=False)

    def endow(self, walker: PopulationWalker) -> None:
        """Record the energy of one of the first agents."""
        self.put_in += walker.energy
        self.transfers.note(self.now, "endow", walker.energy, walker.number)

    def give(self, walker: PopulationWalker, energy: float) -> None:
        """Give an agent the energy of the new document it is on."""
        self.put_in += energy
        walker.energy += energy
        self.transfers.note(self.now, "give", energy, walker.number, walker.at)

    def leave(self, document: UrlId, energy: float, debts: bool = False) -> None:
        """Leave the energy of a new document where it is.

        A negative one is stranded there, unless agents take `debts` as well.
        """
        self.put_in += energy
        self.transfers.note(self.now, "leave", energy, document=document)
        if energy > 0 or debts:
            self.left[document] = energy
            self.available += energy
            if energy > 0:
                self.remnants.add(document)
        else:
            self.stranded += energy

    def take(self, walker: PopulationWalker, document: UrlId) -> None:
        """Give an agent the energy that lies on a document."""
        energy = self.left.pop(document, 0.0)
        walker.energy += energy
        self.available -= energy
        self.remnants.remove(document)
        self.transfers.note(self.now, "take", energy, walker.number, document)

    def share(self, walker: PopulationWalker, parent: PopulationWalker) -> None:
        """Record that a clone got its energy from its parent."""
        self.transfers.note(self.now, "share", walker.energy, walker.number, parent=parent.number)

    def make(self, walker: PopulationWalker, parent: PopulationWalker) -> None:
        """Record a clone whose energy comes from nowhere, as the paper prints it."""
        self.put_in += walker.energy
        self.transfers.note(self.now, "endow", walker.energy, walker.number, parent=parent.number)

    def pay(self, walker: PopulationWalker, cost: float) -> None:
        """Let an agent pay for a visit."""
        walker.energy -= cost
        self.paid += cost
        self.transfers.note(self.now, "pay", cost, walker.number)

    def bury(self, walker: PopulationWalker) -> None:
        """Record the energy of an agent that dies, which may be negative."""
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
        """The energy of all agents, from the account."""
        return self.put_in - self.stranded - self.available - self.paid - self.buried

    @property
    def lying(self) -> float:
        """The energy on all documents."""
        return self.stranded + sum(self.left.values())

    def missing(self, walkers: Iterable[PopulationWalker]) -> float:
        """Return the error of the account: zero, except for rounding."""
        held = sum(walker.energy for walker in walkers)
        return self.put_in - held - self.lying - self.paid - self.buried
