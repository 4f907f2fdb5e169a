from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foragers.urls.parse import host_of, normalise, origin_of, resolve, site_of, without_credentials
from foragers.urls.table import UrlTable
from support.shared_suites import suite

ANY_TEXT = st.text(max_size=60)
URLISH = st.text(alphabet="abAB01.-_~%/?#&=:@[]{}|^'\" \\;+é\t", max_size=40)
HTTP_URLS = st.builds(
    "http://{}/{}".format, st.sampled_from(["a.b", "A.b.", "x:80", "1.2"]), URLISH
)


def test_every_case_of_the_url_standard_resolves_as_browsers_do() -> None:
    result = suite("url").run_wpt(resolve)
    assert result["bad"] == []


def test_the_crawler_commons_cases_normalise() -> None:
    passed, cases, _ = suite("url").run_normalise(normalise)
    assert cases == 136
    assert passed >= 129


def test_the_crawler_commons_cases_resolve() -> None:
    passed, cases, bad = suite("url").run_cc_resolve(resolve)
    assert passed == cases, bad


def test_normalising_twice_changes_nothing_in_any_suite() -> None:
    result = suite("url").idempotence(normalise)
    assert result["not_idempotent"] == 0
    assert result["crash_other_than_ValueError"] == 0


@given(ANY_TEXT | URLISH | HTTP_URLS)
def test_normalising_twice_changes_nothing(url: str) -> None:
    try:
        key = normalise(url)
    except ValueError:
        return
    assert normalise(key) == key


@given(URLISH)
def test_the_fast_path_of_resolving_agrees_with_the_slow_one(href: str) -> None:
    from ada_url import join_url

    base = "https://www.example.org:8080/a/b.html?q"
    try:
        expected = join_url(base, href)
    except ValueError:
        with pytest.raises(ValueError):
            resolve(href, base)
    else:
        assert resolve(href, base) == expected


@given(HTTP_URLS)
def test_the_key_of_an_address_is_that_of_its_resolved_form(url: str) -> None:
    try:
        href = resolve(url)
    except ValueError:
        return
    assert normalise(href) == normalise(url)


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://example.org", "http://example.org/"),
        ("HTTP://EXAMPLE.org:80/a/../b", "http://example.org/b"),
        ("http://example.org./a#f", "http://example.org/a"),
        ("http://user:word@example.org/", "http://example.org/"),
        ("http://example.org/?b=2&a=1&a=0", "http://example.org/?a=1&a=0&b=2"),
        ("http://example.org/a//b/?", "http://example.org/a/b/"),
        ("http://example.org/?b=&a&=1", "http://example.org/?a&b"),
        ("http://example.org/%7Ea%2fb", "http://example.org/~a%2Fb"),
        ("http://127.1/", "http://127.0.0.1/"),
        ("http://127.1../", "http://127.0.0.1/"),
        ("http://bücher.de/", "http://xn--bcher-kva.de/"),
    ],
)
def test_spellings_of_one_address_have_one_key(url: str, key: str) -> None:
    assert normalise(url) == key


@pytest.mark.parametrize("url", ["http://", "http://./foo/", "//x", "http://[::1", "", "/a"])
def test_what_is_no_address_raises(url: str) -> None:
    with pytest.raises(ValueError):
        normalise(url)


def test_a_lone_surrogate_is_replaced_like_in_browsers() -> None:
    assert resolve("/\ud800", "http://a.b/") == "http://a.b/%EF%BF%BD"


def test_a_host_has_its_port_unless_it_is_the_usual_one() -> None:
    assert host_of("http://Example.org:8080/a") == "example.org:8080"
    assert host_of("https://example.org:443/a") == "example.org"


def test_a_site_is_what_can_be_registered() -> None:
    assert site_of("www.bbc.co.uk") == "bbc.co.uk"
    assert site_of("a.b.example.com:8080") == "example.com"
    assert site_of("someone.github.io") == "someone.github.io"


def test_a_host_without_a_registrable_domain_is_its_own_site() -> None:
    assert site_of("localhost:8000") == "localhost:8000"
    assert site_of("127.0.0.1") == "127.0.0.1"


class TestUrlTable:
    def test_spellings_of_one_address_share_a_number(self) -> None:
        table = UrlTable()
        first = table.intern("http://a.b/x?q=2&p=1")
        assert table.intern("http://a.b:80/x?p=1&q=2#f") == first
        assert len(table) == 1

    def test_the_first_spelling_is_shown(self) -> None:
        table = UrlTable()
        number = table.intern("http://a.b/x?q=2&p=1")
        table.intern("http://a.b/x?p=1&q=2")
        assert table.href(number) == "http://a.b/x?q=2&p=1"

    def test_a_shown_address_is_absolute_and_has_no_fragment(self) -> None:
        table = UrlTable()
        assert table.href(table.intern("HTTP://A.b/%7ex#f")) == "http://a.b/%7ex"

    def test_finding_gives_no_numbers_away(self) -> None:
        table = UrlTable()
        assert table.find("http://a.b/") is None
        assert table.find("nonsense") is None
        number = table.intern("http://a.b/")
        assert table.find("http://A.b") == number
        assert len(table) == 1

    def test_addresses_of_one_host_share_its_number(self) -> None:
        table = UrlTable()
        one, two, other = map(table.intern, ["http://a.b/1", "https://a.b/2", "http://a.b:8080/3"])
        assert table.host(one) == table.host(two) != table.host(other)
        assert table.host_name(table.host(other)) == "a.b:8080"
        assert table.host_id("a.b") == table.host(one)
        assert table.hosts == 2

    @pytest.mark.parametrize("url", ["nonsense", "mailto:a@b.c", "http://[::1", "http://./"])
    def test_what_cannot_be_fetched_gets_no_number(self, url: str) -> None:
        table = UrlTable()
        with pytest.raises(ValueError):
            table.intern(url)
        assert (len(table), table.hosts) == (0, 0)

    def test_many_at_once_are_numbered_like_one_by_one(self) -> None:
        urls = ["http://a.b/1", "http://c.d/2", "http://a.b/1#x", "http://c.d/?b=1&a=2"]
        table, other = UrlTable(), UrlTable()
        ids, hosts = table.intern_many(urls)
        assert ids.tolist() == [other.intern(url) for url in urls]
        assert hosts.tolist() == [table.host(number) for number in ids.tolist()]
        assert {ids.dtype, hosts.dtype} == {np.dtype(np.int32)}

    def test_a_pickled_table_goes_on_where_it_was(self) -> None:
        table = UrlTable()
        table.intern_many(["http://a.b/1", "http://c.d/?b=1&a=2"])
        copy: UrlTable = pickle.loads(pickle.dumps(table))
        assert copy.find("http://c.d/?a=2&b=1") == 1
        assert copy.href(1) == "http://c.d/?b=1&a=2"
        assert copy.host_name(copy.host(1)) == "c.d"
        assert copy.intern("http://e.f/") == 2
        assert len(table) == 2


def test_an_address_is_taken_apart() -> None:
    assert origin_of("https://a.test:81/x/y?z") == "https://a.test:81"
    assert without_credentials("http://me:word@a.test/@x") == "http://a.test/@x"
