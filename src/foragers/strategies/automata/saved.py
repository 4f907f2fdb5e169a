"""The automata of earlier crawls, as they are stored in a model.

A page is identified in any crawl by a key: 64 bits of its normalised URL.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foragers.core.models import Model
from foragers.core.types import NO_PARENT, Addresses, Ids, UrlId
from foragers.errors import UsageError
from foragers.frontier.columns import UrlColumn
from foragers.strategies.automata.automaton import Probabilities, normal
from foragers.urls.digests import digest
from foragers.urls.parse import normalise

Keys = NDArray[np.uint64]


@dataclass(slots=True)
class AddressKeys:
    """The keys of URLs, each computed once, since pages of a site link to the same URLs."""

    _keys: UrlColumn[np.uint64] = field(default_factory=lambda: UrlColumn(np.uint64(0)), repr=False)

    def of(self, urls: Ids, addresses: Addresses) -> Keys:
        """Return the keys of URLs."""
        keys = self._keys.reach(int(urls.max(initial=0)))
        for url in urls[keys[urls] == 0].tolist():
            keys[url] = key_of(url, addresses)
        return keys[urls]


def key_of(url: UrlId, addresses: Addresses) -> int:
    """Return the key of a URL, 0 for `NO_PARENT`."""
    if url == NO_PARENT:
        return 0
    href = addresses.href(url)
    try:
        return digest(normalise(href))
    except ValueError:
        return digest(href)


KIND = ("automata", 1)
NOTHING_YET = -1
COLUMNS: Mapping[str, type[np.generic]] = {
    "pages": np.uint64,
    "starts": np.int64,
    "links": np.uint32,
    "probabilities": np.float32,
    "thresholds": np.float32,
    "best": np.int32,
}
"""The arrays of a model: automata sorted by page, the actions of each one after the other."""


class Learned(NamedTuple):
    """One automaton as it goes from crawl to crawl; `best` is the action that raised τ last."""

    links: NDArray[np.uint32]
    probabilities: NDArray[np.floating]
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
        """Read a model; raise a UsageError if it is damaged."""
        try:
            columns = cls(
                *(model.arrays[name].astype(kind, copy=False) for name, kind in COLUMNS.items())
            )
        except (KeyError, ValueError) as error:
            raise UsageError(f"the model has missing or damaged automata ({error})") from error
        if not columns.is_whole:
            raise UsageError("the model's automata do not fit together; begin without it")
        return columns

    @property
    def is_whole(self) -> bool:
        """Whether the columns fit together."""
        count, numbers = len(self.pages), (self.probabilities, self.thresholds)
        return (
            all(getattr(self, name).ndim == 1 for name in COLUMNS)
            and {len(self.thresholds), len(self.best), len(self.starts) - 1} == {count}
            and self.starts[[0, -1]].tolist() == [0, len(self.links)]
            and len(self.links) == len(self.probabilities)
            and bool((np.diff(self.starts) >= 1).all())
            and bool((self.pages[1:] > self.pages[:-1]).all())
            and all(bool((np.isfinite(part) & (part >= 0)).all()) for part in numbers)
        )

    def __len__(self) -> int:
        return len(self.pages)

    def __getitem__(self, number: int) -> Learned:
        where = slice(int(self.starts[number]), int(self.starts[number + 1]))
        return Learned(
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
    """Return probabilities, threshold and best action for the current links of a page.

    Links that are gone leave their share to the others (8); then each new one gets 1/n and the
    rest is scaled by (n - 1)/n (7), which together is 1/n for every new one.  If its best
    link is gone, the threshold is reset (6).
    """
    earlier = before.links
    order = np.argsort(earlier, kind="stable")
    rows = order[np.minimum(np.searchsorted(earlier, links, sorter=order), len(earlier) - 1)]
    old = earlier[rows] == links
    p = np.where(old, before.probabilities[rows].astype(np.float64), 0.0)
    count = int(np.count_nonzero(old))
    p = p / p.sum() if p.sum() > 0 else old / max(count, 1)
    p = normal(np.where(old, p * count / len(links), 1 / len(links)))
    best = np.flatnonzero(old & (rows == before.best))
    return (p, before.threshold, int(best[0])) if len(best) else (p, 0.0, NOTHING_YET)
