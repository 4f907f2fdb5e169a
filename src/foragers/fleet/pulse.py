"""How a population fared: now and then its size and its energy, a bounded number of times."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

MOST = 2048
"""So many samples are kept at most; then every other one is dropped, and fewer are taken."""


def _floats() -> array[float]:
    return array("d")


@dataclass(slots=True)
class Pulse:
    """Samples at equal distances of pages, whatever their number."""

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
        """Say whether a sample is to be taken after so many pages."""
        return pages >= self._until

    def note(self, pages: int, time: float, population: int, held: float, left: float) -> None:
        """Take a sample: how many live, what they hold, and what is left on documents."""
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
