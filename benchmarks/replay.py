"""Replaying breadth-first against a bare BFS with a set and a deque.

Both walk the same adjacency lists.  The cost of ours is nearly all per page, that of
the bare loop per link, so the ratio depends on how many links a page has; real pages
have tens of them (115 in a set of documentation sites).
"""

from __future__ import annotations

from collections import deque

from benchmarks.timing import best_of, verdict
from foragers.core.loop import Crawl
from foragers.judges.simple import Everything
from foragers.storage.ledger.memory import MemoryLedger
from foragers.strategies.baselines import BreadthFirst
from foragers.worlds.archive import Archive
from foragers.worlds.generated import generate
from foragers.worlds.replay import Recorded

AIM = 10.0


def bare(archive: Archive, links: list[list[int]]) -> int:
    """Walk the graph with nothing but a set and a deque."""
    seen, queue = set(archive.seeds), deque(archive.seeds)
    visited = 0
    while queue:
        visited += 1
        for url in links[queue.popleft()]:
            if url not in seen:
                seen.add(url)
                queue.append(url)
    return visited


def ours(archive: Archive) -> int:
    """Walk it with the loop, the breadth-first strategy, a judge and a ledger."""
    ledger = MemoryLedger()
    crawl = Crawl(BreadthFirst(), Recorded(archive), Everything(), ledger)
    crawl.begin()
    crawl.run()
    return len(ledger)


def measure(archive: Archive) -> float:
    """Print the cost per page of both, and return the ratio."""
    targets = archive.targets.tolist()
    starts = archive.link_starts.tolist()
    links = [
        targets[starts[version] : starts[version + 1]] if version >= 0 else []
        for version in archive.latest.tolist()
    ]
    pages = bare(archive, links)
    best = best_of({"bare": lambda: bare(archive, links), "ours": lambda: ours(archive)})
    print(
        f"   {pages:,} pages, {len(targets) / pages:.0f} links a page:"
        f" bare {1e6 * best['bare'] / pages:.2f} us a page,"
        f" ours {1e6 * best['ours'] / pages:.2f} us, ratio {best['ours'] / best['bare']:.1f}"
    )
    return best["ours"] / best["bare"]


def run() -> bool:
    """Measure on a web with as many links a page as real ones have, and on a sparse one."""
    dense = measure(generate("topics", seed=1, pages=20_000, links=50))
    measure(generate("topics", seed=1, pages=20_000))
    return verdict("replaying breadth-first", dense, AIM)
