"""Memory: a million and ten million waiting URLs, and a crawl of 100,000 pages.

Waiting URLs: addresses of 70 characters on 10,000 hosts, each given to a `UrlTable` with
its letters in a file and pushed to a `Frontier` with a random promise, as a live session does
it with the links of its pages.  What is measured is the resident memory of the whole
process at its highest, the interpreter and all libraries of a crawl included.

The crawl: a session with robots.txt, traps, WARC and a ledger fetches pages from a server on
loopback (`memory_origin`), which runs in a process of its own.  `python -m benchmarks.memory
PAGES [STRATEGY]` measures that alone.  With `--real` the pages are those of recorded webs, many
times over (`memory_real`), and the strategy is auto; `--worlds DIR` keeps the webs once imported.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.memory_origin import HOSTS
from benchmarks.timing import verdict

SIZES = {1_000_000: 300.0, 10_000_000: 1000.0}
"""Waiting URLs, and how many megabytes they may take."""
PAGES = 100_000
GROWTH_AIM_MB = 50.0
"""How much the second half of a long crawl may add."""
REAL_AIM_MB, DOUBLING_AIM = 400.0, 1.1
"""What a crawl of real pages may take, and how much more after twice as many pages."""
SETTLED = 10_000
"""From so many real pages on memory is to be flat."""
MADE_UP = ("robot sensor actuator", "any")

WAITING = """
import pickle, random, sys, time
from pathlib import Path
from tempfile import TemporaryDirectory
from foragers.frontier.frontier import Frontier
from foragers.urls.strings import StringsFile
from foragers.crawling.session import Session
from foragers.urls.table import UrlTable

def megabytes(what):
    line = next(x for x in open("/proc/self/status") if x.startswith(what))
    return int(line.split()[1]) / 1024

count = int(sys.argv[1])
chance = random.Random(1)
words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(3, 12)))
         for _ in range(5000)]
