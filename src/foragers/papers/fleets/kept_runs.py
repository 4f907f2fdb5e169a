"""What came of each simulation, kept in a file, so that a reproduction that is resumed goes on."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import msgspec
import numpy as np

from foragers.core.files import write
from foragers.core.processes import in_processes
from foragers.core.types import UrlId
from foragers.papers.fleets.runs import FleetJob, FleetOutcome, perform
from foragers.papers.kept import kept_file
from foragers.papers.request import PaperRequest, Progress
from foragers.strategies.fleet.simulation.outcome import FleetRun, NewStart
from foragers.strategies.fleet.simulation.territory import TerritoryTally
from foragers.strategies.fleet.simulation.windows import Finds, ScoreTally, WindowTally
from foragers.strategies.population.population import LifeEvent

FORMAT = 1
"""Of what is kept of a simulation; other formats are not read."""


class KeptRun(msgspec.Struct):
    """The fields of a run, of which columns are bytes, and the seconds that it took."""

    start: float
    end: float
    downloaded: int
    sent: int
    steps: int
    windows: list[WindowTally]
    scores: list[ScoreTally]
    times: bytes
    versions: bytes
    foragers: bytes
    lives: list[LifeEvent]
    kinds: dict[int, str]
    discovered: bytes
    starts: list[NewStart]
    territory: list[TerritoryTally]
    paths: dict[int, list[UrlId]]
    lengths: dict[int, int]
    cpu_seconds: float
    ledger_seconds: float


def perform_all(
    jobs: Sequence[FleetJob], request: PaperRequest, progress: Progress
) -> list[FleetOutcome]:
    """Make all simulations that were not made before, and return all in the order of the jobs."""
    done: dict[FleetJob, FleetOutcome] = {}
    once = partial(perform_once, request.out / "runs")
    with progress("simulating", len(jobs)) as meter:
        for _, outcome in in_processes(once, jobs, request.jobs):
            done[outcome.job] = outcome
            meter(len(done), outcome.job.name)
    return [done[job] for job in jobs]


def perform_once(folder: Path, job: FleetJob) -> FleetOutcome:
    """Make a simulation, or read what came of it when it was made before."""
    file = kept_file(folder, FORMAT, job).with_suffix(".run")
    if job.ledger is None or job.ledger.exists():
        try:
            return outcome_of(job, file.read_bytes())
        except (OSError, ValueError, zlib.error, msgspec.MsgspecError):
            pass
    outcome = perform(job)
    file.parent.mkdir(parents=True, exist_ok=True)
    write(file, as_bytes(outcome))
    return outcome


def as_bytes(outcome: FleetOutcome) -> bytes:
    """Return an outcome without its job."""
    run = outcome.run
    kept = KeptRun(
        run.start,
        run.end,
        run.downloaded,
        run.sent,
        run.steps,
        run.windows,
        run.scores,
        run.finds.times.tobytes(),
        run.finds.versions.tobytes(),
        run.finds.foragers.tobytes(),
        run.lives,
        run.kinds,
        run.discovered.tobytes(),
        run.starts,
        run.territory,
        run.paths,
        run.lengths,
        outcome.cpu_seconds,
        outcome.ledger_seconds,
    )
    return zlib.compress(msgspec.msgpack.encode(kept), level=1)


def outcome_of(job: FleetJob, data: bytes) -> FleetOutcome:
    """Return the outcome of a job as it was."""
    kept = msgspec.msgpack.decode(zlib.decompress(data), type=KeptRun)
    finds = Finds()
    finds.add(
        np.frombuffer(kept.times),
        np.frombuffer(kept.versions, np.int32),
        np.frombuffer(kept.foragers, np.int32),
    )
    run = FleetRun(
        kept.start,
        kept.end,
        kept.downloaded,
        kept.sent,
        kept.steps,
        kept.windows,
        kept.scores,
        finds,
        kept.lives,
        kept.kinds,
        np.frombuffer(kept.discovered, np.int32),
        kept.starts,
        kept.territory,
        kept.paths,
        Counter(kept.lengths),
    )
    return FleetOutcome(job, run, kept.cpu_seconds, kept.ledger_seconds)
