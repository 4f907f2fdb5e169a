"""How near words stand to links, by which InfoSpiders' agents judge them.

    in_k(l) = Σ 1 / dist(occurrence of word k, l)

over the occurrences at most `FARTHEST` links away.  A word that stands in a link's anchor, or in
the words around it, is at distance 1 from that link, at 2 from its neighbours, and so on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet

import numpy as np
from numpy.typing import NDArray

from foragers.text.words import words

FARTHEST = 5
_NEAR = 1.0 / (1 + np.abs(np.arange(1 - FARTHEST, FARTHEST)))


def link_inputs(windows: Sequence[str], wanted: AbstractSet[str]) -> dict[str, NDArray[np.float32]]:
    """Return, for each wanted word that stands near a link, how near it is to every link."""
    found: dict[str, NDArray[np.float64]] = {}
    for place, window in enumerate(windows):
        for word in wanted & set(words(window)):
            if word not in found:
                found[word] = np.zeros(len(windows))
            found[word][place] = 1.0
    return {word: spread(near) for word, near in found.items()}


def spread(near: NDArray[np.float64]) -> NDArray[np.float32]:
    """Let each occurrence be felt at the links before and after it."""
    whole = np.convolve(near, _NEAR)
    return whole[FARTHEST - 1 : FARTHEST - 1 + len(near)].astype(np.float32)


def frequent(text: Sequence[str], many: int, without: Collection[str]) -> tuple[str, ...]:
    """Return the most frequent words of a text, leaving out short ones and some others."""
    counted = Counter(word for word in text if len(word) > 2 and word not in without)
    return tuple(word for word, _ in counted.most_common(many))
