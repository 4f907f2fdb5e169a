"""The words of a page and its links as numbers, by bag."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foragers.core.types import Addresses, Document, Link, Links, UrlId
from foragers.strategies.spider.settings import DEFAULT_SPIDER
from foragers.text.link_counts import LinkCounts
from foragers.text.link_text import OF_PAGE, nearest, page_words, path_of, words_of_path
from foragers.text.words import words

Numbers = NDArray[np.int32]

NO_WORD = 0
"""The number of unknown words."""

NO_TEXT: Numbers = np.array([NO_WORD], np.int32)

MARK, BREAK = "zzqbreakqzz", -1
"""A word between texts that are split into words all at once, and its number."""

OWN, URL, NEAR = ("link", "link+url"), ("url", "link+url"), ("near",)
"""The bags of a link's own words, those of its URL, and those around it."""


class WordColumn(NamedTuple):
    """Texts as one column of words, and the start of each; each text begins with `NO_WORD`."""

    words: Numbers
    starts: NDArray[np.int64]

    def apart(self) -> list[Numbers]:
        """Return the texts one by one."""
        return np.split(self.words, self.starts[1:])


@dataclass(frozen=True)
class Hrefs:
    """URLs as strings, made on demand; for cached links they are not needed."""

    urls: list[UrlId]
    addresses: Addresses

    def __getitem__(self, index: int) -> str:
        return self.addresses.href(self.urls[index])

    def __iter__(self) -> Iterator[str]:
        return map(self.addresses.href, self.urls)


class Said(NamedTuple):
    """The texts of links: their anchors, their URLs, and the words around them."""

    anchors: Sequence[str]
    hrefs: Sequence[str] | Hrefs
    arounds: Sequence[str]

    @classmethod
    def of(cls, links: Sequence[Link]) -> Said:
        """Return the texts of link objects."""
        anchors, hrefs, arounds = (
            zip(*((link.anchor, link.href, link.around) for link in links), strict=True)
            if links
            else ((), (), ())
        )
        return cls(anchors, hrefs, arounds)

    @classmethod
    def at(cls, links: Links, indexes: Sequence[int], around: bool) -> Said:
        """Return the texts of the links at some indexes, with the words `around` them or not."""
        outlinks = links.outlinks
        anchors = outlinks.anchors
        return cls(
            [anchors[i] for i in indexes],
            Hrefs(links.targets[indexes].tolist(), links.addresses),
            [outlinks.around(i) for i in indexes] if around else (),
        )


