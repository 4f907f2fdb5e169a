"""Sitemaps and feeds: found, read for their links, and no more trusted than pages."""

from __future__ import annotations

import gzip
import sqlite3
from pathlib import Path

import pytest

from foragers.core.options import Target
from support.crawling import crawl, serving
from support.hostile_server import HostileServer, page, redirect, reply

BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + "".join(
    f'<!ENTITY a{n} "{f"&a{n - 1 or str()};" * 10}">' for n in range(1, 10)
)


def sitemap(*urls: str, tag: str = "url", head: str = "") -> str:
    listed = "".join(f"<{tag}><loc>{url}</loc></{tag}>" for url in urls)
    kind = "urlset" if tag == "url" else "sitemapindex"
    return f'<?xml version="1.0"?>{head}<{kind}>{listed}</{kind}>'


def robots(*sitemaps: str, rules: str = "") -> bytes:
    lines = "".join(f"Sitemap: {url}\n" for url in sitemaps)
    return reply(f"User-agent: *\n{rules or 'Disallow:'}\n{lines}", kind="text/plain")


def fetched(server: HostileServer) -> set[str]:
    return {path for path in server.paths if path != "/robots.txt"}


def test_the_pages_of_a_sitemap_are_crawled(tmp_path: Path) -> None:
    with HostileServer({}) as server:
        server.site = {
            "/robots.txt": robots(server.url("/map.xml")),
            "/": page(),
            "/map.xml": reply(sitemap("/lonely", "/other"), kind="application/xml"),
            "/lonely": page(words="found"),
        }
        outcome = crawl(tmp_path / "on", server.url("/"))
        assert outcome.title("/lonely") == "found"
        assert (outcome.status("/map.xml"), outcome.reason("/map.xml")) == ("unwanted", "sitemap")
        server.log.clear()
        crawl(tmp_path / "off", server.url("/"), named_sitemaps=False)
        assert fetched(server) == {"/"}


def test_the_usual_place_is_looked_at_where_robots_txt_names_none(tmp_path: Path) -> None:
    listing = reply(sitemap("/lonely"), kind="text/xml")
    with serving({"/": page(), "/sitemap.xml": listing, "/lonely": page()}) as server:
        crawl(tmp_path, server.url("/"), sitemaps=True)
        assert fetched(server) == {"/", "/sitemap.xml", "/lonely"}


@pytest.mark.parametrize("answer", [page("/x"), reply(b"", "404 No"), reply(b"\0\1", kind=None)])
def test_what_is_no_sitemap_does_no_harm(answer: bytes, tmp_path: Path) -> None:
    with serving({"/": page("/a"), "/a": page(), "/sitemap.xml": answer}) as server:
        outcome = crawl(tmp_path, server.url("/"), sitemaps=True)
        assert outcome.status("/a") == "ok"
        assert "/x" not in server.paths


def test_indexes_and_packed_sitemaps_are_followed_and_loops_are_not(tmp_path: Path) -> None:
    index = sitemap("/sitemap.xml", "/one.xml.gz", tag="sitemap")
    packed = gzip.compress(sitemap("/lonely").encode())
    site = {
        "/": page(),
        "/sitemap.xml": reply(index, kind="application/xml"),
        "/one.xml.gz": reply(packed, kind="application/gzip"),
        "/lonely": page(),
    }
    with serving(site) as server:
        crawl(tmp_path, server.url("/"), sitemaps=True)
        assert fetched(server) == set(site)
        assert max(map(server.paths.count, site)) == 1


