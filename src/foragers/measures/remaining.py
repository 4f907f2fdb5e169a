"""How many relevant pages there are within reach, and what share of them has been found."""

from __future__ import annotations

import msgspec

from foragers.measures.sightings import Sightings


class Estimate(msgspec.Struct, frozen=True):
    """Relevant pages found, and how many there are within reach: estimate and 90 % interval."""

    found: int = 0
    total: float | None = None
    low: float = 0.0
    high: float | None = None
    recall: float | None = None

    def reaches(self, recall: float) -> bool:
        """Say whether that share of all there is has been found, as far as can be told."""
        return self.recall is not None and self.recall >= recall

    @property
    def recall_said(self) -> str:
        """The share found, in words."""
        return "?" if self.recall is None else f"{self.recall:.0%}"

    @property
    def total_said(self) -> str:
        """How many there are, in words."""
        return "how many there are cannot be told yet"

    def __str__(self) -> str:
        return f"found {self.found:,}"


def estimate(seen: Sightings) -> Estimate:
    """Estimate from all that was seen so far."""
    return Estimate(len(seen.found))
