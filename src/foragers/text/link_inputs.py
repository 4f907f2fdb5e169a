"""How near words stand to links, by which InfoSpiders' agents judge them.

    in_k(l) = Σ 1 / dist(occurrence of word k, l)

over the occurrences at most `FARTHEST` links away.  A word that stands in a link's anchor, or in
the words around it, is at distance 1 from that link, at 2 from its neighbours, and so on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from math import lcm

import numpy as np
from numpy.typing import NDArray

from foragers.text.words import words

FARTHEST = 5
MARK = "zzqwindowqzz"
"""A word that stands between texts which are cut into words all at once."""
_WHOLE = lcm(*range(1, FARTHEST + 1))
_NEAR = _WHOLE / (1.0 + np.abs(np.arange(1 - FARTHEST, FARTHEST)))


def link_inputs(windows: Sequence[str], wanted: AbstractSet[str]) -> dict[str, NDArray[np.float32]]:
    """Return, for each wanted word that stands near a link, how near it is to every link."""
    found: dict[str, NDArray[np.float64]] = {}
    said = words_of_all(windows)
    # Most words are wanted nowhere: the few that are here are looked for alone.
    here = {MARK, *(wanted & set(said))}
    place = -1
    for word in [word for word in said if word in here]:
        if word == MARK:
            place += 1
        else:
            if word not in found:
                found[word] = np.zeros(len(windows))
            found[word][place] = 1.0
    return {word: spread(near) for word, near in found.items()}


def words_of_all(windows: Sequence[str]) -> list[str]:
    """Return the words of texts, a mark before each text; all at once, which is much faster."""
    said = words("".join([f" {MARK} {window}" for window in windows]))
    if said.count(MARK) == len(windows):
        return said
    # Somebody uses our mark as a word.
    return [
        word for text in windows for word in (MARK, *(one for one in words(text) if one != MARK))
    ]


def spread(near: NDArray[np.float64]) -> NDArray[np.float32]:
    """Let each occurrence be felt at the links before and after it."""
    # Whole numbers are added, so that the sums are exact in whichever order.
    whole = np.convolve(near, _NEAR) / _WHOLE
    return whole[FARTHEST - 1 : FARTHEST - 1 + len(near)].astype(np.float32)


def frequent(text: Sequence[str], many: int, without: Collection[str]) -> tuple[str, ...]:
    """Return the most frequent words of a text, leaving out short ones and some others."""
    counted = Counter(text)
    fit = {word: often for word, often in counted.items() if len(word) > 2 and word not in without}
    return tuple(word for word, _ in Counter(fit).most_common(many))
