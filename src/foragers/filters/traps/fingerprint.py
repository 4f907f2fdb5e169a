"""Words as numbers: all words of a text at once, by arithmetic on its bytes.

Eight bytes of a text, beginning anywhere, are a number.  The number of a word is mixed from
its first eight bytes, its last eight if it is longer, and its length.  So no word of a text
is taken into the hand, but for those that may be names of months and days, or ids.  There
are few steps, since on a page's worth of words each costs the same, whatever it does.

A number is even, odd for a date, a small number or a token with digits, and 0 for an id.

What a text is like, in numbers: its digest, its words as a bag, its phrases as a sample.

Phrases are three words in a row.  Dates and small numbers are no part of them, since
the days of an empty calendar differ in nothing else; nor are numbers that stand in the
page's URL or in those of its links, nor ids.  A page of little but numbers keeps them, but
for those that its links are made of: a calendar may show nothing but the URLs of its days.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from foragers.text.words import words_apart

Hashes = NDArray[np.uint64]
Letters = NDArray[np.uint8]
Places = NDArray[np.int64]

_NAME_FIRST, _NAME_SECOND = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
_THIRD = np.uint64(0x9E3779B97F4A7C15)
_HALF, _NAME_TOP, _ONE = np.uint64(32), np.uint64(48), np.uint64(1)
_EIGHT = 8
_PADDING = b" " * _EIGHT
# The first bytes of a word, by its length; the last of these is for all longer ones.
_MASKS = np.array([(1 << 8 * size) - 1 for size in range(_EIGHT + 1)], np.uint64)
_SPACE, _ZERO, _TEN, _ASCII = np.uint8(32), np.uint8(48), np.uint8(10), np.uint8(128)
_ID_BYTES = 16
# Random names of addresses, counters, times: words of a kind that no two pages share.
_TOKEN_BYTES, _TOKEN_DIGITS = 8, 2
# 7, 2024, 3rd, 12h: no other words that begin with a digit are as short and mean much.
_DAY_BYTES = 4
_ID = re.compile(rb"(?=[a-f]*\d)[0-9a-f]{16,}|(?=[a-z]*\d)(?=\d*[a-z])[0-9a-z]{24,}")
_NAMES = """
jan january januar janvier janeiro feb february februar fev fevrier fevereiro fév février
mar march mars marzo março märz apr april aprile avril abril may mai mayo maio maggio
jun june juni juin junio junho giugno jul july juli juillet julio julho luglio
aug august août agosto sep sept september septembre septiembre setembro settembre
oct okt october oktober octobre octubre outubro ottobre
nov november novembre noviembre novembro dec dez december dezember dezembro décembre diciembre
dicembre gennaio febbraio enero febrero
mon monday tue tues tuesday wed wednesday thu thurs thursday fri friday sat saturday sun sunday
montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag
lundi mardi mercredi jeudi vendredi samedi dimanche
lunes martes miércoles jueves viernes sábado domingo
"""


def hashes_of(text: bytes) -> Hashes:
    """Return the number of each word of a text, with spaces before and after each."""
    text += _PADDING
    letters = np.frombuffer(text, np.uint8)
    starts, ends = _spans(letters)
    sizes, first = ends - starts, letters[starts]
    numbers = _numbers(text, starts, ends, sizes)
    looked_at = _may_be_names()[numbers >> _NAME_TOP]
    looked_at |= (sizes >= _ID_BYTES) & (first < _ASCII)
    numbers[(sizes <= _DAY_BYTES) & (first - _ZERO < _TEN)] |= _ONE
    numbers[(sizes >= _TOKEN_BYTES) & (_digits(letters, starts) >= _TOKEN_DIGITS)] |= _ONE
    for place in looked_at.nonzero()[0].tolist():
        word = text[starts[place] : ends[place]]
        if word in _names():
            numbers[place] |= _ONE
        elif _ID.fullmatch(word):
            numbers[place] = 0
    return numbers


def _digits(letters: Letters, starts: Places) -> Places:
    """Return how many digits each word has, with bytes that are no part of a word left out."""
    digits = (letters - _ZERO < _TEN).nonzero()[0]
    return np.bincount(starts.searchsorted(digits, "right") - 1, minlength=len(starts))


def _spans(letters: Letters) -> tuple[Places, Places]:
    """Return where words begin and end in a text that begins and ends with a space."""
    spaces = letters == _SPACE
    edges = (spaces[1:] != spaces[:-1]).nonzero()[0]
    edges += 1
    return edges[::2], edges[1::2]


def _numbers(text: bytes, starts: Places, ends: Places, sizes: Places) -> Hashes:
    """Return an even number for each word of a text that has some bytes behind its last."""
    eights: Hashes = np.ndarray((len(text) - _EIGHT + 1,), np.dtype("<u8"), text, strides=(1,))
    numbers = eights[starts]
    numbers &= _MASKS.take(sizes, mode="clip")
    numbers *= _THIRD
    numbers += sizes.view(np.uint64)
    longer = (sizes > _EIGHT).nonzero()[0]
    if len(longer):
        numbers[longer] += eights[ends[longer] - _EIGHT] * _NAME_SECOND
    numbers ^= numbers >> _HALF
    numbers *= _NAME_FIRST
    numbers <<= _ONE
    return numbers


@lru_cache(maxsize=1024)
def hash_of(word: str) -> np.uint64:
    """Return the number of one word."""
    found: np.uint64 = hashes_of(b" %b " % word.encode("utf-8", "replace"))[0]
    return found


@lru_cache(maxsize=1)
def _names() -> frozenset[bytes]:
    """Return the names of months and days."""
    return frozenset(_NAMES.encode().split())


@lru_cache(maxsize=1)
def _may_be_names() -> NDArray[np.bool_]:
    """Return which first sixteen bits the number of a name has; few other words have them."""
    text = b" %b " % b" ".join(sorted(_names())) + _PADDING
    starts, ends = _spans(np.frombuffer(text, np.uint8))
    found = np.zeros(1 << 16, np.bool_)
    found[_numbers(text, starts, ends, ends - starts) >> _NAME_TOP] = True
    return found


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
