"""Who lived when, born of whom, and how the population fared: what a report draws."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from foragers.fleet.lives import Lives
from foragers.fleet.pulse import Pulse
from foragers.fleet.transfers import Transfers


@dataclass(frozen=True)
class Census:
    """Births and deaths by the name of the kind of agent; its energy, in all and in samples."""

    lives: Mapping[str, Lives]
    pulse: Pulse | None = None
    transfers: Mapping[str, Transfers] = field(default_factory=dict)

    def columns(self) -> dict[str, NDArray[np.generic]]:
        """Return everything as arrays, events in the order of their time.

        `kinds` are the names, `kind` the place among them of each event's; the columns of
        samples are called `pulse_…`.
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
        return {**found, **{f"pulse_{name}": column for name, column in pulse.items()}}


@runtime_checkable
class Populous(Protocol):
    """A strategy that is a population."""

    def census(self) -> Census | None:
        """Return who lived when; None if nobody was born yet."""
        ...
