"""Words as numbers: the same word has the same number wherever it stands."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from foragers.filters.traps.fingerprint import hash_of, hashes_of
from foragers.text.words import words, words_apart


@given(st.text(max_size=60))
def test_a_word_has_one_number_wherever_it_stands(text) -> None:
    assert hashes_of(words_apart(text)).tolist() == [int(hash_of(word)) for word in words(text)]


def test_different_words_have_different_numbers() -> None:
    many = [f"{a}{b}{c}" for a in "abcdefgh" for b in range(50) for c in "uvwxyz"]
    many += ["ab", "ba", "aab", "aba", "a" * 15, "a" * 14]
    assert len(np.unique(hashes_of(f" {' '.join(many)} ".encode()))) == len(many)


def test_dates_are_odd_other_words_even_and_ids_nothing() -> None:
    dates = ["7", "2024", "3rd", "12h", "may", "märz", "février", "sonntag", "wednesday"]
    others = ["tea", "20245", "x7", "mayor", "seven"]
    ids = ["0123456789abcdef", "a1" * 12]
    assert [int(hash_of(word)) % 2 for word in dates] == [1] * len(dates)
    assert all(hash_of(word) % 2 == 0 and hash_of(word) > 0 for word in others)
    assert [int(hash_of(word)) for word in ids] == [0, 0]


def test_a_text_without_words_has_no_numbers() -> None:
    assert len(hashes_of(words_apart(" .,- "))) == 0
