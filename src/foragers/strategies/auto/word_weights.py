"""What words say of links and pages.

Three numbers per word, side by side in one table, since scoring a link reads them all.  The
*weight* is that of a logistic regression from the words of a link to its worth, learned by one step
per link (Adagrad).  The *rate* is the share of followed links with the word that were worth it,
shrunk towards that of all links.  The *lean* is the logarithm of how many relevant pages have the
word, beside how many would by chance:

    lean = ln((relevant pages with it + 0.3) / (pages with it · share of relevant pages + 0.3))

So the words of very few relevant pages already speak for links that use them, and a word that few
pages have, none of them relevant, says almost nothing.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from math import inf, sqrt
from operator import add
from typing import Any, TypeAlias, cast
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from foragers.compiled import compiled
from foragers.core import exact
from foragers.core.types import Document
from foragers.strategies.auto.combiner import log_odds
from foragers.strategies.auto.settings import DEFAULTS, WORD_TABLE, AutoSettings
from foragers.text.words import ENGLISH_STOPWORDS, words_apart

Floats = NDArray[np.float64]
Numbers = NDArray[np.int32]

BUCKETS = WORD_TABLE.buckets
NO_WORD = BUCKETS
"""Where the words of a short link end; it weighs nothing."""
LINK_WORDS = WORD_TABLE.link_words
NO_WORDS = [NO_WORD] * LINK_WORDS
Spoken: TypeAlias = "tuple[tuple[int, ...], ...]"
"""The words of some links."""
PAGE_CHARS = WORD_TABLE.page_chars
SMALL_COUNTS = WORD_TABLE.small_counts
"""Logarithms of smaller counts, which most words have, are in a table."""
RELEVANT = 1 << 32
"""What a relevant page counts, and others one: both counts of a word are in one number."""
NONE_MET = np.empty(0, np.int32)
WEIGHT, LEAN, RATE, ABSENT = range(4)
"""Columns of the table of words; the last is 1 for `NO_WORD` and 0 for all words."""
SAID = ("link words", "words of relevant pages", "mean word rate", "best word rate")
"""The features of a link that its words give."""
WORDS_LEFT = np.maximum(LINK_WORDS - np.arange(LINK_WORDS + 1.0), 1.0)
ONES = np.ones(LINK_WORDS + 1)
SHARES = np.stack([ONES, np.sqrt(WORDS_LEFT), WORDS_LEFT, ONES], axis=1)
"""What the sums for `SAID` are divided by, for each number of absent words."""
COLUMNS = ("table", "squares", "followed", "earned", "counts")
"""What there is one of for each word."""
SAY_NOTHING = frozenset(word.encode() for word in ENGLISH_STOPWORDS)


STOPS = sorted(SAY_NOTHING)


def _prepared() -> Any | None:
    """Return the compiled functions that cut pages into words, if there are any."""
    library = compiled("foragers.strategies.auto._page_words")
    if library is not None and library.prepare(STOPS, words_apart, BUCKETS):
        return library
    return None


LIBRARY = _prepared()


@lru_cache(maxsize=4096)
def bucket(word: str) -> int:
    """Return the number of a word; some share one."""
    return crc32(word.encode("utf-8", "surrogatepass")) % BUCKETS


def link_words(anchors: list[list[str]], addresses: list[list[str]]) -> Numbers:
    """Return the numbers of the words of links, of which each is a column.

    The words of its anchor come first, then those of the end of its address, each once.
    """
    distinct = set[str]().union(*anchors, *addresses) - ENGLISH_STOPWORDS
    number = {word: bucket(word) for word in distinct}
    links = [
        ([number[word] for word in dict.fromkeys(some) if word in number] + NO_WORDS)[:LINK_WORDS]
        for some in map(add, anchors, addresses)
    ]
    return np.array(links, np.int32).T


def spoken(links: Numbers) -> Spoken:
    """Return the words of links, of which each is a column."""
    return tuple(tuple(place for place in link if place != NO_WORD) for link in links.T.tolist())


def beginning(document: Document) -> str:
    """Return what a page begins with: its title, its headings and its text."""
    text = " ".join((document.title, *document.headings, document.text[:PAGE_CHARS]))
    return text[:PAGE_CHARS]


def page_words(text: str) -> Numbers:
    """Return the numbers of the words of a text, each once, in any order."""
    if LIBRARY is not None:
        return np.frombuffer(LIBRARY.buckets(text), np.int32)
    apart = words_apart(text)
    found = set(apart.split()) - SAY_NOTHING
    if not apart.isascii():
        found = {word for word in found if word.isascii() or not is_short(word)}
    numbers = {crc32(word) % BUCKETS for word in found if len(word) > 2}
    return np.fromiter(numbers, np.int32, len(numbers))


def is_short(word: bytes) -> bool:
    """Say whether a word has no more than two letters, however many bytes it takes."""
    return len(word.decode("utf-8", "surrogatepass")) <= 2


@cache
def log_table(prior: float) -> Floats:
    """Return the logarithms of small counts, to each of which a prior is added."""
    return exact.log(np.arange(SMALL_COUNTS) + prior)


def logs_of(counts: NDArray[np.int64], prior: float) -> Floats:
    """Return the logarithms of counts, to each of which a prior is added."""
    if counts.max(initial=0) < SMALL_COUNTS:
        known: Floats = log_table(prior).take(counts)
        return known
    return exact.log(counts + prior)


def empty_table() -> Floats:
    """Return the table of words of which nothing is known."""
    table = np.zeros((BUCKETS + 1, len(SAID)))
    table[NO_WORD, ABSENT] = 1.0
    return table


@dataclass
class WordWeights:
    """All words, as far as the crawl has met them."""

    settings: AutoSettings = DEFAULTS
    table: Floats = field(default_factory=empty_table, repr=False)
    squares: Floats = field(init=False, repr=False)
    followed: Floats = field(default_factory=lambda: np.zeros(BUCKETS + 1), repr=False)
    earned: Floats = field(default_factory=lambda: np.zeros(BUCKETS + 1), repr=False)
    counts: NDArray[np.int64] = field(
        default_factory=lambda: np.zeros(BUCKETS, np.int64), repr=False
    )
    _met: list[Numbers] = field(default_factory=list, repr=False)
    _tried: array[int] = field(default_factory=lambda: array("i"), repr=False)
    pages: list[int] = field(default_factory=lambda: [0, 0])

    def __post_init__(self) -> None:
        self.squares = np.full(BUCKETS + 1, self.settings.first_square)

    @property
    def weights(self) -> Floats:
        """The weight of each word."""
        return self.table[:, WEIGHT]

    @property
    def leans(self) -> Floats:
        """Where each word leans."""
        return self.table[:, LEAN]

    @property
    def rates(self) -> Floats:
        """The success rate of each word."""
        return self.table[:, RATE]

    def said(self, links: Numbers) -> Floats:
        """Return what their words say of links, of which each is a column: `SAID` in each row."""
        bounds, least_rate = self.bounds
        each = self.table.take(links, axis=0)
        # Of few numbers and of many, the words of a link are added up one after the other.
        found: Floats = np.add.reduce(each)
        rates, absent = each[:, :, RATE], found[:, ABSENT].astype(np.intp)
        np.copyto(rates, least_rate, where=links == NO_WORD)
        found[:, ABSENT] = np.where(absent == LINK_WORDS, 0.0, rates.max(axis=0))
        found /= SHARES.take(absent, axis=0)
        np.maximum(found, -bounds, out=found)
        return np.minimum(found, bounds, out=found)

    @cached_property
    def bounds(self) -> tuple[Floats, float]:
        """The bounds of `SAID`, and the rate of a word that is absent."""
        given = self.settings
        most = [given.most_weight, given.most_lean, inf, given.most_word_rate]
        return np.array(most), -given.most_word_rate

    def begin(
        self,
        met: NDArray[np.int64],
        weights: Floats,
        squares: Floats,
        counts: NDArray[np.int64],
    ) -> None:
        """Begin with what earlier crawls have taught of some words."""
        self.weights[met] = weights
        self.squares[met] = np.maximum(squares, self.settings.first_square)
        self.counts[met] = counts
        self._met.append(met[counts != 0].astype(np.int32))

    def read_page(self, document: Document, relevant: bool) -> float:
        """Take in what a page begins with, and return how much it leans to the relevant ones."""
        text = beginning(document)
        if LIBRARY is not None:
            given, (others, found) = self.settings, self.pages
            pages = (others + (not relevant), found + relevant)
            more = RELEVANT if relevant else 1
            quick: tuple[bytes, float] | None = LIBRARY.page_read(
                text, self.counts, more, *pages, given.word_prior, given.leading_words
            )
            if quick is not None:
                self._met.append(np.frombuffer(quick[0], np.int32))
                self.pages[:] = pages
                return quick[1]
        return self.read(page_words(text), relevant)

    def read(self, page: Numbers, relevant: bool) -> float:
        """Take in the words of a page, and return how much the page leans to the relevant ones."""
        counts = self.counts.take(page)
        self._met.append(page[counts == 0])
        counts += RELEVANT if relevant else 1
        self.counts[page] = counts
        self.pages[relevant] += 1
        if not self.pages[True] or not len(page):
            return 0.0
        leading = np.sort(self._lean(counts))[-self.settings.leading_words :]
        return float(leading.sum()) / len(leading)

    def _lean(self, counts: NDArray[np.int64]) -> Floats:
        """Return where words lean that stand in so many pages."""
        (others, relevant), prior = self.pages, self.settings.word_prior
        found = counts >> 32
        share = relevant / (others + relevant)
        expected = (found + (counts & (RELEVANT - 1))) * share
        return logs_of(found, prior) - exact.log(expected + prior)

    def count(self, links: Spoken, followed: float, earned: float) -> None:
        """Count a followed link for each of its words, or a reward that came later."""
        # Of a few words at a time: memoryviews give single numbers faster than arrays do.
        all_followed = cast("memoryview[float]", self.followed.data)
        all_earned = cast("memoryview[float]", self.earned.data)
        for number in {number for link in links for number in link}:
            if followed and not all_followed[number]:
                self._tried.append(number)
            all_followed[number] += followed
            all_earned[number] += earned

    def met_in_links(self, new: bytes) -> None:
        """Take in which words stood in a followed link for the first time."""
        self._tried.frombytes(new)

    def _refresh_rates(self, usual: float) -> None:
        """Work out the success rates of words, each shrunk towards that of all links."""
        tried = np.array(self._tried)
        m, chance = self.settings.word_shrinkage, 1 / (1 + exact.exp_of(-usual))
        rates = (self.earned[tried] + m * chance) / (self.followed[tried] + m)
        self.rates[tried] = log_odds(rates, self.settings.least_chance) - usual

    def refresh(self, usual: float = 0.0) -> None:
        """Work out anew where each word leans; words not met lean nowhere."""
        self._refresh_rates(usual)
        met = np.concatenate([NONE_MET, *self._met])
        self._met = [met]
        if not self.pages[True]:
            return
        # Compiled, all words with counts are found in the order of the table, which is faster.
        given = (self.table, LEAN, self.counts, *self.pages, self.settings.word_prior)
        if LIBRARY is None or not LIBRARY.leans(*given):
            self.leans[met] = self._lean(self.counts.take(met))

    def __getstate__(self) -> dict[str, object]:
        """Leave out the words of which nothing is known, which are most of the table."""
        touched = self.squares != self.settings.first_square
        touched |= (self.followed != 0) | (self.earned != 0)
        touched[:BUCKETS] |= self.counts != 0
        touched |= (self.table[:, :ABSENT] != 0).any(axis=1)
        rows = np.flatnonzero(touched)
        columns = {name: getattr(self, name)[rows] for name in COLUMNS}
        return {**self.__dict__, **columns, "rows": rows}

    def __setstate__(self, state: dict[str, Any]) -> None:
        rows, columns = state.pop("rows"), {name: state.pop(name) for name in COLUMNS}
        self.__dict__.update(WordWeights(state["settings"]).__dict__ | state)
        for name, known in columns.items():
            getattr(self, name)[rows] = known

    def learn(self, links: Spoken, worth: float, usual: float) -> None:
        """Take a step towards what a page was worth, from each of the links that spoke of it."""
        rate = self.settings.word_rate
        # Of a few words at a time: memoryviews give single numbers faster than arrays do.
        weights = cast("memoryview[float]", self.weights.data)
        squares = cast("memoryview[float]", self.squares.data)
        for link in links:
            said = 0.0
            for place in link:
                said += weights[place]
            said += usual
            chance = 1 / (1 + exact.exp_of(-min(max(said, -30.0), 30.0)))
            slope = (chance - worth) / len(links)
            for place in set(link):
                squares[place] += slope * slope
                weights[place] -= rate * slope / sqrt(squares[place])
