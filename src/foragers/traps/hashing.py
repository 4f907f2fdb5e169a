"""Words as numbers: all words of a text at once, by arithmetic on its bytes.

The number of a word is that of its bytes taken as the digits of a number with a large odd
base, modulo 2**64.  With the sums of all digits up to each place, it is the difference of
two sums, divided by the power at which the word begins; and an odd number has an inverse.
So no word of a text is taken into the hand, but for those that may be dates or ids.

A number is even, odd for a date or a small number, and 0 for an id.
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
Letters = NDArray[np.uint8]
Places = NDArray[np.int64]

_BASE = 0x9E3779B97F4A7C15
_FIRST, _SECOND = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
_HALF, _TOP, _ONE, _TWO = np.uint64(32), np.uint64(48), np.uint64(1), np.uint64(2)
_SPACE, _ZERO, _NINE = 32, 48, 57
_ID_BYTES, _DAY_BYTES = 16, 4
_ID = re.compile(rb"(?=[a-f]*\d)[0-9a-f]{16,}|(?=[a-z]*\d)(?=\d*[a-z])[0-9a-z]{24,}")
_DAY = re.compile(rb"\d{1,4}|\d{1,2}(?:st|nd|rd|th|h|am|pm)")
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
    letters = np.frombuffer(text, np.uint8)
    starts, ends = _spans(letters)
    numbers = _numbers(letters, starts, ends)
    sizes, first = ends - starts, letters[starts]
    looked_at = _may_be_names()[numbers >> _TOP] | (sizes >= _ID_BYTES)
    looked_at |= (first >= _ZERO) & (first <= _NINE) & (sizes <= _DAY_BYTES)
    for place in np.flatnonzero(looked_at).tolist():
        word = text[starts[place] : ends[place]]
        if word in _names() or _DAY.fullmatch(word):
            numbers[place] |= _ONE
        elif _ID.fullmatch(word):
            numbers[place] = 0
    return numbers


def _spans(letters: Letters) -> tuple[Places, Places]:
    """Return where words begin and end in a text that begins and ends with a space."""
    spaces = np.flatnonzero(letters == _SPACE)
    before = np.flatnonzero(np.diff(spaces) > 1)
    return spaces[before] + 1, spaces[before + 1]


def _numbers(letters: Letters, starts: Places, ends: Places) -> Hashes:
    """Return an even number for each word, above 0."""
    powers, inverses = _powers(len(letters).bit_length())
    sums = np.cumsum(letters * powers[: len(letters)], dtype=np.uint64)
    numbers = (sums[ends - 1] - sums[starts - 1]) * inverses[starts]
    numbers = (numbers ^ (numbers >> _HALF)) * _FIRST
    numbers = (numbers ^ (numbers >> _HALF)) * _SECOND
    even: Hashes = np.maximum(numbers & ~_ONE, _TWO)
    return even


@lru_cache(maxsize=1024)
def hash_of(word: str) -> np.uint64:
    """Return the number of one word."""
    found: np.uint64 = hashes_of(b" %b " % word.encode("utf-8", "replace"))[0]
    return found


@lru_cache(maxsize=4)
def _powers(log_size: int) -> tuple[Hashes, Hashes]:
    """Return the powers of the base and their inverses, enough for a text of some size."""
    size, inverse = 1 << log_size, pow(_BASE, -1, 1 << 64)
    powers = np.cumprod(np.full(size, _BASE, np.uint64), dtype=np.uint64)
    return powers, np.cumprod(np.full(size, inverse, np.uint64), dtype=np.uint64)


@lru_cache(maxsize=1)
def _names() -> frozenset[bytes]:
    """Return the names of months and days."""
    return frozenset(_NAMES.encode().split())


@lru_cache(maxsize=1)
def _may_be_names() -> NDArray[np.bool_]:
    """Return which first sixteen bits the number of a name has; few other words have them."""
    letters = np.frombuffer(b" %b " % b" ".join(sorted(_names())), np.uint8)
    found = np.zeros(1 << 16, np.bool_)
    found[_numbers(letters, *_spans(letters)) >> _TOP] = True
    return found
