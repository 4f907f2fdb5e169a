"""Words: how much a page is about the words that a user typed, in whatever form they stand.

For each word of the topic, by its stem (Snowball), over the pages judged so far:

    x = count in the text + 4 if it is in the title + 1 if it is in a heading
    saturation = x / (x + 3 (1/4 + 3/4 · words of the page / 400))
    weight = ln(1/p) / ln 20, from 1/4 to 1, with p = (pages with the word + 2) / (pages + 100)
    S = Σ weight · saturation, and half of the saturation for every pair of neighbouring words
    evidence = S / (sum of the two largest weights)

So a page is not less relevant for words that it lacks, and a long page is not more relevant
for being long.  Evidence is compared with the best pages so far:

    cut = 0.4 · max(0.55, mean evidence of the best 1 %, at least five pages)
    q = evidence / cut,    relevance = q^2.2 / (q^2.2 + 3.1),    relevant from 0.24 on

The mean starts as if five pages with evidence 0.7 had been seen.  The constants are those
of a trial on seven webs with 56 labels; `python -m benchmarks judging` measures them.

In a topic, commas separate phrases (`solar panel, inverter`), quotes demand that words
stand next to each other, `|` joins alternatives that count as one word (`car|automobile`), and
a minus before a word excludes pages that have it (`-jobs`).
"""

from __future__ import annotations

import re
from bisect import insort
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from itertools import pairwise

import snowballstemmer

from foragers.core.exact import log_of, power_of
from foragers.core.types import Document, Page, Status
from foragers.errors import UsageError
from foragers.text.words import words, words_apart

IN_TITLE, IN_HEADING = 4, 1
SATURATION, SHORT, USUAL_WORDS = 3.0, 0.25, 400
LEAST_WEIGHT, RARE = 0.25, 20.0
PAIR = 0.5
CUT, LEAST_BEST, FIRST_BEST, FEWEST_BEST, BEST_SHARE = 0.4, 0.55, 0.7, 5, 0.01
SHARPNESS, HALF_WAY = 2.2, 3.1
THRESHOLD = 0.24
_PART = re.compile(r'(-?)"([^"]*)"|(-?)([^\s,"]+)|(,)')

Stems = tuple[str, ...]
"""A word, or the words of a quoted phrase, by their stems."""


@dataclass(frozen=True)
class Query:
    """A topic taken apart; a term is a list of alternatives."""

    terms: tuple[tuple[Stems, ...], ...]
    pairs: tuple[tuple[str, str], ...]
    excluded: tuple[Stems, ...]


@lru_cache(maxsize=64)
def parse_query(topic: str) -> Query:
    """Take a topic apart, or say what is wrong with it."""
    terms: dict[tuple[Stems, ...], None] = {}
    pairs: dict[tuple[str, str], None] = {}
    excluded: dict[Stems, None] = {}
    before: str | None = None
    for quoted_minus, quoted, minus, word, comma in _PART.findall(topic):
        alternatives = [stems_of(part) for part in (word or quoted).split("|" if word else "\0")]
        found = tuple(stems for stems in alternatives if stems)
        if quoted_minus or minus:
            excluded.update(dict.fromkeys(found))
        elif found:
            # A word with a hyphen or an apostrophe is several, like words side by side.
            parts = [((stem,),) for stem in found[0]] if word and len(found) == 1 else [found]
            for part in parts:
                terms[part] = None
                stem = part[0][0] if len(part) == 1 and len(part[0]) == 1 else None
                if stem is not None and before is not None:
                    pairs[before, stem] = None
                before = stem
        if comma or quoted or not found:
            before = None
    if not terms:
        raise UsageError(
            f"--topic {topic!r} has no words to look for; give some, best three or more"
        )
    return Query(tuple(terms), tuple(pairs), tuple(excluded))


def stems_of(text: str) -> Stems:
    """Return the stems of the words of a text."""
    return tuple(stem_of(word) for word in words(text))


@lru_cache(maxsize=16_384)
def stem_of(word: str) -> str:
    """Return the stem of a word; those in other scripts are left as they are."""
    found: str = _stemmer().stemWord(word) if word.isascii() else word
    return found


@cache
def _stemmer() -> snowballstemmer.stemmer:
    return snowballstemmer.stemmer("english")


