"""The hidden Markov model of `hmm` and `bpm`, trained on recorded worlds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from foragers.errors import UsageError
from foragers.exhibits.exhibit import Cell, Table
from foragers.models import Model
from foragers.strategies.hmm_model import fit
from foragers.training.layering import layered
from foragers.training.lesson import Lesson
from foragers.training.registry import Progress, Trained


@dataclass(frozen=True)
class Trainer:
    """Learns with so many hidden states, clusters besides the wanted one, and LSI directions."""

    states: int = 4
    clusters: int = 12
    rank: int = 50
    pages: int = 300

    def train(self, lessons: Sequence[Lesson], progress: Progress) -> Trained:
        """Learn from all lessons together; `pages` of each state are read in every world."""
        for option, least in (("states", 2), ("clusters", 1), ("rank", 1), ("pages", 1)):
            if getattr(self, option) < least:
                raise UsageError(f"--kind hmm: {option} must be at least {least}")
        layers = layered(lessons, self.states, self.pages, progress)
        model = fit(layers, self.clusters, self.rank)
        names = ", ".join(lesson.name for lesson in lessons)
        model = replace(model, facts={**model.facts, "worlds": names})
        return Trained(model, (transitions(model), emissions(model)))


def transitions(model: Model) -> Table:
    """Return how a link changes the state."""
    values = model.arrays["transitions"]
    columns = ("from", *(f"to T{state}" for state in range(len(values))))
    rows: list[tuple[Cell, ...]] = [(f"T{i}", *row) for i, row in enumerate(values.tolist())]
    return Table("transitions", "From state to state", columns, rows)


def emissions(model: Model) -> Table:
    """Return how the states look, a cluster a row."""
    values = model.arrays["emissions"].T
    columns = ("cluster", *(f"in T{state}" for state in range(values.shape[1])))
    rows: list[tuple[Cell, ...]] = [(str(i), *row) for i, row in enumerate(values.tolist())]
    note = "Cluster 0 is around the wanted pages."
    return Table("emissions", "What pages look like", columns, rows, note)
