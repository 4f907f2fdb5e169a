"""The hosts and languages that a reader can choose from."""

from __future__ import annotations

from contextlib import closing
from importlib.util import find_spec
from typing import Any

import pytest

if find_spec("starlette") is None:
    pytest.skip("Starlette is not installed", allow_module_level=True)

from foragers.serve.page_index import PageIndex, Wishes, tag
from foragers.serve.settings import ServeSettings


def add(index: PageIndex, host: str, pages: int, language: str = "en") -> None:
    """Index some pages of a host, as the next visits of a crawl."""
    for number in range(index.last + 1, index.last + pages + 1):
        row = {
            "number": number, "url": host and f"http://{host}/{number}", "title": "tea",
            "language": language, "time": 60.0 * number, "relevance": 0.5, "relevant": 1,
            "agent": "",
        }  # fmt: skip
        index._index(row, "green tea")
    index.last += pages


def test_choices_are_the_most_frequent_values_of_all_pages_so_far() -> None:
    with closing(PageIndex(ServeSettings(hosts=2))) as index:
        for host, pages in (("a.test", 1), ("b.test", 3), ("c.test", 2), ("", 9)):
            add(index, host, pages)
        assert index.choices("host") == [("b.test", 3), ("c.test", 2)]
        add(index, "d.test", 5, "de")
        assert index.choices("host") == [("d.test", 5), ("b.test", 3)]
        assert index.choices("language") == [("en", 15), ("de", 5)]


@pytest.mark.parametrize("words", ["", "tea"])
def test_each_filter_leaves_out_what_it_says(words: str) -> None:
    with closing(PageIndex(ServeSettings(per_page=50))) as index:
        add(index, "a.test", 3)
        add(index, "b.test", 2, "de")

        def numbers(**wishes: Any) -> list[int]:
            return sorted(one.number for one in index.find(Wishes(words=words, **wishes))[0])

        assert numbers() == [1, 2, 3, 4, 5]
        assert numbers(host="b.test") == numbers(language="de") == [4, 5]
        assert numbers(host="a.test", language="de") == []
        assert numbers(least=0.5) == [1, 2, 3, 4, 5]
        assert numbers(least=0.51) == []
        assert numbers(since=120.0, until=240.0) == [2, 3]


@pytest.mark.parametrize("words", [tag("host", "a.test"), tag("language", "en"), "tags : tea"])
def test_words_search_what_a_page_says_not_the_tags_of_its_host(words: str) -> None:
    with closing(PageIndex(ServeSettings())) as index:
        add(index, "a.test", 3)
        assert index.find(Wishes(words=words)) == ([], 0)
        assert index.find(Wishes(words="tea"))[1] == 3
