"""Each trap costs a bounded number of downloads; see `trap_sites` for what they do."""

from __future__ import annotations

import pytest

from foragers.filters.traps.detector import TrapKind
from support import trap_sites as t
from support.simulated import Site, crawl

# Name, site, pages that are worth a download, downloads that may be spent beyond them.
TRAPS = [
    ("empty days and months in the path", t.Calendar(), 1, 120),
    ("empty months in the query", t.QueryCalendar(), 1, 60),
    ("a known session id", t.Sessions("/topic-{page}?PHPSESSID={id}"), 61, 5),
    ("a session id of an ambiguous name", t.Sessions("/v.php?sid={id}&topic{page}"), 61, 5),
    ("a session id of a name of its own", t.Sessions("/topic-{page}?zz={id}"), 61, 50),
    ("a session id among the folders", t.Sessions("/s/{id}/topic-{page}"), 61, 50),
    ("a session id after a semicolon", t.Sessions("/topic-{page};jsessionid={id}"), 61, 5),
    ("a session id in brackets", t.Sessions("/(S({id}))/topic-{page}"), 61, 5),
    ("a relative link that grows", t.Growing(), 1, 50),
    ("folders in any order", t.Wandering(), 1, 150),
    ("combinations of filters", t.Facets(), 122, 200),
    ("mirrors of mirrors", t.Mirrors(), 200, 200),
    ("the same pages on every subdomain", t.CopiedHosts(), 100, 200),
    ("an error page that links on", t.SoftErrors(), 1, 100),
    ("a list that goes on after its end", t.EndlessPages(), 551, 150),
    ("sort orders", t.Sorted(), 80, 200),
    ("print versions", t.Printed(), 501, 200),
    ("addresses that grow", t.LongAddresses(), 0, 20),
    ("tracking parameters", t.Tracked(), 41, 0),
]


@pytest.mark.parametrize(
    ("site", "worth", "beyond"), [case[1:] for case in TRAPS], ids=[case[0] for case in TRAPS]
)
def test_a_trap_costs_a_bounded_number_of_downloads(site: Site, worth: int, beyond: int) -> None:
    result = crawl(site, limit=4000)
    assert len(result.downloads) <= worth + beyond
    assert len(result.downloads) >= worth


def test_what_comes_before_the_endless_part_is_reached() -> None:
    result = crawl(t.EndlessPages(), limit=4000)
    lists = {f"http://site.test/list?page={n}" for n in range(1, 51)}
    entries = {f"http://site.test/entry/{n}" for n in range(10, 510)}
    assert result.reach(lists | entries) == 1


def test_all_that_is_behind_filters_is_reached() -> None:
    result = crawl(t.Facets(), limit=4000)
    items = {f"http://site.test/item/{n}" for n in range(120)}
    assert result.reach(items) >= 0.99


def test_every_article_is_reached_beside_its_print_version() -> None:
    site = t.Printed()
    assert crawl(site, limit=4000).reach(site.real()) >= 0.99


def test_error_pages_are_recognised_as_such() -> None:
    result = crawl(t.SoftErrors(), limit=4000)
    kinds = [verdict.kind for verdict in result.verdicts.values()]
    assert kinds.count(TrapKind.SOFT_404) >= 0.8 * len(kinds)
