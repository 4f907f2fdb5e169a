"""Crawls of the hostile server, with limits short enough for tests."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from foragers.crawling.options import CrawlOptions
from foragers.crawling.session import Session
from foragers.crawling.settings import DEFAULT_SETTINGS, SessionSettings
from foragers.http.messages import Limits
from foragers.storage.ledger.sqlite import SqliteLedger
from foragers.urls.strings import StringsFile
from support.hostile_server import ALLOW_ALL, Answer, Asked, HostileServer, page

LIMITS = Limits(body=300_000, unpacked=1_000_000)
BRIEF = Limits(body=300_000, unpacked=1_000_000, connect=2.0, head=2.0, idle=2.0, total=4.0)
"""For servers that never answer; on a busy machine others do not answer so soon either."""
LOOPBACK = ("127.0.0.0/8",)


class Outcome:
    """What a crawl came to: for each path asked for, its status, reason, text and place."""

    def __init__(self, folder: Path) -> None:
        connection = sqlite3.connect(folder / "ledger.sqlite")
        self.stopped = ""
        rows = connection.execute("SELECT url, final, status, reason, title FROM pages").fetchall()
        connection.close()
        self.urls = [row[0] for row in rows]
        self.rows: dict[str, tuple[str, ...]] = {row[0]: row for row in rows}

    def row(self, path: str) -> tuple[str, ...]:
        found = [row for url, row in self.rows.items() if url == path or url.endswith(path)]
        assert len(found) == 1, f"{path}: {list(self.rows)}"
        return found[0]

    def status(self, path: str) -> str:
        return self.row(path)[2]

    def reason(self, path: str) -> str:
        return self.row(path)[3]

    def final(self, path: str) -> str:
        return self.row(path)[1]

    def title(self, path: str) -> str:
        return self.row(path)[4]


def crawl(
    folder: Path,
    *urls: str,
    limits: Limits = LIMITS,
    backoff: float = 0.05,
    settings: SessionSettings = DEFAULT_SETTINGS,
    **options: Any,
) -> Outcome:
    """Crawl, and return what came of it."""
    order = order_of(*urls, **options)
    session = Session.open(order, folder, limits, with_backoff(settings, backoff))
    try:
        session.run()
    finally:
        session.close()
    outcome = Outcome(folder)
    outcome.stopped = session.stopped
    return outcome


def with_backoff(settings: SessionSettings, backoff: float) -> SessionSettings:
    """Return settings with another unit for the pauses after failures."""
    fetching = settings.fetching
    throttle = replace(fetching.throttle, backoff=backoff)
    return replace(settings, fetching=replace(fetching, throttle=throttle))


def order_of(*seeds: str, **options: Any) -> CrawlOptions:
    given = {
        "budget": 300,
        "delay": 0.0,
        "within": "any",
        "allow_private": LOOPBACK,
        "traps": False,
        "warc": False,
        **options,
    }
    return CrawlOptions(seeds=tuple(seeds), **{"strategy": "breadth-first", **given})


def end_as_if_killed(session: Session) -> None:
    """Release what a session holds without a checkpoint or a last commit."""
    store = session.table.store
    assert isinstance(session.ledger, SqliteLedger)
    assert isinstance(store, StringsFile)
    session.ledger._connection.close()
    session.live.close()
    store.close()
    os.close(session.lock)


@contextmanager
def serving(site: Mapping[str, Answer], **options: Any) -> Iterator[HostileServer]:
    """Serve a site with a robots.txt and a front page that links to all of it."""
    links = [path for path in site if path.startswith("/") and path != "/robots.txt"]
    whole = {"/robots.txt": ALLOW_ALL, "/": page(*links), **site}
    with HostileServer(whole, **options) as server:
        yield server


def one(folder: Path, answer: Answer, **options: Any) -> tuple[str, str, str]:
    """Crawl one page that is answered so; return its status, reason and title."""
    with serving({"/it": answer, "/robots.txt": ALLOW_ALL}) as server:
        outcome = crawl(folder, server.url("/it"), server.url("/after"), **options)
        assert outcome.status("/after") == "missing", "the crawl went on"
        return outcome.status("/it"), outcome.reason("/it"), outcome.title("/it")


def gaps(log: list[Asked]) -> list[float]:
    """Return the times from the end of each answer to the start of the next request."""
    ordered = sorted(log, key=lambda asked: asked.start)
    return [after.start - before.end for before, after in pairwise(ordered)]
