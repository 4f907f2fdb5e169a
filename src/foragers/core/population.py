"""Records of a population: births and deaths, transfers of energy, and samples of its size.

`Lives` has births and deaths, in twenty bytes per event.  `Transfers` has transfers of energy, in
about thirty bytes each:

    endow   from outside to a first agent
    give    from outside, by a new document, to the agent that found it
    leave   from outside to a new document, where it stays
    take    from a document to an agent
    share   from a parent to its clone
    pay     from an agent, for a visit without a new document
    bury    from an agent, when it dies

Amounts may be negative: of a document that costs energy, or of an agent that dies with a debt.
`Pulse` has a bounded number of samples of the size and energy of a population, and `Scores` of the
scores of its agents.  A `Census` has all
of it, for reports.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, NamedTuple, Protocol, overload, runtime_checkable

import msgspec
import numpy as np
from numpy.typing import NDArray

from foragers.core.types import NO_PARENT, Addresses, UrlId

NOBODY = -1
"""The parent of the first agents."""


class LifeEvent(NamedTuple):
    """A birth (of a parent, or of none: -1) or a death, and the size of the population after it."""

    time: float
    what: Literal["birth", "death"]
    member: int
    parent: int
    population: int


def _integers() -> array[int]:
    return array("i")


@dataclass(slots=True)
class Lives(Sequence[LifeEvent]):
    """Events in the order in which they happened, as columns; a death has no parent."""

    _times: array[float] = field(default_factory=lambda: array("d"), repr=False)
    _members: array[int] = field(default_factory=_integers, repr=False)
    _parents: array[int] = field(default_factory=_integers, repr=False)
    _populations: array[int] = field(default_factory=_integers, repr=False)

    def __len__(self) -> int:
        return len(self._times)

    def born(self, time: float, member: int, parent: int, population: int) -> None:
        """Record a birth."""
        self._note(time, member, parent, population)

    def died(self, time: float, member: int, population: int) -> None:
        """Record a death: the member is stored as its complement, which is negative."""
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
        """Return an event, or a slice of them."""
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


KINDS = ("endow", "give", "leave", "take", "share", "pay", "bury")


class EnergyTransfer(NamedTuple):
    """An amount of energy, with its agent, the agent's parent and the document."""

    time: float
    what: str
    agent: int
    parent: int
    document: UrlId
    amount: float


def _floats() -> array[float]:
    return array("d")


@dataclass(slots=True)
class Transfers(Sequence[EnergyTransfer]):
    """Transfers in the order in which they happened, as columns."""

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
        document: UrlId = NO_PARENT,
        parent: int = NOBODY,
    ) -> None:
        """Record a transfer."""
        self._times.append(time)
        self._kinds.append(KINDS.index(what))
        self._agents.append(agent)
        self._parents.append(parent)
        self._documents.append(document)
        self._amounts.append(amount)

    @overload
    def __getitem__(self, index: int) -> EnergyTransfer: ...
    @overload
    def __getitem__(self, index: slice) -> list[EnergyTransfer]: ...
    def __getitem__(self, index: int | slice) -> EnergyTransfer | list[EnergyTransfer]:
        """Return a transfer, or a slice of them."""
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        return EnergyTransfer(
            self._times[index],
            KINDS[self._kinds[index]],
            self._agents[index],
            self._parents[index],
            self._documents[index],
            self._amounts[index],
        )


MOST = 2048
"""The largest number of samples; then every other one is dropped, and fewer are taken."""


@dataclass(slots=True)
class Pulse:
    """Samples at equal distances in pages."""

    _every: int = 1
    _until: int = 0
    _pages: array[float] = field(default_factory=_floats, repr=False)
    _times: array[float] = field(default_factory=_floats, repr=False)
    _populations: array[float] = field(default_factory=_floats, repr=False)
    _held: array[float] = field(default_factory=_floats, repr=False)
    _left: array[float] = field(default_factory=_floats, repr=False)

    names: ClassVar[tuple[str, ...]] = ("pages", "times", "populations", "held", "left")

    def __len__(self) -> int:
        return len(self._pages)

    def is_due(self, pages: int) -> bool:
        """Return whether a sample is due after this number of pages."""
        return pages >= self._until

    def note(self, pages: int, time: float, population: int, held: float, left: float) -> None:
        """Take a sample: the number of agents, their energy, and the energy left on documents."""
        for name, value in zip(self.names, (pages, time, population, held, left), strict=True):
            getattr(self, f"_{name}").append(value)
        if len(self) > MOST:
            self._thin()
        self._until = pages + self._every

    def _thin(self) -> None:
        self._every *= 2
        for name in self.names:
            setattr(self, f"_{name}", getattr(self, f"_{name}")[::2])

    def columns(self) -> dict[str, NDArray[np.float64]]:
        """Return the samples as arrays."""
        return {name: np.array(getattr(self, f"_{name}"), np.float64) for name in self.names}


