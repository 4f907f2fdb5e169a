"""Training examples: the links of recorded worlds with their words, sites and Q-values.

Distinct texts are rows of a sparse matrix: the links of a page share its head, and links with the
same words share a row.  So counting words by groups of links is one product of sparse matrices.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from foragers.core.types import ParsedLink
from foragers.strategies.spider.values import page_values
from foragers.text.link_counts import FINEST, LinkCounts, bins_of
from foragers.text.link_text import OF_PAGE, link_words, page_words
from foragers.training.lesson import Lesson

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass
class Bag:
    """The texts of one bag: word numbers one after another, and the text of each link."""

    vocabulary: dict[str, int] = field(default_factory=dict)
    numbers: array[int] = field(default_factory=lambda: array("i"))
    ends: array[int] = field(default_factory=lambda: array("q", [0]))
    row_of: array[int] = field(default_factory=lambda: array("i"))
    known: dict[Hashable, int] = field(default_factory=dict)

    def row(self, key: Hashable, words: Callable[[], list[str]]) -> int:
        """Return the row of a text; the text is read only if its key is new."""
        row = self.known.get(key)
        if row is None:
            row = self.known[key] = self.add(words())
        return row

    def add(self, words: list[str]) -> int:
        """Add a text and return its row."""
        vocabulary = self.vocabulary
        number = vocabulary.setdefault
        self.numbers.extend([number(word, len(vocabulary)) for word in words])
        self.ends.append(len(self.numbers))
        return len(self.ends) - 2

    def matrix(self) -> csr_array:
        """Return the count of each word in each text."""
        numbers = np.frombuffer(self.numbers, np.int32)
        shape = (len(self.ends) - 1, len(self.vocabulary))
        ends = np.frombuffer(self.ends, np.int64)
        return csr_array((np.ones(len(numbers), np.int32), numbers, ends), shape=shape)


@dataclass(frozen=True)
class LinkExamples:
    """Links: for each its Q, its site, and in every bag the row of its text."""

    words: dict[str, tuple[str, ...]]
    texts: dict[str, csr_array]
    row_of: dict[str, Ints]
    values: Floats
    sites: Ints
    site_names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.values)

    def counted(self, bag: str, links: Ints, groups: Ints, number: int) -> Ints:
        """Return the count of each word of a bag in each group of links, one row per group."""
        texts = self.texts[bag]
        ones = np.ones(len(links), np.int64)
        chosen = csr_array((ones, (groups, self.row_of[bag][links])), (number, texts.shape[0]))
        counts: Ints = (chosen @ texts).toarray().astype(np.int64)
        return counts

    def tally(self, links: Ints | None = None) -> LinkCounts:
        """Count some of the links, or all; words that occur in none of them are left out."""
        chosen = np.arange(len(self)) if links is None else links
        bins = bins_of(self.values[chosen])
        words, counts = {}, {}
        for bag, all_words in self.words.items():
            found = self.counted(bag, chosen, bins, FINEST)
            there = np.flatnonzero(found.any(axis=0))
            counts[bag] = found[:, there]
            words[bag] = [all_words[number] for number in there.tolist()]
        held = np.bincount(bins, minlength=FINEST)
        worth: Floats = np.bincount(bins, self.values[chosen], minlength=FINEST).astype(float)
        return LinkCounts(words, counts, held, worth)


@dataclass
class ExampleReader:
    """Collects the examples of lessons."""

    bags: Sequence[str]
    missing: bool = True
    found: dict[str, Bag] = field(default_factory=dict)
    values: list[Floats] = field(default_factory=list)
    sites: list[Ints] = field(default_factory=list)
    site_names: list[str] = field(default_factory=list)

    def read(self, lesson: Lesson, watch: Callable[[int], None]) -> None:
        """Add all links of a world; with `missing`, also those without a page behind them."""
        self.found = self.found or {bag: Bag() for bag in self.bags}
        goals, values = worth_of_links(lesson)
        archive = lesson.archive
        addresses = [archive.book.href(url) for url in range(len(archive.book))]
        kept = np.ones(len(goals), np.bool_) if self.missing else goals >= 0
        index = 0
        for number, url in enumerate(lesson.pages.tolist()):
            version = int(lesson.shown[url])
            span = archive.links_of(version)
            targets = archive.targets[span].tolist()
            chosen = kept[index : index + len(targets)].tolist()
            index += len(targets)
            outlinks = archive.texts.outlinks(version)
            said = [
                (link, target, addresses[target])
                for link, target, wanted in zip(outlinks, targets, chosen, strict=True)
                if wanted
            ]
            if said:
                self._page(lesson, version, said)
            watch(number + 1)
        sites = np.repeat(lesson.sites[lesson.pages], _degrees(lesson)) + len(self.site_names)
        self.values.append(values[kept])
        self.sites.append(sites[kept].astype(np.int64))
        self.site_names += lesson.site_names

    def _page(
        self, lesson: Lesson, version: int, said: Sequence[tuple[ParsedLink, int, str]]
    ) -> None:
        for name, bag in self.found.items():
            if name in OF_PAGE:
                row = bag.add(page_words(name, lesson.archive.texts.document(version)))
                bag.row_of.extend([row] * len(said))
                continue
            bag.row_of.extend(
                [
                    bag.row(key_of(name, link, href), lambda: link_words(name, link, href))  # noqa: B023
                    for link, _, href in said
                ]
            )

    def examples(self) -> LinkExamples:
        """Return the examples collected."""
        return LinkExamples(
            {name: tuple(bag.vocabulary) for name, bag in self.found.items()},
            {name: bag.matrix() for name, bag in self.found.items()},
            {name: np.array(bag.row_of, np.int64) for name, bag in self.found.items()},
            np.concatenate([np.empty(0), *self.values]),
            np.concatenate([np.empty(0, np.int64), *self.sites]),
            tuple(self.site_names),
        )


def key_of(bag: str, link: ParsedLink, href: str) -> Hashable:
    """Return the key of a text: equal keys mean equal texts."""
    if bag == "url":
        return href
    if bag.startswith("near"):
        return link.around
    if bag == "path":
        return link.path
    return link.anchor if bag == "link" else (link.anchor, href)


def worth_of_links(lesson: Lesson) -> tuple[Ints, Floats]:
    """Return for the links of all pages, in order, the page behind each (or -1) and its Q."""
    pages = lesson.pages
    number = np.full(len(lesson.finals) + 1, -1, np.int64)
    number[pages] = np.arange(len(pages))
    starts = np.concatenate(([0], np.cumsum(_degrees(lesson))))
    # An index of -1 takes the last entry, which is also -1.
    goals = number[lesson.finals[sources_and_targets(lesson)[1]]]
    rewards = np.isin(pages, lesson.rewards)
    values = page_values(starts, goals, rewards)
    return goals, np.where(goals >= 0, values[goals], 0.0) if len(pages) else np.empty(0)


def sources_and_targets(lesson: Lesson) -> tuple[Ints, Ints]:
    """Return for the links of all pages, in order, the page and the URL that it links to."""
    pages, archive, degrees = lesson.pages, lesson.archive, _degrees(lesson)
    starts = np.concatenate(([0], np.cumsum(degrees)))
    first = archive.link_starts[lesson.shown[pages]]
    links = np.repeat(first - starts[:-1], degrees) + np.arange(starts[-1])
    return np.repeat(pages, degrees).astype(np.int64), archive.targets[links].astype(np.int64)


def _degrees(lesson: Lesson) -> Ints:
    versions = lesson.shown[lesson.pages]
    starts = lesson.archive.link_starts
    return np.asarray(starts[versions + 1] - starts[versions], np.int64)
