"""Which earlier page a page is nearly the same as.

The sketch of a page is the smallest of its phrases under each of sixteen orders; two
pages agree in as many places as they share phrases.  Four bands of four find
candidates; a sixteenfold comparison of four bits each decides.  Shared phrases are
those of the page alone, without the frame it has in common with its neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from foragers.traps.fingerprint import Sample
from foragers.traps.remember import Recent

_ORDERS = np.random.default_rng(7).integers(1, 1 << 32, 16, np.uint64) | np.uint64(1)
_LOW = np.uint64(0xFFFFFFFF)
_MIX = np.uint64(0x9E3779B97F4A7C15)
_NIBBLES = np.uint64(4) * np.arange(16, dtype=np.uint64)
_EACH = 0x1111111111111111
MIN_PHRASES = 8
AGREEMENTS = 13
"""Of sixteen: two pages that share 80 % of their phrases agree in about thirteen."""


def sketch_of(phrases: Sample) -> tuple[int, list[int]]:
    """Return a page's sketch in 64 bits, and the keys of its four bands."""
    mixed = (phrases.astype(np.uint64) * _ORDERS[:, None]) & _LOW
    least: NDArray[np.uint64] = mixed.min(axis=1)
    spread = (least * _MIX) >> np.uint64(60)
    sketch = int(np.bitwise_or.reduce(spread << _NIBBLES))
    bands = least.reshape(4, 4)
    keys = bands[:, 0]
    for row in range(1, 4):
        keys = keys * _MIX + bands[:, row]
    # The low bits tell the bands apart.
    return sketch, [int(key) & ~3 | band for band, key in enumerate(keys.tolist())]


def agreements(one: int, other: int) -> int:
    """Return in how many of sixteen places two sketches agree."""
    differ = one ^ other
    differ |= differ >> 2
    differ |= differ >> 1
    return 16 - (differ & _EACH).bit_count()


@dataclass(slots=True)
class Likenesses:
    """The sketches of some 30,000 pages, by band."""

    bands: Recent[int, tuple[int, str]] = field(default_factory=lambda: Recent(65_536))

    def find_or_add(self, phrases: Sample, url: str) -> str | None:
        """Return a page that is nearly the same; remember this one if there is none."""
        if len(phrases) < MIN_PHRASES:
            return None
        sketch, keys = sketch_of(phrases)
        for key in keys:
            known = self.bands.get(key)
            if known is not None and agreements(sketch, known[0]) >= AGREEMENTS:
                return known[1]
        entry = (sketch, url)
        for key in keys:
            self.bands.put(key, entry)
        return None
