"""How long the web pages of a crawl with 100,000 pages take: at most 300 ms of CPU each.

The wall time and the load of the machine are printed beside it, for quiet machines.
"""

from __future__ import annotations

import json
import os
import random
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from starlette.testclient import TestClient

from foragers.core.types import NO_PARENT, Choice, Document, Link, Status, UrlId, Visit
from foragers.serve.app import site_of
from foragers.storage.ledger.sqlite import SqliteLedger
from foragers.testing.ledgers import sample

PAGES = int(os.environ.get("FORAGERS_PAGES", "100000"))
MOST_SECONDS = 0.3
HOSTS, LINKS, WORDS_OF_A_PAGE, AT_ONCE, TIMES = 300, 8, 300, 1000, 5
WORDS = [f"word{number}" for number in range(20_000)] + ["solar"] * 400 + ["the", "and"] * 2000
PATHS = (
    "/", "/?q=solar", "/?q=the+and", "/?q=word77", "/?every=1&page=4000", "/?every=1&order=time",
    "/?host=host7.test", "/?language=de&q=solar&host=host8.test", "/?since=2020-01-01",
    "/pages/{last}", "/now", "/metrics", "/api", "/api/status", "/what-if",
)  # fmt: skip


class ManyHosts:
    """A URL for every number, on a few hundred hosts."""

    def href(self, url: UrlId) -> str:
        """Return a URL made of the number."""
        return f"https://host{url % HOSTS}.test/dir{url % 17}/page-{url}.html"

    def hrefs(self, urls: Sequence[UrlId]) -> list[str]:
        """Return the URLs of many numbers."""
        return list(map(self.href, urls))


def write_crawl(folder: Path, pages: int) -> None:
    """Write a crawl of made-up pages: nine of ten were fetched."""
    rng, addresses, began = random.Random(1), ManyHosts(), time.time() - pages
    with closing(SqliteLedger(folder / "ledger.sqlite", addresses)) as ledger:
        for first in range(0, pages, AT_ONCE):
            numbers = range(first, first + AT_ONCE)
            ledger.append([visit(one, pages, rng, addresses, began + one) for one in numbers])
    told = {"seeds": ["https://host0.test/"], "aim": {"topic": "solar panel"}, "strategy": "auto"}
    (folder / "crawl.json").write_text(json.dumps({**told, "budget": pages, "stopped": "done"}))


def visit(
    number: int, pages: int, rng: random.Random, addresses: ManyHosts, moment: float
) -> Visit:
    """Return one visit; one of ten is missing."""
    parent = NO_PARENT if number == 0 else max(0, number - rng.randint(1, 500))
    choice = Choice(number, number % HOSTS, rng.random(), "", parent, int(number > 0))
    if number and rng.random() < 0.1:
        return sample(choice, status=Status.MISSING, reason="404", time=moment)
    targets = [rng.randrange(pages) for _ in range(LINKS)]
    links = tuple(Link(url, url % HOSTS, addresses.href(url), f"link {url}") for url in targets)
    text = " ".join(rng.choices(WORDS, k=WORDS_OF_A_PAGE))
    words = Document(f"Page {number}", ("Heading",), text, rng.choice(["en", "de"]))
    return sample(choice, words, links, time=moment, relevance=rng.random() ** 2)


def run() -> bool:
    """Measure each page, and return whether all are fast enough."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_crawl(folder, PAGES)
        site = site_of(folder)
        with TestClient(site.app(), base_url="http://127.0.0.1:8000") as client:
            while site.data.index.last < site.data.latest.length:
                time.sleep(0.5)
            newest = client.get("/api/pages?every=1&order=time").json()["pages"][0]["number"]
            slowest = max(measured(client, path.format(last=newest)) for path in PATHS)
    load = os.getloadavg()[0]
    print(f"slowest: {1000 * slowest:.0f} ms of CPU; at most {1000 * MOST_SECONDS:.0f}")
    print(f"load of the machine at the end: {load:.1f}")
    return slowest <= MOST_SECONDS


def measured(client: TestClient, path: str) -> float:
    """Return the CPU seconds of a page, the median of several times; tell the wall time too."""
    took, waited = [], []
    for _ in range(TIMES):
        began, clock = time.process_time(), time.perf_counter()
        answer = client.get(path)
        took.append(time.process_time() - began)
        waited.append(time.perf_counter() - clock)
    median = sorted(took)[TIMES // 2]
    told = f"{1000 * median:6.0f} ms of CPU, {1000 * max(waited):6.0f} ms at most on the clock"
    print(f"{path:45} {answer.status_code} {told}", flush=True)
    return median
