"""Requests that a crawl makes for itself: sitemaps, feeds and deferred pages."""

from __future__ import annotations

from math import inf

import pytest

from foragers.core.types import Choice, HostId, Link, UrlId, Visit
from foragers.crawling.own_requests import OwnRequests
from foragers.crawling.settings import OwnRequestSettings
from foragers.testing.ledgers import sample


def listing(rel: str, first: int, count: int, host: int = 0) -> Visit:
    """Return a visit to a page that brings lists of one kind to light."""
    urls = range(first, first + count)
    links = tuple(Link(url, host, f"http://a.test/{url}", rel=rel) for url in urls)
    return sample(Choice(0, 0), links=links)


def next_url(requests: OwnRequests, *closed: HostId) -> UrlId | None:
    choice = requests.next(frozenset(closed))
    return None if choice is None else choice.url


@pytest.mark.parametrize(("rel", "most"), [("feed", 4), ("sitemap", 6)])
def test_the_lists_of_one_host_are_limited(rel: str, most: int) -> None:
    requests = OwnRequests(OwnRequestSettings(max_feeds=4, max_sitemaps=6))
    requests.add_lists(listing(rel, 1, most + 5))
    assert len(requests) == most
    requests.add_lists(listing(rel, 1000, 3, host=1))
    assert len(requests) == most + 3


def test_a_list_is_fetched_once() -> None:
    requests = OwnRequests()
    for _ in range(2):
        requests.add_lists(listing("feed", 1, 4))
    assert len(requests) == 4
    assert [next_url(requests) for _ in range(4)] == [1, 2, 3, 4]
    assert next_url(requests) is None


def test_a_closed_host_is_passed_over() -> None:
    requests = OwnRequests()
    requests.add_lists(listing("feed", 1, 1, host=0))
    requests.add_lists(listing("feed", 2, 1, host=1))
    assert requests.due({0, 1}) == inf
    assert requests.due({0}) == 0.0
    assert next_url(requests, 0) == 2
    assert next_url(requests, 0) is None
    assert next_url(requests) == 1


def test_a_page_is_deferred_a_limited_number_of_times_until_the_crawl_is_resumed() -> None:
    requests, choice = OwnRequests(), Choice(1, 0)
    for turn in range(4):
        requests.defer(float(turn), choice, most=2)
        requests.release_due(float(turn))
        assert (requests.next(frozenset()) is not None) == (turn < 2)
    requests.release_all()
    requests.defer(9.0, choice, most=2)
    assert requests.due(frozenset()) == 9.0
