"""What a text is like, in numbers: its digest, its words as a bag, its phrases as a sample.

Phrases are three words in a row.  Dates and small numbers are no part of them, since
the days of an empty calendar differ in nothing else; nor are numbers that stand in the
page's URL or in those of its links, nor ids.  A page of little but numbers keeps them, but
for those that its links are made of: a calendar may show nothing but the URLs of its days.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from foragers.text.words import words_apart
from foragers.traps.hashing import Hashes, hashes_of

Sample = NDArray[np.uint32]

MAX_SAMPLE = 512
"""Up to as many phrases none is left out: what a page has of its own may be ten words."""
_MAX_LETTERS = 200_000
_MAX_LINKS = 256
_LIMITS = [np.uint32(min(1 << 32 >> thinness, (1 << 32) - 1)) for thinness in range(34)]
_FIRST, _SECOND = np.uint64(0xD6E8FEB86659FD93), np.uint64(0xA0761D6478BD642F)
_TOP = np.uint64(32)
_ONE = np.uint64(1)
_NUMBERS = re.compile(r"\d{5,}")


class Fingerprint(Struct, frozen=True):
    """What a text is like; `phrases` is sorted, and holds one in 2**`thinness` of all."""

    digest: int
    bag: int
    words: int
    phrases: Sample
    thinness: int


def fingerprint(text: str, url: str, links: Sequence[str] = ()) -> Fingerprint:
    """Return what a text is like that was found at a URL and links to others."""
    hashes = hashes_of(words_apart(text[:_MAX_LETTERS]))
    if not hashes.all():
        hashes = hashes[hashes != 0]
    digest = int.from_bytes(blake2b(hashes.data, digest_size=8).digest(), "little")
    bag = int(hashes.sum(dtype=np.uint64))
    kept = _without_dates(hashes, " ".join((url, *links[:_MAX_LINKS])))
    phrases = _sorted_once((_phrases(kept) >> _TOP).astype(np.uint32))
    thinness = thinness_for(phrases, MAX_SAMPLE)
    phrases = thinned(phrases, thinness)
    return Fingerprint(digest, bag, len(kept), phrases, thinness)


def thinned(phrases: Sample, thinness: int) -> Sample:
    """Return the part of a sample that a thinner one would hold."""
    # The method and a number of the same type: the function would copy the sample first.
    return phrases[: phrases.searchsorted(_LIMITS[thinness])] if thinness else phrases


def thinness_for(phrases: Sample, size: int) -> int:
    """Return how thin a sample must be to hold no more than `size` phrases."""
    return 33 - int(phrases[size]).bit_length() if len(phrases) > size else 0


def _without_dates(hashes: Hashes, urls: str) -> Hashes:
    """Drop dates, numbers and tokens, and numbers of the URLs here, unless there is little else.

    Where there is little else, those that the URLs are made of go all the same.
    """
    plain: NDArray[np.bool_] = (hashes & _ONE) == 0
    numbers = _NUMBERS.findall(urls)
    if numbers:
        plain &= ~np.isin(hashes, hashes_of(words_apart(" ".join(numbers))))
    if 2 * np.count_nonzero(plain) >= len(hashes):
        return hashes[plain]
    named = ~plain & np.isin(hashes, hashes_of(words_apart(urls[:_MAX_LETTERS])))
    if 2 * np.count_nonzero(plain) >= len(hashes) - np.count_nonzero(named):
        return hashes[plain]
    return hashes[~named]


def _phrases(hashes: Hashes) -> Hashes:
    """Return a number for every three words in a row, or for all where there are fewer.

    What tells them apart is in the upper half of each.
    """
    if len(hashes) < 3:
        return hashes.sum(keepdims=True, dtype=np.uint64) if len(hashes) else hashes
    mixed = hashes[:-2] * _FIRST
    mixed += hashes[1:-1]
    mixed *= _SECOND
    mixed += hashes[2:]
    mixed ^= mixed >> _TOP
    mixed *= _FIRST
    return mixed


def _sorted_once(numbers: Sample) -> Sample:
    """Return numbers in order, each once."""
    numbers.sort()
    # Several times as fast as numpy.unique on a page's worth of numbers.
    first = np.ones(len(numbers), np.bool_)
    np.not_equal(numbers[1:], numbers[:-1], out=first[1:])
    return numbers[first]
