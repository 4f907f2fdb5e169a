"""URLs that give a trap away by themselves."""

from __future__ import annotations

import pytest

from foragers.filters.traps.detector import url_problem


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://a.test/" + "x" * 1100, "URL of more than 1024 characters"),
        ("http://a.test/a/b/a/b/a/b", "a path that repeats itself"),
        ("http://a.test/x/css/css/css/", "a path that repeats itself"),
        ("http://a.test/a/x/a/y/a/z/a/", "a path that repeats itself"),
        ("http://a.test/" + "/".join(f"f{i}" for i in range(30)), "more than 24 path segments"),
        ("http://a.test/?" + "&".join(f"k{i}=1" for i in range(20)), "more than 16 parameters"),
    ],
)
def test_addresses_that_give_themselves_away_are_refused(url: str, reason: str) -> None:
    assert url_problem(url) == reason


@pytest.mark.parametrize(
    "url",
    [
        "http://a.test/",
        "http://a.test/2011/11/11/11-things",
        "http://a.test/tiles/1/1/1",
        "http://a.test/lib/x/lib/x/y",
        "http://a.test/tea/green/tea/history/of/tea",
        "http://a.test/?next=/a/b/a/b/a/b/",
    ],
)
def test_repetition_that_happens_is_no_oddity(url: str) -> None:
    assert url_problem(url) is None
