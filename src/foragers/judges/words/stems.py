"""Stems of words, by the language that a page declares (Snowball).

A page that declares no language, or one that Snowball does not know, is taken for English, whose
rules leave words in other scripts as they are.
"""

from __future__ import annotations

from collections import Counter
from functools import cache, lru_cache

import snowballstemmer

Stems = tuple[str, ...]
"""A word, or words side by side, by their stems."""

ENGLISH = "en"
ALGORITHMS = {
    "ar": "arabic", "hy": "armenian", "eu": "basque", "ca": "catalan", "da": "danish",
    "nl": "dutch", "en": "english", "et": "estonian", "fi": "finnish", "fr": "french",
    "de": "german", "el": "greek", "hi": "hindi", "hu": "hungarian", "id": "indonesian",
    "ga": "irish", "it": "italian", "lt": "lithuanian", "ne": "nepali", "no": "norwegian",
    "nb": "norwegian", "nn": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "sr": "serbian", "es": "spanish", "sv": "swedish", "ta": "tamil", "tr": "turkish",
    "yi": "yiddish",
}  # fmt: skip
"""Snowball's name for a language, by its code."""
CUT_IN_FRONT = frozenset({"ar", "id", "ne", "ta"})
"""Languages whose stems may lack the beginning of the word."""


def language_of(declared: str) -> str:
    """Return the code of a declared language such as de-AT, English if it is not known."""
    code = declared[:3].lower().rstrip("-_")
    return code if code in ALGORITHMS else ENGLISH


@lru_cache(maxsize=65_536)
def stem_of(word: str, language: str) -> str:
    """Return the stem of a word; English rules leave words in other scripts as they are."""
    if language == ENGLISH and not word.isascii():
        return word
    found: str = _stemmer(language).stemWord(word)
    return found


@cache
def _stemmer(language: str) -> snowballstemmer.stemmer:
    return snowballstemmer.stemmer(ALGORITHMS[language])


Forms = dict[str, dict[bytes, int]]
"""The words that have a stem, and how often each stands there, by stem."""


def forms_in(apart: bytes, wanted: frozenset[str], language: str) -> Forms:
    """Return which words have the stems that are wanted; words have spaces before and after."""
    if language == ENGLISH:
        return _english_forms(apart, wanted)
    forms: Forms = {}
    firsts = None if language in CUT_IN_FRONT else _firsts(wanted)
    for word, count in Counter(apart.split()).items():
        # Vowels change too, and what is not ASCII may become it (ä, a).
        if firsts is None or word[0] in firsts or word[0] >= 0x80:
            stem = stem_of(word.decode("utf-8", "surrogatepass"), language)
            if stem in wanted:
                forms.setdefault(stem, {})[word] = count
    return forms


def _english_forms(apart: bytes, wanted: frozenset[str]) -> Forms:
    """Look for the letters with which forms begin; all other words are passed over."""
    forms: Forms = {}
    for start, stem in _starts(wanted):
        place = apart.find(start)
        while place >= 0:
            end = apart.find(b" ", place + 1)
            word = apart[place + 1 : end]
            if stem_of(word.decode("utf-8", "surrogatepass"), ENGLISH) == stem:
                counts = forms.setdefault(stem, {})
                counts[word] = counts.get(word, 0) + 1
            place = apart.find(start, end)
    return forms


@lru_cache(maxsize=256)
def _starts(wanted: frozenset[str]) -> tuple[tuple[bytes, str], ...]:
    """Return how the forms of each stem begin, after a space."""
    # All forms of a word begin like its stem, but for the last letter (study, studi).
    heads = ((stem if len(stem) < 4 else stem[:-1], stem) for stem in sorted(wanted))
    return tuple((f" {head}".encode("utf-8", "surrogatepass"), stem) for head, stem in heads)


@lru_cache(maxsize=256)
def english_starts(wanted: frozenset[str]) -> frozenset[str]:
    """Return the two letters with which all English words begin that have one of some stems.

    Of a stem of a single letter it is that letter.
    """
    # English rules change no letter before the third, but for dying, lying and tying.
    starts = {stem[:2] for stem in wanted}
    return frozenset(starts | {f"{start[0]}y" for start in starts if start[1:] == "i"})


@lru_cache(maxsize=256)
def _firsts(wanted: frozenset[str]) -> frozenset[int]:
    """Return the first bytes of some stems."""
    return frozenset(stem.encode("utf-8", "surrogatepass")[0] for stem in wanted)
