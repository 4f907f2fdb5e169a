"""Which options may change when a crawl goes on, and what becomes of pages that were left out."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from foragers.core.options import Target
from foragers.crawling.options import CrawlOptions
from foragers.crawling.session import Session
from foragers.http.messages import Limits
from support.crawl_folders import refused, said
from support.crawling import Outcome, crawl, serving
from support.hostile_server import HostileServer, page, redirect

STRATEGIES = ("breadth-first", "best-first", "auto", "lafc", "energy")


def paths(server: HostileServer) -> Counter[str]:
    return Counter(path for path in server.paths if path != "/robots.txt")


def crawled(
    folder: Path, seed: str, strategy: str, exclude: tuple[str, ...] = (), budget: int = 2000
) -> Outcome:
    """Crawl by a strategy of one's choice, and with an archive."""
    order = CrawlOptions(
        seeds=(seed,),
        aim=Target(topic="tea"),
        strategy=strategy,
        delay=0.0,
        traps=False,
        allow_private=("127.0.0.0/8",),
        exclude=exclude,
        budget=budget,
    )
    session = Session.open(order, folder, Limits())
    try:
        session.run()
    finally:
        session.close()
    return Outcome(folder)


SITE = {
    "/": page("/a", "/deep/b", words="tea"),
    "/a": page("/c", "/deep/d", words="tea"),
    "/c": page(),
    "/deep/b": page("/deep/e"),
    "/deep/d": page(),
    "/deep/e": page(),
}


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("checkpoint", [True, False], ids=["checkpoint", "ledger alone"])
def test_links_that_were_out_of_scope_are_followed_when_they_no_longer_are(
    strategy: str, checkpoint: bool, tmp_path: Path
) -> None:
    with serving(SITE) as server:
        url = server.url("/")
        crawled(tmp_path, url, strategy=strategy, exclude=("/deep/",))
        assert set(paths(server)) == {"/", "/a", "/c"}
        if not checkpoint:
            (tmp_path / "checkpoint").unlink()
        crawled(tmp_path, url, strategy=strategy, budget=4)
        if not checkpoint:  # the ledger alone knows the new links
            (tmp_path / "checkpoint").unlink()
        outcome = crawled(tmp_path, url, strategy=strategy)
        assert paths(server) == Counter(list(SITE))
    assert outcome.status("/deep/e") == "ok"


def test_what_is_out_of_scope_now_is_not_fetched(tmp_path: Path) -> None:
    with serving(SITE) as server:
        crawl(tmp_path, server.url("/"), warc=True, budget=1)
        crawl(tmp_path, server.url("/"), warc=True, exclude=("/deep/",))
        assert set(paths(server)) == {"/", "/a", "/c"}
        crawl(tmp_path, server.url("/"), warc=True)
        assert paths(server) == Counter(list(SITE)), "and can be had again"


def test_a_redirect_out_of_scope_is_followed_when_it_no_longer_is(tmp_path: Path) -> None:
    with serving({"/": page()}, address="127.0.0.2") as other:
        site = {"/": page("/it"), "/it": redirect(other.url("/"))}
        with serving(site) as server:
            first = crawl(tmp_path, server.url("/"), within="host", warc=True)
            assert first.status("/it") == "skipped"
            crawl(tmp_path, server.url("/"), within="any", warc=True)
        assert paths(other) == {"/": 1}


def test_an_address_that_was_private_is_asked_when_it_is_allowed(tmp_path: Path) -> None:
    with serving({"/": page()}, address="127.0.0.2") as other:
        with serving({"/": page(other.url("/"))}) as server:
            url = server.url("/")
            crawl(tmp_path, url, allow_private=("127.0.0.1",))
            assert not other.log
            crawl(tmp_path, url, allow_private=("127.0.0.0/8",))
            assert paths(server) == {"/": 1}
        assert paths(other) == {"/": 1}


def test_without_an_archive_only_what_was_skipped_comes_back(tmp_path: Path) -> None:
    with serving(SITE) as server:
        crawl(tmp_path, server.url("/"), exclude=("/deep/",))
        crawl(tmp_path, server.url("/"))
        assert set(paths(server)) == {"/", "/a", "/c"}


def test_a_folder_without_downloads_is_begun_anew_with_any_options(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving({"/a": page()}) as server:
        options = ("--delay", 0, "--out", tmp_path / "it")
        said(capsys, "crawl", "http://127.0.0.1:1/", "--topic", "tea", *options)
        private = ("--allow-private", "127.0.0.1", "--strategy", "best-first")
        code, _, err = said(capsys, "crawl", server.url("/"), *private, *options)
        assert code == 0, err
        assert set(paths(server)) == {"/", "/a"}
        outcome = Outcome(tmp_path / "it")
        assert set(outcome.urls) == {server.url("/"), server.url("/a")}
        line = refused(capsys, "crawl", server.url("/a"), *private, *options)
        assert "holds a crawl with another first URLs, which cannot change" in line
        assert "choose another folder" in line
