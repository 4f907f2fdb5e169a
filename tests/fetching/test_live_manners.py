"""Politeness, proved from what the server saw."""

from __future__ import annotations

import time
from collections.abc import Callable
from email.utils import formatdate
from pathlib import Path

import pytest

from support.crawling import crawl, gaps, serving
from support.hostile_server import (
    ALLOW_ALL,
    Answer,
    Asked,
    Connection,
    HostileServer,
    page,
    redirect,
    reply,
)

SLACK = 0.02
"""The server notes the end of an answer a little after the crawler has it."""


def busy(*, times: int, status: str = "503 Busy", **headers: str) -> Callable[[Connection], None]:
    """Return an answer that is to be had only after some attempts."""

    def answer(connection: Connection) -> None:
        refused = connection.count < times
        connection.send(reply(b"<p>busy", status, **headers) if refused else page(words="here"))

    return answer


def overlaps(log: list[Asked]) -> bool:
    return any(gap < 0 for gap in gaps(log))


def test_requests_to_a_host_are_one_at_a_time_with_a_pause_between(tmp_path: Path) -> None:
    site = {f"/{n}": page(f"/{n + 1}", "/moved") for n in range(6)}
    with serving({**site, "/moved": redirect("/to"), "/to": page()}) as server:
        crawl(tmp_path, server.url("/"), delay=0.1)
        assert server.paths[0] == "/robots.txt"
        assert len(server.log) == 11
        assert min(gaps(server.log)) >= 0.1 - SLACK
        assert len({asked.connection for asked in server.log}) == 1


def test_hosts_at_one_address_share_their_turn(tmp_path: Path) -> None:
    def slow(connection: Connection) -> None:
        time.sleep(0.02)
        connection.send(page("/1", "/2"))

    site: dict[str, Answer] = {"/robots.txt": ALLOW_ALL, "*": slow}
    with HostileServer(site) as one, HostileServer(site) as two, HostileServer(site) as three:
        servers = one, two, three
        crawl(tmp_path, *(server.url("/") for server in servers), delay=0.05)
        log = [asked for server in servers for asked in server.log]
        assert len(log) == 12
        assert not overlaps(log)
        assert min(gaps(log)) >= 0.05 - SLACK


def test_hosts_at_different_addresses_do_not_wait_for_each_other(tmp_path: Path) -> None:
    site = {f"/{n}": page() for n in range(5)}
    with serving(site) as one, serving(site, address="127.0.0.2") as two:
        crawl(tmp_path, one.url("/"), two.url("/"), delay=0.2)
        assert len(one.log) == len(two.log) == 7
        assert one.log[0].start < two.log[-1].end
        assert two.log[0].start < one.log[-1].end


def test_slow_hosts_are_asked_more_seldom(tmp_path: Path) -> None:
    def slow(connection: Connection) -> None:
        time.sleep(0.2)
        connection.send(page("/b", words=connection.path))

    with serving({"/a": slow, "/b": slow}) as server:
        crawl(tmp_path, server.url("/a"), delay=0.01)
        *_, a, b = server.log
        assert b.start - a.end > 0.12


@pytest.mark.parametrize("status", ["503 Busy", "429 Too Many"])
def test_a_server_that_asks_for_a_short_pause_gets_it_and_is_asked_again(
    status: str, tmp_path: Path
) -> None:
    with serving({"/it": busy(times=1, status=status, retry_after="1")}) as server:
        outcome = crawl(tmp_path, server.url("/it"), server.url("/other"))
        assert (outcome.status("/it"), outcome.title("/it")) == ("ok", "here")
        first = next(asked for asked in server.log if asked.path == "/it")
        after = [asked for asked in server.log if asked.start > first.start]
        assert min(asked.start for asked in after) - first.end >= 1 - SLACK


def test_a_date_to_come_back_at_is_understood(tmp_path: Path) -> None:
    def answer(connection: Connection) -> None:
        when = formatdate(time.time() + 2, usegmt=True)
        busy(times=1, retry_after=when)(connection)

    with serving({"/it": answer}) as server:
        assert crawl(tmp_path, server.url("/it")).status("/it") == "ok"
        first, second = (asked for asked in server.log if asked.path == "/it")
        assert second.start - first.end >= 0.9


