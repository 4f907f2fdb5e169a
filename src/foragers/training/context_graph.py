"""The words of the layers around wanted pages, for `context-graph` and `hw`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from foragers.errors import UsageError
from foragers.exhibits.exhibit import Cell, Table
from foragers.models import Model, array_to_words
from foragers.strategies.layer_words import fit
from foragers.text.bayes import weighted_log_odds
from foragers.training.layering import layered
from foragers.training.lesson import Lesson
from foragers.training.registry import Progress, Trained

SHOWN = 10
"""How many words of a layer are told."""


@dataclass(frozen=True)
class Trainer:
    """Learns of so many layers around the wanted pages, from so many pages of each."""

    layers: int = 4
    pages: int = 300

    def train(self, lessons: Sequence[Lesson], progress: Progress) -> Trained:
        """Learn from all lessons together; all that is farther is one more layer."""
        for option in ("layers", "pages"):
            if getattr(self, option) < 1:
                raise UsageError(f"--kind context-graph: {option} must be at least 1")
        model = fit(layered(lessons, self.layers + 2, self.pages, progress))
        names = ", ".join(lesson.name for lesson in lessons)
        return Trained(replace(model, facts={**model.facts, "worlds": names}), (table(model),))


def table(model: Model) -> Table:
    """Return the words that speak most for each layer."""
    known = array_to_words(model.arrays["words"])
    counts = model.arrays["counts"].astype(np.float64)
    odds = weighted_log_odds(counts)
    rows: list[tuple[Cell, ...]] = []
    for layer, row in enumerate(odds):
        best = [known[place] for place in np.argsort(-row, kind="stable")[:SHOWN].tolist()]
        name = f"{layer}" if layer < len(odds) - 1 else "farther"
        rows.append((name, int(model.arrays["pages"][layer]), ", ".join(best)))
    return Table("layers", "Layers by distance", ("links away", "pages read", "words"), rows)