@dataclass
class Lexicon:
    """The words of each bag by number; a word of two bags has two numbers.

    One that is `growing` gives numbers to new words, up to `most` words.
    """

    bags: tuple[str, ...]
    growing: bool = False
    most: int = DEFAULT_SPIDER.max_words
    numbers: dict[str, dict[str, int]] = field(default_factory=dict, repr=False)
    bag_of: list[int] = field(default_factory=lambda: [-1], repr=False)

    @classmethod
    def of(
        cls,
        bags: tuple[str, ...],
        counts: LinkCounts | None,
        growing: bool = False,
        most: int = DEFAULT_SPIDER.max_words,
    ) -> Lexicon:
        """Return the words of counts, in their order; an empty lexicon without counts."""
        lexicon = cls(bags, growing, most)
        for index, bag in enumerate(bags):
            words = () if counts is None else counts.words[bag]
            first = len(lexicon.bag_of)
            # If the mark is a word there, it keeps its number without a name.
            named = ("" if word == MARK else word for word in words)
            lexicon.numbers[bag] = {MARK: BREAK}
            lexicon.numbers[bag] |= {word: number for number, word in enumerate(named, first)}
            lexicon.bag_of += [index] * len(words)
        return lexicon

    def __len__(self) -> int:
        return len(self.bag_of)

    def words(self, bag: str) -> list[str]:
        """Return the words of a bag in the order of their numbers."""
        return list(self.numbers[bag])[1:]

    def of_page(self, document: Document) -> Numbers:
        """Return the words that all links of a page share, after `NO_WORD` like all texts."""
        for index, bag in enumerate(self.bags):
            if bag in OF_PAGE:
                column = self._column(index, page_words(bag, document))
                return np.append(NO_TEXT, np.maximum(column, NO_WORD))
        return NO_TEXT

    @property
    def reads_around(self) -> bool:
        """Whether the words around a link are used."""
        return self._bag(*NEAR) >= 0

    def of_links(self, texts: Said) -> WordColumn:
        """Return the words of each link's own bags."""
        columns = [self.own(texts), self.url(texts)]
        if self.reads_around:
            columns.append(self.near(texts))
        flat = np.concatenate(columns)
        # Every text begins with a break, which separates the texts.
        breaks = flat == BREAK
        whose = (np.cumsum(breaks) - 1) % len(texts.anchors) if texts.anchors else flat
        order = np.argsort(whose, kind="stable")
        flat = np.where(breaks, NO_WORD, flat)[order]
        return WordColumn(flat, np.flatnonzero(np.diff(whose[order], prepend=-1)))

    def own(self, texts: Said) -> Numbers:
        """Return the own words of links, a break before those of each."""
        return self._column(self._bag(*OWN), divided(texts.anchors, words))

    def url(self, texts: Said) -> Numbers:
        """Return the words of the URLs of links, a break before those of each."""
        paths = [path_of(href) for href in texts.hrefs]
        return self._column(self._bag(*URL), divided(paths, path_words_of))

    def near(self, texts: Said) -> Numbers:
        """Return the words near links, a break before those of each."""
        arounds = [nearest(around) for around in texts.arounds]
        return self._column(self._bag(*NEAR), divided(arounds, words))

    def _column(self, bag: int, found: list[str]) -> Numbers:
        """Return the numbers of words of a bag, `NO_WORD` for unknown ones."""
        numbers = self.numbers[self.bags[bag]]
        if self.growing:
            self._grow(bag, found)
        return np.fromiter(map(numbers.get, found, repeat(NO_WORD)), np.int32, len(found))

    def _bag(self, *names: str) -> int:
        """Return the index of the bag with one of these names, or -1."""
        return next((i for i, bag in enumerate(self.bags) if bag in names), -1)

    def _grow(self, bag: int, found: Iterable[str]) -> None:
        """Give numbers to new words of a bag."""
        numbers = self.numbers[self.bags[bag]]
        for word in found:
            if word not in numbers and len(self.bag_of) < self.most:
                numbers[word] = len(self.bag_of)
                self.bag_of.append(bag)


def divided(texts: Sequence[str], divide: Callable[[str], list[str]]) -> list[str]:
    """Return the words of texts, a mark before each text; all at once, which is much faster."""
    found = divide("".join([f" {MARK} {text}" for text in texts]))
    if found.count(MARK) == len(texts):
        return found
    # A text contains the mark.
    return [
        word for text in texts for word in (MARK, *(word for word in divide(text) if word != MARK))
    ]


def path_words_of(paths: str) -> list[str]:
    """Return the words of paths that are joined to one text, with marks."""
    if paths.isascii() and "%" not in paths and "xn--" not in paths:
        return words_of_path(paths)
    return [
        word
        for part in paths.split(" ")
        for word in ([MARK] if part == MARK else words_of_path(part))
    ]


def flat(texts: Sequence[Numbers]) -> WordColumn:
    """Return texts as one column."""
    starts = np.cumsum([0, *(len(text) for text in texts[:-1])], dtype=np.int64)
    return WordColumn(np.concatenate(texts), starts)


def parted(shared: Numbers, columns: Sequence[Numbers]) -> WordColumn:
    """Return the words that links share as the first text, and then all texts of columns."""
    column = np.concatenate((shared, *columns))
    breaks = column == BREAK
    breaks[0] = True
    return WordColumn(np.maximum(column, NO_WORD), np.flatnonzero(breaks))
