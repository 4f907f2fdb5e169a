"""tf·idf: how like a query a page is, every word of the page counted.

The cosine of `text.tfidf` over the full vocabulary: unlike `Keywords` it falls when a
page speaks of other things too, and rare words of the query weigh more.  Such cosines are
small for a query of a few words, and so is the threshold.  It was chosen on three labelled
webs, where F1 was best at 0.03, 0.07 and 0.1: longer pages want a lower one.

The idf is either fixed, counted in a corpus or a recorded world beforehand, or it
*grows*: each version of a page is first counted and then judged by the pages seen so far.
Growing, the relevance of a page depends on what was seen before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from foragers.core.types import Page, Status
from foragers.judges.keywords import topic_counts
from foragers.judges.topic import bounded, full_text
from foragers.text.tfidf import DocumentFrequencies, tfidf_cosine
from foragers.text.words import words


@dataclass
class Tfidf:
    """Judges pages by the tf·idf cosine to a query."""

    words: str | tuple[str, ...]
    threshold: float = 0.08
    frequencies: DocumentFrequencies = field(default_factory=DocumentFrequencies)
    growing: bool = True
    seen: set[int] = field(default_factory=set, repr=False)

    def relevance(self, page: Page) -> float:
        """Return the cosine between the page and the query."""
        if page.status is not Status.OK:
            return 0.0
        counts = Counter(words(full_text(page.document)))
        if self.growing and page.version not in self.seen:
            self.seen.add(page.version)
            self.frequencies.add(counts)
        return self._cosine(counts)

    def likeness(self, text: str) -> float:
        """Return the cosine between a text and the query; the idf does not grow by it."""
        return self._cosine(Counter(words(text)))

    def _cosine(self, counts: Mapping[str, int]) -> float:
        return bounded(tfidf_cosine(self.weights, counts, self.frequencies))

    @cached_property
    def weights(self) -> dict[str, int]:
        """The query's words, and how often each was given."""
        return topic_counts(self.words)
