"""The topic that a user typed, taken apart.

Commas separate phrases (`solar panel, inverter`), quotes demand that words stand side by side, `|`
joins alternatives that count as one word (`car|automobile`), and a minus before a word excludes
pages that have it (`-jobs`).  English words that say nothing (`the`, `of`) are passed over,
unless there is nothing else or they are in quotes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from foragers.errors import UsageError
from foragers.judges.words.stems import Stems, stem_of
from foragers.text.words import ENGLISH_STOPWORDS, words

_PART = re.compile(r'(-?)"([^"]*)"|(-?)([^\s,"]+)|(,)')

Run = tuple[str, ...]
"""A word, or words that stand side by side."""


@dataclass(frozen=True)
class Query:
    """A topic taken apart: a term is a list of alternatives, a phrase a run of neighbours."""

    terms: tuple[tuple[Run, ...], ...]
    phrases: tuple[Run, ...]
    excluded: tuple[Run, ...]


@dataclass(frozen=True)
class StemmedQuery:
    """A topic in the stems of one language, in the order of the words."""

    terms: tuple[tuple[Stems, ...], ...]
    phrases: tuple[Stems, ...]
    excluded: tuple[Stems, ...]

    @cached_property
    def wanted(self) -> frozenset[str]:
        """All stems that are looked for."""
        runs = [run for term in self.terms for run in term]
        return frozenset(stem for run in (*runs, *self.phrases, *self.excluded) for stem in run)


@lru_cache(maxsize=64)
def parse_query(topic: str) -> Query:
    """Take a topic apart, or say what is wrong with it."""
    found = _parse(topic, ENGLISH_STOPWORDS)
    if not found.terms:
        found = _parse(topic, frozenset())
    if not found.terms:
        raise UsageError(
            f"--topic {topic!r} has no words to look for; give some, best three or more"
        )
    return found


@lru_cache(maxsize=256)
def stemmed(topic: str, language: str) -> StemmedQuery:
    """Return a topic in the stems of a language."""
    query = parse_query(topic)

    def stems(run: Run) -> Stems:
        return tuple(stem_of(word, language) for word in run)

    return StemmedQuery(
        tuple(tuple(map(stems, term)) for term in query.terms),
        tuple(map(stems, query.phrases)),
        tuple(map(stems, query.excluded)),
    )


def _parse(topic: str, without: frozenset[str]) -> Query:
    """Take a topic apart, some words passed over."""
    terms: dict[tuple[Stems, ...], tuple[Run, ...]] = {}
    phrases: dict[Run, None] = {}
    excluded: dict[Run, None] = {}
    plain: list[str] = []
    for quoted_minus, quoted, minus, word, _ in _PART.findall(topic):
        given = (word or quoted).split("|") if word else [quoted]
        found = tuple(run for part in given if (run := tuple(words(part))))
        if quoted_minus or minus:
            excluded.update(dict.fromkeys(found))
        elif word and len(found) == 1:
            # A word with a hyphen or an apostrophe is several, like words side by side.
            plain += found[0]
            continue
        elif found:
            _add(terms, found)
        _end_part(plain, without, terms, phrases)
    _end_part(plain, without, terms, phrases)
    return Query(tuple(terms.values()), tuple(phrases), tuple(excluded))


def _end_part(
    plain: list[str],
    without: frozenset[str],
    terms: dict[tuple[Stems, ...], tuple[Run, ...]],
    phrases: dict[Run, None],
) -> None:
    """Take in the words since the last comma: each is a term, and neighbours are a phrase."""
    places = [place for place, word in enumerate(plain) if word not in without]
    for place in places:
        _add(terms, ((plain[place],),))
    for here, there in pairwise(places):
        phrases[tuple(plain[here : there + 1])] = None
    plain.clear()


def _add(terms: dict[tuple[Stems, ...], tuple[Run, ...]], found: Sequence[Run]) -> None:
    """Add a term, unless there is one with the same stems."""
    key = tuple(tuple(stem_of(word, "en") for word in run) for run in found)
    terms.setdefault(key, tuple(found))
