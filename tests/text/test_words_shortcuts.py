"""Shortcuts by which texts are cut into words faster, held against the long way."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from foragers.text.link_text import MOST_WORDS, SAMPLE, first_words
from foragers.text.words import (
    is_unspaced,
    url_words,
    url_words_of_each,
    words,
    words_apart,
    words_of_each,
)

LONG_WAY = "\u6771"
"""A letter of a script without spaces: a text that has it is folded word by word."""

LETTERS = "aAbzZ äÄßœŒéÉñçšŠłŁİıŉςσΣжЖёЁªº²½ﬁǆ"
SIGNS = "’'-–—…“”«»·\u0301\u00ad\u200d\t."
european = st.text(LETTERS + SIGNS, max_size=60)


@given(european | st.text(max_size=40))
def test_folding_all_at_once_is_folding_word_by_word(text: str) -> None:
    assert words(f"{text} {LONG_WAY}")[:-1] == words(text)
    assert words_apart(text).decode("utf-8", "surrogatepass").split() == words(text)


def test_letters_beyond_ascii_by_hand() -> None:
    assert words("Größe ÉTÉ – Ёлка, ΣΑΣ") == ["grösse", "été", "ёлка", "σασ"]
    # One letter becomes two, or is written with a mark of its own.
    assert words("İstanbul e\u0301te\u0301") == ["i\u0307stanbul", "été"]


def test_texts_with_very_many_letters_and_signs_are_cut_too() -> None:
    letters = "".join(chr(code) for code in range(0xC0, 0x250) if chr(code).isalpha())
    signs = "".join(chr(code) for code in range(0x2190, 0x2300))
    assert words(f"one {signs} two") == ["one", "two"]
    assert words(" ".join(letters)) == [word for letter in letters for word in words(letter)]


@given(st.integers(0, 4000), st.integers(0, 4000), st.booleans(), st.sampled_from(["", "é", "฿"]))
def test_first_words_are_those_of_the_whole_text(
    spaced: int, unspaced: int, unspaced_first: bool, sign: str
) -> None:
    parts = ["tea time " * (spaced // 9), f"{LONG_WAY}\u4eac\u90fd {sign}" * (unspaced // 4)]
    text = "".join(reversed(parts) if unspaced_first else parts)
    assert first_words(text)[:MOST_WORDS] == words(text)[:MOST_WORDS]


def test_of_a_long_text_without_spaces_a_short_part_is_read() -> None:
    text = f"{LONG_WAY}\u4eac\u90fd " * 5000
    assert is_unspaced(text)
    found = first_words(text)
    assert MOST_WORDS <= len(found) < 3 * MOST_WORDS
    assert len(words(text)) == 10_000
    assert len(text) > 2 * SAMPLE


ends = st.text("aZ09/.-_% \n'%Eéx?=&", max_size=20) | st.sampled_from(["//www.a/b", "/xn--a", ""])


@given(st.lists(ends | st.text(max_size=20), max_size=6))
def test_texts_cut_together_have_the_words_they_have_alone(texts: list[str]) -> None:
    assert words_of_each(texts) == [words(text) for text in texts]
    assert url_words_of_each(texts) == [url_words(text) for text in texts]
