"""A complete crawl over loopback HTTP against bare loops and Scrapy, on the same real pages.

Ours: `foragers crawl` with its default strategy and a topic, robots.txt, traps, WARC, and a ledger
with text and links.  Bare: aiohttp and selectolax, a set and a queue.  Scrapy: as its documentation
shows it, and tuned with uvloop and selectolax.  All crawl the same sites to the end and keep
address, title, text and links of every page.

CPU is that of a contender's whole process tree from start to end; the origin has a process
of its own and is not counted.  Ratios are of the same round, since other work on the machine makes
all of them slower.  `--pages DIR` serves the HTML files of a folder, one site for each folder in
it; `--world FILE.warc.gz` serves recorded pages.  Otherwise it is a recorded web if there is one,
else pages that are made up.  `--install` puts Scrapy into a virtualenv that is thrown away,
otherwise it is measured if it is installed (the extra `bench`).
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import sqlite3
import subprocess
import sys
import time
import venv
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.recordings import SHARED
from benchmarks.timing import verdict

HERE = Path(__file__).parent
REAL = SHARED / "worlds" / "organisations.warc.gz"
"""The recorded web that is served if there is one: twenty sites of software projects."""
AIM = 2.5
"""CPU seconds for 1,000 pages."""
AIMS = {"bare aiohttp + selectolax": 3.0, "Scrapy as documented": 1 / 8, "Scrapy tuned": 1 / 3}
OURS = "foragers, complete"
ROOM = 20
"""Downloads for each page there is: with us pages that are missing count as downloads too."""
KEPT = "SELECT count(*) FROM visits WHERE status = 'ok' OR reason LIKE 'copy of %'"
ALIKE = 0.05
"""By how much the number of pages may differ for two crawls to be compared."""
SCRAPY = ("scrapy>=2.13,<3", "uvloop>=0.19,<1", "selectolax", "ada-url")


class Cost(NamedTuple):
    """What a contender took: CPU and other seconds, its memory, and the pages it kept."""

    seconds: float
    wall: float
    megabytes: float
    pages: int

    @property
    def per_thousand(self) -> float:
        """CPU seconds for 1,000 pages."""
        return 1000 * self.seconds / max(1, self.pages)


def measured(command: Sequence[str | Path]) -> tuple[float, float, float]:
    """Run a command; return the CPU seconds of it and its children, its time and megabytes."""
    # All run as installed: compiled once, and not anew at each start.
    environment = {**os.environ}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{command[0]} {command[1]} ended with {process.returncode}")
    wall = time.perf_counter() - started
    return usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024


def command(folder: Path, budget: int, homes: list[str]) -> list[str | Path]:
    """Return the arguments of our crawl, as a user types them."""
    return [
        *("crawl", *homes, "--topic", "robot sensor actuator", "--threshold", "0.5"),
        *("--budget", str(ROOM * budget), "--delay", "0", "--scope", "host", "--out", folder),
        *("--allow-private", "127.0.0.0/8"),
    ]


def ours(folder: Path, budget: int, homes: list[str]) -> Cost:
    """Crawl as a user does."""
    arguments = command(folder, budget, homes)
    taken = measured([sys.executable, "-m", "foragers.cli.main", *arguments])
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as ledger:
        pages = ledger.execute(KEPT).fetchone()[0]
    return Cost(*taken, pages)


def print_parts(folder: Path, budget: int, homes: list[str], pages: int) -> None:
    """Crawl once more with a clock around each part, and print their shares."""
    arguments = [sys.executable, "-m", "benchmarks.crawling_parts"]
    ran = subprocess.run(
        [*arguments, *map(str, command(folder, budget, homes))],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    rows = [line.split("\t")[1:] for line in ran.stdout.splitlines() if line.startswith("part\t")]
    print("   | part of a crawl | ms a page |\n   |---|--:|")
    for part, seconds in rows:
        print(f"   | {part} | {1000 * float(seconds) / pages:.2f} |")
    total = sum(float(seconds) for _, seconds in rows)
    print(f"   | all, with the clocks | {1000 * total / pages:.2f} |")


def another(python: str, script: list[str], file: Path, budget: int, homes: list[str]) -> Cost:
    """Run another crawler, a script that takes budget, file and homes."""
    taken = measured([python, *script, str(budget), str(file), *homes])
    with file.open() as lines:
        pages = sum("title" in json.loads(line) for line in lines)
    return Cost(*taken, pages)


def scrapy_python(install: bool, folder: Path) -> str:
    """Return an interpreter that has Scrapy, or nothing."""
    if os.environ.get("SCRAPY_PYTHON"):
        return os.environ["SCRAPY_PYTHON"]
    if importlib.util.find_spec("scrapy") and importlib.util.find_spec("uvloop"):
        return sys.executable
    if not install:
        print("   Scrapy is not installed: not measured (pip install 'foragers[bench]', --install)")
        return ""
    venv.create(folder, with_pip=True)
    subprocess.run([folder / "bin" / "pip", "install", "--quiet", *SCRAPY], check=True)
    return str(folder / "bin" / "python")


def contend(scratch: Path, budget: int, homes: list[str], python: str, rounds: int) -> bool:
    """Let all take turns; print what each cost at best, and how ours compares."""
    scripts = {"bare aiohttp + selectolax": (sys.executable, [str(HERE / "crawling_bare.py")])}
    if python:
        scrapy = str(HERE / "crawling_scrapy.py")
        scripts["Scrapy tuned"] = (python, [scrapy, "tuned"])
        scripts["Scrapy as documented"] = (python, [scrapy, "documented"])
    best: dict[str, Cost] = {}
    ratios: dict[str, list[float]] = {name: [] for name in scripts}
    for turn in range(rounds):
        costs = {OURS: ours(scratch / f"crawl{turn}", budget, homes)}
        for number, (name, (runner, script)) in enumerate(scripts.items()):
            file = scratch / f"{number}-{turn}.jsonl"
            costs[name] = another(runner, script, file, budget, homes)
            ratios[name].append(costs[OURS].per_thousand / costs[name].per_thousand)
        for name, cost in costs.items():
            best[name] = min(best.get(name, cost), cost, key=lambda one: one.per_thousand)
    for name, cost in best.items():
        of_rounds = ", ".join(f"{ratio:.2f}" for ratio in ratios.get(name, ()))
        print(
            f"   {name:26} {cost.pages:6,} pages {cost.per_thousand:7.2f} CPU s / 1,000 pages"
            f" {cost.megabytes:5.0f} MB {cost.pages / cost.wall:5.0f} pages/s"
            + (f"   ours is {of_rounds} x" if of_rounds else "")
        )
    print_parts(scratch / "parts", budget, homes, best[OURS].pages)
    met = verdict("a complete crawl", best[OURS].per_thousand, AIM, "CPU s / 1,000 pages")
    for name, aim in AIMS.items():
        if name in best and abs(best[name].pages / best[OURS].pages - 1) > ALIKE:
            print(f"   {name}: not compared, it is not the same number of pages")
            met = False
        elif name in best:
            met &= verdict(f"against {name}, median of the rounds", median(ratios[name]), aim)
    return met


def run(source: Path | None = None, install: bool = False, rounds: int = 3) -> bool:
    """Serve the pages of a recording or a folder, and let all crawl them."""
    source = source or (REAL if REAL.exists() else None)
    with TemporaryDirectory() as folder:
        scratch = Path(folder)
        python = scrapy_python(install, scratch / "venv")
        origin = [
            sys.executable,
            "-m",
            "benchmarks.crawling_origin",
            folder,
            *([str(source)] if source else []),
        ]
        with subprocess.Popen(
            origin, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as server:
            assert server.stdout is not None
            pages, size, *homes = server.stdout.readline().split()
            print(f"   {int(pages):,} pages of {int(size):,} bytes on {len(homes)} hosts")
            met = contend(scratch, int(pages), homes, python, rounds)
            server.kill()
    return met


def main() -> int:
    """Read the options and run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--world", type=Path, help="a WARC file whose pages are served")
    parser.add_argument("--pages", type=Path, help="a folder of sites whose HTML files are served")
    parser.add_argument("--install", action="store_true", help="install Scrapy for this run")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    return 0 if run(options.pages or options.world, options.install, options.rounds) else 1


if __name__ == "__main__":
    sys.exit(main())
