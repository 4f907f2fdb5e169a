"""Crawls with a process that fetches for them (`--workers 1`)."""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
import threading
import time
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from foragers.core.packing import unpacked
from foragers.crawling import build
from foragers.crawling.build import FetcherSetup, StrategyNeeds
from foragers.crawling.nodes.fetcher import downloads_of
from foragers.crawling.session import Session
from foragers.crawling.settings import DEFAULT_SETTINGS
from foragers.errors import FetcherError, UsageError
from foragers.fetching.remote.local import ANOTHER, ENDED, FetchProcess, LocalDownloads
from foragers.fetching.remote.pipe import MessagePipe
from foragers.storage.warc.writer import locked
from support.crawling import LIMITS, Outcome, crawl, gaps, order_of, serving
from support.hostile_server import NOT_FOUND, Connection, page, redirect, reply
from support.killed_crawls import PAGES, check_warc, site, started, visits

COLUMNS = "url, final, status, reason, title, depth, parent, relevance"
DELAY = 0.4
KILL = signal.SIGKILL


def fetcher_of(session: Session) -> LocalDownloads:
    downloads = session.live.downloads
    assert isinstance(downloads, LocalDownloads)
    return downloads


def kill_soon(begun: threading.Event, session: Session) -> None:
    """Kill the process that fetches when a request has begun."""
    begun.wait(60)
    os.kill(fetcher_of(session).process.pid, KILL)


def rows(folder: Path) -> list[tuple[object, ...]]:
    """Return the visits with text and links, without their times."""
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as ledger:
        told = ledger.execute(f"SELECT {COLUMNS} FROM pages ORDER BY number").fetchall()
        words = ledger.execute("SELECT words FROM visits ORDER BY number").fetchall()
    return [(*row, held and unpacked(held)) for row, (held,) in zip(told, words, strict=True)]


def test_one_connection_finds_the_same_as_without_a_process(tmp_path: Path) -> None:
    web = {
        "/a": page("/b", "/moved", "/gone", words="solar panels on a roof"),
        "/b": page("/a", "/secret/c", words="other words about a roof"),
        "/moved": redirect("/there"), "/there": page("/b", words="this is there"),
        "/again": redirect("/there"), "/gone": NOT_FOUND, "/secret/c": page(),
        "/robots.txt": reply(b"User-agent: *\nDisallow: /secret", kind="text/plain"),
    }  # fmt: skip
    with serving(web) as server:
        for workers in (0, 1):
            crawl(tmp_path / str(workers), server.url("/"), concurrency=1, workers=workers,
                  warc=True, traps=True, strategy="auto")  # fmt: skip
        asked = Counter(server.paths)
    assert rows(tmp_path / "0") == rows(tmp_path / "1")
    assert set(asked.values()) == {2}, "each once by both"
    assert check_warc(tmp_path / "0") == check_warc(tmp_path / "1")


def test_the_process_that_fetches_loads_no_strategy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = order_of("http://127.0.0.1:9/", strategy="best-first", warc=True)
    setup = FetcherSetup(options, StrategyNeeds.of(options), tmp_path, LIMITS, DEFAULT_SETTINGS)
    monkeypatch.setattr(build, "info", None)
    downloads = downloads_of(setup, None)
    downloads.close()
    assert not downloads.extractor.described, "best-first does not read the words around links"


def test_a_process_that_is_killed_loses_nothing_and_hurries_no_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts: list[float] = []
    start = FetchProcess.start

    def noted(process: FetchProcess) -> MessagePipe:
        starts.append(time.monotonic())
        return start(process)

    monkeypatch.setattr(FetchProcess, "start", noted)
    moments: list[float] = []
    with serving({f"/{n}": page(words=f"page {n}") for n in range(10)}) as server:
        order = order_of(server.url("/"), workers=1, warc=True, delay=DELAY)
        session = Session.open(order, tmp_path, LIMITS)
        killed: list[int] = []
        said: list[str] = []
        try:
            for _ in session.steps():
                said += session.notices()
                if len(session.ledger) in (3, 6) and len(killed) < len(session.ledger) // 3:
                    killed.append(fetcher_of(session).process.pid)
                    moments.append(time.monotonic())
                    os.kill(killed[-1], KILL)
        finally:
            session.close()
        log = list(server.log)
    assert len(set(killed)) == 2
    assert said.count(ANOTHER) == 2
    found = [url for url, _, status in visits(tmp_path) if status == "ok"]
    assert len(found) == len(set(found)) == 11
    assert min(gaps(log)) > 0.9 * DELAY, "also over the death of the process"
    assert all(later >= at + DELAY for at, later in zip(moments, starts[1:], strict=True))
    assert set(check_warc(tmp_path)) >= set(found)


