"""Where a crawl may go, and how much it takes of each host."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from foragers.crawling.keywords import CrawlKeywords
from foragers.errors import UsageError
from support.crawling import crawl, serving
from support.hostile_server import HostileServer, page, redirect


def pages(server: HostileServer) -> list[str]:
    return [path for path in server.paths if path != "/robots.txt"]


@pytest.mark.parametrize("within", ["host", "site"])
def test_a_seed_that_redirects_elsewhere_takes_its_scope_along(within: str, tmp_path: Path) -> None:
    with serving({"/": page("/a"), "/a": page()}, address="127.0.0.2") as other:
        third = "http://127.0.0.3:1/"
        with serving({"/": redirect(other.url("/"))}) as server:
            outcome = crawl(tmp_path, server.url("/"), within=within)
        assert outcome.status(server.url("/")) == "ok"
        assert pages(other) == ["/", "/a"]
        assert third not in outcome.urls


def test_the_scope_of_a_redirected_seed_outlives_the_crawl(tmp_path: Path) -> None:
    site = {"/": page("/a"), "/a": page("/b"), "/b": page()}
    with serving(site, address="127.0.0.2") as other:
        with serving({"/": redirect(other.url("/"))}) as server:
            crawl(tmp_path, server.url("/"), within="host", budget=1)
            (tmp_path / "checkpoint").unlink()
            crawl(tmp_path, server.url("/"), within="host")
        assert pages(other) == ["/", "/a", "/b"]


def test_a_link_that_redirects_elsewhere_does_not(tmp_path: Path) -> None:
    with serving({}, address="127.0.0.2") as other:
        with serving({"/": page("/it"), "/it": redirect(other.url("/"))}) as server:
            outcome = crawl(tmp_path, server.url("/"), within="host")
        assert outcome.status("/it") == "skipped"
        assert not other.log


def test_listed_hosts_are_crawled_besides(tmp_path: Path) -> None:
    with serving({}, address="127.0.0.2") as two, serving({}, address="127.0.0.3") as three:
        with serving({"/": page(two.url("/"), three.url("/"))}) as server:
            hosts = (f"127.0.0.2:{two.port}",)
            outcome = crawl(tmp_path, server.url("/"), within="host", hosts=hosts)
        assert set(outcome.urls) == {server.url("/"), two.url("/")}
        assert not three.log


def test_only_what_begins_with_a_prefix_is_crawled(tmp_path: Path) -> None:
    site = {"/": page("/docs/a", "/blog/b", "/docsx"), "/docs/a": page("/docs/c")}
    with serving(site) as server:
        prefix = (server.url("/docs/"),)
        outcome = crawl(tmp_path, server.url("/"), within="host", prefix=prefix)
        wanted = {server.url(path) for path in ("/", "/docs/a", "/docs/c")}
        assert set(outcome.urls) == wanted


@pytest.mark.parametrize(
    "wrong", [{"hosts": ("http://a/",)}, {"prefix": ("nowhere at all",)}, {"per_host": 0}]
)
def test_what_makes_no_sense_is_refused(wrong: CrawlKeywords, tmp_path: Path) -> None:
    option = "--" + next(iter(wrong)).replace("_", "-")
    with pytest.raises(UsageError, match=option):
        crawl(tmp_path, "http://127.0.0.1:1/", **wrong)


def test_no_host_gives_more_than_its_share_also_when_the_crawl_goes_on(tmp_path: Path) -> None:
    links = [f"/{n}" for n in range(30)]
    site = {path: page(*links) for path in ("/", *links)}
    with serving(site) as one, serving(site, address="127.0.0.2") as two:
        seeds = one.url("/"), two.url("/")
        crawl(tmp_path, *seeds, per_host=7, budget=5)
        assert len(pages(one)) + len(pages(two)) == 5
        outcome = crawl(tmp_path, *seeds, per_host=7)
        assert len(pages(one)) == len(pages(two)) == 7
        assert Counter(row[2] for row in outcome.rows.values()) == {"ok": 14}
        assert "--per-host" in outcome.stopped
        (tmp_path / "checkpoint").unlink()
        crawl(tmp_path, *seeds, per_host=9)
        assert len(pages(one)) == len(pages(two)) == 9


def test_a_host_has_a_limit_of_its_own_also_when_the_crawl_goes_on(tmp_path: Path) -> None:
    links = [f"/{n}" for n in range(30)]
    site = {path: page(*links) for path in ("/", *links)}
    with serving(site) as one, serving(site, address="127.0.0.2") as two:
        seeds = one.url("/"), two.url("/")
        limit = (f"{urlsplit(one.url('/')).netloc}=3",)
        crawl(tmp_path, *seeds, host_budgets=limit, budget=4)
        outcome = crawl(tmp_path, *seeds, host_budgets=limit, per_host=6)
        assert len(pages(one)) == 3
        assert len(pages(two)) == 6
        assert "--host-budget" in outcome.stopped
