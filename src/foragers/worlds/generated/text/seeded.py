"""Reproducible random numbers that follow from a seed and a position, in any order.

Columns are drawn once, from numpy generators.  Text is generated on demand, page by page, so its
random numbers are hashes of the position: the finaliser of SplitMix64 (Steele, Lea and Flood 2014),
which costs a few vector operations and keeps no state.
"""

from __future__ import annotations

from zlib import crc32

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]

MASK = (1 << 64) - 1
STRIDE = 0x9E3779B97F4A7C15
"""The golden ratio in 64 bits, whose multiples are far apart."""

_FIRST, _SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_TIMES_FIRST, _TIMES_SECOND = np.uint64(_FIRST), np.uint64(_SECOND)
_BY_30, _BY_27, _BY_31 = np.uint64(30), np.uint64(27), np.uint64(31)


def mix(numbers: Hashes) -> Hashes:
    """Mix numbers over 64 bits, in place."""
    numbers ^= numbers >> _BY_30
    numbers *= _TIMES_FIRST
    numbers ^= numbers >> _BY_27
    numbers *= _TIMES_SECOND
    numbers ^= numbers >> _BY_31
    return numbers


def mix_one(number: int) -> int:
    """Mix one number over 64 bits."""
    number &= MASK
    number = ((number ^ (number >> 30)) * _FIRST) & MASK
    number = ((number ^ (number >> 27)) * _SECOND) & MASK
    return number ^ (number >> 31)


def strides(count: int) -> Hashes:
    """Return 1, 2, 3, ... times the stride: offsets that turn one hash into many."""
    return np.arange(1, count + 1, dtype=np.uint64) * np.uint64(STRIDE)


def generator(preset: str, seed: int, part: str) -> np.random.Generator:
    """Return the generator for one part of a world, independent of all others."""
    return np.random.default_rng([seed, crc32(preset.encode()), crc32(part.encode())])
