"""Crawls that are killed, interrupted, locked out or out of room, and taken up again."""

from __future__ import annotations

import fcntl
import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from foragers.crawling.keywords import CrawlKeywords
from foragers.crawling.session import Session
from foragers.errors import UsageError, WriteError
from foragers.storage.ledger.sqlite import SqliteLedger
from support.crawling import LIMITS, crawl, order_of, serving
from support.hostile_server import page
from support.killed_crawls import PAGES, check_warc, site, started, visits

HOSTS = 3


def connection_of(session: Session) -> sqlite3.Connection:
    assert isinstance(session.ledger, SqliteLedger)
    return session.ledger._connection


def test_a_crawl_killed_many_times_loses_nothing(tmp_path: Path) -> None:
    chance = random.Random(7)
    kills = 0
    with ExitStack() as stack:
        servers = [
            stack.enter_context(serving(site(n), address=f"127.0.0.{n + 1}")) for n in range(HOSTS)
        ]
        before = 0
        for _ in range(8):
            process = started(tmp_path, servers)
            time.sleep(chance.uniform(0.005, 0.15))
            process.kill()
            kills += process.wait() == -signal.SIGKILL
            process.communicate()
            assert len(visits(tmp_path)) >= before
            before = len(visits(tmp_path))
        process = started(tmp_path, servers)
        assert process.communicate()[0] == "there is nothing left to fetch\n"
        assert process.returncode == 0
        asked = Counter(server.url(path) for server in servers for path in server.paths)
    assert kills >= 6
    rows = visits(tmp_path)
    expected = {f"{server.origin}/{n}" for server in servers for n in range(1, PAGES)}
    assert expected <= {url for url, _, _ in rows}
    assert max(Counter(url for url, _, _ in rows).values()) == 1
    fetched = [final for _, final, status in rows if status == "ok"]
    assert len(fetched) == len(set(fetched))
    pages = {url: n for url, n in asked.items() if not url.endswith("/robots.txt")}
    again = sum(n - 1 for n in pages.values())
    assert again <= kills * HOSTS * 2, "only what was under way is fetched again"
    assert set(check_warc(tmp_path)) >= set(fetched)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_crawl_that_is_interrupted_ends_in_order_and_goes_on(number: int, tmp_path: Path) -> None:
    with serving(site(0)) as server:
        process = started(tmp_path, [server])
        while len(server.paths) < 20:
            time.sleep(0.01)
        process.send_signal(number)
        assert process.communicate()[0] == "interrupted\n"
        assert process.returncode == 0
        done = len(visits(tmp_path))
        assert 0 < done < PAGES
        check_warc(tmp_path)
        process = started(tmp_path, [server])
        assert process.communicate()[0] == "there is nothing left to fetch\n"
        pages = Counter(path for path in server.paths if path != "/robots.txt")
    assert {f"/{n}" for n in range(1, PAGES)} <= set(pages)
    assert sum(pages.values()) - len(pages) <= 2
    rows = visits(tmp_path)
    assert len(rows) == len({url for url, _, _ in rows}) > PAGES


def test_a_checkpoint_that_is_damaged_is_done_without(tmp_path: Path) -> None:
    with serving(site(0)) as server:
        crawl(tmp_path, server.url("/"), warc=True, budget=40)
        (tmp_path / "checkpoint").write_bytes(b"rubbish")
        crawl(tmp_path, server.url("/"), warc=True, budget=500)
        pages = Counter(path for path in server.paths if path != "/robots.txt")
        assert max(pages.values()) == 1
        assert {f"/{n}" for n in range(1, PAGES)} <= set(pages)


def test_a_checkpoint_that_knows_more_than_the_ledger_is_done_without(tmp_path: Path) -> None:
    with serving({"/a": page("/b"), "/b": page()}) as server:
        crawl(tmp_path, server.url("/"))
        for file in tmp_path.glob("ledger.sqlite*"):
            file.unlink()
        assert crawl(tmp_path, server.url("/")).status("/b") == "ok"
        assert server.paths.count("/b") == 2


@pytest.mark.parametrize(
    "option",
    [
        {"user_agent": "Other/1"},
        {"seed": 7},
        {"traps": True},
        {"warc": True},
    ],
    ids=lambda option: next(iter(option)),
)
def test_a_crawl_is_not_taken_up_with_options_that_contradict(
    option: CrawlKeywords, tmp_path: Path
) -> None:
    with serving({"/a": page()}) as server:
        crawl(tmp_path, server.url("/"), budget=1)
        asked = len(server.log)
        with pytest.raises(UsageError, match="another"):
            crawl(tmp_path, server.url("/"), **option)
        assert len(server.log) == asked
        assert crawl(tmp_path, server.url("/"), budget=9, delay=0.01).status("/a") == "ok"


