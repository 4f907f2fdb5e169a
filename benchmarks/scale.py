"""A generated web of 10,000, 100,000 and 1,000,000 pages: made and crawled, time and memory."""

from __future__ import annotations

import subprocess
import sys
from math import log

from benchmarks.timing import verdict

SIZES = (10_000, 100_000, 1_000_000)
MEMORY_AIM_GB, GROWTH_AIM = 4.0, 1.1
WORK = """
import resource, sys, time
from foragers.core.loop import Crawl
from foragers.storage.ledger.sqlite import SqliteLedger
from foragers.strategies.baselines import BreadthFirst
from foragers.judges.simple import Everything
from foragers.worlds.generated import generate
from foragers.worlds.replay import Recorded

start = time.process_time()
archive = generate("topics", seed=1, pages=int(sys.argv[1]))
made = time.process_time()
ledger = SqliteLedger(":memory:", archive.book, words=False, batch=5000)
crawl = Crawl(BreadthFirst(), Recorded(archive), Everything(), ledger)
crawl.begin()
crawl.run()
crawled = time.process_time()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
print(made - start, crawled - made, peak, len(ledger))
"""


def run() -> bool:
    """Make and crawl webs of growing size, each in a process of its own."""
    costs = []
    for pages in SIZES:
        done = subprocess.run(
            [sys.executable, "-c", WORK, str(pages)], capture_output=True, text=True, check=True
        )
        made, crawled, peak, visited = (float(text) for text in done.stdout.split())
        costs.append((made + crawled) / pages)
        print(
            f"   {pages:,} pages: made in {made:.1f} s, {visited:,.0f} crawled in {crawled:.1f} s,"
            f" {1e6 * costs[-1]:.0f} us a page, {peak:.2f} GB",
            flush=True,
        )
    met = verdict("memory for the largest", peak, MEMORY_AIM_GB, "GB")
    # Time grows as pages to this power; 1 is linear, the rest is memory that is farther away.
    growth = 1 + log(costs[-1] / costs[0]) / log(SIZES[-1] / SIZES[0])
    return verdict("growth of time", growth, GROWTH_AIM, "as exponent") and met
