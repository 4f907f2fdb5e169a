"""Word counts of links with known Q-values: the whole model of a spider.

Links are put into five bins by their Q-value:

    Q >= 1,   1 > Q >= g,   g > Q >= g^2,   g^2 > Q >= g^3,   less          with g = 0.5

and the words of each bag are counted for each bin.  For fewer bins the last ones are added up,
so one model serves spiders with two to five bins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from foragers.core.models import Model, Numbers, array_to_words, words_to_array
from foragers.errors import UsageError

FINEST = 5
"""The largest number of bins, and that of the counts in a model."""
FEWEST = 2
KIND, VERSION = "spider", 1
MOST = 1e12
"""The largest count; sums of such counts are far from any overflow."""
DAMAGED = "the model of the spider is damaged; train it again"
BIN_NAMES = ("immediate", "two-step", "three-step", "four-step", "other")

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


def bins_of(values: Floats, gamma: float = 0.5) -> Counts:
    """Return the bin, 0 for immediate reward to 4, of links with these Q-values."""
    borders = np.cumprod([1.0, *[gamma] * (FINEST - 2)])
    return (FINEST - 1 - np.searchsorted(borders[::-1], values, side="right")).astype(np.int64)


def bin_names(bins: int) -> tuple[str, ...]:
    """Return the names of the bins."""
    return (*BIN_NAMES[: bins - 1], BIN_NAMES[-1])


Column = TypeVar("Column", Counts, Floats)


def merged(counts: Column, bins: int) -> Column:
    """Add up the last of five rows so that `bins` rows remain."""
    return np.concatenate((counts[: bins - 1], counts[bins - 1 :].sum(axis=0, keepdims=True)))


@dataclass(frozen=True)
class LinkCounts:
    """The words of each bag and their counts in five bins, and each bin's links and sum of Q."""

    words: Mapping[str, Sequence[str]]
    counts: Mapping[str, Counts]
    links: Counts
    worth: Floats

    def check(self, bags: Sequence[str], whose: str) -> None:
        """Raise a UsageError if some bags were not counted."""
        if lacking := [bag for bag in bags if bag not in self.words]:
            held = ", ".join(self.words)
            raise UsageError(
                f"{whose}: the model has no words of {', '.join(lacking)} (only {held});"
                " train one with 'foragers train'"
            )

    @classmethod
    def nothing(cls, bags: Sequence[str]) -> LinkCounts:
        """Return the counts of no links."""
        counts = dict.fromkeys(bags, np.zeros((FINEST, 0), np.int64))
        return cls(dict.fromkeys(bags, ()), counts, np.zeros(FINEST, np.int64), np.zeros(FINEST))

    def model(self, facts: Mapping[str, str | int | float]) -> Model:
        """Return the model to store in a file."""
        arrays: dict[str, Numbers] = {"links": self.links, "worth": self.worth}
        for bag in self.words:
            arrays[f"words of {bag}"] = words_to_array(self.words[bag])
            arrays[f"counts of {bag}"] = self.counts[bag]
        return Model(KIND, VERSION, {**facts, "bags": list(self.words)}, arrays)

    @classmethod
    def of(cls, model: Model) -> LinkCounts:
        """Return the counts of a model; raise an error if it is damaged."""
        try:
            bags = [str(bag) for bag in cast(list[str], model.facts["bags"])]
            words = {bag: array_to_words(model.arrays[f"words of {bag}"]) for bag in bags}
            found = {bag: model.arrays[f"counts of {bag}"] for bag in bags}
            links, worth = model.arrays["links"], model.arrays["worth"].astype(np.float64)
        except (KeyError, TypeError, ValueError) as error:
            raise UsageError(f"{DAMAGED} ({error})") from error
        fits = all(found[bag].shape == (FINEST, len(words[bag])) for bag in bags)
        if not fits or not bags or links.shape != (FINEST,) or worth.shape != (FINEST,):
            raise UsageError(f"{DAMAGED} (its parts do not fit together)")
        if any(len(set(some)) < len(some) for some in words.values()):
            raise UsageError(f"{DAMAGED} (a word stands in it twice)")
        counts = {bag: _counts(column) for bag, column in found.items()}
        # Q is at most the sum of all discounts, which is 2.
        if not ((worth >= 0) & (worth <= 2 * _counts(links))).all():
            raise UsageError(f"{DAMAGED} (links cannot be worth that)")
        return cls(words, counts, _counts(links), worth)


def _counts(column: Numbers) -> Counts:
    """Return a column of counts, if its values are possible."""
    found = column.astype(np.float64)
    if not ((found >= 0) & (found <= MOST)).all():
        raise UsageError(f"{DAMAGED} (nothing is counted that often)")
    return found.astype(np.int64)
