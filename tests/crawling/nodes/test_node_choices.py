"""With the same answers in the same order, a crawl with a node chooses as one without."""

from __future__ import annotations

import random
import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest

from foragers.core.options import Target
from foragers.core.packing import unpacked
from support.clusters import LIMITS, SETTINGS, cluster
from support.crawling import crawl
from support.hostile_server import ALLOW_ALL, HostileServer, page
from support.waiting import until

HOSTS, PAGES = 3, 25
WORDS = ("robot", "sensor", "garden", "music", "river", "paper")
COLUMNS = "url, final, status, reason, promise, agent, parent, depth, relevance, relevant, title"


@contextmanager
def web() -> Iterator[list[HostileServer]]:
    """Serve some sites at fixed ports whose pages link to each other at random."""
    draw = random.Random(5)
    names = [(host, number) for host in range(HOSTS) for number in range(PAGES)]
    with ExitStack() as stack:
        servers = [HostileServer({}, address=f"127.0.0.{host + 2}") for host in range(HOSTS)]
        for server in servers:
            stack.enter_context(server)
        for host, server in enumerate(servers):
            site = {"/robots.txt": ALLOW_ALL}
            for number in range(PAGES):
                targets = [*draw.sample(names, 4), (host, (number + 1) % PAGES)]
                links = [servers[to].url(f"/{at}") for to, at in targets]
                words = " ".join(draw.choices(WORDS, weights=(1, 1, 5, 5, 5, 5), k=30))
                site[f"/{number}"] = page(*links, words=words)
            server.site = site
        yield servers


NOW = 1.8e9
"""The time at which all clocks stand: when a page came is part of the answer."""
TOPIC, NEWS = Target("robot sensor"), Target(new_within="24h")


def given(strategy: str, aim: Target) -> dict[str, Any]:
    """Return the options of a crawl whose answers come in one order."""
    return {
        "budget": 60, "concurrency": 1, "aim": aim, "strategy": strategy,
        "delay": 0.0, "traps": True, "seed": 3,
    }  # fmt: skip


def crawled_alone(
    folder: Path, seeds: list[str], options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Crawl without nodes."""
    with monkeypatch.context() as patch:
        patch.setattr(time, "time", lambda: NOW)
        crawl(folder, *seeds, limits=LIMITS, settings=SETTINGS, **options)


def check_equal(database: str, folder: Path) -> None:
    """Compare two ledgers: all columns but times, and text and links byte for byte."""
    query = f"SELECT {COLUMNS} FROM pages ORDER BY number"
    content = "SELECT words FROM visits ORDER BY number"
    with closing(psycopg.connect(database)) as connection:
        by_node = connection.execute(query).fetchall()
        read_by_node = [words and unpacked(words) for (words,) in connection.execute(content)]
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as ledger:
        alone = [(*row[:9], bool(row[9]), row[10]) for row in ledger.execute(query)]
        read_alone = [words and unpacked(words) for (words,) in ledger.execute(content)]
    assert len(alone) >= 60
    assert by_node == alone
    assert read_by_node == read_alone


@pytest.mark.parametrize(
    ("strategy", "aim"),
    [("best-first", TOPIC), ("auto", TOPIC), ("energy", TOPIC), ("foragers", NEWS)],
)
def test_a_node_changes_no_choice(
    strategy: str, aim: Target, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = given(strategy, aim)
    with web() as servers:
        seeds = [server.url("/0") for server in servers]
        crawled_alone(tmp_path / "alone", seeds, options, monkeypatch)
        with cluster(database, tmp_path, seeds, 1, NOW, **options) as processes:
            processes.finish()
    check_equal(database, tmp_path / "alone")


@pytest.mark.parametrize("strategy", ["foragers", "wlrl"])
def test_a_fleet_whose_nodes_join_and_leave_finds_what_it_finds_on_one_machine(
    strategy: str, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = given(strategy, NEWS)
    with web() as servers:
        seeds = [server.url("/0") for server in servers]
        crawled_alone(tmp_path / "alone", seeds, options, monkeypatch)
        with cluster(database, tmp_path, seeds, 1, NOW, **options) as processes:
            for number, pages in enumerate((15, 30, 45)):
                await_pages(database, pages)
                leaving = processes.running.pop(f"node{number}")
                leaving.terminate()
                leaving.join()
                processes.start(f"node{number + 1}")
            processes.finish()
    check_equal(database, tmp_path / "alone")
    with closing(psycopg.connect(database)) as connection:
        row = connection.execute("SELECT count(DISTINCT node) FROM answers").fetchone()
    assert row == (4,), "each node has fetched"


def await_pages(database: str, pages: int) -> None:
    """Wait until a ledger has some pages."""
    with closing(psycopg.connect(database, autocommit=True)) as connection:

        def has_them() -> bool:
            with suppress(psycopg.errors.UndefinedTable):
                row = connection.execute("SELECT count(*) FROM visits").fetchone()
                return row is not None and row[0] >= pages
            return False

        until(has_them)
