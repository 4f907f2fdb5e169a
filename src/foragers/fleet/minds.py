"""What an agent thinks of links: by their context, as all others do, or as it has learned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from foragers.fleet.clearings import Floats, Ways


class Mind(Protocol):
    """Judges links, learns from where they led, and is passed on with changes."""

    @property
    def sharpness(self) -> float:
        """How much likelier a better link is followed: P ∝ exp(sharpness · promise)."""
        ...

    def promises(self, ways: Ways) -> Floats:
        """Return what each link of a document promises."""
        ...

    def follow(self, ways: Ways, place: int) -> None:
        """Note which link is followed."""
        ...

    def learn(self, relevance: float, ways: Ways | None) -> None:
        """Learn from the page to which the link led, and from the ways on from there."""
        ...

    def child(self, ways: Ways | None, rng: np.random.Generator) -> Mind:
        """Return the mind of a clone that is born where these ways begin."""
        ...


@dataclass(frozen=True, slots=True)
class Plain:
    """Takes the promises as they are, and learns nothing."""

    sharpness: float

    def promises(self, ways: Ways) -> Floats:
        """Return the promises that all agents share."""
        return ways.promises

    def follow(self, ways: Ways, place: int) -> None:
        """Note nothing."""

    def learn(self, relevance: float, ways: Ways | None) -> None:
        """Learn nothing."""

    def child(self, ways: Ways | None, rng: np.random.Generator) -> Plain:  # noqa: ARG002
        """Return the same mind."""
        return self
