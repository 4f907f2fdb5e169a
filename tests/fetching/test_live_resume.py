"""What a crawl that is taken up again must still know."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Generator
from pathlib import Path

import pytest

from foragers.core.options import Target
from foragers.crawling.options import CrawlOptions
from foragers.crawling.session import Session
from foragers.http.messages import Limits
from support.crawling import LIMITS, LOOPBACK, crawl, end_as_if_killed, order_of, serving
from support.hostile_server import Connection, page, reply
from support.waiting import LONG


def killed(folder: Path, order: CrawlOptions, visits: int) -> None:
    """Crawl for a while and end as a kill does: without a word, and without a checkpoint."""
    session = Session.open(order, folder, LIMITS)
    for _ in session.steps():
        if len(session.ledger) >= visits:
            break
    end_as_if_killed(session)
    assert not (folder / "checkpoint").exists()


def opened(folder: Path, order: CrawlOptions) -> Session:
    return Session.open(order, folder, LIMITS)


def rows(folder: Path, query: str) -> list[tuple[object, ...]]:
    ledger = sqlite3.connect(folder / "ledger.sqlite")
    found = ledger.execute(query).fetchall()
    ledger.close()
    return found


@pytest.mark.parametrize("dies", [False, True])
def test_pages_that_were_skipped_cost_no_budget_afterwards_either(
    dies: bool, tmp_path: Path
) -> None:
    rules = reply(b"User-agent: *\nDisallow: /no\n", kind="text/plain")
    links = [path for n in range(12) for path in (f"/no/{n}", f"/yes/{n}")]
    site = {f"/yes/{n}": page(words=f"page {n}") for n in range(12)}
    with serving({"/robots.txt": rules, "/": page(*links), **site}) as server:
        if dies:
            killed(tmp_path, order_of(server.url("/"), budget=5), 9)
        else:
            crawl(tmp_path, server.url("/"), budget=5)
        assert rows(tmp_path, "SELECT 1 FROM visits WHERE status = 'skipped'")
        outcome = crawl(tmp_path, server.url("/"), budget=10)
        assert outcome.stopped == "the budget of 10 downloads is spent"
        fetched = rows(tmp_path, "SELECT count(*) FROM visits WHERE status <> 'skipped'")
        assert fetched == [(10,)]
        assert len([path for path in server.paths if path != "/robots.txt"]) == 10


def news_order(seed: str, budget: int) -> CrawlOptions:
    """Return the order of a crawl that comes back to its seed for news."""
    return CrawlOptions(
        seeds=(seed,), aim=Target(new_within="1d"), strategy="home-page", budget=budget, delay=0.0,
        within="any", allow_private=LOOPBACK, traps=False, warc=False,
    )  # fmt: skip


def test_what_was_news_before_a_crawl_was_killed_is_no_news_after(tmp_path: Path) -> None:
    """A page that goes back and forth between two versions is news twice, not again and again."""

    def swings(connection: Connection) -> None:
        connection.send(page(words=f"version {connection.count % 2}"))

    with serving({"/": swings}) as server:
        killed(tmp_path, news_order(server.url("/"), 2), 2)
        session = opened(tmp_path, news_order(server.url("/"), 5))
        session.run()
        session.close()
    found = rows(tmp_path, "SELECT status, relevant FROM visits ORDER BY number")
    assert found == [("ok", 1), ("ok", 1), ("ok", 0), ("ok", 0), ("ok", 0)]


def test_a_host_that_asked_to_be_left_alone_is_left_alone_afterwards(tmp_path: Path) -> None:
    busy = reply(b"<p>busy", "503 Busy", retry_after="7200")
    with serving({"/it": busy, "/other": page()}) as server:
        crawl(tmp_path, server.url("/it"), server.url("/other"))
        assert server.paths == ["/robots.txt", "/it"]
        outcome = crawl(tmp_path, server.url("/it"), server.url("/other"))
        assert server.paths == ["/robots.txt", "/it"]
        assert "a pause of" in outcome.stopped or "deferred for" in outcome.stopped


@pytest.mark.parametrize("answered", [False, True])
def test_what_was_under_way_is_fetched_and_what_was_answered_is_not_fetched_again(
    answered: bool, tmp_path: Path
) -> None:
    answers = threading.Event()

    def late(connection: Connection) -> None:
        answers.wait(LONG)
        connection.send(page(words=f"late {connection.path}"))

    quick = {f"/{n}": page(words=f"page {n}") for n in range(6)}
    slow = {f"/{n}": late for n in range(6)}
    with serving(quick) as one, serving(slow, address="127.0.0.2") as two:
        order = order_of(one.url("/"), two.url("/"), budget=500)
        session = Session.open(order, tmp_path, Limits(head=LONG, idle=LONG, total=LONG))
        steps = session.steps()
        # All that is quick, the front page of the other, and its first page under way.
        while len(session.ledger) < 8 or not session.live.pending:
            next(steps)
        pending = [choice.url for choice in session.live.pending]
        assert len(pending) == 1
        session.checkpoint()
        if answered:
            answers.set()
        while answered and len(session.ledger) < 10:  # it comes in after the checkpoint
            next(steps)
        assert isinstance(steps, Generator)
        steps.close()
        end_as_if_killed(session)
        answers.set()
        crawl(tmp_path, one.url("/"), two.url("/"), budget=500)
    found = rows(tmp_path, "SELECT url, count(*) FROM visits GROUP BY url")
    assert len(found) == 2 * 7
    assert {times for _, times in found} == {1}
    assert set(pending) <= {url for url, _ in found}


def test_a_host_that_has_given_its_pages_gives_no_more_afterwards(tmp_path: Path) -> None:
    site = {f"/{n}": page(words=f"page {n}") for n in range(9)}
    with serving(site) as server:
        killed(tmp_path, order_of(server.url("/"), per_host=4), 4)
        outcome = crawl(tmp_path, server.url("/"), per_host=4)
        assert "every remaining host has reached its limit of 4 pages" in outcome.stopped
        assert len(outcome.urls) == 4


def test_an_estimate_is_the_same_whether_a_crawl_was_killed_or_not(tmp_path: Path) -> None:
    site = {f"/{n}": page(f"/{n + 1}", f"/{n + 2}", words=f"page {n}") for n in range(40)}
    with serving(site) as server:
        order = order_of(server.url("/"), budget=30)
        whole = opened(tmp_path / "whole", order)
        whole.run()
        killed(tmp_path / "killed", order, 25)
        again = opened(tmp_path / "killed", order)
        again.run()
        assert again.estimate() == whole.estimate()
        assert again.monitor.sightings.downloads == 30
        whole.close()
        again.close()


def test_where_a_seed_redirects_to_is_still_in_scope(tmp_path: Path) -> None:
    """The link that is left leads to a host that only the redirect of the seed allows."""
    pages = {f"/{n}": page(words=f"page {n}") for n in range(6)}
    with serving({"/home": page(*pages, words="home"), **pages}, address="127.0.0.2") as other:
        moved = reply(b"", "302 Found", location=other.url("/home"))
        with serving({"/": moved}) as server:
            killed(tmp_path, order_of(server.url("/"), within="host"), 3)
            outcome = crawl(tmp_path, server.url("/"), within="host")
            assert {outcome.status(path) for path in pages} == {"ok"}
