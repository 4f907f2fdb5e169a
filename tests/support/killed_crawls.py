"""Crawls in a process of their own, which can be killed, and what they leave behind."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from fastwarc.warc import ArchiveIterator as FastIterator
from warcio.archiveiterator import ArchiveIterator

from support.hostile_server import Answer, Connection, HostileServer, page, redirect

PAGES = 120
CRAWL = """
import sys
from pathlib import Path
from foragers.core.options import Target
from foragers.crawling import session
from foragers.crawling.settings import CheckpointSettings, SessionSettings
from foragers.crawling.options import CrawlOptions

folder, workers, *seeds = sys.argv[1:]
order = CrawlOptions(seeds=tuple(seeds), strategy="breadth-first", budget=5000, delay=0.0,
              within="any", allow_private=("127.0.0.0/8",), traps=False, workers=int(workers))
settings = SessionSettings(checkpoints=CheckpointSettings(visits=40))
crawl = session.Session.open(order, Path(folder), settings=settings)
print("open", flush=True)
stopped = crawl.run()
crawl.close()
print(stopped, flush=True)
"""


def site(number: int) -> dict[str, Answer]:
    """Return pages in a tree, some of which redirect, that take a moment each."""

    def slow(connection: Connection) -> None:
        time.sleep(0.004)
        n = int(connection.path.strip("/") or 0)
        if n % 10 == 9:
            connection.send(redirect(f"/moved/{n}"))
        else:
            links = [f"/{k}" for k in (2 * n + 1, 2 * n + 2) if k < PAGES]
            more = [f"/moved/{n}"] if n % 10 == 3 else []
            connection.send(page(*links, *more, words=f"page {n} of {number}"))

    def moved(connection: Connection) -> None:
        n = int(connection.path.rpartition("/")[2])
        links = [f"/{k}" for k in (2 * n + 1, 2 * n + 2) if k < PAGES]
        connection.send(page(*links, words=f"moved page {n} of {number}"))

    moves = {f"/moved/{n}": moved for n in range(PAGES)}
    return {**moves, **{f"/{n}": slow for n in range(PAGES)}, "/": slow}


def started(folder: Path, servers: list[HostileServer], workers: int = 0) -> subprocess.Popen[str]:
    """Start a crawl, and wait until it is open."""
    seeds = (server.url("/") for server in servers)
    command = [sys.executable, "-c", CRAWL, str(folder), str(workers), *seeds]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stdout.readline() == "open\n"
    return process


def visits(folder: Path) -> list[tuple[str, str, str]]:
    """Return URL, final URL and status of each visit."""
    ledger = sqlite3.connect(folder / "ledger.sqlite")
    rows = list(ledger.execute("SELECT url, final, status FROM pages ORDER BY number"))
    ledger.close()
    return rows


def check_warc(folder: Path) -> Counter[str]:
    """Read all records with two libraries, digests checked; return how often each page is there."""
    found: Counter[str] = Counter()
    for path in sorted((folder / "warc").glob("*.warc.gz")):
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream, check_digests="raise"):
                record.content_stream().read()
                if record.rec_type in ("response", "revisit"):
                    found[record.rec_headers.get_header("WARC-Target-URI")] += 1
        with path.open("rb") as stream:
            for record in FastIterator(stream, parse_http=False):
                assert "WARC-Block-Digest" not in record.headers or record.verify_block_digest()
    return found
