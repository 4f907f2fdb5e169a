"""A crawl alone and one with a process that fetches for it (`--workers 1`), in turns.

Pages and options are those of `benchmarks.crawling`.  CPU is counted for each process, and the
larger of the two limits the pages a second where both have a core.  Pages a second are printed too;
they say something on an idle machine only, whose cores the origin shares.  Linux only.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.crawling import KEPT, REAL, command

AIM = 1.7
"""How many times the pages a second of a crawl alone."""
LOOK = 0.05
"""Seconds between two looks at the clocks of a process, so the last of it may be missed."""


class Taken(NamedTuple):
    """What a crawl took: CPU of the crawl and of the other process, seconds, memory, pages."""

    crawl: float
    fetcher: float
    wall: float
    megabytes: tuple[float, float]
    pages: int


def clocks(pid: int) -> tuple[float, float]:
    """Return the CPU seconds of a process and its largest memory in MB."""
    with suppress(OSError, IndexError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        status = Path(f"/proc/{pid}/status").read_text()
        peak = float(status.partition("VmHWM:")[2].split()[0]) / 1024
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), peak
    return 0.0, 0.0


def child_of(pid: int) -> int:
    """Return the first child of a process, 0 if it has none."""
    with suppress(OSError, IndexError):
        return int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])
    return 0


def crawled(folder: Path, budget: int, homes: list[str], workers: int) -> Taken:
    """Crawl, and look at the clocks of both processes until the crawl ends."""
    arguments = [*command(folder, budget, homes), "--workers", str(workers)]
    begun, largest = time.perf_counter(), {"crawl": (0.0, 0.0), "fetcher": (0.0, 0.0)}
    line = [sys.executable, "-m", "foragers.cli.main", *map(str, arguments)]
    with subprocess.Popen(line, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            for name, pid in (("crawl", process.pid), ("fetcher", child_of(process.pid))):
                largest[name] = max(largest[name], clocks(pid))
            time.sleep(LOOK)
    wall = time.perf_counter() - begun
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as ledger:
        pages = int(ledger.execute(KEPT).fetchone()[0])
    (crawl, one), (fetcher, other) = largest["crawl"], largest["fetcher"]
    return Taken(crawl, fetcher, wall, (one, other), pages)


def told(taken: Taken) -> str:
    """Return a line about a crawl."""
    parts = f"{1000 * taken.crawl / taken.pages:.2f} + {1000 * taken.fetcher / taken.pages:.2f}"
    memory = " + ".join(f"{part:.0f}" for part in taken.megabytes if part)
    return f"{parts} ms a page, {taken.pages / taken.wall:.0f} pages/s, {memory} MB"


def compare(scratch: Path, budget: int, homes: list[str], rounds: int) -> bool:
    """Crawl in turns, and print the ratio that the larger process allows."""
    ratios = []
    for turn in range(rounds):
        alone = crawled(scratch / f"alone{turn}", budget, homes, 0)
        both = crawled(scratch / f"both{turn}", budget, homes, 1)
        larger = max(both.crawl, both.fetcher) / both.pages
        ratios.append(alone.crawl / alone.pages / larger)
        print(f"   alone {told(alone)}; --workers 1: {told(both)}", end="")
        print(f"; {ratios[-1]:.2f} x by CPU, load {os.getloadavg()[0]:.1f}", flush=True)
    met = median(ratios) >= AIM
    print(f"   median {median(ratios):.2f} x, aim >= {AIM:g}: {'met' if met else 'NOT met'}")
    return met


def main() -> int:
    """Serve the pages of a recording, and crawl them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--world", type=Path, default=REAL, help="a WARC file that is served")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        origin = [sys.executable, "-m", "benchmarks.crawling_origin", folder, str(options.world)]
        with subprocess.Popen(
            origin, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as server:
            assert server.stdout is not None
            pages, _, *homes = server.stdout.readline().split()
            met = compare(Path(folder), int(pages), homes, options.rounds)
            server.kill()
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
