from __future__ import annotations

import pickle
import re
from unittest import mock

import pytest

from foragers.errors import UsageError
from foragers.filters.scope import Scope
from foragers.filters.settings import FilterSettings
from foragers.urls.parse import host_of, site_of

SEED = ("https://www.tea.co.uk/shop/",)


def test_a_scope_of_the_host_refuses_its_sisters() -> None:
    scope = Scope(SEED, within="host")
    assert scope.refuse("https://www.tea.co.uk/a", 1) is None
    assert scope.refuse("http://www.tea.co.uk/a", 1) is None
    assert scope.refuse("https://blog.tea.co.uk/a", 1) == "another host (--scope host)"


def test_a_scope_of_the_site_takes_in_sisters_but_not_the_suffix() -> None:
    scope = Scope(SEED)
    assert scope.refuse("https://blog.tea.co.uk/a", 1) is None
    assert scope.refuse("https://coffee.co.uk/a", 1) == "another site (--scope site)"


def test_any_takes_everything_that_can_be_fetched() -> None:
    scope = Scope(SEED, within="any")
    assert scope.refuse("https://elsewhere.org/", 9) is None
    assert scope.refuse("mailto:a@b.org", 1) == "neither http nor https"


def test_a_port_makes_another_host() -> None:
    scope = Scope(("http://a.test:8080/",), within="host")
    assert scope.refuse("http://a.test:8080/x", 1) is None
    assert scope.refuse("http://a.test:9090/x", 1) == "another host (--scope host)"


def test_listed_hosts_are_allowed_besides() -> None:
    scope = Scope(SEED, within="host", hosts=("pics.test", ".cdn.test"))
    assert scope.refuse("http://pics.test/x", 1) is None
    assert scope.refuse("http://a.pics.test/x", 1) is not None
    assert scope.refuse("http://cdn.test/x", 1) is None
    assert scope.refuse("http://a.b.cdn.test/x", 1) is None
    assert scope.refuse("http://evilcdn.test/x", 1) is not None


def test_an_address_must_begin_with_one_of_the_prefixes() -> None:
    scope = Scope(SEED, prefixes=("https://www.tea.co.uk/shop/", "https://www.tea.co.uk/blog/"))
    assert scope.refuse("https://www.tea.co.uk/blog/1", 1) is None
    assert scope.refuse("https://www.tea.co.uk/about", 1) == "begins with none of --prefix"


def test_patterns_include_and_exclude() -> None:
    scope = Scope(SEED, include=(r"/tea/", r"\.html$"), exclude=(r"[?&]print=",))
    assert scope.refuse("https://www.tea.co.uk/tea/1", 1) is None
    assert scope.refuse("https://www.tea.co.uk/x.html", 1) is None
    assert scope.refuse("https://www.tea.co.uk/x", 1) == "matches no --include"
    assert scope.refuse("https://www.tea.co.uk/tea/1?print=1", 1) == "matches --exclude"


def test_flags_and_groups_belong_to_their_own_pattern() -> None:
    scope = Scope(SEED, exclude=(r"(?i)\.PDF$", r"/(\w+)/\1/"))
    assert scope.refuse("https://www.tea.co.uk/a.pdf", 1) == "matches --exclude"
    assert scope.refuse("https://www.tea.co.uk/x/x/y", 1) == "matches --exclude"
    assert scope.refuse("https://www.tea.co.uk/x/y/y", 1) is None


def test_pages_below_the_greatest_depth_are_refused() -> None:
    scope = Scope(SEED, max_depth=2)
    assert scope.refuse(SEED[0] + "x", 2) is None
    assert scope.refuse(SEED[0] + "x", 3) == "deeper than --max-depth 2"


def test_seeds_are_always_in_scope() -> None:
    scope = Scope(SEED, include=("nothing",), exclude=("shop",), max_depth=0)
    assert scope.refuse(SEED[0], 0) is None


def test_a_bad_pattern_names_its_option() -> None:
    with pytest.raises(UsageError, match=r"--include '\(' is not a regular expression"):
        Scope(SEED, include=("(",))
    with pytest.raises(UsageError, match=r"--exclude '\(' is not a regular expression"):
        Scope(SEED, exclude=("(",))


