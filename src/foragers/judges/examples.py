"""Examples: pages like these.

A classifier learns from example texts and judges every page by its title and text.
Where nobody says what is *not* wanted, other pages stand in for it: pages of a recorded
world, or else the pages of the crawl itself as they come in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from foragers.core.types import Document, Page, Status
from foragers.errors import UsageError
from foragers.judges.topic import bounded, full_text
from foragers.text.classifier import (
    CentroidClassifier,
    Classifier,
    Estimator,
    EstimatorClassifier,
    LinearClassifier,
    unlike,
)

FIRST, LAST = 20, 320
"""How many pages of a crawl are seen before it is first, and last, learned from."""


@dataclass
class Examples:
    """Judges pages by how like some examples they are.

    This is a logistic regression on tf·idf vectors.  In want of negative examples most of
    the `background` takes their place, and in want of that most of the pages judged so far:
    it is then learned anew at 20, 40, … 320 pages, and before the first of these
    relevance is the likeness to the mean of the examples.  An `estimator` of the user's is
    given texts, so that it begins with a vectoriser.
    """

    positive: tuple[str, ...] = field(repr=False)
    negative: tuple[str, ...] = field(default=(), repr=False)
    background: tuple[str, ...] = field(default=(), repr=False)
    estimator: Estimator | None = None
    threshold: float = 0.5
    seen: dict[int, str] = field(default_factory=dict, repr=False)
    refused: tuple[str, ...] = field(default=(), repr=False)
    lessons: int = field(default=0, repr=False)

    def relevance(self, page: Page) -> float:
        """Return how likely the page is of the kind wanted."""
        if page.status is not Status.OK:
            return 0.0
        text = full_text(page.document)
        if not (self.negative or self.background):
            self._see(page.version, text)
        return self.likeness(text)

    def teach(self, document: Document, url: str, wanted: bool) -> None:  # noqa: ARG002 - by its text
        """Learn from a page of which somebody says whether it is wanted."""
        text = full_text(document)
        if wanted:
            self.positive += (text,)
        else:
            self.refused += (text,)
        self.lessons += 1
        self.__dict__.pop("classifier", None)

    def likeness(self, text: str) -> float:
        """Return how likely a text is of the kind wanted."""
        return bounded(self.classifier.probability(text))

    @cached_property
    def classifier(self) -> Classifier:
        """What was learned from the examples."""
        if not self.positive:
            raise UsageError("Examples has no positive text; give at least one")
        if not (negative := [*self._negative(), *self.refused]):
            return CentroidClassifier.fit(self.positive)
        if self.estimator is not None:
            return EstimatorClassifier.fit(self.estimator, self.positive, negative)
        return LinearClassifier.fit(self.positive, negative)

    def _negative(self) -> Sequence[str]:
        if self.negative:
            return self.negative
        if self.background:
            return unlike(self.positive, self.background)
        learned_from = max((n for n in _moments() if n <= len(self.seen)), default=0)
        return unlike(self.positive, list(self.seen.values())[:learned_from])

    def _see(self, version: int, text: str) -> None:
        """Keep one of the first pages; when it is time to learn anew, forget what was learned."""
        if len(self.seen) < LAST and version not in self.seen:
            self.seen[version] = text
            if len(self.seen) in _moments():
                self.__dict__.pop("classifier", None)


def _moments() -> tuple[int, ...]:
    """Return the numbers of pages at which it is learned anew, doubling from first to last."""
    return tuple(FIRST << i for i in range((LAST // FIRST).bit_length()))
