import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foragers.text.words import ENGLISH_STOPWORDS, url_words, words

anything = st.text(st.characters(), max_size=60)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("Green TEA, 2024!", ["green", "tea", "2024"]),
        ("snake_case and kebab-case", ["snake", "case", "and", "kebab", "case"]),
        ("Budapest's bath don't we're 'quoted'", ["budapest", "bath", "don", "we", "quoted"]),
        ("Budapest’s o’reilly", ["budapest", "o", "reilly"]),
        ("l'avion", ["l", "avion"]),
        ("language 'D' and C", ["language", "d", "and", "c"]),
        ("Ｔｅａ Straße ﬁn Ωμέγα", ["tea", "strasse", "fin", "ωμέγα"]),
        ("cafe\u0301 café", ["café", "café"]),
        ("Buda\u00adpest zero\u200bwidth", ["budapest", "zero", "width"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("東京都", ["東京", "京都"]),
        ("茶", ["茶"]),
        ("緑茶 green東京都2020", ["緑茶", "green", "東京", "京都", "2020"]),
        ("ไทย", ["ไท", "ทย"]),
        ("서울에서", ["서울", "울에", "에서"]),
        ("“tea”—time… naïve", ["tea", "time", "naïve"]),
        ("I ❤️ tea", ["i", "tea"]),
    ],
)
def test_text_is_cut_into_folded_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_stopwords_are_left_out_only_when_asked() -> None:
    assert words("The tea of the day") == ["the", "tea", "of", "the", "day"]
    assert words("The tea of the day", ENGLISH_STOPWORDS) == ["tea", "day"]


def test_a_topic_in_chinese_is_found_within_a_sentence() -> None:
    assert set(words("东京")) <= set(words("我们在东京都看到了很多人。"))


def test_stopwords_are_words_as_the_tokeniser_gives_them() -> None:
    assert set(words(" ".join(ENGLISH_STOPWORDS))) == ENGLISH_STOPWORDS


@given(anything)
def test_words_are_never_empty_and_hold_no_white_space(text: str) -> None:
    assert all(word and not any(char.isspace() for char in word) for word in words(text))


@given(anything)
def test_words_of_words_are_the_same_words(text: str) -> None:
    found = words(text)
    assert words(" ".join(found)) == found


@given(anything)
def test_words_are_folded_and_normal(text: str) -> None:
    for word in words(text):
        assert unicodedata.normalize("NFKC", word.casefold()) == word


@given(st.text(st.characters(codec="ascii")))
def test_case_makes_no_difference(text: str) -> None:
    assert words(text.upper()) == words(text.lower())


def test_lone_surrogates_are_no_words() -> None:
    assert words("tea \ud800 time") == ["tea", "time"]


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("https://www.example.com/", ["example", "com"]),
        (
            "http://tea.test/newsArchive/HTMLParser/item42.html?q=green+tea&x=1#top",
            [
                "tea",
                "test",
                "news",
                "archive",
                "html",
                "parser",
                "item",
                "42",
                "html",
                "q",
                "green",
                "tea",
                "x",
                "1",
                "top",
            ],
        ),
        ("https://xn--bcher-kva.test/b", ["bücher", "test", "b"]),
        ("https://a.test/%E6%9D%B1%E4%BA%AC%E9%83%BD", ["a", "test", "東京", "京都"]),
        ("https://a.test/%ff%", ["a", "test"]),
        ("//a.test/x", ["a", "test", "x"]),
        ("/only/aPath", ["only", "a", "path"]),
        ("https://a.test/straßeNord7", ["a", "test", "strasse", "nord", "7"]),
        ("https://xn--.test/", ["xn", "test"]),
    ],
)
def test_a_url_is_cut_into_words(href: str, expected: list[str]) -> None:
    assert url_words(href) == expected


@given(anything)
def test_no_url_is_too_strange(href: str) -> None:
    assert all(word and not any(char.isspace() for char in word) for word in url_words(href))


@given(anything)
def test_punycode_that_is_none_is_kept(label: str) -> None:
    url_words(f"http://xn--{label}.test/")
