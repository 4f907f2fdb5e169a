"""Examples: pages similar to given texts.

A classifier learns from example texts and judges every page by its title and text.  Without
counterexamples it uses other pages instead: pages of a recorded world, or the pages of the crawl
itself as they are fetched.
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
"""The numbers of pages of a crawl at which it is learned from first and last."""


@dataclass
class Examples:
    """Judges pages by their similarity to examples.

    This is a logistic regression on tf·idf vectors.  Without negative examples most of the
    `background` is used instead, and without that most of the pages judged so far.  Then it is
    trained again at 20, 40, … 320 pages; before that relevance is the similarity to the mean of the
    examples.  An `estimator` of the user gets texts, so it must begin with a vectoriser.
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
        """Return the probability that the page is wanted."""
        if page.status is not Status.OK:
            return 0.0
        text = full_text(page.document)
        if not (self.negative or self.background):
            self._see(page.version, text)
        return self.likeness(text)

    def teach(self, document: Document, url: str, wanted: bool) -> None:  # noqa: ARG002 - by its text
        """Learn from feedback about a page."""
        text = full_text(document)
        if wanted:
            self.positive += (text,)
        else:
            self.refused += (text,)
        self.lessons += 1
        self.__dict__.pop("classifier", None)

    def likeness(self, text: str) -> float:
        """Return the probability that a text is wanted."""
        return bounded(self.classifier.probability(text))

    @cached_property
    def classifier(self) -> Classifier:
        """The classifier trained on the examples."""
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
        """Store one of the first pages; when it is time to train again, drop the classifier."""
        if len(self.seen) < LAST and version not in self.seen:
            self.seen[version] = text
            if len(self.seen) in _moments():
                self.__dict__.pop("classifier", None)


def _moments() -> tuple[int, ...]:
    """Return the numbers of pages at which it is trained again, doubling from first to last."""
    return tuple(FIRST << i for i in range((LAST // FIRST).bit_length()))