hosts = [f"www.{chance.choice(words)}-{i}.example.org" for i in range(10_000)]
start = time.process_time()
with TemporaryDirectory() as folder:
    before = megabytes("VmRSS:")
    table, frontier = UrlTable(StringsFile(Path(folder) / "addresses")), Frontier()
    letters = 0
    for page in range(count // 20):
        host = hosts[page % 10_000]
        section = f"https://{host}/{chance.choice(words)}"
        urls = [f"{section}/{chance.choice(words)}-{chance.choice(words)}-{20 * page + n}.html"
                for n in range(20)]
        letters += sum(map(len, urls))
        ids, names = table.intern_many(urls)
        for url, name in zip(ids.tolist(), names.tolist()):
            frontier.push(url, name, chance.random(), page, 3)
    cost = 1e6 * (time.process_time() - start) / count
    filled = megabytes("VmRSS:")
    start = time.process_time()
    with open(Path(folder) / "checkpoint", "wb") as file:
        pickle.dump((table, frontier), file, pickle.HIGHEST_PROTOCOL)
    kept = time.process_time() - start
    size = (Path(folder) / "checkpoint").stat().st_size / 1e6
    disk = (Path(folder) / "addresses").stat().st_size / 1e6
    start = time.process_time()
    popped = sum(len(frontier.pop(1, frozenset())) for _ in range(20_000))
    pop = 1e6 * (time.process_time() - start) / popped
print(before, filled, megabytes("VmHWM:"), len(frontier) + popped, letters / count, cost, kept,
      size, disk, pop)
"""
CRAWL = """
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from foragers.core.options import Target
from foragers.crawling.options import CrawlOptions
from foragers.crawling.session import Session

def megabytes(what):
    line = next(x for x in open("/proc/self/status") if x.startswith(what))
    return int(line.split()[1]) / 1024

def shared_out():
    line = next(x for x in open("/proc/self/smaps_rollup") if x.startswith("Pss:"))
    return int(line.split()[1]) / 1024

def tell():
    print(seen, kept, megabytes("VmRSS:"), shared_out(), megabytes("VmHWM:"), session.waiting,
          flush=True)

budget, strategy, topic, within = int(sys.argv[1]), *sys.argv[2:]
marks = [1, 1000] + [budget * tenth // 10 for tenth in range(1, 10)]
marks += [size for step in range(5) if (size := 10_000 << step) < budget]
marks.sort()
with TemporaryDirectory() as folder:
    order = CrawlOptions(seeds=tuple(sys.stdin.read().split()),
                  aim=Target(topic, "keywords", threshold=0.5),
                  budget=budget, delay=0.0, within=within, concurrency=64,
                  allow_private=("127.0.0.0/8",), strategy=strategy)
    session = Session.open(order, Path(folder) / "crawl")
    seen = kept = 0
    for visits in session.steps():
        seen += len(visits)
        kept += sum(visit.page.status == "ok" for visit in visits)
        if marks and seen >= marks[0]:
            tell()
            marks = [mark for mark in marks if mark > seen]
    tell()
    session.close()
"""


def waiting(count: int) -> float:
    """Print what so many waiting URLs take, and return the megabytes of the whole process."""
    done = subprocess.run(
        [sys.executable, "-c", WAITING, str(count)], capture_output=True, text=True, check=True
    )
    before, filled, most, held, letters, cost, kept, size, disk, pop = map(
        float, done.stdout.split()
    )
    print(
        f"   {held:,.0f} waiting URLs of {letters:.0f} characters: {filled:.0f} MB,"
        f" {before:.0f} MB of it the program; {(filled - before) * 2**20 / held:.0f} bytes a URL"
        f" in memory, {disk * 1e6 / held:.0f} on disk; {cost:.1f} us to number and push one,"
        f" {pop:.0f} us to pop one; checkpoint {size:.0f} MB, {kept:.2f} s",
        flush=True,
    )
    return most


def told(line: str) -> tuple[float, float]:
    """Print how far a crawl is; return its downloads, and its memory in megabytes."""
    seen, kept, now, shared, most, left = map(float, line.split())
    print(
        f"   {seen:,.0f} downloads, {kept:,.0f} pages: {now:.0f} MB ({shared:.0f} with what is"
        f" shared divided), {most:.0f} at most; {left:,.0f} waiting",
        flush=True,
    )
    return seen, now


def crawled(
    origin: Sequence[str], pages: int, strategy: str, topic: str, within: str
) -> list[tuple[float, float]]:
    """Print how memory grows over a crawl; return downloads and megabytes at some points of it."""
    with subprocess.Popen(
        [sys.executable, "-m", *origin], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        seeds = server.stdout.readline()
        with subprocess.Popen(
            [sys.executable, "-c", CRAWL, str(pages), strategy, topic, within],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as crawl:
            assert crawl.stdin is not None
            assert crawl.stdout is not None
            crawl.stdin.write(seeds)
            crawl.stdin.close()
            points = [told(line) for line in crawl.stdout]
        server.kill()
    return points


def second_half(pages: int, strategy: str = "best-first") -> bool:
    """Measure a crawl of made-up pages, and compare its halves."""
    origin = ("benchmarks.memory_origin", str(int(1.2 * pages / HOSTS)))
    points = crawled(origin, pages, strategy, *MADE_UP)
    halfway = next(now for seen, now in points if seen >= pages / 2)
    grown = points[-1][1] - halfway
    return verdict("the second half of a long crawl", grown, GROWTH_AIM_MB, "MB")


def real(pages: int, strategy: str, worlds: Path) -> bool:
    """Measure a crawl of real pages: what it takes at most, and how it grows when it doubles."""
    from benchmarks.memory_real import TOPIC

    copies = 2 + pages // 15_000
    origin = ("benchmarks.memory_real", str(worlds), str(copies))
    points = crawled(origin, pages, strategy, TOPIC, "host")
    met = verdict(f"{pages:,} real pages", max(now for _, now in points), REAL_AIM_MB, "MB")
    sizes = [SETTLED << step for step in range(8) if SETTLED << step <= points[-1][0]]
    held = [next(now for seen, now in points if seen >= size) for size in sizes]
    for size, (before, after) in zip(sizes, pairwise(held), strict=False):
        met &= verdict(f"from {size:,} to {2 * size:,}", after / before, DOUBLING_AIM, "x")
    return met


def run() -> bool:
    """Measure waiting URLs, and a crawl of made-up pages."""
    met = True
    for count, aim in SIZES.items():
        met &= verdict(f"{count:,} waiting URLs", waiting(count), aim, "MB at most")
    return second_half(PAGES) and met


def main() -> int:
    """Measure a crawl of so many pages, or everything."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("pages", type=int, nargs="?", help="how many; without it all is measured")
    parser.add_argument("strategy", nargs="?")
    parser.add_argument("--real", action="store_true", help="crawl recorded webs, with auto")
    parser.add_argument("--worlds", type=Path, help="where the imported webs are kept")
    given = parser.parse_args()
    if given.pages is None and not given.real:
        return 0 if run() else 1
    if not given.real:
        return 0 if second_half(given.pages, given.strategy or "best-first") else 1
    with TemporaryDirectory() as scratch:
        worlds = given.worlds or Path(scratch)
        return 0 if real(given.pages or PAGES, given.strategy or "auto", worlds) else 1


if __name__ == "__main__":
    sys.exit(main())
