"""The entries of lists: their order, and their dates."""

from __future__ import annotations

from foragers.fetching.sitemaps import ListSources, latest_first
from foragers.parsing.sitemap import Listed, Sitemap


def test_of_a_list_what_changed_last_comes_first_and_what_has_no_date_last() -> None:
    listed = [Listed("a", 1.0), Listed("b", None), Listed("c", 3.0), Listed("d", 2.0)]
    assert [one.url for one in latest_first(listed)] == ["c", "d", "a", "b"]


def test_modification_dates_are_kept_for_those_who_read_them() -> None:
    sitemap = Sitemap((Listed("http://a.test/b", 1800.0), Listed("http://a.test/c", None)), ())
    kept = ListSources(dated=True).pages_of(sitemap)
    assert [link.around for link in kept] == ["1970-01-01T00:30:00.000Z", ""]
    assert [link.around for link in ListSources().pages_of(sitemap)] == ["", ""]


def test_titles_of_entries_are_kept_for_those_who_read_them() -> None:
    feed = Sitemap((Listed("http://a.test/b-c", None, "Boats & cars"), Listed("http://a.test/d-e")))
    kept = ListSources(dated=True).pages_of(feed)
    assert [link.anchor for link in kept] == ["Boats & cars", "d e"]
    assert [link.anchor for link in ListSources().pages_of(feed)] == ["b c", "d e"]
