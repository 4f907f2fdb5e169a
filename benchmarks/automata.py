"""The crawlers of `automata`: time a page beside that of parsing it, and automata in memory."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

import numpy as np

from benchmarks import automata_memory
from benchmarks.recordings import SHARED
from benchmarks.timing import verdict
from foragers.core.links import ParsedLinks
from foragers.core.loop import Crawl
from foragers.core.models import Model
from foragers.core.pace import Pace
from foragers.core.protocols import Learns, Strategy
from foragers.core.types import Choice, Document, HostId, ParsedLink, Visit
from foragers.judges.keywords import Keywords
from foragers.parsing.html.parse import parse
from foragers.storage.ledger.memory import MemoryLedger
from foragers.strategies.registry import StrategyInputs, build
from foragers.worlds.archive import Archive, Body
from foragers.worlds.budget import Budget
from foragers.worlds.generated import generate
from foragers.worlds.importing.importer import import_world
from foragers.worlds.replay import Recorded
from foragers.worlds.store import open_world

STRATEGIES = ("lafc", "lafc(walkers=8)", "hmm", "bpm", "hw", "context-graph")
PAGES, DOWNLOADS, ROUNDS = 6000, 1500, 2
RECORDED = {
    "organisations": "ldap authentication directory",
    "departments": "robot robotics sensor",
}
"""Real webs, where there are some, and topics that they have pages on."""


@dataclass
class Ready:
    """Texts at hand, as they are on the live web when a strategy is told of a page."""

    documents: list[Document]
    links: Sequence[Sequence[ParsedLink]]
    kind: ClassVar[str] = "ready"

    def document(self, version: int) -> Document:
        """Return what a version says."""
        return self.documents[version]

    def outlinks(self, version: int) -> Sequence[ParsedLink]:
        """Return the links of a version."""
        return self.links[version]

    def save(self, folder: Path) -> None:
        """Refuse: these texts are never written."""
        raise AssertionError(f"nobody writes these texts to {folder}")

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


@dataclass
class Ground:
    """A web with its texts at hand, and a topic on it."""

    archive: Archive
    topic: str

    def crawl(self, spec: str, before: Model | None, pace: Pace | None) -> tuple[float, Strategy]:
        """Return the CPU seconds that a strategy takes a page, and the strategy."""
        judge = Keywords(self.topic)
        timed = Timed(build(spec, StrategyInputs(judge, np.random.default_rng(1), None, before)))
        ledger = MemoryLedger()
        # A page comes in the twentieth part of the pause that is made at a host.
        world = Recorded(self.archive, connections=8, seconds_per_page=0.05)
        crawl = Crawl(timed, Budget(world, DOWNLOADS), judge, ledger, pace)
        crawl.begin()
        crawl.run()
        return timed.seconds / len(ledger), timed.strategy

    def costs(self, spec: str) -> dict[str, float]:
        """Return the least CPU seconds a page: in a replay, as on the live web, and again."""
        best: dict[str, float] = {}
        for _ in range(ROUNDS):
            alone, strategy = self.crawl(spec, None, None)
            found = {"replayed": alone, "polite": self.crawl(spec, None, Pace(1.0))[0]}
            if isinstance(strategy, Learns):
                known = strategy.learned(self.archive.book)
                found["with what was learned"] = self.crawl(spec, known, None)[0]
            best = {how: min(cost, best.get(how, cost)) for how, cost in found.items()}
        return best


def parsing(archive: Archive) -> float:
    """Return the CPU seconds that parsing takes a page, for pages of the same world."""
    bodies = [archive.texts.body(version).data for version in range(0, archive.versions, 10)]
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        for body in bodies:
            parse(body, "http://site.test/page.html")
        best = min(best, time.process_time() - start)
    return best / len(bodies)


def webs(scratch: Path) -> Iterator[tuple[str, Archive, str]]:
    """Return a generated web and the recorded ones, each with a topic."""
    yield "generated", generate("topics", seed=1, pages=PAGES, links=20), "robot sensor actuator"
    for name, topic in RECORDED.items():
        file = SHARED / "worlds" / f"{name}.warc.gz"
        if file.exists():
            import_world(scratch / name, [file])
            archive = open_world(scratch / name)
            hrefs = file.with_name(f"{name}.seeds.txt").read_text().split()
            seeds = tuple(url for href in hrefs if (url := archive.book.find(href)) is not None)
            yield name, replace(archive, seeds=seeds), topic


def times() -> bool:
    """Measure all strategies on all webs."""
    met = True
    with TemporaryDirectory() as folder:
        for name, archive, topic in webs(Path(folder)):
            seconds, texts = parsing(archive), archive.texts
            print(f"   {name}: parsing {1e3 * seconds:.2f} ms a page")
            versions = range(archive.versions)
            documents = [texts.document(version) for version in versions]
            links = [ParsedLinks.of(texts.outlinks(version)) for version in versions]
            ground = Ground(replace(archive, texts=Ready(documents, links)), topic)
            for spec in STRATEGIES:
                costs = ground.costs(spec)
                told = ", ".join(f"{how} {1e3 * cost:.2f}" for how, cost in costs.items())
                print(f"   {name}, {spec}: {told} ms a page")
                worst = max(costs.values()) / seconds
                met &= verdict(f"{spec} beside parsing, on {name}", worst, 1.0)
    return met


def run() -> bool:
    """Measure time and memory."""
    met = times()
    return automata_memory.run() and met