def test_a_request_under_way_when_the_process_is_killed_is_sent_again(tmp_path: Path) -> None:
    begun = threading.Event()

    def slow(connection: Connection) -> None:
        if begun.is_set():
            connection.send(page(words="at last"))
        else:
            begun.set()
            time.sleep(0.3)

    with serving({"/slow": slow}) as server:
        order = order_of(server.url("/slow"), workers=1)
        session = Session.open(order, tmp_path, LIMITS)
        killer = threading.Thread(target=kill_soon, args=(begun, session))
        killer.start()
        with closing(session):
            session.run()
        killer.join()
        assert server.paths.count("/slow") == 2
    assert Outcome(tmp_path).status("/slow") == "ok"


@pytest.mark.parametrize("then", [0, 1])
def test_the_process_ends_with_a_crawl_that_is_killed(then: int, tmp_path: Path) -> None:
    with serving(site(0)) as server:
        process = started(tmp_path, [server], workers=1)
        while len(visits(tmp_path)) < 20:
            time.sleep(0.01)
        process.kill()
        process.communicate()
        process = started(tmp_path, [server], workers=then)
        assert process.communicate()[0] == "there is nothing left to fetch\n"
        asked = Counter(path for path in server.paths if path != "/robots.txt")
    found = [final for _, final, status in visits(tmp_path) if status == "ok"]
    assert len(found) == len(set(found)) >= PAGES
    assert sum(asked.values()) - len(asked) <= 4, "only what was under way is fetched again"
    assert set(check_warc(tmp_path)) >= set(found)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_crawl_with_a_process_is_interrupted_in_order(number: int, tmp_path: Path) -> None:
    with serving(site(0)) as server:
        process = started(tmp_path, [server], workers=1)
        while len(server.paths) < 20:
            time.sleep(0.01)
        process.send_signal(number)
        assert process.communicate(timeout=30)[0] == "interrupted\n"
        assert process.returncode == 0
    os.close(locked(tmp_path / "warc"))  # nobody else writes there
    check_warc(tmp_path)
    assert 0 < len(visits(tmp_path)) < PAGES


@pytest.fixture
def ending(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    return "support.ending_fetcher"


def test_a_page_that_ends_the_process_fails_and_others_do_not(ending: str, tmp_path: Path) -> None:
    with serving({"/poison": page(), **{f"/{n}": page() for n in range(5)}}) as server:
        session = Session.open(order_of(server.url("/"), workers=1), tmp_path, LIMITS)
        fetcher_of(session).process.module = ending
        with closing(session):
            session.run()
    outcome = Outcome(tmp_path)
    assert (outcome.status("/poison"), outcome.reason("/poison")) == ("failed", ENDED)
    assert [outcome.status(f"/{n}") for n in range(5)] == ["ok"] * 5


def test_a_process_that_does_not_start_is_one_line(tmp_path: Path) -> None:
    with serving({"/a": page()}) as server:
        session = Session.open(order_of(server.url("/"), workers=1), tmp_path, LIMITS)
        fetcher_of(session).process.module = "foragers.nowhere"
        with closing(session), pytest.raises(FetcherError, match="does not start; leave the op"):
            session.run()
        assert server.paths == []


def test_what_keeps_the_process_from_writing_is_one_line(tmp_path: Path) -> None:
    with serving({"/a": page()}) as server:
        session = Session.open(
            order_of(server.url("/"), workers=1, warc=True), tmp_path, LIMITS,
            replace(DEFAULT_SETTINGS, warc_patience=0.0),
        )  # fmt: skip
        lock = locked(tmp_path / "warc")
        with closing(session), pytest.raises(FetcherError, match="is being written by another"):
            session.run()
        os.close(lock)
        assert crawl(tmp_path, server.url("/"), workers=1, warc=True).status("/a") == "ok"


def test_private_addresses_are_refused_in_the_process_too(tmp_path: Path) -> None:
    with serving({"/a": page()}) as server:
        outcome = crawl(tmp_path, server.url("/a"), workers=1, allow_private=())
        assert server.paths == []
    assert outcome.status("/a") == "skipped"


def test_a_process_and_a_browser_or_nodes_exclude_each_other() -> None:
    for other in ({"render": True}, {"cluster": "nodes", "ledger": "postgresql://a@b/c"}):
        with pytest.raises(UsageError, match="exclude each other; leave one of them out"):
            order_of("http://a.example/", workers=1, **other).check()
    with pytest.raises(UsageError, match="workers"):
        order_of("http://a.example/", workers=2).check()
