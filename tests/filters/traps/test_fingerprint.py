"""Words as numbers: the same word has the same number wherever it stands."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from foragers.filters.traps.fingerprint import fingerprint, hashes_of
from foragers.text.words import words, words_apart
from support.simulated import framed


def hash_of(word: str) -> np.uint64:
    """Return the hash of a word that stands alone."""
    hashed: np.uint64 = hashes_of(b" %b " % word.encode("utf-8", "replace"))[0]
    return hashed


@given(st.text(max_size=60))
def test_a_word_has_one_number_wherever_it_stands(text: str) -> None:
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


def test_dates_are_no_part_of_phrases_but_of_the_digest() -> None:
    one = fingerprint(framed("no events on Monday 12 May 2024"), "http://a.test/1")
    other = fingerprint(framed("no events on Friday 1 August 2031"), "http://a.test/2")
    assert np.array_equal(one.phrases, other.phrases)
    assert one.digest != other.digest


def test_a_page_of_numbers_keeps_them() -> None:
    one = fingerprint("temperature 12 14 17 19 21 18 16", "http://a.test/")
    other = fingerprint("temperature 2 4 7 9 11 8 6", "http://a.test/")
    assert not np.array_equal(one.phrases, other.phrases)


def test_the_order_of_words_is_no_part_of_the_bag() -> None:
    one = fingerprint("green tea black coffee", "")
    other = fingerprint("black coffee green tea", "")
    assert one.bag == other.bag
    assert one.digest != other.digest