def test_what_a_sitemap_lists_must_be_in_scope_and_allowed(tmp_path: Path) -> None:
    with serving({}, address="127.0.0.2") as other, HostileServer({}) as server:
        listed = sitemap("/secret/a", other.url("/b"), "/c", "javascript:x", "file:///etc/passwd")
        server.site = {
            "/robots.txt": robots("/map.xml", other.url("/m.xml"), rules="Disallow: /secret"),
            "/": page(),
            "/map.xml": reply(listed, kind="application/xml"),
            "/c": page(),
        }
        outcome = crawl(tmp_path, server.url("/"), sitemaps=True, within="host")
        assert outcome.reason("/secret/a") == "robots.txt"
        assert fetched(server) == {"/", "/map.xml", "/c"}
        assert not other.log


def test_a_sitemap_may_not_redirect_out_of_scope(tmp_path: Path) -> None:
    with serving({}, address="127.0.0.2") as other:
        site = {"/": page(), "/sitemap.xml": redirect(other.url("/map.xml"))}
        with serving(site) as server:
            outcome = crawl(tmp_path, server.url("/"), sitemaps=True, within="host")
        assert outcome.status("/sitemap.xml") == "skipped"
        assert not other.log


@pytest.mark.parametrize(
    "body",
    [
        sitemap("/&a9;", "/good", head=BOMB + "]>"),
        sitemap("/good", head='<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'),
        "<urlset>" + "<url>" * 50_000 + "<loc>/good</loc>",
        sitemap("/good") + "<url><loc>",
    ],
    ids=["many laughs", "a file", "nested", "cut off"],
)
def test_hostile_sitemaps_give_what_is_good_in_them(body: str, tmp_path: Path) -> None:
    answer = reply(body, kind="application/xml")
    with serving({"/": page(), "/sitemap.xml": answer, "/good": page()}) as server:
        outcome = crawl(tmp_path, server.url("/"), sitemaps=True)
        assert outcome.status("/good") == "ok"


def test_a_packed_sitemap_that_is_a_bomb_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    bomb = gzip.compress(sitemap("/good").encode() + b" " * 60_000_000)
    answer = reply(bomb, kind="application/gzip")
    with serving({"/": page(), "/sitemap.xml": answer, "/good": page()}) as server:
        assert crawl(tmp_path, server.url("/"), sitemaps=True).status("/good") == "ok"


FEED = (
    "<rss version='2.0'><channel><link>/</link>"
    "<item><title>News</title><link>/news/1</link></item>"
    "<item><guid>{}/news/2</guid></item></channel></rss>"
)
ATOM = "<feed><entry><link href='/news/1'/></entry><entry><link href='/news/2'/></entry></feed>"


@pytest.mark.parametrize(
    ("body", "kind"),
    [(FEED, "application/rss+xml"), (ATOM, "application/atom+xml"), (FEED, "text/xml")],
)
def test_the_pages_of_a_feed_are_crawled(body: str, kind: str, tmp_path: Path) -> None:
    head = f"<link rel='alternate' type='{kind if 'rss' in kind or 'atom' in kind else ''}'"
    if kind == "text/xml":
        head = "<a href='/feed'>feed</a><link"
    with HostileServer({}) as server:
        server.site = {
            "/robots.txt": robots(),
            "/": reply(f"<html><head>{head} href='/feed'></head><p>words"),
            "/feed": reply(body.format(server.origin), kind=kind),
            "/news/1": page(),
            "/news/2": page(),
        }
        outcome = crawl(tmp_path / "on", server.url("/"), feeds=True)
        assert fetched(server) == {"/", "/feed", "/news/1", "/news/2"}
        assert (outcome.status("/feed"), outcome.reason("/feed")) == ("unwanted", "feed")
        assert server.paths.count("/feed") == 1
        server.log.clear()
        crawl(tmp_path / "off", server.url("/"))
        assert not fetched(server) & {"/news/1", "/news/2"}


