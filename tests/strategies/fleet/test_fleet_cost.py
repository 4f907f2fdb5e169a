"""What a simulation costs: as much for each download, and memory that does not grow with them."""

from __future__ import annotations

import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from foragers.papers.fleets.ledger import FleetLedger
from foragers.strategies.fleet.settings import RL, WL, FleetSettings
from foragers.strategies.fleet.simulation.replay import simulate
from foragers.strategies.fleet.simulation.web import SimulatedWeb
from foragers.worlds.generated import generate

NEWS = generate("news", seed=6, pages=700, days=2.0)
GROUND = SimulatedWeb.of(NEWS, np.random.default_rng(1).choice([-1, 1], (NEWS.versions, 8)))
DOWNLOADS = 2000


def run(settings: FleetSettings, downloads: int, ledger: FleetLedger | None = None) -> int:
    pace = 2 * 86_400.0 / downloads
    found = simulate(GROUND, settings, seed=1, days=2.0, seconds_per_page=pace, record=ledger)
    return found.downloaded


def calls(settings: FleetSettings, downloads: int) -> float:
    """Return how many functions are called for a download: time, but the same each time."""
    count = 0

    def counting(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counting)
    try:
        made = run(settings, downloads)
    finally:
        sys.setprofile(None)
    return count / made


@pytest.mark.parametrize("settings", [RL, WL], ids=["rl", "wl"])
def test_a_download_costs_the_same_however_many_there_are(settings: FleetSettings) -> None:
    assert calls(settings, 5 * DOWNLOADS) < 1.3 * calls(settings, DOWNLOADS)


def peak(downloads: int, file: Path) -> int:
    ledger = FleetLedger(file, NEWS, GROUND)
    ledger.begin()
    tracemalloc.start()
    run(WL, downloads, ledger)
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return used


def test_memory_does_not_grow_with_the_downloads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foragers.papers.fleets.ledger.BATCH", 1000)
    few = peak(DOWNLOADS, tmp_path / "few.sqlite")
    assert peak(5 * DOWNLOADS, tmp_path / "many.sqlite") < 1.5 * few
