"""Groups and features of links."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foragers.core import exact
from foragers.strategies.auto.combiner import rows_by_name
from foragers.strategies.auto.features import (
    PageGroups,
    addresses_of,
    anchor_group,
    anchor_words,
    prefixes_of,
)
from foragers.strategies.auto.group_rates import ROOT, Rates
from foragers.strategies.auto.pending_links import LinkGroups
from foragers.urls.shapes import name_shape


def groups_of(
    groups: PageGroups, host: int, href: str, path: str = "ul a", anchor: str = "tea"
) -> LinkGroups:
    """Return the groups of one link."""
    names = list(map(anchor_group, anchor_words([anchor])))
    return LinkGroups(*groups.of([host], [href], [path], names, addresses_of([href]))[0])


def test_an_address_is_taken_apart() -> None:
    address = addresses_of(["http://a.example/docs/v2/guide-12.html?page=3"])
    assert list(prefixes_of(address.directories[0])) == ["/docs", "/docs/v2"]
    assert (address.names, address.asks, address.shapes) == (["guide-12.html"], ["?"], ["2? a-0.a"])
    assert address.words == [["2", "guide", "12", "html", "page", "3"]]
    assert addresses_of(["http://a.example"]) == ([""], [""], [""], ["0 "], [[]])


@given(st.lists(st.text("ab/", max_size=12), max_size=3))
def test_directories_are_the_first_of_a_path_and_each_is_around_the_next(paths: list[str]) -> None:
    columns = addresses_of([f"http://a.test/{path}" for path in paths])
    for path, directory in zip(paths, columns.directories, strict=True):
        names, expected = path.split("/")[:-1][:4], [""]
        for name in names:
            expected.append(f"{expected[-1]}/{name}")
        assert (directory, list(prefixes_of(directory))) == (expected[-1], expected[1:])


@given(st.lists(st.text("aB1/?.-%é\n", max_size=12), max_size=5))
def test_addresses_are_the_same_together_as_alone(paths: list[str]) -> None:
    hrefs = [f"http://a.test/{path}" for path in paths]
    alone = [[column[0] for column in addresses_of([href])] for href in hrefs]
    assert [list(row) for row in zip(*addresses_of(hrefs), strict=True)] == alone


@given(st.text("abcXYZ0123456789-_.é", max_size=30))
def test_the_shape_of_a_name_has_one_letter_for_each_run(name: str) -> None:
    assert name_shape(name) == re.sub("[a-zA-Z]+", "a", re.sub("[0-9]+", "0", name))


def test_links_of_a_page_have_the_groups_they_would_have_alone() -> None:
    """What is kept while a page is read makes no difference."""
    links = [
        (host, f"http://h{host}.test/{where}", path, anchor)
        for host in (1, 2)
        for path in ("ul a", "p a")
        for where in ("a/b/one.html", "a/two.html", "a/b/3.php?x=1", "", "a/b/4.php")
        for anchor in ("one", "the other")
    ]
    together, one_by_one, alone = Rates(), Rates(), Rates()
    page = PageGroups(one_by_one, "http://h7.test/")
    expected = [groups_of(PageGroups(alone, "http://h7.test/"), *link) for link in links]
    assert [groups_of(page, *link) for link in links] == expected
    hosts, hrefs, paths, anchors = zip(*links, strict=True)
    names = list(map(anchor_group, anchor_words(anchors)))
    columns = addresses_of(hrefs)
    page = PageGroups(together, "http://h7.test/")
    assert page.of(hosts, hrefs, paths, names, columns) == expected
    assert together.parents == one_by_one.parents == alone.parents


def test_links_under_one_tag_path_are_told_apart_by_page_and_belong_to_the_host() -> None:
    rates = Rates()
    here, again, there = (
        groups_of(PageGroups(rates, page), 0, "http://a.test/x/1").tag_path
        for page in ("http://a.test/7", "http://a.test/7", "http://a.test/8")
    )
    assert here == again != there
    assert rates.parents[here] == rates.parents[there] != ROOT


def outermost(rates: Rates, group: int) -> int:
    """Return the group below that of all links that a group is in."""
    while rates.parents[group] != ROOT:
        group = rates.parents[group]
    return group


def test_hosts_first_met_on_another_host_share_a_group_and_given_ones_do_not() -> None:
    rates = Rates()

    def around(page: str, number: int, by_page: bool = True) -> int:
        groups = PageGroups(rates, page, by_page)
        return outermost(rates, groups_of(groups, number, f"http://h{number}.test/a/").directory)

    given = around("", 0)
    strange = around("http://h0.test/", 1)
    assert strange == around("http://h0.test/", 2) == around("http://h2.test/", 1) != given
    # Who links to a given host later makes no difference.
    assert around("http://h1.test/", 0) == given
    # A host that links to itself is not met on another; where news is wanted all are alike.
    assert around("http://h3.test/", 3) != strange != around("http://h0.test/", 4, by_page=False)


def test_a_new_host_is_expected_to_be_like_the_other_hosts_that_were_met() -> None:
    """However many pages of the given host are there."""
    rates = Rates()

    def groups(page: str, host: str) -> LinkGroups:
        found = PageGroups(rates, f"http://given.test/{page}")
        return groups_of(found, 0, f"http://{host}.test/{page}/a.html", f"{page[:4]} a")

    for number in range(30):
        for is_there, *link in (
            (True, f"menu{number}", "given"),
            (False, f"list{number}", f"h{number}"),
        ):
            known = groups(*link)
            rates.teach(np.array([known], np.int32).T, 0.0, is_there)
    new, own = groups("list99", "new"), groups("menu99", "given")
    rates.refresh()
    for name in ("tag_path", "directory"):
        assert rates.doubts[getattr(new, name)] < exact.log_of(0.1)
        assert rates.doubts[getattr(own, name)] > exact.log_of(0.9)
        # What was never worth following on thirty of them will hardly be on the next.
        assert rates.odds[getattr(new, name)] == pytest.approx(exact.log_of(3 / 33), abs=0.01)


def test_the_lineage_of_groups_counts_each_once() -> None:
    rates = Rates()
    host = rates.group("host")
    pages = [rates.group(name, host) for name in "ab"]
    assert rates.lineage([*pages, host]).tolist() == [ROOT, host, *pages]


def test_rows_stand_in_the_order_of_their_names_and_a_missing_or_unknown_name_is_refused() -> None:
    rows = rows_by_name(("a", "b"), {"b": np.array([1.0, 2.0]), "a": 3.0}, 2)
    assert rows.tolist() == [[3.0, 3.0], [1.0, 2.0]]
    for columns in ({"a": 1.0}, {"a": 1.0, "c": 1.0}, {"a": 1.0, "b": 1.0, "c": 1.0}):
        with pytest.raises(KeyError, match=r"[bc]"):
            rows_by_name(("a", "b"), columns, 2)


def test_links_of_a_page_to_a_host_share_a_group_unless_pages_are_no_guide() -> None:
    rates, href = Rates(), "http://a.test/tea/1.html"

    def parent_page(page: str, href: str, host: int, by_page: bool = True) -> int:
        return groups_of(PageGroups(rates, page, by_page), host, href).parent_page

    one = parent_page("http://a.test/", href, 0)
    assert one != ROOT
    assert parent_page("http://a.test/", "http://a.test/tax/2.html", 0) == one
    assert parent_page("http://a.test/other", href, 0) != one
    assert parent_page("http://a.test/", href, 0, by_page=False) == ROOT
    rates.count(rates.lineage([one]), 1.0)
    rates.refresh()
    # Seen once and good once: (1 + 3 · p(host)) / (1 + 3), with the host's rate shrunk likewise.
    everything = (1 + 3 * 0.02) / (1 + 3)
    host = (1 + 3 * everything) / 4
    expected = (1 + 3 * host) / 4
    odds = exact.log_of(expected / (1 - expected))
    assert rates.odds[one] + rates.usual == pytest.approx(odds, abs=1e-6)
