"""Simulations of the papers' fleets at 10⁵, 10⁶ and 10⁷ downloads: CPU time and memory of each.

The same 18 days of a generated news web are replayed at three paces.  Each simulation has a process
of its own, whose memory is its peak.
"""

from __future__ import annotations

import resource
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.fleets import AIMS, fixed_loop
from benchmarks.timing import best_of, verdict
from foragers.papers.fleets.kinds import KINDS
from foragers.strategies.fleet.simulation.replay import simulate
from foragers.strategies.fleet.simulation.web import SimulatedWeb
from foragers.worlds.generated import generate
from foragers.worlds.states import states_of
from foragers.worlds.store import open_world, save

SIZES = (10**5, 10**6, 10**7)
DAYS = 18.0
MOST_TIME, MOST_MEMORY = 1.5, 1.5
"""How many times the CPU time, and the memory, may grow from the second size to the third.

At a faster pace there is less news a download, and paths are shorter.  So the time is that of a
step or a download, which both have to be made.
"""


def measured(job: tuple[Path, str, int]) -> tuple[int, int, float, float]:
    """Return downloads, steps, CPU seconds and megabytes of one simulation."""
    folder, fleet, size = job
    archive = open_world(folder)
    web = SimulatedWeb.of(archive, states_of(archive))
    start = time.process_time()
    run = simulate(
        web, KINDS[fleet].settings, seed=1, days=DAYS, seconds_per_page=DAYS * 86400 / size
    )
    spent = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return run.downloaded, run.steps, spent, peak


def run() -> bool:
    """Simulate every fleet at every size; the cost of a download must not grow."""
    met = True
    context = get_context("spawn")
    with (
        TemporaryDirectory() as folder,
        ProcessPoolExecutor(1, context, max_tasks_per_child=1) as pool,
    ):
        path = Path(folder) / "news"
        save(generate("news", seed=1), path)
        states_of(open_world(path))
        for fleet, aim in AIMS.items():
            costs, memory, last = [], [], 0.0
            jobs = [(path, fleet, size) for size in SIZES]
            for downloads, steps, spent, peak in pool.map(measured, jobs):
                costs.append(1e6 * spent / (downloads + steps))
                last = spent / downloads
                memory.append(peak)
                print(
                    f"   {fleet}: {downloads:,} downloads in {steps:,} steps, {spent:.1f} CPU s,"
                    f" {1e6 * spent / downloads:.2f} us a download, {costs[-1]:.2f} us a download"
                    f" or step,"
                    f" {peak:.0f} MB",
                    flush=True,
                )
            met &= verdict(
                f"{fleet}, time of a download or step at 10⁷", costs[2] / costs[1], MOST_TIME
            )
            met &= verdict(f"{fleet}, memory at 10⁷", memory[2] / memory[1], MOST_MEMORY)
            met &= verdict(f"{fleet}, time of a download at 10⁷", 1e6 * last, 1e6 / aim, "us")
            print(f"   the fixed loop took {best_of({'loop': fixed_loop}, rounds=3)['loop']:.3f} s")
    return met
