"""Evolving webs for the gates, and how much news a strategy finds on them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from foragers.core.loop import Crawl
from foragers.judges.novelty import DAY, Novelty
from foragers.judges.topic import NoTopic
from foragers.storage.ledger.memory import MemoryLedger
from foragers.strategies.registry import StrategyInputs, build
from foragers.worlds.archive import Archive
from foragers.worlds.budget import Budget
from foragers.worlds.generated import generate
from foragers.worlds.importing.importer import ImportOptions, import_world
from foragers.worlds.labels import read_seeds
from foragers.worlds.replay import Recorded
from foragers.worlds.store import open_world
from support.shared_suites import recording

SEEDS = (11, 21, 31, 41, 51, 61, 71, 81)
FORUM = "https://leanprover-community.github.io/archive/index.html"
RECORDED = {
    "hn-frontpage": ("https://news.ycombinator.com/news", "2022-05-15", "2022-06-05", 1.0),
    "digitalgov-news": ("https://digital.gov/", "2014-09-01", "2016-06-30", 32.0),
    "openbsd-site": ("http://www.openbsd.org/index.html", "2005-03-01", "2005-04-12", 1.0),
    "forum": (FORUM, "2024-10-01", "2024-10-22", 1.0),
}
"""Recordings: where they begin, from when to when, and how much faster than it was."""
KEPT: list[TemporaryDirectory[str]] = []
"""Folders of recordings, which go when the process ends."""


@cache
def made(seed: int) -> Archive:
    """Return a generated newspaper."""
    return generate("news", seed=seed, pages=2000)


@cache
def recorded(name: str) -> Archive:
    """Return a recorded web that changes; skip where there is none."""
    warc = recording(name)
    home, first, last, scale = RECORDED[name]
    days = (datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp() for day in (first, last))
    options = ImportOptions(evolving=True, window=(next(days), next(days)), time_scale=scale)
    KEPT.append(TemporaryDirectory())
    path = Path(KEPT[-1].name) / name

    def seeded(archive: Archive) -> Archive:
        return replace(archive, seeds=read_seeds([home], archive.book, "seeds"))

    import_world(path, [warc], options, seeded)
    return open_world(path)


def news(archive: Archive, strategy: str, downloads: int, seed: int = 1) -> int:
    """Return how many versions of pages a strategy finds within a day of their birth."""
    pace = (archive.end - archive.start) / downloads
    brief = StrategyInputs(NoTopic(), np.random.default_rng(seed), new_within=DAY)
    ledger = MemoryLedger()
    world = Budget(Recorded(archive, archive.start, pace), downloads)
    crawl = Crawl(build(strategy, brief), world, Novelty(DAY), ledger)
    crawl.begin()
    crawl.run()
    return sum(visit.relevant for visit in ledger.read())
