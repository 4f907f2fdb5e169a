"""Q of links: a linear function of the characters of their anchors, learned by gradient steps.

    Q(a) = bias + w_same · [on the same host] + Σ w_f / √k        over the k n-grams f of the anchor

Links with the same anchor, and the same answer to whether they stay on their host, are one
action.  A page has hundreds of links, and most of their anchors are those of other pages too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from foragers.frontier.columns import grown

Floats = NDArray[np.float64]
Numbers = NDArray[np.int32]


@dataclass(frozen=True)
class LinkValueSettings:
    """How anchors become features."""

    buckets: int = 1 << 17  # into which n-grams are hashed; deep-deep has eight times as many
    shortest: int = 3  # n-gram in characters; `LinkVectorizer` of deep-deep
    longest: int = 5  # the same
    anchor: int = 200  # characters read; longer anchors are whole paragraphs


LINK_VALUES = LinkValueSettings()
NOTHING, SAME, ALWAYS = (LINK_VALUES.buckets + more for more in range(3))
"""Features beside the n-grams: one without a weight, on the same host, and one that all have."""


def n_grams(anchor: str) -> list[int]:
    """Return the places of the n-grams of an anchor, each once."""
    text = " ".join(anchor[: LINK_VALUES.anchor].lower().split())
    pieces = {
        text[start : start + size]
        for size in range(LINK_VALUES.shortest, LINK_VALUES.longest + 1)
        for start in range(len(text) - size + 1)
    }
    return sorted(
        {crc32(piece.encode("utf-8", "surrogatepass")) % LINK_VALUES.buckets for piece in pieces}
    )


@dataclass(slots=True)
class LinkActions:
    """All actions that were met, by number, with their features in one long row."""

    _numbers: dict[tuple[str, bool], int] = field(default_factory=dict)
    _features: Numbers = field(default_factory=lambda: np.zeros(64, np.int32))
    _starts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(64, np.int64))
    _same: Floats = field(default_factory=lambda: np.zeros(64))

    def __len__(self) -> int:
        return len(self._numbers)

    def number(self, anchor: str, same: bool) -> int:
        """Return the number of an action, a new one if it was not met before."""
        key = anchor, same
        known = self._numbers.get(key)
        if known is None:
            known = self._numbers[key] = len(self._numbers)
            row, start = [*n_grams(anchor), NOTHING], int(self._starts[known])
            self._features = grown(self._features, start + len(row), 0)
            self._features[start : start + len(row)] = row
            self._starts = grown(self._starts, known + 2, 0)
            self._starts[known + 1] = start + len(row)
            self._same = grown(self._same, known + 1, 0.0)
            self._same[known] = same
        return known

    def values(self, weights: Floats, actions: Numbers) -> Floats:
        """Return Q of some actions."""
        if not len(actions):
            return np.zeros(0)
        starts, sizes = self._starts[actions], self._starts[actions + 1] - self._starts[actions]
        firsts = np.cumsum(sizes) - sizes
        indexes = np.arange(int(sizes.sum())) + np.repeat(starts - firsts, sizes)
        sums = np.add.reduceat(weights[self._features[indexes]], firsts)
        lengths = np.sqrt(np.maximum(sizes - 1, 1))
        found: Floats = sums / lengths + self._same[actions] * weights[SAME] + weights[ALWAYS]
        return found

    def step(self, weights: Floats, action: int, goal: float, rate: float) -> None:
        """Move the weights of an action so that its Q comes closer to a goal."""
        start, end = int(self._starts[action]), int(self._starts[action + 1]) - 1
        indexes, same = self._features[start:end], float(self._same[action])
        length = sqrt(max(end - start, 1))
        value = float(weights[indexes].sum()) / length + same * weights[SAME] + weights[ALWAYS]
        error = rate * (goal - value)
        weights[indexes] += error / length
        weights[SAME] += same * error
        weights[ALWAYS] += error
