"""Which words speak of a link."""

from __future__ import annotations

import pytest

from foragers.core.types import Document, Link
from foragers.text.link_text import MOST_WORDS, link_words, nearest, page_words, path_words
from foragers.text.words import words

LINK = Link(3, 0, "http://www.a.test/~joe/MyPapers96.html?lang=en", "All papers", "see here")
PAGE = Document("Joe's page", ("Research", "Teaching"), "I do research on robots.")


def test_each_bag_has_its_words() -> None:
    href = LINK.href
    assert link_words("link", LINK, href) == ["all", "papers"]
    assert link_words("near", LINK, href) == ["see", "here"]
    assert link_words("url", LINK, href) == ["joe", "my", "papers", "96", "html", "lang", "en"]
    assert link_words("link+url", LINK, href) == [
        *link_words("link", LINK, href),
        *link_words("url", LINK, href),
    ]
    assert page_words("head", PAGE) == ["joe", "page", "research", "teaching"]
    assert page_words("page", PAGE) == ["joe", "page", "i", "do", "research", "on", "robots"]


@pytest.mark.parametrize(
    ("href", "words"),
    [("http://a.test", []), ("http://a.test/", []), ("http://a.test//x", ["x"]), ("x", [])],
)
def test_the_host_is_no_part_of_the_path(href: str, words: list[str]) -> None:
    assert path_words(href) == words


def test_only_the_words_next_to_a_link_are_near_it() -> None:
    before, after = [f"before{number:02}" for number in range(20)], ["after"] * 20
    around = " ".join((*before, *after))
    found = nearest(around)
    assert len(found) <= 120
    assert set(found.split()) <= {*before, *after}
    assert around.count(found) == 1
    start = around.index(found)
    assert abs(start - (len(around) - start - len(found))) <= 20
    assert nearest("short text") == "short text"
    assert len(nearest("x" * 1000)) == 120


def test_endless_addresses_are_cut() -> None:
    assert len(path_words("http://a.test/" + "a1" * 10_000)) < 1000


@pytest.mark.parametrize("word", ["tea", "unseasonable", "café", "東京都庁"])
def test_the_first_words_of_a_long_text_are_those_of_all_of_it(word: str) -> None:
    text = " ".join(f"{word}{number}" for number in range(7000))
    found = page_words("page", Document("title", text=text))
    assert found == words(f"title {text}")[:MOST_WORDS]
    endless = 80_000 * "x"
    assert page_words("page", Document("", text=endless)) == [endless]
