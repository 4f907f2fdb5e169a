"""Quality floors of auto where news is wanted; they may be raised, never lowered."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from foragers.ledger.memory import MemoryLedger
from foragers.loop import Crawl
from foragers.strategies.registry import Brief, build
from foragers.topics.no_topic import NoTopic
from foragers.topics.novelty import DAY, Novelty
from foragers.worlds.budget import Budget
from foragers.worlds.generated import generate
from foragers.worlds.recorded import Recorded

DOWNLOADS = 1000
FLOORS = {"foragers": 1.1, "home-page": 1.8, "uniform": 4.0}
"""How many times as much news as another auto finds at least."""


@lru_cache(maxsize=8)
def found(strategy: str) -> int:
    archive = generate("news", seed=11, pages=2000)
    pace = (archive.end - archive.start) / DOWNLOADS
    brief = Brief(NoTopic(), np.random.default_rng(1), new_within=DAY)
    ledger = MemoryLedger()
    world = Budget(Recorded(archive, archive.start, pace), DOWNLOADS)
    crawl = Crawl(build(strategy, brief), world, Novelty(DAY), ledger)
    crawl.begin()
    crawl.run()
    return sum(visit.relevant for visit in ledger.read())


@pytest.mark.parametrize("other", FLOORS)
def test_auto_finds_more_news_than_others(other: str) -> None:
    assert found("auto") >= FLOORS[other] * found(other)


if __name__ == "__main__":
    for name in ("auto", *FLOORS):
        print(name, found(name))
