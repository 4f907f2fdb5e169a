"""Pages that could not be had for now: asked for again later, also by a crawl taken up again."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

import pytest

from foragers.crawling.session import Session
from foragers.crawling.settings import SessionSettings
from foragers.fetching.settings import FetchSettings, RobotsSettings, ThrottleSettings
from foragers.reports.crawl_folder import opened
from foragers.reports.retell import visit_row
from support.crawling import LIMITS, crawl, order_of, serving
from support.hostile_server import (
    ALLOW_ALL,
    Answer,
    Connection,
    HostileServer,
    page,
    redirect,
    reply,
)

LATER = "; to be asked again"


def rows(folder: Path) -> list[tuple[str, str]]:
    """Return the path and status of all visits, in order."""
    with sqlite3.connect(folder / "ledger.sqlite") as ledger:
        found = ledger.execute("SELECT url, status FROM pages ORDER BY number").fetchall()
    ledger.close()
    return [("/" + url.split("/", 3)[3], status) for url, status in found]


def failing_at_first(times: int, answer: bytes = ALLOW_ALL, **headers: str) -> Answer:
    def robots(connection: Connection) -> None:
        busy = reply(b"", "503 Busy", **headers)
        connection.send(busy if connection.count < times else answer)

    return robots


def asking_again_after(seconds: float) -> SessionSettings:
    """Return settings by which a robots.txt that failed is soon requested again."""
    return SessionSettings(FetchSettings(robots=RobotsSettings(retry=seconds)))


def test_pages_whose_rules_cannot_be_had_are_asked_for_again_in_time(tmp_path: Path) -> None:
    site = {"/robots.txt": failing_at_first(3), "/a": page("/b"), "/b": page()}
    with serving(site) as server:
        outcome = crawl(tmp_path, server.url("/a"), settings=asking_again_after(0.3))
        assert rows(tmp_path) == [("/a", "skipped"), ("/a", "ok"), ("/b", "ok")]
        assert outcome.stopped == "there is nothing left to fetch"
        assert server.paths.count("/robots.txt") == 4


def test_rules_that_are_never_to_be_had_end_the_crawl(tmp_path: Path) -> None:
    settings = asking_again_after(0.1)
    with serving({"/robots.txt": failing_at_first(999), "/a": page()}) as server:
        crawl(tmp_path, server.url("/a"), backoff=0.0001, settings=settings)
        assert rows(tmp_path) == [("/a", "skipped")] * 4
        assert "/a" not in server.paths


def reworded(folder: Path) -> None:
    """Say in other words why pages are deferred: no code may depend on the words."""
    connection = sqlite3.connect(folder / "ledger.sqlite")
    with connection:
        connection.execute("UPDATE visits SET reason = 'vielleicht spaeter'")
    connection.close()


@pytest.mark.parametrize("keep", [True, False], ids=["checkpoint", "ledger alone"])
def test_pages_whose_rules_could_not_be_had_are_asked_for_when_the_crawl_goes_on(
    keep: bool, tmp_path: Path
) -> None:
    site = {"/robots.txt": failing_at_first(3), "/a": page("/b"), "/b": page()}
    with serving(site) as server:
        first = crawl(tmp_path, server.url("/a"))
        assert "deferred for 30 minutes or more" in first.stopped
        assert first.reason("/a") == "robots.txt could not be fetched: 503" + LATER
        with opened(tmp_path) as folder:
            deferred = visit_row(folder, 1)
        assert deferred.retry_at is not None
        assert 1700 < deferred.retry_at - deferred.time <= 1800
        if not keep:
            (tmp_path / "checkpoint").unlink()
            reworded(tmp_path)
        crawl(tmp_path, server.url("/a"))
        assert rows(tmp_path) == [("/a", "skipped"), ("/a", "ok"), ("/b", "ok")]


def test_a_private_address_is_not_asked_for_again(tmp_path: Path) -> None:
    moved = redirect("http://127.0.0.2:1/robots.txt")
    with HostileServer({"/robots.txt": moved}) as server:
        allowed = (f"127.0.0.1:{server.port}",)
        outcome = crawl(tmp_path, server.url("/"), allow_private=allowed)
        assert "private address" in outcome.reason("/")
        assert not outcome.reason("/").endswith(LATER)
        assert outcome.stopped == "there is nothing left to fetch"


def busy_once(wait: str) -> Answer:
    def answer(connection: Connection) -> None:
        busy = reply(b"", "429 Too Many", retry_after=wait)
        connection.send(page("/next") if connection.count else busy)

    return answer


def test_a_page_is_asked_for_again_after_a_long_pause(tmp_path: Path) -> None:
    settings = SessionSettings(FetchSettings(throttle=ThrottleSettings(max_wait=0.5)))
    with serving({"/it": busy_once("1"), "/next": page()}) as server:
        crawl(tmp_path, server.url("/it"), settings=settings)
        assert rows(tmp_path) == [("/it", "refused"), ("/it", "ok"), ("/next", "ok")]
        first, second = (asked for asked in server.log if asked.path == "/it")
        assert second.start - first.end >= 0.95


def test_a_long_pause_is_kept_when_the_crawl_goes_on(tmp_path: Path) -> None:
    with serving({"/it": busy_once("3600"), "/other": page()}) as server:
        seeds = server.url("/it"), server.url("/other")
        for _ in range(3):
            outcome = crawl(tmp_path, *seeds)
            assert "a pause of 60 minutes" in outcome.stopped
        assert server.paths == ["/robots.txt", "/it"], "it is not asked for anything"


def test_the_crawl_says_who_asks_to_be_left_alone_and_until_when(tmp_path: Path) -> None:
    with serving({"/it": busy_once("7200")}) as server:
        session = Session.open(order_of(server.url("/it")), tmp_path, LIMITS)
        try:
            session.run()
            (left,) = session.left_alone
        finally:
            session.close()
        assert left.host == f"127.0.0.1:{server.port}"
        assert left.pages == 1
        assert abs(left.until - time.time() - 7200) < 60


def test_one_host_that_wants_to_be_left_alone_does_not_hold_up_others(tmp_path: Path) -> None:
    site = {f"/{n}": page() for n in range(5)}
    with serving({"/it": busy_once("3600")}) as one, serving(site, address="127.0.0.2") as two:
        outcome = crawl(tmp_path, one.url("/it"), two.url("/"))
        assert sum(row[2] == "ok" for row in outcome.rows.values()) == 6
