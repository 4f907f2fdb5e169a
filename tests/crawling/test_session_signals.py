"""Signals are heard at once, whatever a crawl waits for; and clocks that jump."""

from __future__ import annotations

import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from foragers.core import clock
from foragers.http.messages import Limits
from support.crawling import crawl, serving
from support.hostile_server import Answer, Connection, page
from support.waiting import LONG, until

DELAY = 60
"""Seconds that a crawl would wait if it did not hear."""
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.fixture(autouse=True)
def heard() -> Iterator[None]:
    """Let crawls hear SIGHUP also where these tests are run with nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


def command(folder: Path, *seeds: str, **options: object) -> list[str]:
    given = {"allow-private": "127.0.0.0/8", "delay": 0, "scope": "any", **options}
    words = [f"--{name}={value}" for name, value in given.items()]
    return [sys.executable, "-m", "foragers.cli.main", "crawl", *seeds, f"--out={folder}", *words]


def interrupted(
    started: list[str], number: int, waiting: Callable[[], object]
) -> tuple[int, str, float]:
    """Start a crawl, interrupt it when it waits; return its code, words and how long it took."""
    process = subprocess.Popen(started, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        until(lambda: process.poll() is not None or waiting())
        assert process.poll() is None
        time.sleep(0.3)
        begun = time.monotonic()
        process.send_signal(number)
        said = process.communicate(timeout=LONG)[0]
        return process.returncode, said, time.monotonic() - begun
    finally:
        process.kill()
        process.wait()


def rows(folder: Path) -> list[str]:
    try:
        with closing(sqlite3.connect(folder / "ledger.sqlite")) as ledger:
            found = ledger.execute("SELECT url FROM pages ORDER BY number").fetchall()
    except sqlite3.Error:
        return []
    return [url for (url,) in found]


@pytest.mark.parametrize("number", SIGNALS)
def test_a_crawl_that_waits_for_its_delay_hears_a_signal(number: int, tmp_path: Path) -> None:
    with serving({"/a": page("/b"), "/b": page()}) as server:
        started = command(tmp_path, server.url("/a"), delay=DELAY)
        code, said, took = interrupted(started, number, lambda: "/robots.txt" in server.paths)
        assert code == 130
        assert "interrupted" in said
        assert took < DELAY - 10
        assert (tmp_path / "checkpoint").exists()


def test_a_crawl_that_was_started_with_nohup_goes_on(tmp_path: Path) -> None:
    def slow(connection: Connection) -> None:
        time.sleep(0.7)
        connection.send(page())

    with serving(
        {"/a": page(*(f"/{n}" for n in range(3))), **{f"/{n}": slow for n in range(3)}}
    ) as server:
        started = ["nohup", *command(tmp_path, server.url("/a"))]
        code, said, _ = interrupted(started, signal.SIGHUP, lambda: "/0" in server.paths)
        assert code == 0
        assert "nothing left to fetch" in said
        assert len(rows(tmp_path)) == 4


def test_a_crawl_in_a_tls_handshake_hears_a_signal(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.setblocking(False)
        accepted = []

        def connected() -> bool:
            try:
                accepted.append(silent.accept())
            except BlockingIOError:
                return bool(accepted)
            return True

        url = f"https://127.0.0.1:{silent.getsockname()[1]}/"
        code, _, took = interrupted(command(tmp_path, url), signal.SIGTERM, connected)
        for connection, _ in accepted:
            connection.close()
    assert code == 130
    assert took < Limits().connect - 1, "the handshake was not given up first"


def test_a_crawl_ends_when_nothing_is_left_though_it_has_time(tmp_path: Path) -> None:
    with serving({"/a": page("/b"), "/b": page()}) as server:
        begun = time.monotonic()
        outcome = crawl(tmp_path, server.url("/a"), minutes=LONG)
        assert outcome.stopped == "there is nothing left to fetch"
        assert time.monotonic() - begun < LONG


def test_a_clock_that_is_set_ends_no_crawl_and_shortens_no_pause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, jump = time.time, [0.0]
    monkeypatch.setattr(time, "time", lambda: real() + jump[0])

    def set_clock(connection: Connection) -> None:
        jump[0] = 1e6
        connection.send(page("/b"))

    def set_back(connection: Connection) -> None:
        jump[0] = -1e6
        connection.send(page("/c"))

    site: dict[str, Answer] = {"/a": set_clock, "/b": set_back, "/c": page()}
    with serving(site) as server:
        outcome = crawl(tmp_path, server.url("/a"), delay=0.4, minutes=5)
        assert outcome.stopped == "there is nothing left to fetch"
        assert [asked.path for asked in server.log] == ["/robots.txt", "/a", "/b", "/c"]
    with sqlite3.connect(tmp_path / "ledger.sqlite") as ledger:
        times = [moment for (moment,) in ledger.execute("SELECT time FROM visits ORDER BY number")]
    ledger.close()
    assert times[0] > real() + 9e5, "dates are of the system"
    assert times[1] < real() - 9e5


def test_steady_time_runs_on_when_the_clock_of_the_system_is_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before, moment = clock.steady(), time.time()
    assert abs(clock.to_system(before) - moment) < 5
    monkeypatch.setattr(time, "time", lambda: moment + 3600)
    assert 0 <= clock.steady() - before < 5
    assert abs(clock.to_system(before + 60) - (moment + 3660)) < 5
    assert abs(clock.from_system(moment + 3660) - (before + 60)) < 5
