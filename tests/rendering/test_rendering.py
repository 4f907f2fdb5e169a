"""A crawl of a site that is made by its scripts, over real HTTP and with a real browser."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from fastwarc.warc import ArchiveIterator as FastIterator
from fastwarc.warc import WarcRecordType
from warcio.archiveiterator import ArchiveIterator

from foragers.crawling.session import Session
from foragers.errors import UsageError
from foragers.http.messages import Limits
from foragers.rendering.client import Renderer
from foragers.rendering.messages import RenderOptions
from foragers.rendering.queue import RenderQueue
from support.browsing import CHROMIUM, needs_browser
from support.crawling import Outcome, order_of
from support.hostile_server import HostileServer, page

SHELL = """<!doctype html><title>Loading</title><link rel="stylesheet" href="/style.css">
<link rel="icon" href="/icon.png"><div id="root"></div><img src="/picture.png">
<script src="/app.js"></script>"""
APP = """
const root = document.getElementById('root');
(async () => {
  for (const path of ['/secret.json', '/elsewhere.json']) await fetch(path).catch(() => 0);
  const list = await (await fetch('/list.json', {headers: {'X-Wanted': 'yes'}})).json();
  document.title = 'Shop of ' + location.pathname;
  for (const [path, words] of list) {
    const link = document.createElement('a');
    link.href = path;
    link.textContent = words;
    root.append(link, ' ');
  }
})();
"""


def answer(kind: str, text: str, *headers: str) -> bytes:
    body = text.encode()
    lines = [f"Content-Type: {kind}", f"Content-Length: {len(body)}", *headers]
    return b"HTTP/1.1 200 OK\r\n" + "\r\n".join(lines).encode() + b"\r\n\r\n" + body


SITE = {
    "/robots.txt": answer("text/plain", "User-agent: *\nDisallow: /secret\n"),
    "/": answer("text/html", SHELL, 'ETag: "shell"'),
    "/again": answer("text/html", SHELL, 'ETag: "shell"'),
    "/app.js": answer("text/javascript", APP),
    "/list.json": answer("application/json", '[["/pump", "heat pump"], ["/again", "more"]]'),
    "/secret.json": answer("application/json", "[]"),
    "/elsewhere.json": b"HTTP/1.1 302 Found\r\nLocation: /list.json\r\nContent-Length: 0\r\n\r\n",
    "/pump": page("/", words="a heat pump for every house, told at some length " * 9),
}
OPTIONS = {"render": True, "chromium": CHROMIUM, "warc": True}


def crawled(folder: Path, server: HostileServer, **options: object) -> Outcome:
    session = Session.open(order_of(server.url("/"), **OPTIONS, **options), folder, Limits())
    try:
        session.run()
    finally:
        session.close()
    return Outcome(folder)


Crawled = tuple[Path, HostileServer, Outcome, int]
"""Folder, server and outcome of a crawl, and how often was asked before it was resumed."""


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    """Crawl two pages, then take the crawl up and let it come to its end."""
    if not CHROMIUM:
        pytest.skip("no Chromium")
    folder = tmp_path_factory.mktemp("rendered")
    with HostileServer(SITE) as server:
        crawled(folder, server, budget=2)
        before = len(server.log)
        outcome = crawled(folder, server, budget=50)
        yield folder, server, outcome, before


@needs_browser
def test_rendered_words_and_links_replace_those_of_the_shell(crawl: Crawled) -> None:
    folder, server, outcome, _ = crawl
    assert {url.removeprefix(server.origin) for url in outcome.urls} == {"/", "/pump", "/again"}
    assert outcome.title(server.url("/")) == "Shop of /"
    assert outcome.title("/again") == "Shop of /again"
    with sqlite3.connect(folder / "ledger.sqlite") as ledger:
        (number,) = ledger.execute("SELECT count(*) FROM pages WHERE status = 'ok'").fetchone()
    ledger.close()
    assert number == 3


@needs_browser
def test_only_pages_that_need_it_are_rendered(crawl: Crawled) -> None:
    _, server, outcome, _ = crawl
    assert outcome.reason(server.url("/")) == "rendered"
    assert outcome.reason("/again") == "rendered"
    assert outcome.reason("/pump") == ""


@needs_browser
def test_nothing_is_fetched_that_adds_no_words(crawl: Crawled) -> None:
    _, server, _, _ = crawl
    assert not {"/style.css", "/icon.png", "/picture.png", "/favicon.ico"} & set(server.paths)
    data = [asked for asked in server.log if asked.path == "/list.json"]
    assert {asked.headers["x-wanted"] for asked in data if "x-wanted" in asked.headers} == {"yes"}
    agents = {asked.headers["user-agent"] for asked in server.log}
    assert len(agents) == 1
    assert agents.pop().startswith("foragers/")


@needs_browser
def test_robots_txt_holds_for_what_scripts_ask_for(crawl: Crawled) -> None:
    assert "/secret.json" not in crawl[1].paths
    assert "/elsewhere.json" in crawl[1].paths


@needs_browser
def test_a_host_is_asked_one_thing_at_a_time(crawl: Crawled) -> None:
    log = sorted(crawl[1].log, key=lambda asked: asked.start)
    assert all(before.end <= after.start for before, after in pairwise(log))


@needs_browser
def test_no_page_is_fetched_again_when_the_crawl_goes_on(crawl: Crawled) -> None:
    _, server, _, before = crawl
    assert 0 < before < len(server.log)
    assert [server.paths.count(path) for path in ("/", "/pump", "/again")] == [1, 1, 1]


@needs_browser
def test_the_archive_holds_what_came_and_what_became_of_it(crawl: Crawled) -> None:
    folder, server, _, _ = crawl
    (path,) = (folder / "warc").glob("*.warc.gz")
    records = {}
    with path.open("rb") as file:
        for record in ArchiveIterator(file, check_digests="raise"):
            key = record.rec_type, record.rec_headers["WARC-Target-URI"]
            records[key] = record.rec_headers, record.content_stream().read()
    response, shell = records["response", server.url("/")]
    conversion, dom = records["conversion", server.url("/")]
    assert shell == SHELL.encode()
    assert b'<a href="/pump">heat pump</a>' in dom
    assert conversion["WARC-Refers-To"] == response["WARC-Record-ID"]
    assert conversion["Content-Type"] == "text/html; charset=utf-8"
    assert [kind for kind, _ in records].count("conversion") == 2
    with path.open("rb") as file:
        kept = FastIterator(file, parse_http=False, record_types=WarcRecordType.conversion)
        assert [record.verify_block_digest() for record in kept] == [True, True]


@needs_browser
def test_a_page_is_kept_as_it_came_when_there_is_no_browser_for_it(tmp_path: Path) -> None:
    with HostileServer(SITE) as server:
        session = Session.open(order_of(server.url("/")), tmp_path, Limits())
        try:
            terms = RenderOptions("foragers/test", chromium="no-such-browser")
            queue = session.live.downloads.renderer
            assert isinstance(queue, RenderQueue)
            queue.renderers = (Renderer(terms),)
            session.run()
        finally:
            session.close()
    outcome = Outcome(tmp_path)
    assert outcome.urls == [server.url("/")]
    assert (outcome.status("/"), outcome.title("/")) == ("ok", "Loading")
    assert outcome.reason("/").startswith("not rendered: --chromium no-such-browser: there is no")


@needs_browser
def test_a_browser_that_is_not_there_is_missed_before_anything_is_written(tmp_path: Path) -> None:
    order = order_of("http://127.0.0.1:9/", render=True, chromium="no-such-browser")
    with pytest.raises(UsageError, match="--chromium no-such-browser"):
        Session.open(order, tmp_path)
    assert not (tmp_path / "crawl.json").exists()


def test_a_missing_playwright_is_named_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foragers.rendering.client.find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"pip install 'foragers\[render\]'"):
        Session.open(order_of("http://127.0.0.1:9/", render=True), tmp_path)
