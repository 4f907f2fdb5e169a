"""Stems by language."""

from __future__ import annotations

from string import ascii_lowercase, digits

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from foragers.judges.words.stems import (
    ALGORITHMS,
    english_starts,
    forms_in,
    language_of,
    stem_of,
)


@pytest.mark.parametrize(
    ("declared", "code"),
    [("de", "de"), ("de-AT", "de"), ("EN_us", "en"), ("", "en"), ("xx", "en"), ("deutsch", "en")],
)
def test_a_declared_language_has_a_code(declared: str, code: str) -> None:
    assert language_of(declared) == code


@pytest.mark.parametrize("language", sorted(ALGORITHMS))
def test_every_language_has_stems(language: str) -> None:
    assert stem_of("robots", language)


def test_english_leaves_words_in_other_scripts_as_they_are() -> None:
    assert stem_of("häuser", "en") == "häuser"
    assert stem_of("panels", "en") == "panel"


def test_forms_are_found_and_counted() -> None:
    apart = b" the studies of a study  studying stud "
    assert forms_in(apart, frozenset({"studi"}), "en") == {
        "studi": {b"studies": 1, b"study": 1, b"studying": 1}
    }
    assert forms_in(" Häuser haus ".lower().encode(), frozenset({"haus"}), "de") == {
        "haus": {"häuser".encode(): 1, b"haus": 1}
    }


@given(st.text(ascii_lowercase + digits, min_size=1, max_size=9))
@example("dying")
@example("skies")
def test_all_english_forms_of_a_stem_begin_like_it(word: str) -> None:
    starts = english_starts(frozenset({stem_of(word, "en")}))
    assert word[:2] in starts or word[:1] in starts
