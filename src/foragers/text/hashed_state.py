"""Page states without training: the words of a page, hashed into a few numbers from -1 to 1."""

from __future__ import annotations

from functools import lru_cache
from math import sqrt
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from foragers.core.exact import dot, tanh
from foragers.text.words import words

STEEPNESS = 4.0


@lru_cache(maxsize=65_536)
def index_of(word: str, k: int) -> tuple[int, float]:
    """Return the index of a word among k numbers, and its sign."""
    digest = crc32(word.encode("utf-8", "surrogatepass"))
    return digest % k, 1.0 if digest >> 31 else -1.0


def hashed_state(text: str, k: int) -> NDArray[np.float32]:
    """Return the state of a text: tanh of the signed sum of its distinct words, of length 1."""
    sums = [0.0] * k
    for word in set(words(text)):
        index, sign = index_of(word, k)
        sums[index] += sign
    state = np.array(sums)
    length = sqrt(dot(state, state))
    return tanh(STEEPNESS * state / (length or 1.0)).astype(np.float32)
