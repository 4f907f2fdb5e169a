"""Features of links not fetched yet: one column per link.

Only the first `most_in_links` links to a page are kept.  Links to fetched pages are unlinked at
each rescoring and compacted once they are many.  Of more than `most_pending` links the least
promising are dropped too; their pages keep the promise they had.
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
from foragers.frontier.frontier import Frontier
from foragers.strategies.auto.combiner import BIAS, NAMES, Floats, Matrix
from foragers.strategies.auto.group_rates import LIBRARY, Rates, view
from foragers.strategies.auto.settings import DEFAULTS, AutoSettings
from foragers.strategies.auto.word_weights import LINK_WORDS, SAID, WordWeights

STORED = (
    "parent",
    "topic in link",
    "topic around",
    "words of parent",
    "depth",
    "trained model",
    "place on page",
)
"""The features that are known when a link is found, and never change: rows of `stored`."""


class LinkGroups(NamedTuple):
    """The groups of a link (rows of `groups`), each of them a feature by its success rate."""

    tag_path: int
    directory: int
    anchor: int
    shape: int
    parent_page: int


GROUPED = tuple(name.replace("_", " ") for name in LinkGroups._fields)
ANSWERING = tuple(map(GROUPED.index, ("tag path", "directory", "shape")))
"""Rows of the groups that predict whether the page exists; anchors do not."""


def rows_of(*names: str) -> NDArray[np.intp]:
    """Return the rows of some features in the matrix of all."""
    return np.array(list(map(NAMES.index, names)))


BIAS_ROW, IN_LINKS_ROW = NAMES.index(BIAS), NAMES.index("in-links")
GROUP_ROWS, WORD_ROWS, STORED_ROWS = rows_of(*GROUPED), rows_of(*SAID), rows_of(*STORED)
LAYOUT = (
    *(len(NAMES), BIAS_ROW, IN_LINKS_ROW, STORED.index("depth")),
    *(tuple(rows.tolist()) for rows in (GROUP_ROWS, WORD_ROWS, STORED_ROWS)),
    ANSWERING,
)
"""Where the compiled functions put the features, and which groups predict an answer."""
if sorted((BIAS, "in-links", *GROUPED, *SAID, *STORED)) != sorted(NAMES):
    raise KeyError("a feature has no column, or several")


class LinkFeatures(NamedTuple):
    """Some links, one column each: URL, rows of `groups`, of words and of `stored` features."""

    urls: Ids
    groups: Ids
    words: Ids
    stored: Matrix

    @classmethod
    def room(cls, places: int) -> LinkFeatures:
        """Return empty columns for a number of links."""
        return cls(
            np.empty(places, np.int32),
            np.empty((len(GROUPED), places), np.int32),
            np.empty((LINK_WORDS, places), np.int32),
            np.empty((len(STORED), places), np.float32),
        )

    def at(self, places: list[int]) -> LinkFeatures:
        """Return the links at some positions."""
        return LinkFeatures(
            self.urls.take(places),
            self.groups.take(places, axis=1),
            self.words.take(places, axis=1),
            self.stored.take(places, axis=1),
        )

    def between(self, start: int, end: int) -> LinkFeatures:
        """Return a range of links."""
        return LinkFeatures(
            self.urls[start:end],
            self.groups[:, start:end],
            self.words[:, start:end],
            self.stored[:, start:end],
        )

    def put(self, start: int, links: LinkFeatures) -> None:
        """Copy links to the columns from a position on."""
        for column, more in zip(self, links, strict=True):
            column[..., start : start + len(links.urls)] = more


@dataclass
class PendingLinks:
    """The links not fetched yet; those to one page are chained from the last to the first."""

    settings: AutoSettings = DEFAULTS
    _links: LinkFeatures = field(init=False, repr=False)
    _before: Ids = field(init=False, repr=False)
    _last: UrlColumn[np.int32] = field(default_factory=lambda: UrlColumn(np.int32(0)), repr=False)
    _count: int = 0

    def __post_init__(self) -> None:
        self._links = LinkFeatures.room(self.settings.first_room)
        self._before = np.zeros(self.settings.first_room, np.int32)

    def __len__(self) -> int:
        return self._count

    @property
    def urls(self) -> Ids:
        """The URLs of all pending links."""
        return self._links.urls[: self._count]

    @property
    def all(self) -> LinkFeatures:
        """All columns, with room for more links."""
        return self._links

    @property
    def chains(self) -> tuple[Ids, Ids]:
        """For each page its last link, and for each link the one before it; 0 is none, from 1."""
        return self._last.values, self._before

    def has(self, url: UrlId) -> bool:
        """Say whether a link to a page is pending."""
        return bool(self._last.reach(url).item(url))

    def add(self, links: LinkFeatures) -> None:
        """Add the links of a page."""
        end = self._count + len(links.urls)
        if end > len(self._before):
            self._grow(max(end, len(self._before) * 3 // 2))
        self._links.put(self._count, links)
        self._chain(links.urls, self._count)
        self._count = end

    def _chain(self, urls: Ids, start: int) -> None:
        """Chain each link, from a position on, to the one before it to the same page."""
        last = self._last.reach(int(urls.max(initial=0)))
        if LIBRARY is not None and LIBRARY.chain(urls, last, self._before, start):
            return
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
        """Return the links to a page, in the order in which they were found, for use at once."""
        places: list[int] = []
        place = self._last.reach(url).item(url)
        if place and not self._before.item(place - 1):
            return self._links.between(place - 1, place)  # the only one, not copied
        while place:
            places.append(place - 1)
            place = self._before.item(place - 1)
        return self._links.at(places[::-1])

    def forget(self, urls: Iterable[UrlId]) -> None:
        """Unlink the links to some pages; they are removed by the next `keep`."""
        for url in urls:
            self._last.reach(url)[url] = 0

    def blocks(self) -> Iterator[LinkFeatures]:
        """Return all pending links, a block at a time."""
        block = self.settings.block
        for start in range(0, self._count, block):
            yield self._links.between(start, min(start + block, self._count))

    def best(self, promises: Floats) -> tuple[Ids, Floats]:
        """Return the pages linked to, each once, and the best promise of each."""
        owners = self._last.values[self.urls]
        best = np.zeros(self._count + 1)
        np.maximum.at(best, owners, promises)
        places = np.flatnonzero(owners == np.arange(1, self._count + 1))
        return self.urls[places], best[places + 1]

    def keep(self, which: NDArray[np.bool_]) -> None:
        """Keep some links and drop all others."""
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
        """Leave out the unused part of the columns."""
        used = {
            "_links": self._links.between(0, self._count),
            "_before": self._before[: self._count],
        }
        return {**self.__dict__, **used}


def spoken_of(
    urls: Ids, in_links: UrlColumn[np.int32], again: bool, most: int, frontier: Frontier
) -> list[int]:
    """Count the links of a page, and return the places of those that fewer than `most` spoke of.

    Fetched pages are not counted; of a page that is read `again`, only links to new pages are.
    Pages that were taken from the frontier are counted and not returned.
    """
    if LIBRARY is not None and (scores := frontier.scores()) is not None:
        # Beyond the end of the column of counts there are new URLs.
        quick: list[int] | None = LIBRARY.fresh(urls, in_links.values, scores, again, most)
        if quick is not None:
            return quick
    before = in_links.at(urls)
    counts = before == 0 if again else before >= 0
    np.add.at(in_links.values, urls[counts], 1)
    places = np.flatnonzero(counts & (before < most))
    found: list[int] = places[frontier.wants_each(urls[places])].tolist()
    return found


def feature_matrix(links: LinkFeatures, rates: Rates, words: WordWeights, in_links: Ids) -> Matrix:
    """Return the features of links: one row per feature, in the order of `FEATURES`."""
    rows = np.empty((len(NAMES), len(links.urls)), np.float32)
    rows[BIAS_ROW] = 1.0
    rows[GROUP_ROWS] = view(rates.odds).take(links.groups)
    rows[WORD_ROWS] = words.said(links.words).T
    rows[IN_LINKS_ROW] = exact.log_counts(np.maximum(in_links, 1))
    rows[STORED_ROWS] = links.stored
    return rows


def weighted_sum(features: Matrix, weights: Floats) -> Floats:
    """Return the log-odds of each link."""
    return added(weights[:, np.newaxis] * features)


def added(rows: Floats) -> Floats:
    """Return the sums of columns, added up row after row.

    Links with the same features get the same sum, whatever links are beside them and on every
    processor; numpy adds a single column in another order.
    """
    total: Floats = np.add.accumulate(rows)[-1] if rows.shape[1] == 1 else np.add.reduce(rows)
    return total


def doubt_of(links: LinkFeatures, rates: Rates) -> Floats:
    """Return the log of the probability that the page exists, by tag path, directory and shape."""
    doubt = added(view(rates.doubts).take(links.groups.take(ANSWERING, axis=0)))
    doubt /= len(ANSWERING)
    return doubt
