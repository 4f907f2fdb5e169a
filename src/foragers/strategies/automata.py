"""The automata of a topic: one for every document, kept in few bytes, and from crawl to crawl.

An automaton's actions are the distinct links of its document, in the order of the page.  Until it
is first rewarded or penalised all are equally likely, and by equations 7 and 8 they
stay so when links come and go: only what has learned is written down, and
four bytes a link are enough for the rest.  Documents are known to the next crawl by a hash of
their normalised address (64 bits; 32 for a link, which has to differ only from its neighbours).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foragers.errors import UsageError
from foragers.models import Model
from foragers.strategies.automaton import Flags, Probabilities, normal, uniform, updated
from foragers.strategies.pool import Column, Pool
from foragers.types import NOWHERE, Addresses, Ids, Links, UrlId
from foragers.urls import normalise
from foragers.worlds.addresses import key_hash

KIND = ("automata", 1)
NOTHING_YET = -1
COLUMNS: dict[str, type[np.generic]] = {
    "pages": np.uint64,
    "starts": np.int64,
    "links": np.uint32,
    "probabilities": np.float32,
    "thresholds": np.float32,
    "best": np.int32,
}
"""The arrays of a model: automata sorted by page, the actions of each one after the other."""


class Learned(NamedTuple):
    """One automaton as it goes from crawl to crawl."""

    page: int
    links: NDArray[np.uint32]
    probabilities: NDArray[np.float32]
    threshold: float
    best: int


@dataclass(frozen=True)
class Remembered:
    """The automata of earlier crawls."""

    pages: NDArray[np.uint64]
    starts: NDArray[np.int64]
    links: NDArray[np.uint32]
    probabilities: NDArray[np.float32]
    thresholds: NDArray[np.float32]
    best: NDArray[np.int32]

    @classmethod
    def of(cls, model: Model) -> Remembered:
        """Take up what a model holds, if it is whole."""
        try:
            columns = cls(*(model.arrays[name].astype(kind) for name, kind in COLUMNS.items()))
        except (KeyError, ValueError) as error:
            raise UsageError(f"the model lacks or garbles its automata ({error})") from error
        count = len(columns.pages)
        sizes = {len(columns.thresholds), len(columns.best), len(columns.starts) - 1}
        ends = columns.starts[[0, -1]].tolist() if len(columns.starts) else []
        if (
            sizes != {count}
            or ends != [0, len(columns.links)]
            or len(columns.links) != len(columns.probabilities)
            or (np.diff(columns.starts) < 1).any()
            or not (np.isfinite(columns.probabilities) & (columns.probabilities >= 0)).all()
        ):
            raise UsageError("the model's automata do not fit together; begin without it")
        return columns

    def __iter__(self) -> Iterator[Learned]:
        return (self[number] for number in range(len(self.pages)))

    def __getitem__(self, number: int) -> Learned:
        where = slice(int(self.starts[number]), int(self.starts[number + 1]))
        return Learned(
            int(self.pages[number]),
            self.links[where],
            self.probabilities[where],
            float(self.thresholds[number]),
            int(self.best[number]),
        )

    def find(self, key: int) -> int:
        """Return the number of a document's automaton, or -1."""
        at = int(np.searchsorted(self.pages, np.uint64(key)))
        return at if at < len(self.pages) and int(self.pages[at]) == key else -1


def recalled(before: Learned, links: NDArray[np.uint32]) -> tuple[Probabilities, float, int]:
    """Return probabilities, threshold and best action for the links that a page has now.

    Links that are gone leave their share to the others (8); then each new one gets 1/n and the
    rest is scaled by (n - 1)/n (7), which together is 1/n for every new one.  With its best
    link gone, the threshold is found anew (6).
    """
    known = before.links
    order = np.argsort(known, kind="stable")
    places = order[np.minimum(np.searchsorted(known, links, sorter=order), len(known) - 1)]
    old = known[places] == links
    p = np.where(old, before.probabilities[places].astype(np.float64), 0.0)
    count = int(np.count_nonzero(old))
    p = p / p.sum() if p.sum() > 0 else old / max(count, 1)
    p = normal(np.where(old, p * count / len(links), 1 / len(links)))
    best = np.flatnonzero(old & (places == before.best))
    return (p, before.threshold, int(best[0])) if len(best) else (p, 0.0, NOTHING_YET)


