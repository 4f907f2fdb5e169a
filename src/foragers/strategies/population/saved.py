"""The base of documents of earlier crawls, with which a population goes on.

Algorithm 2 of the paper initialises its base of documents "empty or from precedent execution".  A
document of the base is worth what energy was left on it, once, and costs nothing; its relevance is
counted already.  The history of relevance gives the level R from the first page on, and the agents
begin with the energies with which the last ones ended.

Documents are known by keys of their URLs.  Of a long history so many values are kept, evenly spaced
by rank.  A file may come from anybody: what does not fit together is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from foragers.core.models import Model
from foragers.core.types import Addresses, UrlId
from foragers.errors import UsageError
from foragers.strategies.automata.saved import key_of
from foragers.strategies.population.accounts import PopulationWalker
from foragers.strategies.population.settings import DEFAULT_POPULATION
from foragers.urls.id_set import IdSet

KIND = ("documents", 1)
COLUMNS: Mapping[str, type[np.generic]] = {
    "documents": np.uint64,
    "left": np.float64,
    "relevances": np.float64,
    "energies": np.float64,
}

Floats = NDArray[np.float64]


@dataclass(slots=True)
class KnownDocuments:
    """Documents sorted by key, with the energy left on each; relevances; energies of agents."""

    documents: NDArray[np.uint64]
    left: Floats
    relevances: Floats
    energies: Floats
    _met: set[int] = field(default_factory=set, init=False)

    @classmethod
    def empty(cls) -> KnownDocuments:
        """Return a base without documents."""
        nothing = np.empty(0)
        return cls(np.empty(0, np.uint64), nothing, nothing, nothing)

    @classmethod
    def of(cls, model: Model) -> KnownDocuments:
        """Read a model; raise a UsageError if it is damaged."""
        try:
            base = cls(
                *(model.arrays[name].astype(kind, copy=False) for name, kind in COLUMNS.items())
            )
        except (KeyError, ValueError) as error:
            raise UsageError(
                f"--learned: the file has missing or damaged documents ({error})"
            ) from error
        if not base.is_whole:
            raise UsageError("--learned: the documents of the file do not fit together; begin anew")
        return base

    @property
    def is_whole(self) -> bool:
        """Whether the columns fit together and hold what they may."""
        return (
            all(getattr(self, name).ndim == 1 for name in COLUMNS)
            and len(self.documents) == len(self.left)
            and bool((self.documents[1:] > self.documents[:-1]).all())
            and all(
                bool((np.abs(part) < DEFAULT_POPULATION.max_energy).all())
                for part in (self.left, self.relevances, self.energies)
            )
            and max(len(self.relevances), len(self.energies)) <= DEFAULT_POPULATION.saved_values
        )

    def take(self, document: UrlId, addresses: Addresses) -> float | None:
        """Return the energy left on a document and take it; None if it is not in the base."""
        key = key_of(document, addresses)
        at = int(np.searchsorted(self.documents, np.uint64(key)))
        if at == len(self.documents) or int(self.documents[at]) != key:
            return None
        energy = 0.0 if key in self._met else float(self.left[at])
        self._met.add(key)
        return energy

    def energy_of(self, number: int) -> float:
        """Return the energy with which an agent begins."""
        return float(self.energies[number]) if number < len(self.energies) else 1.0

    def extended(
        self,
        collected: IdSet,
        left: Mapping[UrlId, float],
        relevances: Sequence[float],
        agents: Iterable[PopulationWalker],
        addresses: Addresses,
    ) -> KnownDocuments:
        """Return the base after a crawl, which has added documents and taken energy."""
        known = {
            key: 0.0 if key in self._met else energy
            for key, energy in zip(self.documents.tolist(), self.left.tolist(), strict=True)
        }
        for url in collected:
            known.setdefault(key_of(url, addresses), 0.0)
        for url, energy in left.items():
            known[key_of(url, addresses)] = energy
        keys = sorted(known)
        return KnownDocuments(
            np.array(keys, np.uint64),
            np.array([known[key] for key in keys], np.float64),
            thinned(np.array(relevances, np.float64)),
            np.array(
                [agent.energy for agent in agents][: DEFAULT_POPULATION.saved_values], np.float64
            ),
        )

    def as_model(self) -> Model:
        """Return the base as a model."""
        return Model(*KIND, {}, {name: getattr(self, name) for name in COLUMNS})


def thinned(values: Floats) -> Floats:
    """Return at most so many values, evenly spaced by rank."""
    if len(values) <= DEFAULT_POPULATION.saved_values:
        return values
    return values[np.linspace(0, len(values) - 1, DEFAULT_POPULATION.saved_values).astype(np.int64)]
