"""Which earlier page a page is nearly the same as.

The sketch of a page is the sixteen smallest of its phrases, taken as numbers.  Of the
sixteen smallest of two pages together, as many stand in both as the pages are alike.
Phrases are those of the page alone, without the frame that it has in common with its
neighbours: otherwise all pages with a large menu would be nearly the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from foragers.traps.fingerprint import Sample
from foragers.traps.remember import Recent

SIZE = 16
MIN_PHRASES = 8
ALIKE = 0.75
"""The share of common phrases from which on two pages are nearly the same."""
_KEYS = 4

Sketch = bytes
"""Four bytes a phrase: a tenth of the memory of numbers."""


def sketch_of(phrases: Sample) -> Sketch:
    """Return the smallest phrases of a sorted sample; thinning the sample does not change them."""
    return phrases[:SIZE].tobytes()


def phrases_of(sketch: Sketch) -> list[int]:
    """Return the phrases of a sketch as numbers."""
    return memoryview(sketch).cast("I").tolist()


def likeness(one: Sketch, other: Sketch) -> float:
    """Return the share of phrases that two pages have in common, about."""
    first, second = set(phrases_of(one)), set(phrases_of(other))
    least = sorted(first | second)[:SIZE]
    return sum(phrase in first and phrase in second for phrase in least) / max(1, len(least))


@dataclass(slots=True)
class Likenesses:
    """The sketches of the last 8,000 to 16,000 pages."""

    known: Recent[int, tuple[Sketch, str]] = field(default_factory=lambda: Recent(32_768))

    def find_or_add(self, phrases: Sample, url: str) -> str | None:
        """Return a page that is nearly the same; remember this one if there is none."""
        if len(phrases) < MIN_PHRASES:
            return None
        sketch = sketch_of(phrases)
        # Two pages that are alike share one of their smallest phrases almost surely.
        keys = phrases_of(sketch)[:_KEYS]
        for key in keys:
            found = self.known.get(key)
            if found is not None and likeness(sketch, found[0]) >= ALIKE:
                return found[1]
        entry = (sketch, url)
        for key in keys:
            self.known.put(key, entry)
        return None
