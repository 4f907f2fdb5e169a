"""A record of a replayed fleet that keeps every step."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from foragers.strategies.fleet.simulation.windows import StepRecord

NOWHERE = np.empty(0, np.intp)


@dataclass
class Steps:
    """Keeps all steps."""

    steps: list[StepRecord] = field(default_factory=list)

    def path(self, forager: int) -> None:
        pass

    def add(self, step: StepRecord) -> None:
        self.steps.append(step)

    def stand(self, forager: int, moment: float, url: int, page: int) -> None:
        url_, page_ = np.array([url]), np.array([page])
        self.steps.append(
            StepRecord(forager, np.array([moment]), url_, page_, page_, NOWHERE, NOWHERE)
        )
