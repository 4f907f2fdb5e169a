"""From the words of a page and its links to numbers, bag by bag."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foragers.core.types import Addresses, Document, Link, Links, UrlId
from foragers.text.link_counts import LinkCounts
from foragers.text.link_text import OF_PAGE, nearest, page_words, path_of, words_of_path
from foragers.text.words import words

Numbers = NDArray[np.int32]

NO_WORD = 0
"""The number of a word that is not known."""

NO_TEXT: Numbers = np.array([NO_WORD], np.int32)

MARK, BREAK = "zzqbreakqzz", -1
"""A word that stands between texts which are cut into words all at once, and its number."""

MOST_WORDS = 2_000_000
"""How many words a growing lexicon knows at most: most words of a long crawl are met once."""

OWN, URL, NEAR = ("link", "link+url"), ("url", "link+url"), ("near",)
"""Which bags hold a link's own words, those of its address, and those around it."""


class WordColumn(NamedTuple):
    """Some texts as one column of words, and where each begins; each begins with no word."""

    words: Numbers
    starts: NDArray[np.int64]

    def apart(self) -> list[Numbers]:
        """Return the texts one by one."""
        return np.split(self.words, self.starts[1:])


@dataclass(frozen=True)
class Hrefs:
    """The addresses of URLs, put into letters only for who asks; of known links nobody does."""

    urls: list[UrlId]
    addresses: Addresses

    def __getitem__(self, place: int) -> str:
        return self.addresses.href(self.urls[place])

    def __iter__(self) -> Iterator[str]:
        return map(self.addresses.href, self.urls)


class Said(NamedTuple):
    """What some links say: their own words, where they lead, and the words around them."""

    anchors: Sequence[str]
    hrefs: Sequence[str] | Hrefs
    arounds: Sequence[str]

    @classmethod
    def of(cls, links: Sequence[Link]) -> Said:
        """Return what links say that are objects already."""
        anchors, hrefs, arounds = (
            zip(*((link.anchor, link.href, link.around) for link in links), strict=True)
            if links
            else ((), (), ())
        )
        return cls(anchors, hrefs, arounds)

    @classmethod
    def at(cls, links: Links, places: Sequence[int], around: bool) -> Said:
        """Return what the links at some places say; `around` them only where that is read."""
        outlinks = links.outlinks
        anchors = outlinks.anchors
        return cls(
            [anchors[place] for place in places],
            Hrefs(links.targets[places].tolist(), links.addresses),
            [outlinks.around(place) for place in places] if around else (),
        )