def test_lists_are_fetched_once_though_the_crawl_is_taken_up_again(tmp_path: Path) -> None:
    links = [f"/{n}" for n in range(20)]
    site = {path: page() for path in links}
    site |= {"/": page(), "/sitemap.xml": reply(sitemap(*links), kind="text/xml")}
    with serving(site) as server:
        for budget in (1, 2, 5, 9, 50):
            if budget in (5, 50):
                (tmp_path / "checkpoint").unlink()
            crawl(tmp_path, server.url("/"), sitemaps=True, budget=budget)
        assert fetched(server) == set(site)
        assert max(map(server.paths.count, site)) == 1
        with sqlite3.connect(tmp_path / "ledger.sqlite") as ledger:
            parents = dict(ledger.execute("SELECT url, parent FROM pages").fetchall())
        ledger.close()
        assert parents[server.url("/7")] == server.url("/sitemap.xml")
        assert parents[server.url("/sitemap.xml")] == server.url("/")


@pytest.mark.parametrize(
    "strategy",
    ["auto", "lafc", "hmm", "bpm", "hw", "context-graph", "energy", "infospiders", "spider"],
)
def test_what_only_lists_name_is_fetched_by_every_strategy(strategy: str, tmp_path: Path) -> None:
    some, more = [f"/tide/{n}" for n in range(15)], [f"/reef/{n}" for n in range(15)]
    feed = "".join(f"<item><link>{path}</link></item>" for path in more)
    head = '<head><link rel="alternate" type="application/rss+xml" href="/feed"></head>'
    site = {
        "/": reply(f"<html>{head}<body>the tide comes in</body></html>"),
        "/sitemap.xml": reply(sitemap(*some), kind="text/xml"),
        "/feed": reply(f"<rss><channel>{feed}</channel></rss>", kind="application/rss+xml"),
        **{path: page(words=f"what {path} says of the tide {n}") for n, path in enumerate(some)},
        **{path: page(words=f"what {path} says of reefs {n}") for n, path in enumerate(more)},
    }
    with serving(site) as server:
        crawl(tmp_path, server.url("/"), sitemaps=True, feeds=True, strategy=strategy)
        assert fetched(server) == set(site)


@pytest.mark.parametrize("strategy", ["auto", "lafc", "energy"])
def test_the_links_of_a_page_that_is_not_to_be_indexed_are_followed(
    strategy: str, tmp_path: Path
) -> None:
    site = {
        "/": reply('<meta name="robots" content="noindex"><a href="/a">all about the tide</a>'),
        "/a": page(words="behind it"),
    }
    with serving(site) as server:
        outcome = crawl(tmp_path, server.url("/"), strategy=strategy)
        assert (outcome.status("/"), outcome.status("/a")) == ("unwanted", "ok")


def test_a_long_sitemap_does_not_drown_links_that_promise_more(tmp_path: Path) -> None:
    links = "".join(f'<a href="/page/{n}">the tide, part {n}</a>' for n in range(10))
    listed = [*(f"/shop/{n}" for n in range(2000)), "/old/tide"]
    site = {
        "/": reply(f"<html><body>the tide comes in {links}</body></html>"),
        "/sitemap.xml": reply(sitemap(*listed), kind="text/xml"),
        "/old/tide": page(words="an old page of the tide"),
        **{f"/page/{n}": page(words=f"the tide comes in, part {n} of ten") for n in range(10)},
    }
    with serving(site) as server:
        aim = Target(topic="tide")
        crawl(tmp_path, server.url("/"), sitemaps=True, strategy="auto", aim=aim, budget=13)
        assert fetched(server) == {*site}


def test_foragers_walk_through_a_sitemap(tmp_path: Path) -> None:
    listed = [f"/tide/{n}" for n in range(5)]
    site = {
        "/": page(words="home"),
        "/sitemap.xml": reply(sitemap(*listed), kind="text/xml"),
        **{path: page(words=f"what {path} says") for path in listed},
    }
    with serving(site) as server:
        aim = Target(new_within="24h")
        crawl(tmp_path, server.url("/"), sitemaps=True, strategy="foragers", aim=aim, budget=40)
        assert fetched(server) == set(site)
