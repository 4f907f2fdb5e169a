"""Memory: a million and ten million waiting URLs, and a crawl of 100,000 pages.

Waiting URLs: addresses of 70 characters on 10,000 hosts, each given to a `UrlTable` with
its letters in a file and pushed to a `Frontier` with a random promise, as a live session does
it with the links of its pages.  What is measured is the resident memory of the whole
process at its highest, the interpreter and all libraries of a crawl included.

The crawl: a session with robots.txt, traps, WARC and a ledger fetches pages from a server on
loopback (`memory_origin`), which runs in a process of its own.  `python -m benchmarks.memory
PAGES [STRATEGY]` measures that alone.
"""

from __future__ import annotations

import subprocess
import sys

from benchmarks.memory_origin import HOSTS
from benchmarks.timing import verdict

SIZES = {1_000_000: 300.0, 10_000_000: 1000.0}
"""Waiting URLs, and how many megabytes they may take."""
PAGES = 100_000
GROWTH_AIM_MB = 50.0
"""How much the second half of a long crawl may add."""

WAITING = """
import pickle, random, sys, time
from pathlib import Path
from tempfile import TemporaryDirectory
from foragers.frontier import Frontier
from foragers.session.letters_file import LettersFile
from foragers.session.session import Session
from foragers.url_table import UrlTable

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
    table, frontier = UrlTable(LettersFile(Path(folder) / "addresses")), Frontier()
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
from foragers.run import Aim
from foragers.session.order import Order
from foragers.session.session import Session

def megabytes(what):
    line = next(x for x in open("/proc/self/status") if x.startswith(what))
    return int(line.split()[1]) / 1024

with TemporaryDirectory() as folder:
    order = Order(seeds=(sys.argv[1],), aim=Aim("robot sensor actuator", threshold=0.5),
                  budget=int(sys.argv[2]), delay=0.0, within="any", concurrency=64,
                  allow_private=("127.0.0.0/8",), strategy=sys.argv[3])
    session = Session(order, Path(folder) / "crawl")
    session.open()
    seen = told = 0
    for visits in session.steps():
        seen += len(visits)
        if seen >= told:
            print(seen, megabytes("VmRSS:"), megabytes("VmHWM:"), session.waiting, flush=True)
            told += int(sys.argv[2]) // 10
    print(seen, megabytes("VmRSS:"), megabytes("VmHWM:"), session.waiting, flush=True)
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
    """Print how far a crawl is; return its pages, and its memory in megabytes."""
    seen, now, most, left = map(float, line.split())
    print(
        f"   {seen:,.0f} pages: {now:.0f} MB, {most:.0f} at most; {left:,.0f} waiting", flush=True
    )
    return seen, now


def crawled(pages: int, strategy: str = "best-first") -> tuple[float, float]:
    """Print how memory grows over a crawl; return it halfway and at the end."""
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks.memory_origin", str(int(1.2 * pages / HOSTS))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdout is not None
        home = server.stdout.readline().strip()
        with subprocess.Popen(
            [sys.executable, "-c", CRAWL, home, str(pages), strategy],
            stdout=subprocess.PIPE,
            text=True,
        ) as crawl:
            assert crawl.stdout is not None
            points = [told(line) for line in crawl.stdout]
        server.kill()
    halfway = next(now for seen, now in points if seen >= pages / 2)
    return halfway, points[-1][1]


def run() -> bool:
    """Measure both."""
    met = True
    for count, aim in SIZES.items():
        met &= verdict(f"{count:,} waiting URLs", waiting(count), aim, "MB at most")
    halfway, end = crawled(PAGES)
    return verdict("the second half of a long crawl", end - halfway, GROWTH_AIM_MB, "MB") and met


def main(arguments: list[str]) -> int:
    """Measure a crawl of so many pages, or everything."""
    if not arguments:
        return 0 if run() else 1
    halfway, end = crawled(int(arguments[0]), *arguments[1:2])
    met = verdict("the second half of a long crawl", end - halfway, GROWTH_AIM_MB, "MB")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
