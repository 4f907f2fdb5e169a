"""The words of a page: of its text, title, headings and URL.

Most pages say nothing of the topic, and seeing that takes no more than looking for the letters
with which its words begin.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from foragers.core.types import Document
from foragers.judges.words.query import StemmedQuery
from foragers.judges.words.stems import Forms, Stems, forms_in, language_of
from foragers.text.words import distinct_words, url_words, words, words_apart


@dataclass(frozen=True)
class WordLine:
    """Words with spaces before and after each, and those that have the stems of a topic."""

    apart: bytes
    forms: Forms

    @cached_property
    def words(self) -> list[bytes]:
        """The words in their order."""
        return self.apart.split()

    @cached_property
    def distinct(self) -> tuple[int, Collection[bytes]]:
        """How many words there are, and each of them once."""
        return distinct_words(self.apart)

    def count(self, run: Stems) -> int:
        """Return how often words stand side by side, in any form."""
        forms = self.forms
        if len(run) == 1:
            return sum(forms[run[0]].values()) if run[0] in forms else 0
        if not all(stem in forms for stem in run):
            return 0
        line = b" %b " % b" ".join(self.words)
        seen = map(b" ".join, product(*(forms[stem] for stem in run)))
        return sum(occurrences(b" %b " % one, line) for one in seen)

    def has(self, runs: Sequence[Stems]) -> bool:
        """Say whether any of some alternatives is there."""
        return bool(self.forms) and any(map(self.count, runs))


def occurrences(spaced: bytes, line: bytes) -> int:
    """Return how often words stand in a line, with a space before and one after them."""
    count, place = 0, line.find(spaced)
    while place >= 0:
        count += 1
        # The space behind a word may be the one before the next.
        place = line.find(spaced, place + len(spaced) - 1)
    return count


@dataclass(frozen=True)
class PageWords:
    """A page as the judge of words sees it."""

    text: WordLine
    title: WordLine
    headings: WordLine
    url: WordLine

    @classmethod
    def of(cls, document: Document, url: str, query: StemmedQuery) -> PageWords:
        """Find the words of a topic on a page."""
        language = language_of(document.language)

        def line(apart: bytes) -> WordLine:
            return WordLine(apart, forms_in(apart, query.wanted, language))

        return cls(
            line(words_apart(document.text)),
            line(_apart(words(document.title))),
            line(_apart(words(" · ".join(document.headings)))),
            line(_apart(url_words(url))),
        )

    @property
    def speaks(self) -> bool:
        """Whether the page has any word of the topic."""
        return any(line.forms for line in (self.text, self.title, self.headings, self.url))

    @property
    def length(self) -> int:
        """How many words the text has."""
        return self.text.distinct[0]

    @property
    def vocabulary(self) -> Collection[bytes]:
        """The different words of the text."""
        return self.text.distinct[1]

    def excludes(self, query: StemmedQuery) -> bool:
        """Say whether the page has a word that it must not have."""
        fields = (self.text, self.title, self.headings)
        return any(field.has(query.excluded) for field in fields)


def _apart(found: list[str]) -> bytes:
    """Return words with spaces before and after each."""
    return f" {' '.join(found)} ".encode("utf-8", "surrogatepass")
