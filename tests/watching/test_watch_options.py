"""Options of a watch: files of sites, rates and times of day."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foragers.errors import UsageError
from foragers.watching.watch_options import (
    SiteOptions,
    WatchOptions,
    clock_of,
    crawl_options,
    hours_of,
    read_sites,
    requests_of,
    sites_of,
)


def test_a_file_of_sites_names_topic_requests_and_time(tmp_path: Path) -> None:
    file = tmp_path / "sites.csv"
    file.write_text("site,topic,requests,every\nhttps://a.org/\n# no\nb.org,boats,100/day,10m\n")
    assert read_sites(file, 500, 60.0) == [
        SiteOptions("https://a.org/", "", 500, 60.0),
        SiteOptions("b.org", "boats", 100, 600.0),
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("site,colour\n", "unknown column 'colour'"),
        ('"http://a.test/', "it must be a CSV file"),
        ("a.org,,many\n", "line 1: requests many"),
        ("a.org,,,0.1s\n", "at least 1s"),
        ("a.org,b,1,1m,x\n", "more than 4 columns"),
        (",boats\n", "no site"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, text: str, problem: str) -> None:
    file = tmp_path / "sites.csv"
    file.write_text(text)
    with pytest.raises(UsageError, match=problem):
        read_sites(file, 500, 60.0)


def test_sites_must_be_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="name a site"):
        sites_of(WatchOptions())
    with pytest.raises(UsageError, match="--sites"):
        sites_of(WatchOptions(sites=str(tmp_path / "none")))


def test_rates_and_clocks_are_parsed() -> None:
    assert requests_of("500/day", "-") == requests_of(" 500 ", "-") == 500
    assert clock_of("07:30", "-") == 450
    assert hours_of("22:00-07:00") == (1320, 420)
    for wrong in ("0/day", "5/h", "x"):
        with pytest.raises(UsageError):
            requests_of(wrong, "--requests")
    for wrong in ("24:00", "7", "07:60"):
        with pytest.raises(UsageError):
            clock_of(wrong, "--digest")
    with pytest.raises(UsageError, match="--quiet"):
        hours_of("22:00")


@given(st.text())
def test_any_text_is_a_rate_or_refused(text: str) -> None:
    with suppress(UsageError):
        assert requests_of(text, "--requests") >= 1


def test_sites_with_other_limits_stand_apart_in_the_strategy() -> None:
    sites = [SiteOptions("a.org"), SiteOptions("b.org", "", 100, 600.0)]
    crawl = crawl_options(WatchOptions(duration="1h"), sites)
    assert crawl.strategy == "watch(every=60.0, requests=500, changes=False, apart='1=600/100')"
    assert crawl.minutes == 60
    assert crawl.feeds
    assert crawl.sitemaps
