"""Vocabularies: rows of words, each with Zipf's law, from which pages are written.

Row 0 is the background that all pages share.  The topics follow, each with the real
words of its subject first and made-up ones as its tail; then the vocabularies of the
kinds of pages; and last the names of people.  A row is kept as a table of word
numbers in which a word stands as often as it is likely, so that drawing one is a look-up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from foragers import exact
from foragers.worlds.generated.subjects import BACKGROUND, SUBJECTS
from foragers.worlds.generated.syllables import made_up

WIDTH = 2048
"""How many places a row's table has; rarer words than one in so many do not occur."""

TAIL = 40
"""How many made-up words a topic has besides its real ones."""

BACKGROUND_TAIL = 900
PEOPLE = 600


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """All words of a world, and for each row which of them are drawn how often."""

    words: NDArray[np.object_]
    tables: NDArray[np.int32]
    topics: int

    @property
    def names_row(self) -> int:
        """The row of people's names."""
        return len(self.tables) - 1

    def kind_row(self, kind: int) -> int:
        """Return the row of a kind of page."""
        return 1 + self.topics + kind


def vocabulary(topics: Sequence[str], kinds: Iterable[Sequence[str]]) -> Vocabulary:
    """Make the vocabularies of some topics and of some kinds of pages."""
    fresh = unused_words()
    rows: list[tuple[Sequence[str], float]] = [((*BACKGROUND, *take(fresh, BACKGROUND_TAIL)), 1.0)]
    rows += [((name, *SUBJECTS.get(name, ()), *take(fresh, TAIL)), 1.0) for name in topics]
    rows += [(words or BACKGROUND, 0.6) for words in kinds]
    rows.append((take(fresh, PEOPLE), 0.3))
    numbers: dict[str, int] = {}
    tables = [
        table([numbers.setdefault(word, len(numbers)) for word in words], power)
        for words, power in rows
    ]
    return Vocabulary(np.array(list(numbers), np.object_), np.array(tables), len(topics))


def table(numbers: Sequence[int], power: float) -> NDArray[np.int32]:
    """Return a table in which the n-th of the numbers stands in proportion to 1 / (n + 2)^power."""
    likely = exact.power(np.arange(len(numbers)) + 2.0, -power)
    edges = np.cumsum(likely) / likely.sum()
    places = (np.arange(WIDTH) + 0.5) / WIDTH
    return np.array(numbers, np.int32)[np.searchsorted(edges, places)]


def unused_words() -> Iterator[str]:
    """Make up words, one after the other, that are not real ones of ours."""
    real = {*BACKGROUND, *(word for words in SUBJECTS.values() for word in words)}
    index = 1
    while True:
        if (word := made_up(index)) not in real:
            yield word
        index += 1


def take(words: Iterator[str], count: int) -> list[str]:
    """Return the next words."""
    return [next(words) for _ in range(count)]
