"""Thirty simulated days of watching: memory, and the growth of the ledger.

A generated news site is watched with 500 requests a day.  Every third day the watch is killed: a
new strategy is told the ledger.  The process must not grow from day to day once it knows the site.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from foragers.core.loop import Crawl, seed_visit
from foragers.core.processes import give_back
from foragers.judges.simple import Everything
from foragers.judges.topic import NoTopic
from foragers.storage.ledger.sqlite import SqliteLedger
from foragers.strategies.registry import StrategyInputs, build
from foragers.worlds.budget import Period
from foragers.worlds.generated import generate
from foragers.worlds.replay import Recorded
from foragers.worlds.store import open_world, save

DAYS, PAGES, REQUESTS, KILLS = 30, 6000, 500, 3
DAY, MB = 86400.0, 1e6
MOST_GROWTH = 0.5
"""Megabytes a day over the second half, at most."""


def resident() -> float:
    """Return the resident memory of this process in megabytes."""
    give_back()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / MB


def run() -> bool:
    """Watch for a month, and print memory and files day by day."""
    print("| day | visits | RSS MB | ledger MB |")
    print("|--:|--:|--:|--:|")
    memory = []
    with TemporaryDirectory() as name:
        folder = Path(name)
        save(generate("news", seed=5, pages=PAGES, days=float(DAYS)), folder / "world")
        archive = open_world(folder / "world")
        ledger = SqliteLedger(folder / "ledger.sqlite", archive.book)
        inputs = StrategyInputs(NoTopic(), np.random.default_rng(0))
        strategy = build(f"watch(requests={REQUESTS})", inputs)
        seeds = seed_visit(Recorded(archive, archive.start).seeds, archive.start)
        strategy.tell([seeds])
        for day in range(DAYS):
            if day and day % KILLS == 0:
                strategy = build(f"watch(requests={REQUESTS})", inputs)
                strategy.tell([seeds])
                for visit in ledger.read():
                    strategy.tell([visit])
            begin = archive.start + day * DAY
            world = Period(Recorded(archive, begin, 1.0, 2), begin + DAY)
            Crawl(strategy, world, Everything(), ledger).run()
            ledger.commit()
            memory.append(resident())
            size = (folder / "ledger.sqlite").stat().st_size / MB
            print(f"| {day + 1} | {len(ledger):,} | {memory[-1]:.0f} | {size:.1f} |", flush=True)
        ledger.close()
    half = memory[DAYS // 2 :]
    growth = (half[-1] - half[0]) / len(half)
    print(f"\n   {growth:+.2f} MB a day over the second half, aim <= {MOST_GROWTH}")
    return growth <= MOST_GROWTH


if __name__ == "__main__":
    sys.exit(0 if run() else 1)
