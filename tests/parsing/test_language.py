"""Languages by their words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foragers.errors import UsageError
from foragers.parsing.language import code_of, detect, language_of, parse_languages

GERMAN = "Die Gezeiten entstehen durch die Anziehung des Mondes und der Sonne auf das Wasser."
ENGLISH = "Tides are caused by the pull of the moon and of the sun on the water of the sea."


@pytest.mark.parametrize(("text", "code"), [(GERMAN, "de"), (ENGLISH, "en")])
def test_a_sentence_shows_its_language(text: str, code: str) -> None:
    found = detect(text)
    assert found.code == code
    assert 0.9 < found.score <= 1.0


def test_words_count_more_than_what_a_page_declares() -> None:
    assert language_of(GERMAN, "en-US").code == "de"
    assert language_of("", "pt_BR") == ("pt", 0.0)
    assert language_of("", "") == ("", 0.0)


def test_a_declaration_is_brought_to_a_code() -> None:
    assert [code_of(text) for text in ("EN-gb", " de ", "nb-NO", "", "?")] == [
        "en", "de", "no", "", "",
    ]  # fmt: skip


def test_an_unknown_language_is_refused() -> None:
    assert parse_languages(("EN", " de")) == {"en", "de"}
    with pytest.raises(UsageError, match="--language klingon: not a language"):
        parse_languages(("en", "klingon"))


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=300))
def test_no_text_makes_it_fail(text: str) -> None:
    assert 0.0 <= detect(text).score <= 1.0
