"""The automata of a topic: one for every document, in few bytes, and kept from crawl to crawl.

An automaton's actions are the distinct links of its document, in the order of the page.  Until its
first reward or penalty all are equally likely, and by equations 7 and 8 they stay so when links
come and go.  So only automata that have learned store probabilities; the others need four bytes
per link.  Documents are identified in the next crawl by a hash of their normalised URL (64
bits; 32 for a link, which has to differ only from the other links of its page).
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from foragers.core.models import Model
from foragers.core.types import NO_PARENT, Addresses, Ids, Links, UrlId
from foragers.frontier.columns import RowBlocks, UrlColumn
from foragers.strategies.automata.automaton import Flags, Probabilities, normal, uniform, updated
from foragers.strategies.automata.saved import (
    COLUMNS,
    KIND,
    NOTHING_YET,
    AddressKeys,
    Keys,
    Learned,
    Remembered,
    key_of,
    recalled,
)


@dataclass(slots=True)
class Automata:
    """The automata of all documents of a crawl, numbered in the order in which they were added."""

    remembered: Remembered | None = None
    urls: array[int] = field(default_factory=lambda: array("i"))
    depths: array[int] = field(default_factory=lambda: array("i"))
    _counts: array[int] = field(default_factory=lambda: array("i"))
    _starts: array[int] = field(default_factory=lambda: array("q"))
    _learned: array[int] = field(default_factory=lambda: array("q"))
    _thresholds: array[float] = field(default_factory=lambda: array("f"))
    _best: array[int] = field(default_factory=lambda: array("i"))
    _targets: RowBlocks[np.int32] = field(default_factory=lambda: RowBlocks(np.int32))
    _probabilities: RowBlocks[np.float32] = field(default_factory=lambda: RowBlocks(np.float32))
    _numbers: UrlColumn[np.int32] = field(default_factory=lambda: UrlColumn(np.int32(NOTHING_YET)))
    _beginning: int = NOTHING_YET
    _keys: AddressKeys = field(default_factory=AddressKeys)

    def __len__(self) -> int:
        return len(self.urls)

    def find(self, url: UrlId) -> int:
        """Return the number of a document's automaton, or -1."""
        if url == NO_PARENT:
            return self._beginning
        numbers = self._numbers.values
        return int(numbers[url]) if url < len(numbers) else NOTHING_YET

    def add(self, url: UrlId, depth: int, links: Links) -> int:
        """Add the automaton of a document, that of an earlier crawl if there is one."""
        targets = distinct(links.targets)
        number = len(self.urls)
        if url == NO_PARENT:
            self._beginning = number
        else:
            self._numbers.reach(url)[url] = number
        self.urls.append(url)
        self.depths.append(depth)
        self._counts.append(len(targets))
        self._starts.append(self._targets.add(targets))
        self._learned.append(NOTHING_YET)
        self._thresholds.append(0.0)
        self._best.append(NOTHING_YET)
        if self.remembered is not None and len(targets):
            self._recall(number, self.remembered, links.addresses)
        return number

    def targets(self, number: int) -> Ids:
        """Return the actions of an automaton: the URLs that its document links to."""
        return self._targets.view(self._starts[number], self._counts[number])

    def probabilities(self, number: int) -> Probabilities:
        """Return the probabilities of the actions."""
        row = self._learned[number]
        if row < 0:
            return uniform(self._counts[number])
        # Stored in single precision, so their sum is not exactly 1.
        return normal(self._probabilities.view(row, self._counts[number]).astype(np.float64))

    def threshold(self, number: int) -> float:
        """Return the best similarity that the links of a document have led to (6)."""
        return self._thresholds[number]

    def update(
        self,
        number: int,
        enabled: Flags,
        action: int,
        similarity: float | None,
        a: float,
        b: float,
    ) -> bool:
        """Reward an action that led to the best page so far, else penalise it (None: no page)."""
        # The threshold has single precision: an equal value must not seem lower.
        seen = None if similarity is None else float(np.float32(similarity))
        paid = seen is not None and seen >= self._thresholds[number]
        p = updated(self.probabilities(number), enabled, action, a, b, paid)
        self._write(number, p)
        if paid and seen is not None:
            self._thresholds[number] = seen
            self._best[number] = action
        return paid

    def _write(self, number: int, p: Probabilities) -> None:
        row = self._learned[number]
        if row < 0:
            self._learned[number] = self._probabilities.add(p.astype(np.float32))
        else:
            self._probabilities.view(row, len(p))[:] = p

    def revise(self, number: int, links: Links) -> bool:
        """Update the links of a page (7, 8); return whether they have changed."""
        targets = distinct(links.targets)
        if np.array_equal(targets, self.targets(number)):
            return False
        before = Learned(
            self.targets(number).astype(np.uint32),
            self.probabilities(number),
            self._thresholds[number],
            self._best[number],
        )
        was_learned = self._learned[number] >= 0
        self._counts[number] = len(targets)
        self._starts[number] = self._targets.add(targets)
        self._learned[number] = self._best[number] = NOTHING_YET
        self._thresholds[number] = 0.0
        if was_learned and len(targets):
            self._take_up(number, before, targets.astype(np.uint32))
        return True

    def _recall(self, number: int, remembered: Remembered, addresses: Addresses) -> None:
        earlier = remembered.find(key_of(self.urls[number], addresses))
        if earlier >= 0:
            keys = self._keys.of(self.targets(number), addresses)
            self._take_up(number, remembered[earlier], low(keys))

    def _take_up(self, number: int, before: Learned, links: NDArray[np.uint32]) -> None:
        p, self._thresholds[number], self._best[number] = recalled(before, links)
        self._write(number, p)

    def as_model(self, addresses: Addresses) -> Model:
        """Return all automata that have learned, also those of earlier crawls."""
        numbers = np.flatnonzero(np.array(self._learned, np.int64) >= 0)
        pages = np.array(
            [key_of(self.urls[number], addresses) for number in numbers.tolist()], np.uint64
        )
        counts = np.array(self._counts, np.int64)[numbers]
        earlier = self.remembered
        if earlier is not None:
            # Automata of earlier crawls are numbered from -1 downwards.
            kept = np.flatnonzero(~np.isin(earlier.pages, pages))
            pages = np.concatenate((pages, earlier.pages[kept]))
            counts = np.concatenate((counts, np.diff(earlier.starts)[kept]))
            numbers = np.concatenate((numbers, -1 - kept))
        order = np.argsort(pages, kind="stable")
        starts = np.concatenate(([0], np.cumsum(counts[order])))
        return self._packed(pages[order], starts, numbers[order].tolist(), addresses)

    def _packed(
        self,
        pages: NDArray[np.uint64],
        starts: NDArray[np.int64],
        numbers: Sequence[int],
        addresses: Addresses,
    ) -> Model:
        """Return automata, given in the order of their pages, as a model."""
        links, chances = np.empty(starts[-1], np.uint32), np.empty(starts[-1], np.float32)
        thresholds, best = np.empty(len(pages), np.float32), np.empty(len(pages), np.int32)
        # One after the other: a million automata take no second copy as objects.
        for i, number in enumerate(numbers):
            automaton = self._automaton(number, addresses)
            where = slice(starts[i], starts[i + 1])
            links[where], chances[where], thresholds[i], best[i] = automaton
        columns: list[NDArray[np.generic]] = [pages, starts, links, chances, thresholds, best]
        arrays = dict(zip(COLUMNS, columns, strict=True))
        return Model(*KIND, {"documents": len(pages)}, arrays)

    def _automaton(self, number: int, addresses: Addresses) -> Learned:
        """Return an automaton of this crawl, or with a negative number an earlier one."""
        if number < 0:
            assert self.remembered is not None
            return self.remembered[-1 - number]
        keys = self._keys.of(self.targets(number), addresses)
        threshold, best = self._thresholds[number], self._best[number]
        return Learned(low(keys), self.probabilities(number), threshold, best)


def low(keys: Keys) -> NDArray[np.uint32]:
    """Return the lower half of keys, which distinguishes the links of one page."""
    return (keys & np.uint64((1 << 32) - 1)).astype(np.uint32)


def distinct(targets: Ids) -> Ids:
    """Return each URL once, in the order of its first occurrence."""
    _, first = np.unique(targets, return_index=True)
    first.sort()
    return targets[first]