def test_a_host_that_asks_for_a_long_pause_is_left_alone_and_the_crawl_ends(tmp_path: Path) -> None:
    with serving({"/it": busy(times=9, retry_after="7200")}) as server:
        outcome = crawl(tmp_path, server.url("/it"), server.url("/other"))
        assert outcome.status("/it") == "failed"
        assert outcome.reason("/it") == "503; to be asked again"
        assert server.paths == ["/robots.txt", "/it"]
        assert "a pause of" in outcome.stopped


@pytest.mark.parametrize(
    "value", ["-5", "soon", "²", "9" * 400, "Wed, 99 Foo 99999 99:99:99 GMT", ""]
)
def test_nonsense_to_come_back_at_does_not_matter(value: str, tmp_path: Path) -> None:
    with serving({"/it": busy(times=1, status="200 OK", retry_after=value)}) as server:
        assert crawl(tmp_path, server.url("/it")).status("/it") == "ok"


def test_pauses_after_failures_double(tmp_path: Path) -> None:
    with serving({"/it": busy(times=9)}) as server:
        outcome = crawl(tmp_path, server.url("/it"), backoff=0.1)
        assert (outcome.status("/it"), outcome.reason("/it")) == ("failed", "503")
        tried = [asked for asked in server.log if asked.path == "/it"]
        assert len(tried) == 5
        for pause, least in zip(gaps(tried), (0.2, 0.4, 0.8, 1.6), strict=True):
            assert pause >= least - SLACK


@pytest.mark.parametrize("status", ["429 Too Many", "503 Busy"])
def test_the_pace_that_a_host_can_bear_is_found_and_no_page_is_lost(
    status: str, tmp_path: Path
) -> None:
    served: list[float] = []

    def answer(connection: Connection) -> None:
        served[:] = [moment for moment in served if moment > time.time() - 1]
        if len(served) >= 4:
            connection.send(reply(b"", status))
            return
        served.append(time.time())
        connection.send(page(words=connection.path))

    site = {f"/{n}": answer for n in range(12)}
    with serving(site) as server:
        outcome = crawl(tmp_path, *(server.url(path) for path in site), backoff=0.3)
        assert {outcome.status(path) for path in site} == {"ok"}
        assert len(server.log) < 1 + 2 * len(site)


def test_the_crawl_delay_of_robots_txt_is_kept_from_the_first_page_on(tmp_path: Path) -> None:
    rules = reply(b"User-agent: *\nCrawl-delay: 0.4\n", kind="text/plain")
    with serving({"/robots.txt": rules, "/a": page(), "/b": page()}) as server:
        crawl(tmp_path, server.url("/a"), server.url("/b"), delay=0.1)
        assert len(server.log) == 3
        assert min(gaps(server.log)) >= 0.4 - SLACK


def test_our_own_delay_is_kept_where_it_is_longer(tmp_path: Path) -> None:
    rules = reply(b"User-agent: *\nCrawl-delay: 0.1\n", kind="text/plain")
    with serving({"/robots.txt": rules, "/a": page(), "/b": page()}) as server:
        crawl(tmp_path, server.url("/a"), server.url("/b"), delay=0.3)
        assert min(gaps(server.log)) >= 0.3 - SLACK


def test_a_connection_that_breaks_is_not_asked_again_without_a_pause(tmp_path: Path) -> None:
    def closes(connection: Connection) -> None:
        connection.close()

    with serving({"/a": page(), "/it": closes, "/b": page()}) as server:
        seeds = [server.url(path) for path in ("/a", "/it", "/b")]
        outcome = crawl(tmp_path, *seeds, delay=0.1)
        assert outcome.reason("/it").startswith("connection lost")
        assert server.paths.count("/it") == 3
        assert min(gaps(server.log)) >= 0.1 - SLACK


def test_pages_that_are_not_asked_for_cost_no_time(tmp_path: Path) -> None:
    rules = reply(b"User-agent: *\nDisallow: /no\n", kind="text/plain")
    links = [f"/no/{n}" for n in range(500)]
    with serving({"/robots.txt": rules, "/": page(*links)}) as server:
        begun = time.monotonic()
        outcome = crawl(tmp_path, server.url("/"), delay=1.0)
        assert len(outcome.urls) == 501
        assert time.monotonic() - begun < 300, "not the 500 s of 500 pauses"


def test_the_crawler_says_who_it_is(tmp_path: Path) -> None:
    with serving({}) as server:
        crawl(tmp_path, server.url("/"), user_agent="Bee/1.0", contact="mail@bee.test")
        assert {asked.headers["user-agent"] for asked in server.log} == {"Bee/1.0 (+mail@bee.test)"}