@dataclass
class Lexicon:
    """The words of each bag by number; a word of two bags has two numbers.

    One that is `growing` gives numbers to words it does not know yet.
    """

    bags: tuple[str, ...]
    growing: bool = False
    numbers: dict[str, dict[str, int]] = field(default_factory=dict, repr=False)
    bag_of: list[int] = field(default_factory=lambda: [-1], repr=False)

    @classmethod
    def of(cls, bags: tuple[str, ...], tally: LinkCounts | None, growing: bool = False) -> Lexicon:
        """Return the words of a tally, in its order; without one none are known."""
        lexicon = cls(bags, growing)
        for place, bag in enumerate(bags):
            found = () if tally is None else tally.words[bag]
            first = len(lexicon.bag_of)
            # Should the mark have been a word there, its place is kept, by no word's name.
            named = ("" if word == MARK else word for word in found)
            lexicon.numbers[bag] = {MARK: BREAK}
            lexicon.numbers[bag] |= {word: number for number, word in enumerate(named, first)}
            lexicon.bag_of += [place] * len(found)
        return lexicon

    def __len__(self) -> int:
        return len(self.bag_of)

    def words(self, bag: str) -> list[str]:
        """Return the words of a bag in the order of their numbers."""
        return list(self.numbers[bag])[1:]

    def of_page(self, document: Document) -> Numbers:
        """Return the words that all links of a page share; like all texts, after no word."""
        for place, bag in enumerate(self.bags):
            if bag in OF_PAGE:
                column = self._column(place, page_words(bag, document))
                return np.append(NO_TEXT, np.maximum(column, NO_WORD))
        return NO_TEXT

    @property
    def reads_around(self) -> bool:
        """Whether the words around a link are among what is read."""
        return self._place(*NEAR) >= 0

    def of_links(self, said: Said) -> WordColumn:
        """Return the words of each link's own bags."""
        columns = [self.own(said), self.url(said)]
        if self.reads_around:
            columns.append(self.near(said))
        flat = np.concatenate(columns)
        # Every text begins with a break, which is no word: so texts can be told apart by them.
        breaks = flat == BREAK
        whose = (np.cumsum(breaks) - 1) % len(said.anchors) if said.anchors else flat
        order = np.argsort(whose, kind="stable")
        flat = np.where(breaks, NO_WORD, flat)[order]
        return WordColumn(flat, np.flatnonzero(np.diff(whose[order], prepend=-1)))

    def own(self, said: Said) -> Numbers:
        """Return the own words of links, a break before those of each."""
        return self._column(self._place(*OWN), divided(said.anchors, words))

    def url(self, said: Said) -> Numbers:
        """Return the words of the addresses of links, a break before those of each."""
        paths = [path_of(href) for href in said.hrefs]
        return self._column(self._place(*URL), divided(paths, path_words_of))

    def near(self, said: Said) -> Numbers:
        """Return the words near links, a break before those of each."""
        arounds = [nearest(around) for around in said.arounds]
        return self._column(self._place(*NEAR), divided(arounds, words))

    def _column(self, place: int, found: list[str]) -> Numbers:
        """Return the numbers of words one after another; no word for those not known."""
        numbers = self.numbers[self.bags[place]]
        if self.growing:
            self._grow(place, found)
        return np.fromiter(map(numbers.get, found, repeat(NO_WORD)), np.int32, len(found))

    def _place(self, *names: str) -> int:
        """Return which bag has one of these names, or -1."""
        return next((at for at, bag in enumerate(self.bags) if bag in names), -1)

    def _grow(self, place: int, found: Iterable[str]) -> None:
        """Give numbers to words that have none."""
        numbers = self.numbers[self.bags[place]]
        for word in found:
            if word not in numbers and len(self.bag_of) < MOST_WORDS:
                numbers[word] = len(self.bag_of)
                self.bag_of.append(place)


def divided(texts: Sequence[str], divide: Callable[[str], list[str]]) -> list[str]:
    """Return the words of texts, a mark before each text; all at once, which is much faster."""
    found = divide("".join([f" {MARK} {text}" for text in texts]))
    if found.count(MARK) == len(texts):
        return found
    # Somebody uses our mark as a word.
    return [
        word for text in texts for word in (MARK, *(word for word in divide(text) if word != MARK))
    ]


def path_words_of(paths: str) -> list[str]:
    """Return the words of paths that stand in a text of their own."""
    if paths.isascii() and "%" not in paths and "xn--" not in paths:
        return words_of_path(paths)
    return [
        word
        for part in paths.split(" ")
        for word in ([MARK] if part == MARK else words_of_path(part))
    ]


def flat(texts: Sequence[Numbers]) -> WordColumn:
    """Return some texts as one column."""
    starts = np.cumsum([0, *(len(text) for text in texts[:-1])], dtype=np.int64)
    return WordColumn(np.concatenate(texts), starts)


def parted(shared: Numbers, columns: Sequence[Numbers]) -> WordColumn:
    """Return the words that links share as the first text, and all texts of some columns."""
    column = np.concatenate((shared, *columns))
    breaks = column == BREAK
    breaks[0] = True
    return WordColumn(np.maximum(column, NO_WORD), np.flatnonzero(breaks))
