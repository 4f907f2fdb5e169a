"""Agents side by side: a large population keeps many connections busy, hosts notwithstanding."""

from __future__ import annotations

import numpy as np
import pytest

from foragers.core.loop import Crawl
from foragers.core.pace import Pace
from foragers.judges.keywords import Keywords
from foragers.storage.ledger.memory import MemoryLedger
from foragers.strategies.registry import StrategyInputs, build
from foragers.worlds.archive import Archive
from foragers.worlds.budget import Budget
from foragers.worlds.generated import generate
from foragers.worlds.replay import Recorded

TOPIC = Keywords("robot sensor actuator")
CONNECTIONS = 32


@pytest.fixture(scope="module")
def world() -> Archive:
    """A web of 40 hosts, each of which answers one request at a time."""
    return generate("topics", pages=2000, seed=1)


def busy(spec: str, archive: Archive) -> float:
    """Return how many of the connections were in use, in the mean."""
    recorded = Recorded(archive, seconds_per_page=0.4, connections=CONNECTIONS)
    strategy = build(spec, StrategyInputs(TOPIC, np.random.default_rng(0)))
    work = Crawl(strategy, Budget(recorded, 800), TOPIC, MemoryLedger(), Pace())
    work.begin()
    running = []
    while True:
        work.start()
        running.append(recorded.running)
        if work.step() is None:
            return float(np.mean(running))


@pytest.mark.parametrize("name", ["energy", "infospiders"])
def test_a_population_of_200_keeps_connections_busy(world: Archive, name: str) -> None:
    population = busy(f"{name}(agents=200, least=150, most=250)", world)
    assert population > 0.6 * CONNECTIONS
    assert population > 0.7 * busy("best-first", world)
