"""Runs in worker processes."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from foragers.core.models import Model
from foragers.core.options import ReplayOptions
from foragers.core.processes import in_processes
from foragers.evaluation.comparison.result import RunResult
from foragers.evaluation.comparison.run import perform
from foragers.evaluation.comparison.study import Study


@dataclass(frozen=True)
class ComparisonJob:
    """A run, the file for its ledger (None: no file), its model, and the number of its task."""

    run: ReplayOptions
    ledger: Path | None = None
    model: Model | None = None
    task: int = 0


_packed: list[bytes] = []
"""The pickled studies of a worker process, one for each task."""
OPEN = 4
"""The number of studies that a worker keeps open; jobs arrive task by task, so few are in use."""


def perform_all(
    jobs: Sequence[ComparisonJob], studies: Sequence[Study], processes: int
) -> Iterator[tuple[ComparisonJob, RunResult]]:
    """Yield each job with its result as it finishes; in this process if one is enough."""
    if processes == 1 or len(jobs) < 2:
        for job in jobs:
            yield job, finish(job, studies[job.task])
        return
    packed = [pickle.dumps(study) for study in studies]
    done = in_processes(
        work,
        jobs,
        processes,
        begin=begin,
        arguments=(packed,),
        remedy="the same command resumes it",
    )
    for index, result in done:
        yield jobs[index], result


def begin(packed: list[bytes]) -> None:
    """Prepare a worker."""
    _packed[:] = packed


@lru_cache(maxsize=OPEN)
def study_of(task: int) -> Study:
    """Open the study of a task in a worker."""
    study: Study = pickle.loads(_packed[task])
    return study


def work(job: ComparisonJob) -> RunResult:
    """Do one job in a worker."""
    return finish(job, study_of(job.task))


def finish(job: ComparisonJob, study: Study) -> RunResult:
    """Do one job; its ledger is renamed only when it is complete."""
    if job.ledger is None:
        return perform(job.run, study, named=job.model)
    partial = job.ledger.with_name(f".{job.ledger.name}.partial")
    clear(partial)
    try:
        result = perform(job.run, study, partial, job.model)
    except BaseException:
        clear(partial)
        raise
    partial.rename(job.ledger)
    return result


def clear(partial: Path) -> None:
    """Remove the files of an unfinished run, including SQLite's own files."""
    for left in partial.parent.glob(f"{partial.name}*"):
        left.unlink()