def test_two_crawls_do_not_share_a_folder(tmp_path: Path) -> None:
    (tmp_path / "warc").mkdir()
    lock = os.open(tmp_path, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(UsageError, match="another crawl"):
            Session.open(order_of("http://127.0.0.1/"), tmp_path)
    finally:
        os.close(lock)


def test_a_crawl_that_cannot_begin_leaves_nothing_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledgers: list[SqliteLedger] = []

    def broken(_crawl: object, _live: object, ledger: SqliteLedger, *_rest: object) -> None:
        ledgers.append(ledger)
        raise UsageError("the ledger is damaged")

    monkeypatch.setattr("foragers.crawling.session.catch_up", broken)
    with pytest.raises(UsageError, match="damaged"):
        Session.open(order_of("http://127.0.0.1/", warc=True), tmp_path)
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        ledgers[0]._connection.execute("SELECT 1")


def test_a_locked_ledger_ends_the_crawl_with_a_line_and_nothing_is_lost(tmp_path: Path) -> None:
    with serving(site(0)) as server:
        session = Session.open(order_of(server.url("/"), warc=True), tmp_path, LIMITS)
        connection_of(session).execute("PRAGMA busy_timeout = 50")
        other = sqlite3.connect(tmp_path / "ledger.sqlite", isolation_level=None)

        def watch(_: object) -> None:
            if len(session.ledger) == 20:
                other.execute("BEGIN IMMEDIATE")

        try:
            with pytest.raises(UsageError, match=r"locked.*start the same crawl again"):
                session.run(watch)
            session.close()
        finally:
            other.close()
        assert len(visits(tmp_path)) == 20
        crawl(tmp_path, server.url("/"), warc=True)
        pages = Counter(path for path in server.paths if path != "/robots.txt")
        assert {f"/{n}" for n in range(1, PAGES)} <= set(pages)
        assert sum(pages.values()) - len(pages) <= 2
    check_warc(tmp_path)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a disk of half a megabyte, where that is allowed."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(disk)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("a small disk cannot be mounted here")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def test_a_full_disk_ends_the_crawl_with_a_line_and_it_goes_on_when_there_is_room(
    small_disk: Path,
) -> None:
    with serving(site(0)) as server:
        folder = small_disk / "crawl"
        told = (
            r"/crawl/(warc/.*gz|ledger.sqlite|addresses) cannot be written: .* make room and start"
        )
        with pytest.raises(WriteError, match=told):
            crawl(folder, server.url("/"), warc=True)
        done = len(visits(folder))
        assert done > 5
        subprocess.run(["mount", "-o", "remount,size=50m", str(small_disk)], check=True)
        crawl(folder, server.url("/"), warc=True)
        pages = Counter(path for path in server.paths if path != "/robots.txt")
        assert {f"/{n}" for n in range(1, PAGES)} <= set(pages)
        assert sum(pages.values()) - len(pages) <= 2
        check_warc(folder)


def test_a_file_that_may_not_grow_is_named_in_one_line(tmp_path: Path) -> None:
    words = " ".join(str(n) for n in range(2000))
    pages = {f"/{n}": page(words=f"{n} {words}") for n in range(60)}
    with serving(pages) as server:
        command = [
            sys.executable, "-m", "foragers.cli.main", "crawl", server.url("/"),
            f"--out={tmp_path / 'crawl'}", "--delay=0", "--no-traps", "--allow-private=127.0.0.0/8",
        ]  # fmt: skip

        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, resource.RLIM_INFINITY))

        ended = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit)
        assert ended.returncode == 1
        (line,) = ended.stderr.splitlines()
        file = line.removeprefix("foragers: ").partition(" cannot be written: ")[0]
        assert Path(file).is_file()
        assert line.endswith(" and start the same crawl again")
        assert subprocess.run(command, capture_output=True).returncode == 0
        asked = Counter(path for path in server.paths if path != "/robots.txt")
    assert set(asked) == {"/", *pages}
    assert sum(asked.values()) - len(asked) <= 1
    assert sum(status == "ok" for _, _, status in visits(tmp_path / "crawl")) == 61


def test_a_ledger_that_another_program_holds_for_a_while_is_waited_for(tmp_path: Path) -> None:
    with serving(site(0)) as server:
        session = Session.open(order_of(server.url("/"), budget=30), tmp_path, LIMITS)
        (wait,) = connection_of(session).execute("PRAGMA busy_timeout").fetchone()
        assert wait >= 30_000
        session.run()
        session.close()
        assert len(visits(tmp_path)) == 30
