"""What a crawl fetches on its own account, and the hosts it leaves alone."""

from __future__ import annotations

from math import inf
from types import SimpleNamespace

import pytest

from foragers.core.clock import steady
from foragers.core.types import Choice, Link, Visit
from foragers.crawling.own_requests import MAX_FEEDS, MAX_ROUNDS, MAX_SITEMAPS, OwnRequests
from foragers.crawling.progress import left_alone
from foragers.fetching.live import Live
from foragers.fetching.throttle import Throttle
from foragers.testing.ledgers import sample


def listing(rel: str, first: int, count: int, host: int = 0) -> Visit:
    """Return a visit to a page that brings lists of one kind to light."""
    urls = range(first, first + count)
    links = tuple(Link(url, host, f"http://a.test/{url}", rel=rel) for url in urls)
    return sample(Choice(0, 0), links=links)


@pytest.mark.parametrize(("rel", "most"), [("feed", MAX_FEEDS), ("sitemap", MAX_SITEMAPS)])
def test_of_one_host_only_so_many_lists_are_fetched(rel: str, most: int) -> None:
    extras = OwnRequests()
    extras.add_lists(listing(rel, 1, most + 5))
    assert len(extras) == most
    extras.add_lists(listing(rel, 1000, 3, host=1))
    assert len(extras) == most + 3


def test_a_list_is_fetched_once() -> None:
    extras = OwnRequests()
    for _ in range(2):
        extras.add_lists(listing("feed", 1, 4))
    assert len(extras) == 4
    assert [extras.next(frozenset()).url for _ in range(4)] == [1, 2, 3, 4]
    assert extras.next(frozenset()) is None


def test_a_closed_host_is_passed_over() -> None:
    extras = OwnRequests()
    extras.add_lists(listing("feed", 1, 1, host=0))
    extras.add_lists(listing("feed", 2, 1, host=1))
    assert extras.due({0, 1}) == inf
    assert extras.due({0}) == 0.0
    assert extras.next({0}).url == 2
    assert extras.next({0}) is None
    assert extras.next(set()).url == 1


def test_a_page_is_put_off_only_so_often_until_the_crawl_is_taken_up_again() -> None:
    extras, choice = OwnRequests(), Choice(1, 0)
    for turn in range(MAX_ROUNDS + 2):
        extras.put_off(float(turn), choice)
        extras.wake(float(turn))
        assert (extras.next(frozenset()) is not None) == (turn < MAX_ROUNDS)
    extras.take_up()
    extras.put_off(9.0, choice)
    assert extras.due(frozenset()) == 9.0


def test_hosts_that_want_a_short_pause_are_not_told_of() -> None:
    courtesy, now = Throttle(), steady()
    courtesy.recall({"soon.test": (now + 30, 1), "late.test": (now + 300, 1)})
    live = SimpleNamespace(
        table=SimpleNamespace(host_name=["put-off.test"].__getitem__),
        closed_for=Live(
            ("http://a.test/",), SimpleNamespace(courtesy=courtesy), "", None
        ).closed_for,
        free_at=courtesy.free_at,
    )
    assert [one.host for one in left_alone(live, OwnRequests())] == ["late.test"]
    extras = OwnRequests()
    extras.put_off(now + 10, Choice(1, 0))
    extras.put_off(now + 20, Choice(2, 0))
    first, last = left_alone(live, extras)
    assert (first.host, first.pages, last.host) == ("put-off.test", 2, "late.test")
    assert last.until - first.until == pytest.approx(290, abs=1)
