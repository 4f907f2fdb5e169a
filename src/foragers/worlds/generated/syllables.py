"""Made-up words that can be pronounced, a different one for every number."""

from __future__ import annotations

_ONSETS = ("b", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z", "st")
_VOWELS = ("a", "e", "i", "o", "u")
_ENDS = ("", "n", "r", "l", "s")
_SYLLABLES = len(_ONSETS) * len(_VOWELS)
WORDS = _SYLLABLES**2 * _SYLLABLES * len(_ENDS)
"""How many different words there are."""

_STEP = 1_618_033
"""Has no factor in common with the number of words, so that all come before one comes again."""


def made_up(index: int) -> str:
    """Return the word with a number, unlike the words of the numbers next to it."""
    rest, end = divmod(index * _STEP % WORDS, len(_ENDS))
    word = _ENDS[end]
    for _ in range(3):
        rest, syllable = divmod(rest, _SYLLABLES)
        onset, vowel = divmod(syllable, len(_VOWELS))
        word = _ONSETS[onset] + _VOWELS[vowel] + word
    return word
