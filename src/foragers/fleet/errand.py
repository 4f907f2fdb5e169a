"""A step of a forager under way: the page it goes to, and the pages it looks at from there."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from foragers.fleet.forager import Forager
from foragers.types import Choice, Ids, UrlId

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]

LOOKS = " looks"
"""Ends the agent of a choice that is only looked at; that of a step is the forager's name."""


@dataclass(slots=True)
class Sight:
    """What one download of a step showed: a page (-1 for none) and all that matters of it."""

    page: int
    number: int
    time: float
    leads: bool = False
    young: bool = False
    wanted: bool = False


@dataclass(slots=True, eq=False)
class Errand:
    """One step: `waiting` are choices not yet made, `asked` those made and not answered.

    `places` has the place of every URL of the step, `sights` what came back, by place.
    """

    forager: Forager
    first: Choice
    waiting: deque[Choice] = field(default_factory=deque)
    asked: dict[UrlId, int] = field(default_factory=dict)
    places: dict[UrlId, int] = field(default_factory=dict)
    sights: dict[int, Sight] = field(default_factory=dict)
    links: Ids = field(default_factory=lambda: np.empty(0, np.int32))

    @property
    def is_done(self) -> bool:
        """Whether nothing is asked for or to be asked for."""
        return not self.waiting and not self.asked

    def columns(self) -> tuple[Ids, Ids, Ids, Floats, Flags, Flags, Flags]:
        """Return what came back: URLs, pages, states, times, leads, young, wanted."""
        held = [(url, self.sights[at]) for url, at in self.places.items() if at in self.sights]
        seen = [sight for _, sight in held]
        return (
            np.array([url for url, _ in held], np.int32),
            np.array([sight.page for sight in seen], np.int32),
            np.array([sight.number for sight in seen], np.int32),
            np.array([sight.time for sight in seen], np.float64),
            np.array([sight.leads for sight in seen], np.bool_),
            np.array([sight.young for sight in seen], np.bool_),
            np.array([sight.wanted for sight in seen], np.bool_),
        )
