"""The states of pages for fleets of foragers: PDDP clusters and PrTFIDF, as the papers have them.

`wl`, `rl`, `wlrl` and the other fleets value a page by its state.  Without such a model the words
of a page are hashed (`text.hashed_state`); with one, live crawls use the states of the papers.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from foragers.core.models import Fact, Model
from foragers.errors import UsageError
from foragers.evaluation.tables import Cell, Table
from foragers.text.state import KIND, VERSION, StateMap, text_of
from foragers.text.state_training import train
from foragers.training.lesson import Lesson
from foragers.training.registry import Progress, Trained

SHOWN = 8
"""How many words of a cluster are told."""
FEWEST = 20
"""With fewer texts there is nothing to cluster."""


@dataclass(frozen=True)
class StatesTrainer:
    """Learns `k` clusters of pages from at most `sample` texts of each web."""

    k: int = 50
    sample: int = 3000

    needs_target: ClassVar[bool] = False

    def train(self, lessons: Sequence[Lesson], progress: Progress) -> Trained:
        """Learn from all lessons together; nothing needs to be wanted."""
        for option in ("k", "sample"):
            if getattr(self, option) < 1:
                raise UsageError(f"--kind states: {option} must be at least 1")
        texts: list[str] = []
        with progress("reading pages", sum(self._count(lesson) for lesson in lessons)) as meter:
            for lesson in lessons:
                for text in self._texts(lesson):
                    texts.append(text)
                    meter(len(texts), lesson.name)
        names = ", ".join(lesson.name for lesson in lessons)
        if len(texts) < FEWEST:
            raise UsageError(f"{names}: {len(texts)} pages are too few to learn from; give a web"
                             f" with at least {FEWEST}")  # fmt: skip
        with progress("clustering", 1) as meter, warnings.catch_warnings():
            # Few texts per cluster, which scikit-learn warns about, are no mistake here.
            warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
            learned = train(texts, self.k, np.random.default_rng(0))
            meter(1)
        facts: dict[str, Fact] = {"k": self.k, "worlds": names, "texts": len(texts)}
        model = Model(KIND, VERSION, facts, learned.arrays())
        return Trained(model, (table(learned, texts),))

    def _count(self, lesson: Lesson) -> int:
        return min(self.sample, len(lesson.pages))

    def _texts(self, lesson: Lesson) -> Iterator[str]:
        """Give the texts of pages, spread at random over the web."""
        pages, count = lesson.pages, self._count(lesson)
        if count < len(pages):
            pages = np.sort(np.random.default_rng(0).choice(pages, count, replace=False))
        for version in lesson.shown[pages].tolist():
            yield text_of(lesson.archive.texts.document(int(version)))


def table(learned: StateMap, texts: Sequence[str]) -> Table:
    """Return the words that speak most for each cluster, and how many texts say yes to it."""
    yes = (learned.states(texts) > 0).sum(axis=0)
    rows: list[tuple[Cell, ...]] = []
    for cluster in range(learned.opinions.shape[1] - 1):
        order = np.argsort(-learned.opinions[:, cluster], kind="stable")[:SHOWN]
        told = ", ".join(learned.vocabulary[place] for place in order.tolist())
        rows.append((cluster + 1, int(yes[cluster]), told))
    note = f"{len(texts):,} texts, {len(learned.vocabulary):,} words."
    return Table("states", "Clusters of pages", ("cluster", "texts", "words"), rows, note)