MOST_SCORES = 20_000
"""The largest number of scores that are kept; then every other sample is dropped."""


@dataclass(slots=True)
class Scores:
    """The scores of all agents alive, at equal distances in pages."""

    most: int = MOST_SCORES
    _every: int = 1
    _until: int = 0
    _pages: array[int] = field(default_factory=_integers, repr=False)
    _members: array[int] = field(default_factory=_integers, repr=False)
    _values: array[float] = field(default_factory=_floats, repr=False)

    def __len__(self) -> int:
        return len(self._pages)

    def is_due(self, pages: int) -> bool:
        """Return whether a sample is due after this number of pages."""
        return pages >= self._until

    def note(self, pages: int, scores: Sequence[tuple[int, float]]) -> None:
        """Take a sample: the number and the score of each agent."""
        for member, value in scores:
            self._pages.append(pages)
            self._members.append(member)
            self._values.append(value)
        while len(self) > self.most and self._every <= pages:
            self._thin()
        self._until = pages + self._every

    def _thin(self) -> None:
        self._every *= 2
        kept = [row for row, pages in enumerate(self._pages) if pages % self._every == 0]
        self._pages = array("i", [self._pages[row] for row in kept])
        self._members = array("i", [self._members[row] for row in kept])
        self._values = array("d", [self._values[row] for row in kept])

    def columns(self) -> dict[str, NDArray[np.generic]]:
        """Return the samples as arrays."""
        return {
            "pages": np.array(self._pages, np.int64),
            "members": np.array(self._members, np.int32),
            "values": np.array(self._values, np.float64),
        }


@dataclass(frozen=True)
class Census:
    """Births, deaths and transfers by the name of the kind of agent, and samples."""

    lives: Mapping[str, Lives]
    pulse: Pulse | None = None
    transfers: Mapping[str, Transfers] = field(default_factory=dict)
    scores: Scores | None = None

    def columns(self) -> dict[str, NDArray[np.generic]]:
        """Return everything as arrays, events in the order of their time.

        `kinds` are the names, `kind` the index of each event's kind; the columns of samples are
        called `pulse_…` and `score_…`.
        """
        parts = [lives.columns() for lives in self.lives.values()]
        names = ("times", "members", "births", "parents")
        found = {name: np.concatenate([part[name] for part in parts]) for name in names}
        lengths = [len(lives) for lives in self.lives.values()]
        found["kind"] = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
        order = np.argsort(found["times"], kind="stable")
        found = {name: column[order] for name, column in found.items()}
        found["kinds"] = np.array(list(self.lives))
        pulse = {} if self.pulse is None else self.pulse.columns()
        scores = {} if self.scores is None else self.scores.columns()
        return {
            **found,
            **{f"pulse_{name}": column for name, column in pulse.items()},
            **{f"score_{name}": column for name, column in scores.items()},
        }


class ForagerStanding(msgspec.Struct, frozen=True):
    """A forager at work: its score, its paths, its territory and the best of its weblog.

    `pages` are those that it has stepped to, `own_pages` those of them that no other forager has;
    `weblog` has the `known` starting URLs with the highest values.
    """

    name: str
    kind: str
    parent: int
    score: float
    paths: int
    pages: int
    own_pages: int
    known: int
    weblog: tuple[tuple[str, float], ...] = ()


@runtime_checkable
class HasForagers(Protocol):
    """A strategy that is a fleet of foragers."""

    def standings(self, addresses: Addresses) -> Sequence[ForagerStanding]:
        """Return the foragers alive, in the order of birth."""
        ...


@runtime_checkable
class Populous(Protocol):
    """A strategy that is a population."""

    def census(self) -> Census | None:
        """Return the records of the population; None if no agent was born yet."""
        ...
