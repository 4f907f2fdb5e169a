"""A step of a forager under way: the page it goes to, and the pages it looks at from there."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from foragers.fleet.forager import Forager
from foragers.fleet.growing import Places
from foragers.fleet.memory import Sights
from foragers.types import Choice, Ids, UrlId

Flags = NDArray[np.bool_]

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

    def columns(self) -> tuple[Sights, Places, Flags]:
        """Return what came back, the places of the young pages, each once, and which is wanted."""
        held = [(url, self.sights[at]) for url, at in self.places.items() if at in self.sights]
        seen = [sight for _, sight in held]
        sights = Sights(
            np.array([url for url, _ in held], np.int32),
            np.array([sight.page for sight in seen], np.int32),
            np.array([sight.number for sight in seen], np.int32),
            np.array([sight.time for sight in seen], np.float64),
            np.array([sight.leads for sight in seen], np.bool_),
        )
        young = np.flatnonzero([sight.young for sight in seen])
        if len(young) > 1:  # two URLs may lead to one page
            young = young[np.sort(np.unique(sights.pages[young], return_index=True)[1])]
        return sights, young, np.array([seen[at].wanted for at in young.tolist()], np.bool_)
