"""Simulations of the papers' fleets: downloads for each second of CPU time.

A generated news web of the papers' size, three simulated days.  The aims are rates; the time of a
fixed loop in the same run tells how busy the processor was.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.timing import best_of, verdict
from foragers.papers.fleets.kinds import KINDS
from foragers.strategies.fleet.simulation.replay import simulate
from foragers.strategies.fleet.simulation.web import SimulatedWeb
from foragers.worlds.generated import generate
from foragers.worlds.states import states_of

AIMS = {"RL": 300_000, "WL": 300_000, "WLRL": 300_000, "refresh": 100_000, "mixed": 60_000}
"""Downloads a CPU second."""
DAYS = 3.0
SECONDS_PER_PAGE = 2.57


def fixed_loop() -> int:
    """Do a fixed amount of work."""
    return sum(number & 7 for number in range(2_000_000))


def run() -> bool:
    """Simulate every fleet, and compare its rate with its aim."""
    archive = generate("news", seed=1)
    web, met = SimulatedWeb.of(archive, states_of(archive)), True
    for name, aim in AIMS.items():
        simulated = partial(
            simulate,
            web,
            KINDS[name].settings,
            seed=1,
            days=DAYS,
            seconds_per_page=SECONDS_PER_PAGE,
        )
        found = simulated()
        best = best_of({"loop": fixed_loop, "fleet": simulated}, rounds=3)
        relevant = int(np.sum([window.relevant for window in found.windows]))
        print(
            f"   {name}: {found.downloaded / best['fleet']:,.0f} downloads a CPU second, aim"
            f" {aim:,}; {found.steps:,} steps, {relevant:,} relevant pages;"
            f" the fixed loop took {best['loop']:.2f} s"
        )
        met &= verdict(f"time of {name}", 1e6 * best["fleet"] / found.downloaded, 1e6 / aim, "us")
    return met
