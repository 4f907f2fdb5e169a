"""What is known of the links that wait: columns, one place a link, a few links a page.

A page is spoken of by the first `MOST_IN_LINKS` links that were found to it.  Known of
pages that were fetched are forgotten at every look, and dropped when they have become many; of
more than `MOST_CLUES` the least promising are dropped too, and their pages keep the promise
they had.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foragers.core import exact
from foragers.core.types import Ids, UrlId
from foragers.frontier.columns import UrlColumn
from foragers.strategies.auto.combiner import ADVISERS, Advice, Floats
from foragers.strategies.auto.group_rates import Rates, view
from foragers.strategies.auto.word_weights import LINK_WORDS, NO_WORD, WordWeights

MOST_IN_LINKS = 3
MOST_CLUES = 250_000
GROUPS = 4
"""Of tag path, directory, anchor and shape."""
ANSWERING = (0, 1, 3)
"""The groups that say whether there is a page: all but the anchor's."""
TOLD = PARENT, TOPIC, AROUND, LEAN, DEPTH, SCHOOLED, PLACE = range(7)
"""What is written down of a link as it is said: see `auto_advice`."""
FIRST_ROOM = 1024
BLOCK = 2048
"""So many links are judged at a time: what that takes stays near the processor."""
LENGTHS = np.sqrt(np.maximum(np.arange(LINK_WORDS + 1), 1))
"""The square root of the number of a link's words."""


class LinkFeatures(NamedTuple):
    """Some links, a column each: the URL, and rows for the groups, the words and what is told."""

    urls: Ids
    groups: Ids
    words: Ids
    told: NDArray[np.float32]

    @classmethod
    def room(cls, places: int) -> LinkFeatures:
        """Return columns for so many links; room that is not used takes no memory yet."""
        return cls(
            np.empty(places, np.int32),
            np.empty((GROUPS, places), np.int32),
            np.empty((LINK_WORDS, places), np.int32),
            np.empty((len(TOLD), places), np.float32),
        )

    def at(self, places: list[int]) -> LinkFeatures:
        """Return the links at some places."""
        return LinkFeatures(
            self.urls.take(places),
            self.groups.take(places, axis=1),
            self.words.take(places, axis=1),
            self.told.take(places, axis=1),
        )

    def between(self, start: int, end: int) -> LinkFeatures:
        """Return links that stand together."""
        return LinkFeatures(
            self.urls[start:end],
            self.groups[:, start:end],
            self.words[:, start:end],
            self.told[:, start:end],
        )

    def put(self, start: int, links: LinkFeatures) -> None:
        """Write down links from a place on."""
        for column, more in zip(self, links, strict=True):
            column[..., start : start + len(links.urls)] = more


