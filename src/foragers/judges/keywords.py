"""Judges of a query: `Keywords`, by the query's words alone, and `Tfidf`, by all words.

`Keywords` is the similarity of `automata`: the cosine of the angle between page and topic in the
space of the m topic words only,

    Σ tf_i · w_i / (√Σ tf_i² · √Σ w_i²)

with `tf_i` the count of word i in the page and `w_i` how often it was given.  The paper
divides each tf by the page's largest; that divides out in a cosine and is left out.
Counted are the words of the title and of the text, each once for each time it stands
there.  A page that has one word of a one-word topic scores 1: give several words.

`Tfidf` is the cosine of `text.tfidf` over the full vocabulary: unlike `Keywords` it falls when a
page speaks of other things too, and rare words of the query weigh more.  Such cosines are
small for a query of a few words, and so is the threshold.  It was chosen on three labelled
webs, where F1 was best at 0.03, 0.07 and 0.1: longer pages want a lower one.  The idf is
either fixed, counted in a corpus or a recorded world beforehand, or it *grows*: each version of a
page is first counted and then judged by the pages seen so far.  Then the relevance of a page
depends on what was seen before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from math import sqrt

from foragers.core.types import Page, Status
from foragers.judges.topic import bounded, full_text
from foragers.text.tfidf import DocumentFrequencies, tfidf_cosine
from foragers.text.words import words, words_apart

_MEMORABLE_CHARS = 200
_ASCII = bytes(range(128))


@dataclass
class Keywords:
    """Judges pages by the words of a topic; phrases are split, a repeated word weighs more."""

    words: str | tuple[str, ...]
    threshold: float = 0.75

    def relevance(self, page: Page) -> float:
        """Return the cosine between the page and the topic."""
        if page.status is not Status.OK:
            return 0.0
        counts = Counter(word for word in words(page.document.title) if word in self.weights)
        apart = words_apart(page.document.text)
        for word in self.weights:
            counts[word] += occurrences(word, apart)
        return self._cosine(counts)

    def likeness(self, text: str) -> float:
        """Return the cosine between a text and the topic."""
        # Most links speak of something else, and seeing that takes no counting.
        if not self._mentioned(text):
            return 0.0
        # The words of links are the same on page after page.
        if len(text) <= _MEMORABLE_CHARS:
            return _likeness(self.words, text)
        return self._cosine(Counter(word for word in words(text) if word in self.weights))

    def _mentioned(self, text: str) -> bool:
        """Say whether any of the words may stand in a text."""
        low = text.lower()
        for word in self.weights:
            if word in low:
                return True
        return not text.isascii() and (not self._plain or is_disguised(text))

    def _cosine(self, counts: Mapping[str, int]) -> float:
        """Return the cosine between the topic and a text that has its words so many times."""
        weights = self.weights
        dot = sum(weights[word] * count for word, count in counts.items())
        square = sum(count * count for count in counts.values())
        if not square:
            return 0.0
        return bounded(dot / (sqrt(square) * self._length))

    @cached_property
    def weights(self) -> dict[str, int]:
        """The topic's words, and how often each was given."""
        return topic_counts(self.words)

    @cached_property
    def hints(self) -> tuple[str, ...]:
        """The topic's words."""
        return tuple(self.weights)

    @cached_property
    def _plain(self) -> bool:
        """Whether all words are ASCII."""
        return all(map(str.isascii, self.weights))

    @cached_property
    def _length(self) -> float:
        return sqrt(sum(weight * weight for weight in self.weights.values()))


@lru_cache(maxsize=16_384)
def _likeness(topic: str | tuple[str, ...], text: str) -> float:
    judge = _judge(topic)
    hits = [word for word in words(text) if word in judge.weights]
    return judge._cosine(Counter(hits)) if hits else 0.0


def is_disguised(text: str) -> bool:
    """Say whether a text may have words in ASCII that it does not show as such."""
    others = text.encode("utf-8", "surrogatepass").translate(None, _ASCII)
    return any(map(_is_disguise, set(others.decode("utf-8", "surrogatepass"))))


@lru_cache(maxsize=4096)
def _is_disguise(character: str) -> bool:
    """Say whether a character becomes ASCII, or nothing: a ligature, a full-width letter."""
    return any(word not in ("a", "b") for word in words(f"a{character}b") if word.isascii())


@lru_cache(maxsize=16)
def _judge(topic: str | tuple[str, ...]) -> Keywords:
    return Keywords(topic)


def occurrences(word: str, apart: bytes) -> int:
    """Return how often a word stands in a text, whose words have spaces before and after them."""
    wanted = f" {word} ".encode("utf-8", "surrogatepass")
    count, place = 0, apart.find(wanted)
    while place >= 0:
        count += 1
        # The space behind a word may be the one before the next.
        place = apart.find(wanted, place + len(wanted) - 1)
    return count


def topic_counts(given: str | tuple[str, ...]) -> dict[str, int]:
    """Return the words of a topic, and how often each was given."""
    return dict(Counter(words(given if isinstance(given, str) else " ".join(given))))


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
