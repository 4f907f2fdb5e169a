"""Words as numbers: all words of a text at once, by arithmetic on its bytes.

Eight bytes of a text, beginning anywhere, are a number.  The number of a word is mixed from
its first eight bytes, its last eight if it is longer, and its length.  So no word of a text
is taken into the hand, but for those that may be names of months and days, or ids.  There
are few steps, since on a page's worth of words each costs the same, whatever it does.

A number is even, odd for a date, a small number or a token with digits, and 0 for an id.
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
Letters = NDArray[np.uint8]
Places = NDArray[np.int64]

_FIRST, _SECOND = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
_THIRD = np.uint64(0x9E3779B97F4A7C15)
_HALF, _TOP, _ONE = np.uint64(32), np.uint64(48), np.uint64(1)
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
    looked_at = _may_be_names()[numbers >> _TOP]
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
        numbers[longer] += eights[ends[longer] - _EIGHT] * _SECOND
    numbers ^= numbers >> _HALF
    numbers *= _FIRST
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
    found[_numbers(text, starts, ends, ends - starts) >> _TOP] = True
    return found
