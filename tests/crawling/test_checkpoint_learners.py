"""Crawls that learn, killed and taken up: they go the very way they would have gone."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from foragers.core.models import save_model
from foragers.core.options import Target
from foragers.crawling.session import Session
from foragers.crawling.settings import CheckpointSettings, SessionSettings
from foragers.strategies.spider.strategy import Spider
from support.crawling import LIMITS, end_as_if_killed, order_of
from support.hostile_server import ALLOW_ALL, HostileServer, page

BUDGET = 110
GOOD = "prawn reef tide"


def site() -> dict[str, bytes]:
    """Return a tree of pages; below every third branch there are pages worth finding."""
    whole = {"/robots.txt": ALLOW_ALL, "/": page(*(f"/area{n}" for n in range(12)), words="home")}
    for n in range(12):
        kind = "sea" if n % 3 == 0 else "land"
        whole[f"/area{n}"] = page(*(f"/{kind}{n}/list{k}" for k in range(4)), words=f"all {kind}")
        for k in range(4):
            leaves = [f"/{kind}{n}/list{k}/leaf{m}" for m in range(4)]
            whole[f"/{kind}{n}/list{k}"] = page(*leaves, words=f"list of {kind}")
            words = GOOD if kind == "sea" else "rust and bolts"
            whole.update({leaf: page("/", words=f"{words} {leaf[-1]}") for leaf in leaves})
    return whole


def session_of(folder: Path, seed: str, strategy: str) -> Session:
    order = order_of(seed, budget=BUDGET, concurrency=1)
    order = replace(order, strategy=strategy, aim=Target(GOOD))
    settings = SessionSettings(checkpoints=CheckpointSettings(visits=25))
    return Session.open(order, folder, LIMITS, settings)


def visits(session: Session, many: int) -> Iterator[object]:
    return islice((visit for some in session.steps() for visit in some), many)


def killed(folder: Path, seed: str, strategy: str, many: int) -> None:
    """Crawl for a while and end as a kill does: without a word."""
    session = session_of(folder, seed, strategy)
    assert len(list(visits(session, many))) == many
    end_as_if_killed(session)


def finished(folder: Path, seed: str, strategy: str) -> None:
    session = session_of(folder, seed, strategy)
    session.run()
    session.close()


def told(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return all that a ledger says of the way, and of those who went it, but not the time."""
    connection = sqlite3.connect(folder / "ledger.sqlite")
    found = {
        "pages": "SELECT number, url, promise, agent, parent, depth, relevance FROM pages",
        "lives": "SELECT number, what, agent, parent, population FROM lives",
        "energy": "SELECT number, what, agent, parent, document, amount FROM energy",
    }
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    rows = {
        name: connection.execute(f"{query} ORDER BY number").fetchall()
        for name, query in found.items()
        if name in tables
    }
    connection.close()
    return rows


@pytest.mark.parametrize(
    "strategy",
    [
        "spider(model={})",
        "spider(online=true)",
        "spider(model={}, online=true)",
        "energy(agents=6)",
        "infospiders(agents=6)",
    ],
)
def test_a_killed_crawl_goes_the_way_of_one_left_alone(tmp_path: Path, strategy: str) -> None:
    with HostileServer(site()) as server:
        seed = server.url("/")
        teacher = session_of(tmp_path / "teacher", seed, "spider(online=true)")
        list(visits(teacher, 60))
        spider = teacher.crawl.strategy
        assert isinstance(spider, Spider)
        save_model(spider.learned(teacher.live.table), tmp_path / "model")
        teacher.close()
        spec = strategy.format(tmp_path / "model")
        finished(tmp_path / "whole", seed, spec)
        for many in (3, 40, 17, 30):
            killed(tmp_path / "killed", seed, spec, many)
        finished(tmp_path / "killed", seed, spec)
    whole, again = told(tmp_path / "whole"), told(tmp_path / "killed")
    assert len(whole["pages"]) == BUDGET
    assert whole == again
