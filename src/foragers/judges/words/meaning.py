"""Meaning: the judge of words, which also asks whether a page's words mean something like it.

A page's vector is the sum of the vectors of its words, each 1 + ln(count) times, those that say
nothing left out; that of the topic is the sum of its words' directions.  The cosine of the two,
where it is above 0, adds half of itself to the evidence.  So it orders pages that say little of the
topic, and makes none relevant alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from math import sqrt

import numpy as np

from foragers.core.exact import log_count
from foragers.judges.words.judge import Words
from foragers.judges.words.learned_words import is_telling
from foragers.judges.words.page_words import PageWords
from foragers.judges.words.query import parse_query
from foragers.judges.words.vectors import SCALE, Vector, cosine, table_of
from foragers.text.words import ENGLISH_STOPWORDS, words


@dataclass(frozen=True)
class MeaningSettings:
    """How much meaning counts: `python -m benchmarks judging` measures it."""

    weight: float = 0.5  # of the cosine; .5 to 2 do as well
    words: int = 400  # of a page that are looked at; guess
    steps: int = 16  # in which ln(count) is rounded, so that sums are whole numbers
    in_links: float = 0.5  # weight of the cosine of a link's words, beside the words themselves


DEFAULT_MEANING = MeaningSettings()
WEIGHTS = [int(DEFAULT_MEANING.steps * (1 + log_count(max(1, n))) + 0.5) for n in range(256)]
"""How often the vector of a word is added that stands so many times on a page."""
SILENT = frozenset(word.encode() for word in ENGLISH_STOPWORDS)


@dataclass
class Meaning(Words):
    """Judges pages by words in any form, and by vectors of words: installed, or in a file."""

    vectors: str | None = None

    def likeness(self, text: str) -> float:
        """Return how many of the topic's terms a short text has, and more if it means the same."""
        alike = _alike(self.vectors, self.topic, text)
        return min(1.0, super().likeness(text) + DEFAULT_MEANING.in_links * max(0.0, alike))

    @cached_property
    def _direction(self) -> Vector:
        return _direction(self.vectors, self.topic)

    def _support(self, page: PageWords) -> float:
        """Return what learned words add, and what meaning adds."""
        given = DEFAULT_MEANING
        found = Counter(page.text.words)
        telling = (word for word in found if word not in SILENT and is_telling(word))
        weighed = {word: WEIGHTS[min(found[word], 255)] for word in islice(telling, given.words)}
        alike = cosine(table_of(self.vectors).total(weighed), self._direction)
        return super()._support(page) + given.weight * max(0.0, alike)


@lru_cache(maxsize=64)
def _direction(vectors: str | None, topic: str) -> Vector:
    """Return the sum of the directions of a topic's words."""
    found = (word for term in parse_query(topic).terms for run in term for word in run)
    return _sum_of_directions(vectors, dict.fromkeys(found))


def _sum_of_directions(vectors: str | None, found: Iterable[str]) -> Vector:
    total = np.zeros(table_of(vectors).source.size, np.int64)
    for word in found:
        total += _word_direction(vectors, word)
    return total


@lru_cache(maxsize=16_384)
def _word_direction(vectors: str | None, word: str) -> Vector:
    """Return the vector of a word at the same length as all others."""
    source = table_of(vectors).source
    one = source.vector(word)
    if one is None or not (length := sqrt(float((one * one).sum()))):
        return np.zeros(source.size, np.int64)
    direction: Vector = np.rint(one * (SCALE / length)).astype(np.int64)
    return direction


@lru_cache(maxsize=16_384)
def _alike(vectors: str | None, topic: str, text: str) -> float:
    """Return the cosine between a topic and a short text."""
    found = dict.fromkeys(words(text, ENGLISH_STOPWORDS))
    return cosine(_sum_of_directions(vectors, found), _direction(vectors, topic))
