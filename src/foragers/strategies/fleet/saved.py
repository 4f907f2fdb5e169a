"""What a fleet keeps for the next crawl: the weblogs, weights and scores of its foragers.

URLs have other numbers in the next crawl, so a weblog is stored by keys of its URLs.  A URL takes
its place in the weblog again as soon as the new crawl meets a link to it; until then, and if it
never does, its value is kept.  Weights belong to the states that they were learned with: hashed
words of a width, or a model of states, known by its digest.

A file may come from anybody: what does not fit together is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foragers.core.models import Model
from foragers.core.types import Addresses, UrlId
from foragers.errors import UsageError
from foragers.strategies.automata.saved import key_of
from foragers.strategies.fleet.settings import DEFAULT_TUNING

if TYPE_CHECKING:
    from foragers.strategies.fleet.forager import Forager

KIND = ("foragers", 1)
COLUMNS: Mapping[str, type[np.generic]] = {
    "fleets": np.int32,
    "scores": np.float64,
    "weights": np.float64,
    "starts": np.int64,
    "urls": np.uint64,
    "values": np.float64,
}
"""The arrays of a model: foragers in order, and the entries of their weblogs, in that order."""


class SavedForager(NamedTuple):
    """A forager as it goes from crawl to crawl; its weblog has keys instead of URLs."""

    score: float
    weights: NDArray[np.float64]
    weblog: dict[int, float]


@dataclass(frozen=True)
class SavedFleets:
    """The foragers of an earlier crawl by the kind of their fleet, and the states they know."""

    states: str
    foragers: Mapping[str, Sequence[SavedForager]]

    @classmethod
    def of(cls, model: Model) -> SavedFleets:
        """Read a model; raise a UsageError if it is damaged."""
        try:
            kinds, states = model.facts["kinds"], str(model.facts["states"])
            columns = {
                name: model.arrays[name].astype(kind, copy=False) for name, kind in COLUMNS.items()
            }
        except (KeyError, ValueError) as error:
            raise UsageError(
                f"--learned: the file has missing or damaged foragers ({error})"
            ) from error
        if not isinstance(kinds, list) or not is_whole(columns, len(kinds)):
            raise UsageError("--learned: the foragers of the file do not fit together; begin anew")
        found: dict[str, list[SavedForager]] = {str(kind): [] for kind in kinds}
        starts = columns["starts"].tolist()
        for at, fleet in enumerate(columns["fleets"].tolist()):
            part = slice(starts[at], starts[at + 1])
            keys, values = columns["urls"][part].tolist(), columns["values"][part].tolist()
            saved = SavedForager(
                columns["scores"].item(at),
                columns["weights"][at].astype(np.float64),
                dict(zip(keys, values, strict=True)),
            )
            found[str(kinds[fleet])].append(saved)
        return cls(states, found)

    def check(self, states: str) -> None:
        """Raise a UsageError if the weights were learned with other states."""
        if states != self.states:
            raise UsageError(
                f"--learned: the weights are for other states of pages ({self.states}, not"
                f" {states}); give the same model=… and k=…, or name another file"
            )


def is_whole(columns: Mapping[str, NDArray[np.generic]], kinds: int) -> bool:
    """Return whether the columns fit together and hold what they may."""
    fleets, starts, weights = columns["fleets"], columns["starts"], columns["weights"]
    numbers = (columns["scores"], columns["values"], weights)
    count = len(fleets)
    return (
        all(columns[name].ndim == (2 if name == "weights" else 1) for name in COLUMNS)
        and {len(columns["scores"]), len(weights), len(starts) - 1} == {count}
        and set(fleets.tolist()) <= set(range(kinds))
        and starts[[0, -1]].tolist() == [0, len(columns["urls"])]
        and len(columns["urls"]) == len(columns["values"])
        and bool((np.diff(starts) >= 0).all())
        and all(bool((np.abs(part) < DEFAULT_TUNING.max_saved).all()) for part in numbers)
    )


@dataclass(slots=True)
class Inheritance:
    """The entries of weblogs whose URLs the crawl has not met yet, by key."""

    waiting: dict[int, list[tuple[Forager, float]]] = field(default_factory=dict)

    def add(self, forager: Forager, weblog: Mapping[int, float]) -> None:
        """Keep the weblog of a forager until its URLs are met."""
        for key, value in weblog.items():
            self.waiting.setdefault(key, []).append((forager, value))

    def meet(self, url: UrlId, addresses: Addresses) -> None:
        """Give a URL back to the weblogs that had it."""
        for forager, value in self.waiting.pop(key_of(url, addresses), ()):
            forager.weblog.inherit(url, value)

    def of(self, forager: Forager) -> dict[int, float]:
        """Return what a forager has not got back."""
        return {
            key: value
            for key, entries in self.waiting.items()
            for owner, value in entries
            if owner is forager
        }


def saved_model(
    foragers: Sequence[Forager], waiting: Inheritance, states: str, addresses: Addresses
) -> Model:
    """Return the foragers as a model."""
    kinds = list(dict.fromkeys(forager.settings.kind for forager in foragers))
    weblogs = [weblog_of(forager, waiting, addresses) for forager in foragers]
    width = len(foragers[0].weights) if foragers else 0
    arrays: dict[str, NDArray[np.generic]] = {
        "fleets": np.array([kinds.index(one.settings.kind) for one in foragers], np.int32),
        "scores": np.array([one.score for one in foragers], np.float64),
        "weights": np.array([bounded(one.weights) for one in foragers]).reshape(-1, width),
        "starts": np.cumsum([0, *map(len, weblogs)]).astype(np.int64),
        "urls": np.array([key for weblog in weblogs for key in weblog], np.uint64),
        "values": bounded(np.array([v for weblog in weblogs for v in weblog.values()], float)),
    }
    return Model(*KIND, {"kinds": [*kinds], "states": states}, arrays)


def weblog_of(forager: Forager, waiting: Inheritance, addresses: Addresses) -> dict[int, float]:
    """Return a weblog by the keys of its URLs, the best first, if the forager selects it."""
    if not forager.settings.weblog_update:
        return {}
    entries = {key_of(url, addresses): value for url, value in forager.weblog.values.items()}
    entries = {**waiting.of(forager), **entries}
    best = sorted(entries, key=entries.__getitem__, reverse=True)[: forager.weblog.size]
    return {key: entries[key] for key in best}


def bounded(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return numbers that may be saved: weights that have diverged are cut."""
    return np.clip(
        np.nan_to_num(values), -DEFAULT_TUNING.max_saved / 10, DEFAULT_TUNING.max_saved / 10
    )


def states_name(model: Model | None, k: int) -> str:
    """Return a name for the states that weights belong to."""
    if model is None:
        return f"hashed words, k={k}"
    digest = blake2b(digest_size=8)
    for name in sorted(model.arrays):
        digest.update(np.ascontiguousarray(model.arrays[name]).tobytes())
    return f"model {digest.hexdigest()}"
