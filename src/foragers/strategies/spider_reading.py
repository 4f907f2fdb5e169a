"""From the words of a page and its links to numbers, bag by bag."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foragers.text.bags import OF_PAGE, page_words, path_words
from foragers.text.tally import Tally
from foragers.text.words import words
from foragers.types import Document, Link, UrlId

Numbers = NDArray[np.int32]

NO_WORD = 0
"""The number of a word that is not known."""

MOST_KNOWN = 50_000
"""How many anchors and addresses are remembered: those of menus stand on every page."""

MOST_WORDS = 2_000_000
"""How many words a growing lexicon knows at most: most words of a long crawl are met once."""

OWN, URL, NEAR = ("link", "link+url"), ("url", "link+url"), ("near",)
"""Which bags hold a link's own words, those of its address, and those around it."""


class Texts(NamedTuple):
    """Some texts as one column of words, and where each begins; each begins with no word."""

    words: Numbers
    starts: NDArray[np.int64]

    def apart(self) -> list[Numbers]:
        """Return the texts one by one."""
        return np.split(self.words, self.starts[1:])


@dataclass
class Lexicon:
    """The words of each bag by number; a word of two bags has two numbers.

    One that is `growing` gives numbers to words it does not know yet.
    """

    bags: tuple[str, ...]
    growing: bool = False
    numbers: dict[str, dict[str, int]] = field(default_factory=dict, repr=False)
    bag_of: list[int] = field(default_factory=lambda: [-1], repr=False)
    _anchors: dict[str, array[int]] = field(default_factory=dict, repr=False)
    _addresses: dict[UrlId, array[int]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, bags: tuple[str, ...], tally: Tally | None, growing: bool = False) -> Lexicon:
        """Return the words of a tally, in its order; without one none are known."""
        lexicon = cls(bags, growing)
        for place, bag in enumerate(bags):
            found = () if tally is None else tally.words[bag]
            first = len(lexicon.bag_of)
            lexicon.numbers[bag] = {word: number for number, word in enumerate(found, first)}
            lexicon.bag_of += [place] * len(found)
        return lexicon

    def __len__(self) -> int:
        return len(self.bag_of)

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_anchors": {}, "_addresses": {}}

    def of_page(self, document: Document) -> list[int]:
        """Return the words that all links of a page share."""
        found: list[int] = []
        for place, bag in enumerate(self.bags):
            if bag in OF_PAGE:
                found += self._numbered(place, page_words(bag, document))
        return found

    def of_links(self, links: Sequence[Link]) -> Texts:
        """Return the words of each link's own bags."""
        anchors, addresses, numbered = self._anchors, self._addresses, self._numbered
        if len(anchors) + len(addresses) > MOST_KNOWN:
            anchors.clear()
            addresses.clear()
        own, url, near = (self._place(*names) for names in (OWN, URL, NEAR))
        flat, starts = array("i"), []
        for link in links:
            starts.append(len(flat))
            flat.append(NO_WORD)
            said = anchors.get(link.anchor)
            if said is None:
                said = anchors[link.anchor] = array("i", numbered(own, words(link.anchor)))
            flat += said
            leads = addresses.get(link.url)
            if leads is None:
                leads = addresses[link.url] = array("i", numbered(url, path_words(link.href)))
            flat += leads
            if near >= 0:
                flat.extend(numbered(near, words(link.around)))
        return Texts(np.array(flat, np.int32), np.array(starts, np.int64))

    def _place(self, *names: str) -> int:
        """Return which bag has one of these names, or -1."""
        return next((at for at, bag in enumerate(self.bags) if bag in names), -1)

    def _numbered(self, place: int, found: list[str]) -> list[int]:
        """Return the numbers of words, those that are not known left out."""
        numbers = self.numbers[self.bags[place]]
        if self.growing:
            for word in found:
                if word not in numbers and len(self.bag_of) < MOST_WORDS:
                    numbers[word] = len(self.bag_of)
                    self.bag_of.append(place)
        # A word that is not known has no number, and none has the number 0.
        return list(filter(None, map(numbers.get, found)))
