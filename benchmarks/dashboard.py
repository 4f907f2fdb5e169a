"""How long the web pages of a crawl with 100,000 pages take: at most 300 ms of CPU each.

The crawl has a fleet of 200 agents.  A watch with 100,000 events, a comparison of 18 runs and two
papers follow.  Each page is asked for five times while a thread may still read what it shows; the
CPU time of these threads is not that of an answer.  If a page says that something is being read,
it is asked for until it shows the whole, and then five times again.  The crawl then grows by a
page and the watch by an event, and the pages that depend on all of it are timed once more.
The wall time and the load of the machine are printed beside it, for quiet machines.
"""

from __future__ import annotations

import json
import os
import random
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import closing, redirect_stdout, suppress
from io import StringIO
from pathlib import Path

from starlette.testclient import TestClient

from benchmarks.dashboard_folders import (
    agent_of,
    write_comparison,
    write_fleet,
    write_papers,
    write_watch,
)
from foragers.core.types import NO_PARENT, Choice, Document, Link, Status, UrlId, Visit
from foragers.serve.app import site_of
from foragers.serve.latest import BEHIND
from foragers.storage.ledger.sqlite import SqliteLedger
from foragers.testing.ledgers import sample
from foragers.watching.watching import EVENTS

PAGES = int(os.environ.get("FORAGERS_PAGES", "100000"))
MOST_SECONDS = 0.3
HOSTS, LINKS, WORDS_OF_A_PAGE, AT_ONCE, TIMES = 300, 8, 300, 1000, 5
WORDS = [f"word{number}" for number in range(20_000)] + ["solar"] * 400 + ["the", "and"] * 2000
PATHS = (
    "/", "/?q=solar", "/?q=the+and", "/?q=word77", "/?every=1&page=4000", "/?every=1&order=time",
    "/?host=host7.test", "/?language=de&q=solar&host=host8.test", "/?since=2020-01-01",
    "/pages/{last}", "/now", "/metrics", "/api", "/api/status", "/what-if",
    "/fleet", "/api/fleet", "/pages/{last}/why",
)  # fmt: skip


WATCH_PATHS = ("/", "/?event=new&page=500", "/api/watch", "/api/events?page=900", "/found")
COMPARE_PATHS = ("/", "/tasks/0", "/tasks/1", "/api/result")
PAPER_PATHS = ("/", "/papers/spider", "/papers/selection", "/papers/spider/table-1.csv")
PAGES_OF_WATCH = 1000
RESTED = 30.0
"""Seconds after which a thread reads again, and has seen that a ledger has grown."""
WAITING = "data-reload"
"""What a page has that is not yet whole."""


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
    write_fleet(folder, pages, began)
    told = {"seeds": ["https://host0.test/"], "aim": {"topic": "solar panel"}, "strategy": "auto"}
    (folder / "crawl.json").write_text(json.dumps({**told, "budget": pages, "stopped": "done"}))


def visit(
    number: int, pages: int, rng: random.Random, addresses: ManyHosts, moment: float
) -> Visit:
    """Return one visit; one of ten is missing."""
    parent = NO_PARENT if number == 0 else max(0, number - rng.randint(1, 500))
    choice = Choice(number, number % HOSTS, rng.random(), agent_of(number), parent, int(number > 0))
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
        crawl, watch, papers = (Path(name) / one for one in ("crawl", "watch", "papers"))
        for folder in (crawl, watch, papers):
            folder.mkdir()
        write_crawl(crawl, PAGES)
        slowest = timed(crawl, PATHS, ("/fleet",))
        write_crawl(watch, PAGES_OF_WATCH)
        write_watch(watch, PAGES)
        write_papers(papers)
        with redirect_stdout(StringIO()):
            compared = write_comparison(Path(name))
        slowest = max(slowest, timed(watch, WATCH_PATHS, ("/",)))
        for folder, paths in ((compared, COMPARE_PATHS), (papers, PAPER_PATHS)):
            slowest = max(slowest, timed(folder, paths))
    load = os.getloadavg()[0]
    print(f"slowest: {1000 * slowest:.0f} ms of CPU; at most {1000 * MOST_SECONDS:.0f}")
    print(f"load of the machine at the end: {load:.1f}")
    return slowest <= MOST_SECONDS


def timed(folder: Path, paths: Sequence[str], grown: Sequence[str] = ()) -> float:
    """Return the CPU seconds of the slowest page of a folder, after all its pages are indexed."""
    site = site_of(folder)
    newest = 0
    with TestClient(site.app(), base_url="http://127.0.0.1:8000") as client:
        if site.part.data is not None:
            while site.data.index.last < site.data.latest.length:
                time.sleep(0.5)
            newest = client.get("/api/pages?every=1&order=time").json()["pages"][0]["number"]
        print(f"{folder.name}:", flush=True)
        slowest = max(measured(client, path.format(last=newest)) for path in paths)
        if not grown:
            return slowest
        grow(folder)
        time.sleep(RESTED)
        print(f"{folder.name}, grown:", flush=True)
        return max(slowest, *(measured(client, path) for path in grown))


def grow(folder: Path) -> None:
    """Add an event to a watch, or a page to a crawl."""
    if (folder / EVENTS).is_file():
        lines = (folder / EVENTS).read_bytes().splitlines(keepends=True)
        (folder / EVENTS).write_bytes(b"".join([*lines, lines[-1]]))
        return
    rng, addresses = random.Random(3), ManyHosts()
    with closing(SqliteLedger(folder / "ledger.sqlite", addresses)) as ledger:
        ledger.append([visit(PAGES, PAGES, rng, addresses, time.time())])


def measured(client: TestClient, path: str) -> float:
    """Return the CPU seconds of a page, the larger of before and after it is whole."""
    median, answer = five(client, path)
    if WAITING not in answer:
        return median
    began = time.perf_counter()
    while WAITING in client.get(path).text:
        time.sleep(0.5)
    print(f"{path:45} whole after {time.perf_counter() - began:.1f} s more", flush=True)
    return max(median, five(client, path)[0])


def five(client: TestClient, path: str) -> tuple[float, str]:
    """Return the CPU seconds of an answer, the median or the first if longer, and the last."""
    took, waited, behind, text = [], [], 0.0, ""
    for _ in range(TIMES):
        before, began, clock = working(), time.process_time(), time.perf_counter()
        answer = client.get(path)
        text = answer.text
        assert answer.status_code == 200, f"{path}: {text[:500]}"
        waited.append(time.perf_counter() - clock)
        spent, after = time.process_time() - began, working()
        other = sum(after[one] - before.get(one, 0.0) for one in after)
        took.append(max(0.0, spent - other))
        behind += other
    median, first = sorted(took)[TIMES // 2], took[0]
    apart = f"first {1000 * first:.0f}, behind {1000 * behind:.0f}"
    told = f"{1000 * median:6.0f} ms of CPU ({apart})"
    clocks = f"on the clock first {1000 * waited[0]:.0f}, at most {1000 * max(waited):.0f} ms"
    print(f"{path:45} {told}, {clocks}", flush=True)
    return max(median, first), text


def working() -> dict[int, float]:
    """Return the CPU seconds of each thread that works while pages are shown."""
    found = {}
    for one in threading.enumerate():
        if one.name.startswith(BEHIND) and one.ident is not None:
            with suppress(OSError):
                found[one.ident] = time.clock_gettime(time.pthread_getcpuclockid(one.ident))
    return found
