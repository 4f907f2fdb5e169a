"""What a crawl process holds and does with 100,000, a million and ten million known URLs.

    python -m benchmarks.known [--strategy auto] [--sizes 100000,1000000,10000000]

Pages with a hundred links to URLs that nobody has seen, on 20,000 hosts, are numbered, told to the
strategy, which is asked for a choice each time: what a crawl does with links, without
fetching, judging and the ledger.  Then a checkpoint is written and read.  Each size has a process
of its own, so that memory is that of one size.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from foragers.core.links import ParsedLinks
from foragers.core.loop import OPEN, seed_visit
from foragers.core.options import Target
from foragers.core.types import Choice, Document, Link, Status, Visit
from foragers.crawling.checkpoint import Checkpoint, load, save
from foragers.fetching.extractor import Extracted
from foragers.fetching.job import FetchJob
from foragers.fetching.page_builder import page_of
from foragers.fetching.redirects import RedirectChain
from foragers.judges.build import build_judge, topic_of
from foragers.strategies.registry import StrategyInputs, build
from foragers.urls.strings import STRINGS_FILE, StringsFile
from foragers.urls.table import UrlTable

LINKS, HOSTS = 100, 20_000
WORDS = ("robot", "sensor", "river", "music", "paper", "garden", "actuator", "letter")
SIZES = "100000,1000000,10000000"


def url(number: int) -> str:
    """Return a URL as sites have them."""
    host, part, word = number // LINKS % HOSTS, number % 97, WORDS[number % len(WORDS)]
    return f"https://site{host}.example.org/section-{part}/{word}-page-{number}.html"


def found(first: int) -> Extracted:
    """Return the content of a page with new links."""
    links = ParsedLinks()
    for position, number in enumerate(range(first, first + LINKS)):
        links.add(url(number), f"{WORDS[number % len(WORDS)]} {number % 89}", "ul/li/a")
        links.positions.append(position)
    words = " ".join(WORDS[(first // LINKS + i) % len(WORDS)] for i in range(20))
    return Extracted(Status.OK, "", Document("Title", (), words), links, first)


def memory() -> float:
    """Return the largest memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(size: int, strategy_name: str, folder: Path) -> None:
    """Tell a strategy of so many URLs, and print what it took."""
    judge = build_judge(Target("robot sensor"))
    strategy = build(strategy_name, StrategyInputs(topic_of(judge), np.random.default_rng(1)))
    table = UrlTable(StringsFile(folder / STRINGS_FILE))
    before, began = memory(), time.process_time()
    seed = table.intern(url(0))
    strategy.tell([seed_visit([Link(seed, table.host(seed), url(0))], 0.0)])
    asked = 0.0
    for first in range(0, size, LINKS):
        at = time.process_time()
        choice, *_ = (*strategy.ask(1, OPEN), Choice(seed, table.host(seed)))
        asked += time.process_time() - at
        page = page_of(
            FetchJob(choice, RedirectChain(table.href(choice.url))), found(first), table, "", 0.0
        )
        good = float(first // LINKS % 7 == 0)
        strategy.tell([Visit(page, good, bool(good))])
    spent, pages, grown = time.process_time() - began, size // LINKS, memory() - before
    began = time.process_time()
    save(folder, Checkpoint(pages, strategy, judge, None, table))
    saved, written = time.process_time() - began, memory() - before
    bytes_of = {
        name: (folder / name).stat().st_size / 2**20 for name in ("checkpoint", STRINGS_FILE)
    }
    del strategy, table
    began = time.process_time()
    assert load(folder, pages) is not None
    loaded = time.process_time() - began
    print(
        f"   {size:12,} URLs, {strategy_name}: {1000 * spent / pages:5.2f} CPU ms a page"
        f" ({1000 * asked / pages:.2f} to ask), {grown:6,.0f} MB"
        f" ({written:,.0f} with a checkpoint), checkpoint {bytes_of['checkpoint']:,.0f} MB"
        f" in {saved:.1f} CPU s, strings {bytes_of[STRINGS_FILE]:,.0f} MB,"
        f" loaded in {loaded:.1f} CPU s",
        flush=True,
    )


def main() -> int:
    """Measure each size in a process of its own."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sizes", default=SIZES, metavar="N,N")
    parser.add_argument("--strategy", default="auto", metavar="NAME")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    if len(sizes) == 1:
        with TemporaryDirectory() as folder:
            measure(sizes[0], options.strategy, Path(folder))
        return 0
    for size in sizes:
        command = [sys.executable, "-m", "benchmarks.known", "--strategy", options.strategy]
        if subprocess.run([*command, "--sizes", str(size)], check=False).returncode:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