@dataclass(slots=True)
class Automata:
    """The automata of all documents of a crawl, numbered in the order of their coming."""

    remembered: Remembered | None = None
    urls: array[int] = field(default_factory=lambda: array("i"))
    depths: array[int] = field(default_factory=lambda: array("i"))
    _counts: array[int] = field(default_factory=lambda: array("i"))
    _places: array[int] = field(default_factory=lambda: array("q"))
    _learned: array[int] = field(default_factory=lambda: array("q"))
    _thresholds: array[float] = field(default_factory=lambda: array("f"))
    _best: array[int] = field(default_factory=lambda: array("i"))
    _targets: Pool[np.int32] = field(default_factory=lambda: Pool(np.int32))
    _probabilities: Pool[np.float32] = field(default_factory=lambda: Pool(np.float32))
    _numbers: Column[np.int32] = field(default_factory=lambda: Column(np.int32(NOTHING_YET)))
    _beginning: int = NOTHING_YET

    def __len__(self) -> int:
        return len(self.urls)

    def find(self, url: UrlId) -> int:
        """Return the number of a document's automaton, or -1."""
        if url == NOWHERE:
            return self._beginning
        numbers = self._numbers.values
        return int(numbers[url]) if url < len(numbers) else NOTHING_YET

    def add(self, url: UrlId, depth: int, links: Links) -> int:
        """Give a document an automaton, that of an earlier crawl where there is one."""
        targets = distinct(links.targets)
        number = len(self.urls)
        if url == NOWHERE:
            self._beginning = number
        else:
            self._numbers.reach(url)[url] = number
        self.urls.append(url)
        self.depths.append(depth)
        self._counts.append(len(targets))
        self._places.append(self._targets.add(targets))
        self._learned.append(NOTHING_YET)
        self._thresholds.append(0.0)
        self._best.append(NOTHING_YET)
        if self.remembered is not None and len(targets):
            self._recall(number, self.remembered, links.addresses)
        return number

    def targets(self, number: int) -> Ids:
        """Return the actions of an automaton: the URLs that its document links to."""
        return self._targets.view(self._places[number], self._counts[number])

    def probabilities(self, number: int) -> Probabilities:
        """Return how likely each action is."""
        place = self._learned[number]
        if place < 0:
            return uniform(self._counts[number])
        # Sums of rounded numbers: 1 but for what single precision leaves out.
        return normal(self._probabilities.view(place, self._counts[number]).astype(np.float64))

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
        """Reward an action that led to the best so far, else penalise it; None led nowhere."""
        # The threshold is kept in single precision: a like value must not seem lower.
        seen = None if similarity is None else float(np.float32(similarity))
        paid = seen is not None and seen >= self._thresholds[number]
        p = updated(self.probabilities(number), enabled, action, a, b, paid)
        self._write(number, p)
        if paid and seen is not None:
            self._thresholds[number] = seen
            self._best[number] = action
        return paid

    def _write(self, number: int, p: Probabilities) -> None:
        place = self._learned[number]
        if place < 0:
            self._learned[number] = self._probabilities.add(p.astype(np.float32))
        else:
            self._probabilities.view(place, len(p))[:] = p

    def _recall(self, number: int, remembered: Remembered, addresses: Addresses) -> None:
        found = remembered.find(key_of(self.urls[number], addresses))
        if found >= 0:
            keys = np.array(self._link_keys(number, addresses), np.uint32)
            p, threshold, best = recalled(remembered[found], keys)
            self._write(number, p)
            self._thresholds[number] = threshold
            self._best[number] = best

    def _link_keys(self, number: int, addresses: Addresses) -> list[int]:
        mask = (1 << 32) - 1
        return [key_of(url, addresses) & mask for url in self.targets(number).tolist()]

    def as_model(self, addresses: Addresses) -> Model:
        """Return what all automata have learned, also those of earlier crawls."""
        learned = [number for number, place in enumerate(self._learned) if place >= 0]
        found = [
            Learned(
                key_of(self.urls[number], addresses),
                np.array(self._link_keys(number, addresses), np.uint32),
                self.probabilities(number).astype(np.float32),
                self._thresholds[number],
                self._best[number],
            )
            for number in learned
        ]
        if self.remembered is not None:
            now = {one.page for one in found}
            found += [one for one in self.remembered if one.page not in now]
        return packed(sorted(found, key=lambda one: one.page))


def packed(found: Sequence[Learned]) -> Model:
    """Return automata, sorted by their pages, as a model."""
    counts = np.array([0, *(len(one.links) for one in found)], np.int64)
    links, chances = np.empty(0, np.uint32), np.empty(0, np.float32)
    return Model(
        *KIND,
        {"documents": len(found)},
        {
            "pages": np.array([one.page for one in found], np.uint64),
            "starts": np.cumsum(counts),
            "links": np.concatenate([links, *(one.links for one in found)]),
            "probabilities": np.concatenate([chances, *(one.probabilities for one in found)]),
            "thresholds": np.array([one.threshold for one in found], np.float32),
            "best": np.array([one.best for one in found], np.int32),
        },
    )


def distinct(targets: Ids) -> Ids:
    """Return each URL once, in the order of its first standing."""
    _, first = np.unique(targets, return_index=True)
    first.sort()
    return targets[first]


def key_of(url: UrlId, addresses: Addresses) -> int:
    """Return 64 bits that stand for an address in any crawl; 0 for the page that is nowhere."""
    if url == NOWHERE:
        return 0
    href = addresses.href(url)
    try:
        return key_hash(normalise(href))
    except ValueError:
        return key_hash(href)