@dataclass
class PendingLinks:
    """The links that wait; those to one page are found from the last to the first."""

    _links: LinkFeatures = field(default_factory=lambda: LinkFeatures.room(FIRST_ROOM), repr=False)
    _before: Ids = field(default_factory=lambda: np.zeros(FIRST_ROOM, np.int32), repr=False)
    _last: UrlColumn[np.int32] = field(default_factory=lambda: UrlColumn(np.int32(0)), repr=False)
    _count: int = 0

    def __len__(self) -> int:
        return self._count

    @property
    def urls(self) -> Ids:
        """The URLs of all links that wait."""
        return self._links.urls[: self._count]

    def add(self, links: LinkFeatures) -> None:
        """Add the links of a page."""
        end = self._count + len(links.urls)
        if end > len(self._before):
            self._grow(max(end, len(self._before) * 3 // 2))
        self._links.put(self._count, links)
        self._chain(links.urls, self._count)
        self._count = end

    def _chain(self, urls: Ids, start: int) -> None:
        """Let each link, from a place on, know the one before it to the same page."""
        last = self._last.reach(int(urls.max(initial=0)))
        end = start + len(urls)
        self._before[start:end] = last[urls]
        last[urls] = np.arange(start + 1, end + 1, dtype=np.int32)  # 0 is none
        numbers = urls.tolist()
        if len(set(numbers)) < end - start:
            # A page may link to another more than once: the latest but one is before the latest.
            latest: dict[UrlId, int] = {}
            for place, url in enumerate(numbers, start):
                if url in latest:
                    self._before[place] = latest[url]
                latest[url] = place + 1

    def _grow(self, room: int) -> None:
        before = np.empty(room, np.int32)
        before[: self._count] = self._before[: self._count]
        self._before = before
        grown = LinkFeatures.room(room)
        grown.put(0, self._links.between(0, self._count))
        self._links = grown

    def of(self, url: UrlId) -> LinkFeatures:
        """Return the links that speak of a page, in the order in which they were found."""
        places: list[int] = []
        place = self._last.reach(url).item(url)
        while place:
            places.append(place - 1)
            place = self._before.item(place - 1)
        return self._links.at(places[::-1])

    def forget(self, urls: Iterable[UrlId]) -> None:
        """Have nothing more to say of some pages."""
        for url in urls:
            self._last.reach(url)[url] = 0

    def blocks(self) -> Iterator[LinkFeatures]:
        """Return all links that wait, some at a time."""
        for start in range(0, self._count, BLOCK):
            yield self._links.between(start, min(start + BLOCK, self._count))

    def best(self, promises: Floats) -> tuple[Ids, Floats]:
        """Return the pages that are spoken of, each once, and the best that each is promised."""
        owners = self._last.values[self.urls]
        best = np.zeros(self._count + 1)
        np.maximum.at(best, owners, promises)
        places = np.flatnonzero(owners == np.arange(1, self._count + 1))
        return self.urls[places], best[places + 1]

    def keep(self, which: NDArray[np.bool_]) -> None:
        """Drop all others."""
        before = self._before[: self._count]
        # Of the links to a page the earlier ones may go and a later one stay.
        while len(lost := np.flatnonzero((before > 0) & ~which[before - 1])):
            before[lost] = before[before[lost] - 1]
        places = np.cumsum(which, dtype=np.int32)
        last = self._last.values
        last[self.urls] = 0
        kept = np.where(before > 0, places[before - 1], 0)[which]
        self._count = len(kept)
        self._before[: self._count] = kept
        for column in self._links:
            for row in np.atleast_2d(column):
                row[: self._count] = row[: len(which)][which]
        last[self.urls] = np.arange(1, self._count + 1, dtype=np.int32)

    def __getstate__(self) -> dict[str, object]:
        """Leave out room that is not used, in which anything may stand."""
        used = {
            "_links": self._links.between(0, self._count),
            "_before": self._before[: self._count],
        }
        return {**self.__dict__, **used}


def advice_of(links: LinkFeatures, rates: Rates, words: WordWeights, in_links: Ids) -> Advice:
    """Return what each adviser says of each link, a row for each adviser."""
    advice = np.empty((len(ADVISERS), len(links.urls)), np.float32)
    advice[0] = 1
    advice[1 : 1 + GROUPS] = view(rates.odds).take(links.groups)
    numbers = links.words
    spoken = added(words.weights.take(numbers))
    lengths = LENGTHS.take(np.add.reduce(numbers != NO_WORD, axis=0, dtype=np.intp))
    leans = added(words.leans.take(numbers)) / lengths
    advice[5] = np.minimum(np.maximum(spoken, -5), 5)
    advice[6] = np.minimum(np.maximum(leans, -4), 4)
    advice[7:11] = links.told[:DEPTH]
    advice[11] = exact.log_counts(np.maximum(in_links, 1))
    advice[12:] = links.told[DEPTH:]
    return advice


def weighed(advice: Advice, weights: Floats) -> Floats:
    """Return what the advisers say together of each link."""
    return added(weights[:, np.newaxis] * advice)


def added(rows: Floats) -> Floats:
    """Return the sums of columns, added up row after row.

    So links of which the same is said come to the same, whatever stands beside them and whatever
    machine adds; numpy adds a single column in another order.
    """
    total: Floats = np.add.accumulate(rows)[-1] if rows.shape[1] == 1 else np.add.reduce(rows)
    return total


def doubt_of(links: LinkFeatures, rates: Rates) -> Floats:
    """Return the log of the chance that there is a page, by tag path, directory and shape."""
    doubts = view(rates.doubts)
    tags, directory, shape = (doubts.take(links.groups[place]) for place in ANSWERING)
    doubt: Floats = (tags + directory + shape) / len(ANSWERING)
    return doubt
