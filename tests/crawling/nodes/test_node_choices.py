"""With the same answers in the same order, a crawl with a node chooses as one without."""

from __future__ import annotations

import random
import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from foragers.core.options import Target
from foragers.core.packing import unpacked
from support.clusters import LIMITS, SETTINGS, cluster
from support.crawling import crawl
from support.hostile_server import ALLOW_ALL, HostileServer, page

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


@pytest.mark.parametrize(
    ("strategy", "aim"),
    [("best-first", TOPIC), ("auto", TOPIC), ("energy", TOPIC), ("foragers", NEWS)],
)
def test_a_node_changes_no_choice(
    strategy: str, aim: Target, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options: dict[str, Any] = {
        "budget": 60, "concurrency": 1, "aim": aim, "strategy": strategy,
        "delay": 0.0, "traps": True, "seed": 3,
    }  # fmt: skip
    with web() as servers:
        seeds = [server.url("/0") for server in servers]
        with monkeypatch.context() as patch:
            patch.setattr(time, "time", lambda: NOW)
            crawl(tmp_path / "alone", *seeds, limits=LIMITS, settings=SETTINGS, **options)
        with cluster(database, tmp_path, seeds, 1, NOW, **options) as processes:
            processes.finish()
    query = f"SELECT {COLUMNS} FROM pages ORDER BY number"
    content = "SELECT words FROM visits ORDER BY number"
    with closing(psycopg.connect(database)) as connection:
        by_node = connection.execute(query).fetchall()
        read_by_node = [words and unpacked(words) for (words,) in connection.execute(content)]
    with closing(sqlite3.connect(tmp_path / "alone" / "ledger.sqlite")) as ledger:
        alone = [(*row[:9], bool(row[9]), row[10]) for row in ledger.execute(query)]
        read_alone = [words and unpacked(words) for (words,) in ledger.execute(content)]
    assert len(alone) >= 60
    assert by_node == alone
    assert read_by_node == read_alone, "text and links, byte for byte"
