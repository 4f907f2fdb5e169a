"""What a crawl with nodes must have done, by its ledger and by what servers saw."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

import psycopg

from support.clusters import DELAY
from support.crawling import gaps
from support.hostile_server import HostileServer

TOLERANCE = 0.01
"""Seconds by which a server may see a request early: its clock is read after the request came."""


def told(url: str) -> list[tuple[str, str, str, str]]:
    """Return URL, final URL, status and reason of each visit."""
    with closing(psycopg.connect(url)) as connection:
        query = "SELECT url, final, status, reason FROM pages ORDER BY number"
        return connection.execute(query).fetchall()


def check_polite(servers: Sequence[HostileServer]) -> None:
    """Check that no two requests were at a server at once, and none came before its time."""
    for server in servers:
        shortest = min(gaps(server.log), default=DELAY)
        assert shortest >= DELAY - TOLERANCE, f"{server.origin}: a gap of {shortest:.3f} s"


def check_complete(url: str, servers: Sequence[HostileServer], pages: int) -> None:
    """Check that every page is in the ledger, and none twice."""
    found = [final for _, final, status, _ in told(url) if status == "ok"]
    expected = {server.url(f"/{k}") for server in servers for k in range(pages + 1)}
    assert len(found) == len(set(found)), "a page was told twice"
    expected |= {server.url() for server in servers}
    others = [visit for visit in told(url) if visit[2] != "ok"]
    assert set(found) == expected, f"missing: {sorted(expected - set(found))}; {others}"
