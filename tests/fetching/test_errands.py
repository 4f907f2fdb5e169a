"""Errands on their way, what is known of pages fetched before, and lists of pages."""

from __future__ import annotations

from types import SimpleNamespace

from foragers.core.types import Choice
from foragers.fetching.history import FetchHistory
from foragers.fetching.job import FetchJob
from foragers.fetching.sitemaps import latest_first
from foragers.parsing.sitemap import Listed
from foragers.storage.ledger.columns import Facts
from foragers.urls.parse import origin_of, without_credentials


def test_where_a_redirect_leads_is_tried_as_often_as_any_page() -> None:
    errand = FetchJob(Choice(1, 0), "http://a.test/", tries=2)
    errand.go_on("http://a.test/there")
    assert (errand.url, errand.hops, errand.tries) == ("http://a.test/there", 1, 0)
    assert errand.been == (("http://a.test/", ""),)


def test_an_address_with_slashes_too_many_is_asked_for_once_more_without() -> None:
    errand = FetchJob(Choice(1, 0), "http://a.test//x")
    assert not errand.respelled(500)
    assert errand.respelled(404)
    assert errand.url == "http://a.test/x"
    assert not errand.respelled(404)


def test_an_address_is_taken_apart() -> None:
    assert origin_of("https://a.test:81/x/y?z") == "https://a.test:81"
    assert without_credentials("http://me:word@a.test/@x") == "http://a.test/@x"


def test_what_a_ledger_tells_of_pages_is_known_when_the_crawl_goes_on() -> None:
    rows = [
        (1, 2, "ok", 0.0, 0.0, 5, 0.0, "", -1, 0, 0.0, False),
        (3, 3, "missing", 0.0, 0.0, -1, 0.0, "", -1, 0, 0.0, False),
        (4, 4, "unwanted", 0.0, 0.0, -1, 0.0, "sitemap", -1, 0, 0.0, False),
        (5, 5, "skipped", 0.0, 0.0, -1, 0.0, "", -1, 0, 0.0, False),
    ]
    visited = FetchHistory(per_host=3)
    visited.load(Facts.from_rows(rows), SimpleNamespace(host=lambda url: 0), [4])
    assert visited.moved == {1: 2}
    assert [visited.is_known(url) for url in range(1, 6)] == [True, True, False, False, False]
    assert visited.lists == {4}
    assert visited.counts == {0: 3}
    assert visited.is_full(0)


def test_of_a_list_what_changed_last_comes_first_and_what_has_no_date_last() -> None:
    listed = [Listed("a", 1.0), Listed("b", None), Listed("c", 3.0), Listed("d", 2.0)]
    assert [one.url for one in latest_first(listed)] == ["c", "d", "a", "b"]
