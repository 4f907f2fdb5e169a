"""A complete crawl over loopback HTTP against a bare fetch-and-parse loop on the same pages.

Ours: best-first with a topic, robots.txt, traps, WARC, and a ledger with text and links.
Bare: libcurl fetches the same addresses, selectolax parses them; nothing is kept.  The
server runs in a process of its own and is not counted.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from selectolax.lexbor import LexborHTMLParser

from benchmarks.timing import verdict
from foragers.fetch.client import Client
from foragers.fetch.guard import Allowed, Guard
from foragers.fetch.reply import Limits, Request
from foragers.run import Aim
from foragers.session.order import Order
from foragers.session.session import Session

AIM = 3.0
PAGES, BUDGET = 4000, 1500
SERVE = """
import sys, time
from foragers.worlds.generated import generate
from foragers.worlds.serving import WorldServer
world = generate("topics", seed=1, pages=int(sys.argv[1]), links=40)
with WorldServer(world) as server:
    print(server.address(world.book.href(world.seeds[0])), flush=True)
    sys.stdin.read()
"""


def bare(urls: list[str]) -> float:
    """Fetch and parse, sixteen at a time, and keep nothing."""
    start = time.process_time()
    client = Client("bare", Guard((Allowed.parse("127.0.0.0/8"),)), Limits())
    waiting = list(urls)
    while waiting or client.running:
        while waiting and client.running < 16:
            client.start(Request(waiting.pop()))
        for reply in client.finished(1.0):
            tree = LexborHTMLParser(reply.body)
            [node.attributes.get("href") for node in tree.css("a[href]")]
            tree.root.text(separator=" ") if tree.root else ""
    client.close()
    return time.process_time() - start


def ours(home: str, folder: Path) -> tuple[float, list[str]]:
    """Crawl, and return the CPU time and what was fetched."""
    order = Order(
        seeds=(home,),
        aim=Aim("robot sensor actuator", threshold=0.5),
        budget=BUDGET,
        delay=0.0,
        within="any",
        allow_private=("127.0.0.0/8",),
    )
    start = time.process_time()
    session = Session(order, folder)
    session.open()
    session.run()
    urls = [visit.page.href for visit in session.ledger.read()]
    session.close()
    return time.process_time() - start, urls


def run() -> bool:
    """Measure both on the same server."""
    with (
        TemporaryDirectory() as folder,
        subprocess.Popen(
            [sys.executable, "-c", SERVE, str(PAGES)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as server,
    ):
        assert server.stdout is not None
        home = server.stdout.readline().strip()
        crawled, urls = ours(home, Path(folder) / "crawl")
        best = min(bare(urls) for _ in range(3))
        server.kill()
    costs = (
        f"bare {1000 * best / len(urls):.2f} ms a page, ours {1000 * crawled / len(urls):.2f} ms"
    )
    print(f"   {len(urls):,} pages: {costs}")
    return verdict("a complete crawl", crawled / best, AIM)
