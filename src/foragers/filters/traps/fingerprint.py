"""The fingerprint of a text: its digest, its bag of words, and a sample of its phrases.

**Hashes of words.**  All words of a text are hashed at once, by arithmetic on its bytes.  Eight
bytes of a text, at any position, are an integer.  The hash of a word is mixed from its first
eight bytes, its last eight if it is longer, and its length.  Only words that may be names of
months and days, or ids, are looked at one by one.  There are few steps, since for the words
of one page each numpy call costs the same.

A hash is even; it is odd for a date, a small number or a token with digits, and 0 for an id.

**Phrases** are three words in a row.  Dates and small numbers are left out, since the days of an
empty calendar differ in nothing else; so are ids, and numbers that stand in the page's URL or
in those of its links.  A page that consists mostly of numbers keeps them, except those in its
links: a calendar may show nothing but the URLs of its days.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from foragers.compiled import compiled
from foragers.filters.traps.settings import DEFAULT_TRAPS, FingerprintSettings
from foragers.text.words import words_apart

Hashes = NDArray[np.uint64]
Bytes = NDArray[np.uint8]
Indexes = NDArray[np.int64]
Sample = NDArray[np.uint32]

_WORD_FIRST, _WORD_SECOND = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
_WORD_THIRD = np.uint64(0x9E3779B97F4A7C15)
_PHRASE_FIRST, _PHRASE_SECOND = np.uint64(0xD6E8FEB86659FD93), np.uint64(0xA0761D6478BD642F)
_HALF, _NAME_BITS, _ODD = np.uint64(32), np.uint64(48), np.uint64(1)
_EIGHT = np.dtype(np.uint64).itemsize
_PADDING = b" " * _EIGHT
# The first bytes of a word, by its length; the last of these is for all longer ones.
_MASKS = np.array([(1 << 8 * size) - 1 for size in range(_EIGHT + 1)], np.uint64)
_NO_HASHES = np.empty(0, np.uint64)
_SPACE, _ZERO, _TEN, _ASCII = np.uint8(32), np.uint8(48), np.uint8(10), np.uint8(128)
_LIMITS = [np.uint32(min(1 << 32 >> thinness, (1 << 32) - 1)) for thinness in range(34)]
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


def _prepared() -> Any | None:
    """Return the compiled functions, if there are any."""
    library = compiled("foragers.filters.traps._fingerprint")
    return (
        library
        if library is not None and library.prepare(sorted(_NAMES.encode().split()))
        else None
    )


LIBRARY = _prepared()


def hashes_of(text: bytes, settings: FingerprintSettings = DEFAULT_TRAPS.fingerprint) -> Hashes:
    """Return the hash of each word of a text, with spaces before and after each."""
    if LIBRARY is not None:
        tokens = settings.token_bytes, settings.token_digits
        found: bytes = LIBRARY.hashes(text, settings.id_bytes, settings.day_bytes, *tokens)
        return np.frombuffer(found, np.uint64)
    text += _PADDING
    characters = np.frombuffer(text, np.uint8)
    starts, ends = _spans(characters)
    sizes, first = ends - starts, characters[starts]
    hashes = _hashes(text, starts, ends, sizes)
    special = _may_be_names()[hashes >> _NAME_BITS]
    special |= (sizes >= settings.id_bytes) & (first < _ASCII)
    hashes[(sizes <= settings.day_bytes) & (first - _ZERO < _TEN)] |= _ODD
    digits = _digits(characters, starts)
    hashes[(sizes >= settings.token_bytes) & (digits >= settings.token_digits)] |= _ODD
    for i in special.nonzero()[0].tolist():
        word = text[starts[i] : ends[i]]
        if word in _names():
            hashes[i] |= _ODD
        elif _ID.fullmatch(word):
            hashes[i] = 0
    return hashes


def _digits(characters: Bytes, starts: Indexes) -> Indexes:
    """Return the number of digits of each word."""
    digits = (characters - _ZERO < _TEN).nonzero()[0]
    return np.bincount(starts.searchsorted(digits, "right") - 1, minlength=len(starts))


def _spans(characters: Bytes) -> tuple[Indexes, Indexes]:
    """Return where words begin and end in a text that begins and ends with a space."""
    spaces = characters == _SPACE
    edges = (spaces[1:] != spaces[:-1]).nonzero()[0]
    edges += 1
    return edges[::2], edges[1::2]


def _hashes(text: bytes, starts: Indexes, ends: Indexes, sizes: Indexes) -> Hashes:
    """Return an even hash for each word of a padded text."""
    eights: Hashes = np.ndarray((len(text) - _EIGHT + 1,), np.dtype("<u8"), text, strides=(1,))
    hashes = eights[starts]
    hashes &= _MASKS.take(sizes, mode="clip")
    hashes *= _WORD_THIRD
    hashes += sizes.view(np.uint64)
    longer = (sizes > _EIGHT).nonzero()[0]
    if len(longer):
        hashes[longer] += eights[ends[longer] - _EIGHT] * _WORD_SECOND
    hashes ^= hashes >> _HALF
    hashes *= _WORD_FIRST
    hashes <<= _ODD
    return hashes


@lru_cache(maxsize=1)
def _names() -> frozenset[bytes]:
    """Return the names of months and days."""
    return frozenset(_NAMES.encode().split())


@lru_cache(maxsize=1)
def _may_be_names() -> NDArray[np.bool_]:
    """Return which highest sixteen bits the hash of a name has; few other words have them."""
    text = b" %b " % b" ".join(sorted(_names())) + _PADDING
    starts, ends = _spans(np.frombuffer(text, np.uint8))
    table = np.zeros(1 << 16, np.bool_)
    table[_hashes(text, starts, ends, ends - starts) >> _NAME_BITS] = True
    return table


class Fingerprint(Struct, frozen=True):
    """The fingerprint of a text; `phrases` is sorted, and has one in 2**`thinness` of all."""

    digest: int
    bag: int
    words: int
    phrases: Sample
    thinness: int


def fingerprint(
    text: str,
    url: str,
    links: Sequence[str] = (),
    settings: FingerprintSettings = DEFAULT_TRAPS.fingerprint,
) -> Fingerprint:
    """Return the fingerprint of the text at a URL that links to others."""
    hashes, bag = _counted(words_apart(text[: settings.max_chars]), settings)
    digest = int.from_bytes(blake2b(hashes.data, digest_size=8).digest(), "little")
    words, phrases = _sample(hashes, (url, *links[: settings.max_links]), settings)
    thinness = thinness_for(phrases, settings.max_sample)
    phrases = thinned(phrases, thinness)
    return Fingerprint(digest, bag, words, phrases, thinness)


def _counted(text: bytes, settings: FingerprintSettings) -> tuple[Hashes, int]:
    """Return the hashes of the words of a text without ids, and their sum, which wraps around."""
    if LIBRARY is not None:
        tokens = settings.token_bytes, settings.token_digits
        found: tuple[bytes, int] = LIBRARY.counted(
            text, settings.id_bytes, settings.day_bytes, *tokens
        )
        return np.frombuffer(found[0], np.uint64), found[1]
    hashes = hashes_of(text, settings)
    if not hashes.all():
        hashes = hashes[hashes != 0]
    return hashes, int(hashes.sum(dtype=np.uint64))


def _sample(
    hashes: Hashes, urls: tuple[str, ...], settings: FingerprintSettings
) -> tuple[int, Sample]:
    """Return the number of words that are neither dates nor in URLs, and their phrases in order."""
    numbers = _numbers(urls, settings.number_digits)
    in_urls = hashes_of(words_apart(" ".join(numbers)), settings) if numbers else _NO_HASHES
    if LIBRARY is not None:
        quick: tuple[int, bytes] | None = LIBRARY.sample(hashes, in_urls)
        if quick is not None:
            return quick[0], np.frombuffer(quick[1], np.uint32)
    kept = _without_dates(hashes, in_urls, urls, settings)
    return len(kept), _sorted_once((_phrases(kept) >> _HALF).astype(np.uint32))


def thinned(phrases: Sample, thinness: int) -> Sample:
    """Return the part of a sample that a thinner one would have."""
    # The method and a number of the same type: the function would copy the sample first.
    return phrases[: phrases.searchsorted(_LIMITS[thinness])] if thinness else phrases


def thinness_for(phrases: Sample, size: int) -> int:
    """Return how thin a sample must be to have at most `size` phrases."""
    return 33 - int(phrases[size]).bit_length() if len(phrases) > size else 0


def _without_dates(
    hashes: Hashes, numbers: Hashes, urls: tuple[str, ...], settings: FingerprintSettings
) -> Hashes:
    """Drop dates, numbers, tokens and the numbers in the URLs, unless little else would remain.

    If so, only those that stand in the URLs are dropped.
    """
    plain: NDArray[np.bool_] = (hashes & _ODD) == 0
    if len(numbers):
        plain &= ~np.isin(hashes, numbers)
    if 2 * np.count_nonzero(plain) >= len(hashes):
        return hashes[plain]
    in_urls = hashes_of(words_apart(" ".join(urls)[: settings.max_chars]), settings)
    named = ~plain & np.isin(hashes, in_urls)
    if 2 * np.count_nonzero(plain) >= len(hashes) - np.count_nonzero(named):
        return hashes[plain]
    return hashes[~named]


def _numbers(urls: tuple[str, ...], digits: int) -> list[str]:
    """Return the numbers in URLs that have at least so many digits."""
    found: list[str] | None = None
    if LIBRARY is not None:
        found = LIBRARY.numbers(urls, digits)
    return re.findall(rf"\d{{{digits},}}", " ".join(urls)) if found is None else found


def _phrases(hashes: Hashes) -> Hashes:
    """Return a hash for every three words in a row, or one for all words if there are fewer.

    The upper half of each hash distinguishes them.
    """
    if len(hashes) < 3:
        return hashes.sum(keepdims=True, dtype=np.uint64) if len(hashes) else hashes
    mixed = hashes[:-2] * _PHRASE_FIRST
    mixed += hashes[1:-1]
    mixed *= _PHRASE_SECOND
    mixed += hashes[2:]
    mixed ^= mixed >> _HALF
    mixed *= _PHRASE_FIRST
    return mixed


def _sorted_once(hashes: Sample) -> Sample:
    """Return hashes in order, each once."""
    hashes.sort()
    # Several times as fast as numpy.unique on the words of one page.
    first = np.ones(len(hashes), np.bool_)
    np.not_equal(hashes[1:], hashes[:-1], out=first[1:])
    return hashes[first]
