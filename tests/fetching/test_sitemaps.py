"""The order in which the entries of a list are fetched."""

from __future__ import annotations

from foragers.fetching.sitemaps import latest_first
from foragers.parsing.sitemap import Listed


def test_of_a_list_what_changed_last_comes_first_and_what_has_no_date_last() -> None:
    listed = [Listed("a", 1.0), Listed("b", None), Listed("c", 3.0), Listed("d", 2.0)]
    assert [one.url for one in latest_first(listed)] == ["c", "d", "a", "b"]
