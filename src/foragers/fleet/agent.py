"""The reinforcing agent: says what is news, and keeps the scores of the foragers."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from foragers.fleet.forager import Forager
from foragers.fleet.growing import Marks, Places
from foragers.fleet.settings import FleetSettings
from foragers.types import Ids

Flags = NDArray[np.bool_]


@dataclass(slots=True)
class ReinforcingAgent:
    """Rewards a page once: whoever sends it first."""

    relevants: Marks = field(default_factory=Marks)

    def receive(self, forager: Forager, pages: Ids, wanted: Flags | None = None) -> Places:
        """Return the places of the relevant pages, and settle the forager's score (Algorithm 7).

        All pages are young enough.  `wanted` says which of them are what is asked for,
        where that is more than being new.
        """
        unseen = self.relevants.missing(pages)
        relevant = (unseen if wanted is None else unseen & wanted).nonzero()[0]
        self.relevants.add(pages[relevant])
        settings = forager.settings
        forager.score -= settings.score_sent * len(pages)
        forager.score += settings.score_relevant * len(relevant)
        return relevant


def profit(settings: FleetSettings, sent: int, relevant: int) -> float:
    """Return the reinforcement for a step on which so many pages were sent.

    `selection`: a reward for each relevant page, a penalty for each other.  `evolution`: a
    penalty for each page, and a reward for each relevant one; so that two pages of
    which one is relevant bring 98 (its Figure 1).
    """
    paid_for = sent if settings.scheme == "evolution" else sent - relevant
    return settings.reward * relevant + settings.penalty * paid_for