@dataclass
class Words:
    """Judges pages by words in any form; learns which words are rare and how good pages get.

    With `growing` off, pages no longer change what it knows: for comparisons, in which all runs
    must be judged alike.
    """

    topic: str
    threshold: float = THRESHOLD
    growing: bool = True
    _seen: set[int] = field(default_factory=set, repr=False)
    _pages: int = 0
    _pages_with: Counter[tuple[Stems, ...]] = field(default_factory=Counter)
    _best: list[float] = field(default_factory=lambda: [FIRST_BEST] * FEWEST_BEST)

    @cached_property
    def query(self) -> Query:
        """The topic taken apart."""
        return parse_query(self.topic)

    def relevance(self, page: Page) -> float:
        """Return how much a page is about the topic, compared with the best so far."""
        if page.status is not Status.OK:
            return 0.0
        is_new = self.growing and page.version not in self._seen
        if is_new:
            self._seen.add(page.version)
        return self.judge(page.document, is_new)

    def judge(self, document: Document, is_new: bool = True) -> float:
        """Return how much a document is about the topic, and learn from it if it is new."""
        evidence = self.evidence(document, is_new)
        if is_new:
            self._remember(evidence)
        share = evidence / self.cut
        risen = power_of(share, SHARPNESS) if share > 0 else 0.0
        return risen / (risen + HALF_WAY)

    @property
    def cut(self) -> float:
        """The evidence at which a page becomes relevant."""
        return CUT * max(LEAST_BEST, sum(self._best) / len(self._best))

    def likeness(self, text: str) -> float:
        """Return how many of the topic's terms a short text has: all, where it has two."""
        return _likeness(self.topic, text)

    def evidence(self, document: Document, is_new: bool = False) -> float:
        """Return the weighted share of the topic that a document speaks of."""
        query = self.query
        texts = Occurrences.of(document, query)
        if any(texts.count(stems) for stems in query.excluded):
            return 0.0
        norm = SATURATION * (SHORT + (1 - SHORT) * texts.length / USUAL_WORDS)
        weights, total = [], 0.0
        for term in query.terms:
            count = sum(map(texts.count, term))
            weight = self._weight(term)
            weights.append(weight)
            total += weight * count / (count + norm)
            if is_new and count:
                self._pages_with[term] += 1
        for pair in query.pairs:
            count = texts.count(pair)
            total += PAIR * count / (count + norm)
        return total / sum(sorted(weights, reverse=True)[:2])

    def _weight(self, term: tuple[Stems, ...]) -> float:
        """Return how much a term says: the rarer, the more."""
        share = (self._pages_with[term] + 2) / (self._pages + 100)
        return min(1.0, max(LEAST_WEIGHT, log_of(1 / share) / log_of(RARE)))

    def _remember(self, evidence: float) -> None:
        """Keep the best evidence so far."""
        self._pages += 1
        insort(self._best, evidence)
        if len(self._best) > max(FEWEST_BEST, int(BEST_SHARE * self._pages)):
            del self._best[0]


@dataclass(frozen=True)
class Occurrences:
    """Where the words of a topic stand in a document."""

    title: Stems
    headings: Stems
    hits: tuple[tuple[int, str], ...]
    length: int

    @classmethod
    def of(cls, document: Document, query: Query) -> Occurrences:
        """Look for the words of a query; all others are passed over without being cut out."""
        wanted = {stem for term in query.terms for stems in term for stem in stems}
        wanted |= {stem for stems in query.excluded for stem in stems}
        apart = words_apart(document.text)
        hits = tuple(sorted(set(hits_in(apart, wanted))))
        headings = tuple(stem for heading in document.headings for stem in (*stems_of(heading), ""))
        return cls(stems_of(document.title), headings, hits, len(apart.split()))

    def count(self, stems: Stems) -> int:
        """Return how often words stand side by side, with more for title and headings."""
        return (
            sum(1 for _ in self._in_text(stems))
            + IN_TITLE * has_run(self.title, stems)
            + IN_HEADING * has_run(self.headings, stems)
        )

    def _in_text(self, stems: Stems) -> Iterator[int]:
        """Return where words stand side by side in the text."""
        if len(stems) == 1:
            yield from (place for place, stem in self.hits if stem == stems[0])
            return
        for start in range(len(self.hits) - len(stems) + 1):
            run = self.hits[start : start + len(stems)]
            if tuple(stem for _, stem in run) == stems and all(
                here + 1 == there for (here, _), (there, _) in pairwise(run)
            ):
                yield run[0][0]


def hits_in(apart: bytes, wanted: set[str]) -> Iterator[tuple[int, str]]:
    """Return the words that have one of some stems, each with how many words stand before it."""
    for stem in sorted(wanted):
        # All forms of a word begin like its stem, but for the last letter (study, studi).
        head = stem if len(stem) < 4 else stem[:-1]
        start = f" {head}".encode("utf-8", "surrogatepass")
        place, last, number = apart.find(start), 0, 0
        while place >= 0:
            end = apart.find(b" ", place + 1)
            end = len(apart) if end < 0 else end
            if stem_of(apart[place + 1 : end].decode("utf-8", "surrogatepass")) == stem:
                number += len(apart[last:place].split())
                last = place
                yield number, stem
            place = apart.find(start, place + 1)


def has_run(text: Sequence[str], stems: Stems) -> bool:
    """Say whether words stand side by side in a list of words."""
    size = len(stems)
    return any(tuple(text[at : at + size]) == stems for at in range(len(text) - size + 1))


@lru_cache(maxsize=16_384)
def _likeness(topic: str, text: str) -> float:
    query = parse_query(topic)
    found = stems_of(text)
    if any(has_run(found, stems) for stems in query.excluded):
        return 0.0
    hits = sum(any(has_run(found, stems) for stems in term) for term in query.terms)
    return min(1.0, hits / min(2, len(query.terms)))
