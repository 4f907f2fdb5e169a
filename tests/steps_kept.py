"""A record of a replayed fleet that keeps every step."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from foragers.fleet.tally import Step

NOWHERE = np.empty(0, np.intp)


@dataclass
class Steps:
    """Keeps all steps."""

    steps: list[Step] = field(default_factory=list)

    def path(self, forager: int) -> None:
        pass

    def add(self, step: Step) -> None:
        self.steps.append(step)

    def stand(self, forager: int, moment: float, url: int, page: int) -> None:
        url_, page_ = np.array([url]), np.array([page])
        self.steps.append(Step(forager, np.array([moment]), url_, page_, page_, NOWHERE, NOWHERE))
