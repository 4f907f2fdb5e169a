"""The crawlers of `automata`: time a page beside that of parsing it, and automata in memory."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

import numpy as np

from benchmarks.timing import verdict
from foragers.ledger.memory import MemoryLedger
from foragers.loop import Crawl
from foragers.pages.html import parse
from foragers.protocols import Strategy
from foragers.strategies.registry import Brief, build
from foragers.topics.keywords import Keywords
from foragers.types import Choice, Document, HostId, Outlink, Visit
from foragers.worlds.archive import Archive, Body
from foragers.worlds.budget import Budget
from foragers.worlds.generated import generate
from foragers.worlds.recorded import Recorded

STRATEGIES = ("lafc", "lafc(walkers=8)", "hmm", "bpm", "hw", "context-graph")
PAGES, DOWNLOADS = 6000, 2000
MEMORY_AIM_GB = 1.0
MILLION = """
import resource, sys
import numpy as np

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()

from foragers.strategies.automata import Automata
from foragers.types import Links

pages, links = int(sys.argv[1]), int(sys.argv[2])
rng = np.random.default_rng(1)
before = resident()
automata, enabled = Automata(), np.ones(links, bool)
for page in range(pages):
    targets = np.unique(rng.integers(5 * pages, size=links, dtype=np.int32))
    number = automata.add(page, 1, Links(targets, targets, None, None))
    flags = enabled[: len(targets)]
    automata.update(number, flags, page % len(targets), 0.5, 0.09, 0.0)
print((resident() - before) / 2**30)
"""


@dataclass
class Ready:
    """Texts at hand, as they are on the live web when a strategy is told of a page."""

    documents: list[Document]
    links: list[Sequence[Outlink]]
    kind: str = "ready"

    def document(self, version: int) -> Document:
        """Return what a version says."""
        return self.documents[version]

    def outlinks(self, version: int) -> Sequence[Outlink]:
        """Return the links of a version."""
        return self.links[version]

    def body(self, version: int) -> Body:
        """Refuse: no strategy asks for bytes."""
        raise AssertionError(f"nobody asks for the bytes of {version}")


@dataclass
class Timed:
    """A strategy, and the CPU time that it took."""

    strategy: Strategy
    seconds: float = field(default=0.0)

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        """Ask the strategy."""
        start = time.process_time()
        choices = self.strategy.ask(n, closed)
        self.seconds += time.process_time() - start
        return choices

    def tell(self, visits: Sequence[Visit]) -> None:
        """Tell the strategy."""
        start = time.process_time()
        self.strategy.tell(visits)
        self.seconds += time.process_time() - start


def parsing(archive: Archive) -> float:
    """Return the CPU seconds that parsing takes a page, for pages of the same world."""
    bodies = [archive.texts.body(version).data for version in range(0, archive.versions, 10)]
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        for body in bodies:
            parse(body, "http://site.test/page.html")
        best = min(best, time.process_time() - start)
    return best / len(bodies)


def deciding(spec: str, archive: Archive) -> float:
    """Return the CPU seconds that a strategy takes a page."""
    judge = Keywords("robot sensor actuator")
    best = float("inf")
    for _ in range(3):
        timed = Timed(build(spec, Brief(judge, np.random.default_rng(1))))
        ledger = MemoryLedger()
        crawl = Crawl(timed, Budget(Recorded(archive, connections=8), DOWNLOADS), judge, ledger)
        crawl.begin()
        crawl.run()
        best = min(best, timed.seconds / len(ledger))
    return best


def memory(pages: int, links: int) -> float:
    """Return the gigabytes that automata take, in a process of their own."""
    done = subprocess.run(
        [sys.executable, "-c", MILLION, str(pages), str(links)],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


def run() -> bool:
    """Measure time and memory."""
    archive = generate("topics", seed=1, pages=PAGES, links=20)
    parse_seconds = parsing(archive)
    versions = range(archive.versions)
    texts = archive.texts
    ready = Ready([texts.document(v) for v in versions], [texts.outlinks(v) for v in versions])
    at_hand = replace(archive, texts=ready)
    print(f"   parsing: {1e3 * parse_seconds:.3f} ms a page")
    met = True
    for spec in STRATEGIES:
        seconds = deciding(spec, at_hand)
        print(f"   {spec}: {1e3 * seconds:.3f} ms a page")
        met &= verdict(f"{spec} beside parsing", seconds / parse_seconds, 1.0)
    for links in (20, 60):
        taken = memory(1_000_000, links)
        print(f"   {links} links a page: {1e3 * taken * 1.073741824:.0f} bytes a page")
        met &= verdict("a million automata, all of them learned", taken, MEMORY_AIM_GB, "GB")
    return met
