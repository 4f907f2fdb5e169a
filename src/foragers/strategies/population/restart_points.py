"""Things of which one can be drawn, each with the same chance.

Documents from which there are still ways to go, and how promising each of them is.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from foragers.core.exact import exp
from foragers.core.types import HostId, UrlId


@dataclass(slots=True)
class Lottery:
    """A set of numbers from which one can be drawn in constant time."""

    _tickets: list[int] = field(default_factory=list)
    _places: dict[int, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._tickets)

    def __contains__(self, ticket: object) -> bool:
        return ticket in self._places

    def add(self, ticket: int) -> None:
        """Put a ticket in, once."""
        if ticket not in self._places:
            self._places[ticket] = len(self._tickets)
            self._tickets.append(ticket)

    def remove(self, ticket: int) -> None:
        """Take a ticket out, if it is in; the last one takes its place."""
        place = self._places.pop(ticket, None)
        if place is None:
            return
        last = self._tickets.pop()
        if last != ticket:
            self._tickets[place] = last
            self._places[last] = place

    def draw(self, rng: np.random.Generator) -> int:
        """Return one of the tickets, which stays in."""
        return self._tickets[int(rng.random() * len(self._tickets))]


Floats = NDArray[np.float32]

KEPT = 50_000
"""How many documents are kept with their links; the oldest are forgotten first."""
TRIES = 8
"""So many documents are looked at when one is drawn; the best of them is taken."""
SHARPEST = 1e30
"""With this the best link is always taken; what is sharper would be no number."""


@dataclass(slots=True)
class Ways:
    """The links of a document that nobody had followed when last looked at.

    `promises` are the same for all agents.  Agents who judge for themselves do it by `inputs`:
    for a word, how near it stands to each link; `words` are those that the document says often.
    The columns of `inputs` are those of all links there were, of which `rows` are left.
    """

    urls: list[UrlId]
    hosts: list[HostId]
    promises: Floats
    depth: int
    inputs: Mapping[str, Floats] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    rows: NDArray[np.intp] | None = None

    def near(self, word: str) -> Floats | None:
        """Return how near a word stands to each link; None if it stands near none."""
        column = self.inputs.get(word)
        return column if column is None or self.rows is None else column[self.rows]

    def prune(self, known: Container[UrlId]) -> None:
        """Leave out what has been followed since."""
        kept = [place for place, url in enumerate(self.urls) if url not in known]
        if len(kept) < len(self.urls):
            self.urls = [self.urls[place] for place in kept]
            self.hosts = [self.hosts[place] for place in kept]
            self.promises = self.promises[kept]
            if self.inputs:
                self.rows = np.array(kept) if self.rows is None else self.rows[kept]

    def and_more(self, other: Ways) -> Ways:
        """Return these links and others of the same document."""
        none = (np.zeros(len(self.urls), np.float32), np.zeros(len(other.urls), np.float32))
        near = {
            word: np.concatenate(
                [found if (found := ways.near(word)) is not None else nothing
                 for ways, nothing in zip((self, other), none, strict=True)]
            )
            for word in dict.fromkeys((*self.inputs, *other.inputs))
        }  # fmt: skip
        return Ways(
            self.urls + other.urls,
            self.hosts + other.hosts,
            np.concatenate((self.promises, other.promises)),
            self.depth,
            near,
            self.words or other.words,
        )

    @property
    def best(self) -> float:
        """The promise of the best link."""
        return float(self.promises.max())


def pick(promises: Floats, sharpness: float, rng: np.random.Generator) -> int:
    """Return the place of a link, likelier the more promising it is: P ∝ exp(sharpness · p)."""
    above = promises - promises.max()
    reach = np.cumsum(exp(above * np.float64(min(sharpness, SHARPEST))))
    found = np.searchsorted(reach, rng.random() * reach[-1], side="right")
    return min(int(found), len(promises) - 1)


@dataclass(slots=True)
class Clearings:
    """The documents with ways to go, any of which can be drawn."""

    _ways: dict[UrlId, Ways] = field(default_factory=dict)
    _lottery: Lottery = field(default_factory=Lottery)

    def __len__(self) -> int:
        return len(self._ways)

    def add(self, document: UrlId, ways: Ways) -> None:
        """Keep a document with its links, and forget the oldest if there are too many."""
        self._ways[document] = ways
        self._lottery.add(document)
        if len(self._ways) > KEPT:
            self.close(next(iter(self._ways)))

    def close(self, document: UrlId) -> None:
        """Forget a document."""
        self._ways.pop(document, None)
        self._lottery.remove(document)

    def ways(self, document: UrlId, known: Container[UrlId]) -> Ways | None:
        """Return the links of a document that nobody has followed, None if there are none."""
        ways = self._ways.get(document)
        if ways is not None:
            ways.prune(known)
            if not ways.urls:
                self.close(document)
                return None
        return ways

    def draw(self, known: Container[UrlId], rng: np.random.Generator) -> UrlId | None:
        """Return the best of a few documents with ways to go, if there is one."""
        best, found, tries = -np.inf, None, 0
        while len(self._lottery) and tries < TRIES:
            document = self._lottery.draw(rng)
            ways = self.ways(document, known)
            if ways is not None:
                tries += 1
                if ways.best > best:
                    best, found = ways.best, document
        return found
