"""Words: how much a page is about the words that a user typed, in whatever form they stand.

For each word of the topic, by its stem in the page's language, over the pages judged so far:

    x = count in the text + 4 if it is in the title + 1 if in a heading + 2 if in the URL
    saturation = x / (x + 3 (0.4 + 0.6 · words of the page / 400))
    weight = ln(1/p) / ln 20, from 1/4 to 1, with p = (pages with the word + 2) / (pages + 100)
    S = Σ weight · saturation, and half of the saturation for every pair of neighbouring words
    evidence = S / smallest weight + 0.4 · support of learned words

So a page is not less relevant for words that it lacks, nor does a word that is added to the topic
lower the evidence of any page.  A long page is not more relevant for being long.  Words learned
from the best pages are told in `learned_words`, and the threshold in `cutoff`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

import msgspec

from foragers.core.display import counted
from foragers.core.exact import log_of
from foragers.core.protocols import Part, Reasons
from foragers.core.types import Document, Page, Status
from foragers.judges.keywords import topic_counts
from foragers.judges.words.cutoff import DEFAULT_CUTOFF, Cutoff
from foragers.judges.words.learned_words import LearnedWords
from foragers.judges.words.page_words import PageWords
from foragers.judges.words.query import Query, Run, StemmedQuery, parse_query, stemmed
from foragers.judges.words.stems import ENGLISH, Stems, english_starts, language_of, stem_of
from foragers.text.words import words


@dataclass(frozen=True)
class WordSettings:
    """The numbers of the formula: `python -m benchmarks judging` measures them."""

    in_title: int = 4  # 2 to 8 do as well
    in_heading: int = 1  # 0 to 2 do as well
    in_url: int = 2  # 1 to 4 do as well; 0 is worse for classes of pages such as `faculty`
    saturation: float = 3.0  # 2 to 5 do as well
    short: float = 0.4  # share of it that does not depend on length; .25 to .5
    usual_words: int = 400  # of a page; 250 to 800 do as well
    least_weight: float = 0.25  # of a common word; .25 and .5 do as well
    rare: float = 20.0  # a word on one page in so many has the weight 1; 20 and 50 do as well
    first_pages: int = 100  # pages imagined before the first, from the trial
    first_with: int = 2  # of which so many have the word
    pair: float = 0.5  # .3 to 1 do as well
    learned: float = 0.4  # weight of learned words; .15 to .6 do as well
    taught: float = 2.0  # weight of words learned from examples; of .4 to 4
    common: float = 0.4  # a word on more than this share of pages says little; from the trial
    fewest_pages: int = 100  # before that is said; guess


DEFAULT_WORDS = WordSettings()
COMMON = DEFAULT_WORDS.common


class Found(NamedTuple):
    """The terms of a topic and its phrases on one page: how often, and what each adds."""

    counts: list[int]
    adds: list[float]


class Standing(msgspec.Struct, frozen=True):
    """What a judge lets pass: of the pages so far, how many reach the threshold."""

    threshold: float
    cut: float
    passing: int
    pages: int
    common: tuple[str, ...] = ()
    learned: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        """The same in words."""
        return f"{self.passing:,} of the {self.pages:,} pages so far"


@dataclass
class Words:
    """Judges pages by words in any form; learns which words are rare and how good pages get.

    With `growing` off, pages no longer change what the judge knows: for comparisons, in which all
    runs must be judged alike.
    """

    topic: str
    threshold: float = DEFAULT_CUTOFF.threshold
    growing: bool = True
    settings: WordSettings = field(default=DEFAULT_WORDS, repr=False)
    cutoff: Cutoff = field(default_factory=Cutoff, repr=False)
    learned: LearnedWords = field(default_factory=LearnedWords, repr=False)
    lessons: int = field(default=0, repr=False)
    _said: dict[str, bool] = field(default_factory=dict, repr=False)
    _seen: set[int] = field(default_factory=set, repr=False)
    _pages_with: list[int] = field(default_factory=list, repr=False)

    def relevance(self, page: Page) -> float:
        """Return how much a page is about the topic."""
        if page.status is not Status.OK:
            return 0.0
        is_new = self.growing and page.version not in self._seen
        if is_new:
            self._seen.add(page.version)
        relevance = self.judge(page.document, page.href, is_new)
        if (said := self._said.get(page.href)) is None:
            return relevance
        return max(relevance, self.threshold) if said else 0.0

    def teach(self, document: Document, url: str, wanted: bool) -> None:
        """Learn from a page of which somebody says whether it is wanted; a URL may be unknown."""
        query = stemmed(self.topic, language_of(document.language))
        self.learned.teach(PageWords.of(document, url, query), wanted)
        self.lessons += 1
        if url:
            self._said[url] = wanted

    def judge(self, document: Document, url: str = "", is_new: bool = True) -> float:
        """Return how much a document is about the topic, and learn from it if it is new."""
        query = stemmed(self.topic, language_of(document.language))
        page = PageWords.of(document, url, query)
        if query.excluded and page.excludes(query):
            evidence = supported = 0.0
        else:
            evidence = self._evidence(page, query, is_new)
            supported = evidence + self._support(page)
        if is_new:
            passes = self.cutoff.add(supported)
            self.learned.add(evidence, page, passes)
        return self.cutoff.relevance(supported)

    def evidence(self, document: Document, url: str = "") -> float:
        """Return how much of the topic a document speaks of, learned words included."""
        query = stemmed(self.topic, language_of(document.language))
        page = PageWords.of(document, url, query)
        if query.excluded and page.excludes(query):
            return 0.0
        return self._evidence(page, query, is_new=False) + self._support(page)

    def likeness(self, text: str) -> float:
        """Return how many of the topic's terms a short text has: all, where it has two."""
        if text.isascii():
            # Most links speak of something else, and seeing that takes no stems.
            low = text.lower()
            for head in self.hints:
                if head in low:
                    break
            else:
                return 0.0
        return _likeness(self.topic, text)

    def explain(self, page: Page) -> Reasons | None:
        """Judge a page, and say what of the topic it speaks of; nothing where none was fetched."""
        if page.status is not Status.OK:
            return None
        document = page.document
        query = stemmed(self.topic, language_of(document.language))
        seen = PageWords.of(document, page.href, query)
        if query.excluded and seen.excludes(query):
            return Reasons("The page has a word that the topic excludes.")
        found = self._found(seen, query)
        terms = (*self.query.terms, *((phrase,) for phrase in self.query.phrases))
        parts = [
            Part(f"“{shown(term)}”: {counted(times, 'time')}", (adds,))
            for term, times, adds in zip(terms, found.counts, found.adds, strict=True)
            if times
        ]
        parts.sort(key=lambda part: -part.adds[0])
        if support := self._support(seen):
            source = "pages that you named" if self.learned.is_taught else "the best pages"
            parts.append(Part(f"words learned from {source}", (support,)))
        # The page itself is among those that the cut follows.
        relevance = self.relevance(page)
        evidence = sum(part.adds[0] for part in parts)
        return Reasons(
            f"Its evidence was {evidence:.2f}, and a page passed from {self.cutoff.cut:.2f} on"
            " (in the title a word counts as 4, in the URL as 2, in a heading as 1).",
            ("evidence",),
            tuple(parts),
            f"At that time the judge let pass {self.standing().said}.{self._taught_said()}",
            relevance,
        )

    def standing(self) -> Standing:
        """Return what the judge lets pass so far, and which words do not help."""
        given, pages = self.settings, self.cutoff.pages
        terms = zip(self.query.terms, self._pages_with, strict=False)
        # A crawl that finds much sees the words of its topic on most pages.
        often = max(given.common * pages, 2 * self.cutoff.passed)
        common = [
            shown(term) for term, count in terms if pages >= given.fewest_pages and count > often
        ]
        learned = (word.decode("utf-8", "replace") for word in self.learned.weights)
        passing = self.cutoff.passing(self.threshold)
        cut = self.cutoff.cut
        return Standing(self.threshold, cut, passing, pages, tuple(common), tuple(learned))

    def _taught_said(self) -> str:
        """Say what people have taught, if they have."""
        many = counted(self.lessons, "page")
        return f" It had been told of {many} whether they are wanted." if self.lessons else ""

    @cached_property
    def query(self) -> Query:
        """The topic taken apart."""
        return parse_query(self.topic)

    @cached_property
    def words(self) -> str:
        """The words of the topic without the signs between them, for strategies that want these."""
        return " ".join(word for term in self.query.terms for run in term for word in run)

    @cached_property
    def weights(self) -> dict[str, int]:
        """The words of the topic, and how often each was given."""
        return topic_counts(self.words)

    @cached_property
    def hints(self) -> tuple[str, ...]:
        """How the words of the topic begin, in English."""
        stems = stemmed(self.topic, ENGLISH).wanted
        return tuple(sorted({stem if len(stem) < 4 else stem[:-1] for stem in stems}))

    def _evidence(self, page: PageWords, query: StemmedQuery, is_new: bool) -> float:
        """Return what a page says in words of the topic, and count them if it is new."""
        if not self._pages_with:
            self._pages_with = [0] * len(query.terms)
        if not page.speaks:
            return 0.0
        found = self._found(page, query)
        if is_new:
            for place in range(len(query.terms)):
                self._pages_with[place] += found.counts[place] > 0
        return sum(found.adds)

    def _found(self, page: PageWords, query: StemmedQuery) -> Found:
        """Return how often a page has each term and phrase of the topic, and what that adds."""
        given = self.settings
        lengthy = given.short + (1 - given.short) * page.length / given.usual_words
        norm = given.saturation * lengthy
        weights = [self._weight(count) for count in self._pages_with] or [1.0] * len(query.terms)
        least = min(weights)
        weights += [given.pair] * len(query.phrases)
        terms = (*query.terms, *((phrase,) for phrase in query.phrases))
        counts = [self._count(page, term) for term in terms]
        adds = [
            weight / least * count / (count + norm) if count else 0.0
            for weight, count in zip(weights, counts, strict=True)
        ]
        return Found(counts, adds)

    def _count(self, page: PageWords, term: tuple[Stems, ...]) -> int:
        """Return how often a page has a term, with more for title, headings and URL."""
        given = self.settings
        return (
            sum(map(page.text.count, term))
            + given.in_title * page.title.has(term)
            + given.in_heading * page.headings.has(term)
            + given.in_url * page.url.has(term)
        )

    def _support(self, page: PageWords) -> float:
        """Return what learned words add."""
        given, learned = self.settings, self.learned
        return (given.taught if learned.is_taught else given.learned) * learned.support(page)

    def _weight(self, pages_with: int) -> float:
        """Return how much a term says: the rarer, the more."""
        given = self.settings
        share = (pages_with + given.first_with) / (self.cutoff.pages + given.first_pages)
        if share * given.rare <= 1:
            return 1.0
        return max(given.least_weight, log_of(1 / share) / log_of(given.rare))


def shown(term: tuple[Run, ...]) -> str:
    """Return a term as it was typed."""
    return "|".join(map(" ".join, term))


def has_run(text: tuple[str, ...], stems: Stems) -> bool:
    """Say whether words stand side by side in a list of words."""
    size = len(stems)
    if size == 1:
        return stems[0] in text
    return any(text[at : at + size] == stems for at in range(len(text) - size + 1))


@lru_cache(maxsize=16_384)
def _likeness(topic: str, text: str) -> float:
    query = stemmed(topic, ENGLISH)
    starts = english_starts(query.wanted)
    stems_of_text = [
        stem_of(word, ENGLISH) if word[:2] in starts or word[0] in starts else word
        for word in words(text)
    ]
    found = tuple(stems_of_text)
    if any(has_run(found, stems) for stems in query.excluded):
        return 0.0
    hits = sum(any(has_run(found, stems) for stems in term) for term in query.terms)
    return min(1.0, hits / min(2, len(query.terms)))
