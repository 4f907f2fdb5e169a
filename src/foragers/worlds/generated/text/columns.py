"""The columns from which the text of a generated world is made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from foragers.core.types import Ids
from foragers.worlds.mapping import NUMBERS, mapped

MARKS = ("topics", "seconds", "kinds", "revisions", "roles")


@dataclass(frozen=True, slots=True)
class GeneratedColumns:
    """Facts of pages, versions and links besides those that every world has.

    A page has a topic and a second one, as rows of the vocabulary (0 is none), and a kind; a
    version has the number of its revision, which counts changes of the text; a link has a role.
    """

    topics: NDArray[np.int16]
    seconds: NDArray[np.int16]
    kinds: NDArray[np.uint8]
    revisions: NDArray[np.uint16]
    roles: NDArray[np.uint8]

    def save(self, folder: Path) -> None:
        """Write the columns beside those of the world."""
        for name in MARKS:
            np.save(folder / f"mark_{name}.npy", getattr(self, name))

    @classmethod
    def open(cls, folder: Path) -> GeneratedColumns:
        """Map the files that `save` wrote."""
        return cls(*(mapped(folder / f"mark_{name}.npy", NUMBERS) for name in MARKS))


@dataclass(frozen=True, slots=True)
class WorldColumns:
    """The columns of the world itself that its text depends on."""

    letters: NDArray[np.uint8]
    letter_starts: NDArray[np.int64]
    version_starts: NDArray[np.int64]
    times: NDArray[np.float64]
    link_starts: NDArray[np.int64]
    targets: Ids

    @classmethod
    def open(cls, folder: Path) -> WorldColumns:
        """Map the columns of a world on disk."""
        names = ("url_letters", "url_starts", "version_starts", "times", "link_starts", "targets")
        return cls(*(mapped(folder / f"{name}.npy") for name in names))
