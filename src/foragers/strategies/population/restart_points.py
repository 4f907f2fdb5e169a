"""Documents with links that no agent has followed: where agents without a link go on."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from foragers.core.exact import exp
from foragers.core.types import HostId, UrlId
from foragers.strategies.population.settings import DEFAULT_POPULATION, RestartSettings


@dataclass(slots=True)
class RandomSet:
    """A set of integers from which one can be drawn at random in constant time."""

    _members: list[int] = field(default_factory=list)
    _indexes: dict[int, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._members)

    def __contains__(self, member: object) -> bool:
        return member in self._indexes

    def add(self, member: int) -> None:
        """Add a member, once."""
        if member not in self._indexes:
            self._indexes[member] = len(self._members)
            self._members.append(member)

    def remove(self, member: int) -> None:
        """Remove a member, if it is in the set; the last one takes its index."""
        index = self._indexes.pop(member, None)
        if index is None:
            return
        last = self._members.pop()
        if last != member:
            self._members[index] = last
            self._indexes[last] = index

    def draw(self, rng: np.random.Generator) -> int:
        """Return a random member, which stays in the set."""
        return self._members[int(rng.random() * len(self._members))]


Floats = NDArray[np.float32]


@dataclass(slots=True)
class OpenLinks:
    """The links of a document that no agent had followed at the last look.

    `promises` are the same for all agents.  Agents with a policy of their own use `inputs`:
    for a word, its closeness to each link; `words` are the frequent words of the document.
    The columns of `inputs` have all original links, of which `rows` are left.
    """

    urls: list[UrlId]
    hosts: list[HostId]
    promises: Floats
    depth: int
    inputs: Mapping[str, Floats] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    rows: NDArray[np.intp] | None = None

    def near(self, word: str) -> Floats | None:
        """Return the closeness of a word to each link; None if it is near none."""
        column = self.inputs.get(word)
        return column if column is None or self.rows is None else column[self.rows]

    def prune(self, known: Container[UrlId]) -> None:
        """Remove the links that have been followed since."""
        kept = [i for i, url in enumerate(self.urls) if url not in known]
        if len(kept) < len(self.urls):
            self.urls = [self.urls[i] for i in kept]
            self.hosts = [self.hosts[i] for i in kept]
            self.promises = self.promises[kept]
            if self.inputs:
                self.rows = np.array(kept) if self.rows is None else self.rows[kept]

    def and_more(self, other: OpenLinks) -> OpenLinks:
        """Return these links and others of the same document."""
        none = (np.zeros(len(self.urls), np.float32), np.zeros(len(other.urls), np.float32))
        near = {
            word: np.concatenate(
                [column if (column := links.near(word)) is not None else zeros
                 for links, zeros in zip((self, other), none, strict=True)]
            )
            for word in dict.fromkeys((*self.inputs, *other.inputs))
        }  # fmt: skip
        return OpenLinks(
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


def pick(
    promises: Floats,
    sharpness: float,
    rng: np.random.Generator,
    max_sharpness: float = DEFAULT_POPULATION.restart.max_sharpness,
) -> int:
    """Return the index of a link, drawn with P ∝ exp(sharpness · promise)."""
    above = promises - promises.max()
    sums = np.cumsum(exp(above * np.float64(min(sharpness, max_sharpness))))
    index = np.searchsorted(sums, rng.random() * sums[-1], side="right")
    return min(int(index), len(promises) - 1)


@dataclass(slots=True)
class RestartPoints:
    """The documents with open links, of which one can be drawn."""

    settings: RestartSettings = DEFAULT_POPULATION.restart
    _links: dict[UrlId, OpenLinks] = field(default_factory=dict)
    _documents: RandomSet = field(default_factory=RandomSet)

    def __len__(self) -> int:
        return len(self._links)

    def add(self, document: UrlId, links: OpenLinks) -> None:
        """Add a document with its links, and forget the oldest if there are too many."""
        self._links[document] = links
        self._documents.add(document)
        if len(self._links) > self.settings.documents:
            self.close(next(iter(self._links)))

    def close(self, document: UrlId) -> None:
        """Forget a document."""
        self._links.pop(document, None)
        self._documents.remove(document)

    def links(self, document: UrlId, known: Container[UrlId]) -> OpenLinks | None:
        """Return the links of a document that no agent has followed, None if there are none."""
        links = self._links.get(document)
        if links is not None:
            links.prune(known)
            if not links.urls:
                self.close(document)
                return None
        return links

    def draw(self, known: Container[UrlId], rng: np.random.Generator) -> UrlId | None:
        """Return the best of a few documents with open links, if there is one."""
        best_promise, best, tries = -np.inf, None, 0
        while len(self._documents) and tries < self.settings.tries:
            document = self._documents.draw(rng)
            links = self.links(document, known)
            if links is not None:
                tries += 1
                if links.best > best_promise:
                    best_promise, best = links.best, document
        return best