def test_an_unknown_extent_names_the_choices() -> None:
    with pytest.raises(UsageError, match="--scope galaxy: use one of host, site, any"):
        Scope(SEED, within="galaxy")


def test_an_address_without_a_sound_host_is_refused() -> None:
    assert Scope(SEED).refuse("http://[::1/", 1) == "not a valid URL"


def test_a_scope_can_be_pickled_after_use() -> None:
    scope = Scope(SEED, exclude=("x$",))
    scope.refuse("https://www.tea.co.uk/x", 1)
    again = pickle.loads(pickle.dumps(scope))
    assert again == scope
    assert again.refuse("https://www.tea.co.uk/x", 1) == "matches --exclude"


def test_memory_for_hosts_is_bounded() -> None:
    scope = Scope(SEED, settings=FilterSettings(hosts=10))
    for i in range(25):
        assert scope.refuse(f"http://h{i}.test/", 1) is not None
    assert len(scope._refused_hosts) <= 10


def test_a_host_is_looked_at_once_however_often_it_is_asked_about() -> None:
    scope = Scope(SEED, exclude=(r"\.(?:png|jpe?g|gif|css|js)$",))
    hosts = [f"https://{name}.tea.co.uk" for name in ("blog", "www", "shop")]
    site_of("a.test")  # the list of suffixes is read at first use, with patterns of its own
    with (
        mock.patch("foragers.filters.scope.host_of", side_effect=host_of) as read,
        mock.patch("foragers.filters.scope.site_of", side_effect=site_of) as placed,
        mock.patch("foragers.filters.scope.re.compile", side_effect=re.compile) as compiled,
    ):
        for number in range(1000):
            assert scope.refuse(f"{hosts[number % 3]}/2024/{number}.html", 3) is None
    # Each host once, and once the seed's.
    assert read.call_count == len(hosts) + len(SEED)
    assert placed.call_count <= len(hosts) + len(SEED)
    assert compiled.call_count == 1


def test_hosts_and_prefixes_are_read_as_people_write_them() -> None:
    hosts = ("Bücher.example", ".b.test", " c.test:8080 ")
    scope = Scope(("http://a.test/",), "host", hosts=hosts)
    inside = (
        "http://xn--bcher-kva.example/",
        "http://x.b.test/",
        "http://b.test/",
        "http://c.test:8080/",
    )
    assert [scope.refuse(url, 1) for url in inside] == [None] * 4
    assert scope.refuse("http://c.test/", 1) == "another host (--scope host)"
    prefixes = Scope(("http://a.test/",), "host", prefixes=("d.test/docs/", "HTTPS://E.test"))
    begin_so = "http://d.test/docs/1", "https://d.test/docs/", "https://e.test/"
    assert [prefixes.refuse(url, 1) for url in begin_so] == [None] * 3
    assert prefixes.refuse("http://d.test/", 1) == "begins with none of --prefix"
    assert prefixes.refuse("http://e.test/", 1) == "begins with none of --prefix"


@pytest.mark.parametrize("wrong", ["http://a.test/", "a b", "", "a.test:x", "..", "a..b/"])
def test_hosts_that_are_none_are_refused(wrong: str) -> None:
    with pytest.raises(UsageError, match="--hosts"):
        Scope(hosts=(wrong,))


@pytest.mark.parametrize("wrong", ["", "ftp://a.test/", "http://", "::"])
def test_prefixes_that_are_none_are_refused(wrong: str) -> None:
    with pytest.raises(UsageError, match="--prefix"):
        Scope(prefixes=(wrong,))


def test_one_more_seed_widens_the_scope_and_changes_nothing_else() -> None:
    scope = Scope(("http://a.test/",), "host", exclude=("x",))
    wider = scope.and_seed("http://www.a.test/")
    assert scope.refuse("http://www.a.test/1", 1) is not None
    assert wider.refuse("http://www.a.test/1", 1) is None
    assert wider.refuse("http://www.a.test/x", 1) == "matches --exclude"
    assert wider.and_seed("http://a.test/") is wider
