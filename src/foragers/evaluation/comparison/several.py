"""A comparison over several worlds and targets: means, intervals and tests over all of them.

A *task* is one world with one target.  Every world counts the same, whatever the number of its
targets.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

import msgspec
import numpy as np

from foragers.core.files import check_own
from foragers.core.options import ReplayOptions
from foragers.errors import UsageError
from foragers.evaluation.comparison.options import BEST, WORST
from foragers.evaluation.comparison.result import FORMAT, Result, StrategyResult
from foragers.evaluation.metrics.significance import Difference, bootstrap, holm, paired

TASKS = "tasks"
"""The folder in `--out` with a folder for each task."""
LONGEST_NAME = 60
NARROW = 0.1
"""If breadth-first is nearer to optimal than this share of it, there is nothing to close."""


class Interval(msgspec.Struct, frozen=True, omit_defaults=True):
    """A mean over worlds and its 95 % bootstrap interval, if there are several tasks."""

    mean: float
    low: float | None = None
    high: float | None = None


class OverallResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """One strategy over all tasks.

    `against` is the difference to another strategy in `closed`, or in `area` if some task has no
    `closed`.  Its pairs are worlds, or targets if there is one world.  `corrected` is its p-value
    by Holm's method.
    """

    relevant: float
    area: Interval
    cpu_seconds: float
    downloads: float
    closed: Interval | None = None
    against: Difference | None = None
    corrected: float | None = None


class SeveralResults(msgspec.Struct, frozen=True):
    """A comparison over several tasks, with the result of each.

    `left_out` counts the tasks where breadth-first is so near to optimal that there is nothing
    to close.
    """

    format: int
    against: str
    worlds: list[str]
    topics: list[str]
    measure: str
    left_out: int
    strategies: dict[str, OverallResult]
    references: dict[str, OverallResult]
    tasks: list[Result]

    @classmethod
    def of(cls, tasks: Sequence[Result]) -> SeveralResults:
        """Combine the results of several tasks."""
        against = tasks[0].against
        by_task = [everyone(task) for task in tasks]
        names = [name for name in by_task[0] if all(name in others for others in by_task)]
        measured = [task for task in tasks if tells(task)]
        timeless = all(task.targets is not None for task in tasks)
        measure = "closed" if measured and timeless else "area"
        counted = measured if measure == "closed" else list(tasks)
        results = {
            name: overall(name, tasks, counted if measure == "closed" else []) for name in names
        }
        pairs = {
            name: None if name == against else tested(name, against, counted, measure)
            for name in names
        }
        asked = list(tasks[0].strategies)
        family = [pairs[name] for name in asked]
        chances = [None if found is None else found.p for found in family]
        corrected = dict(zip(asked, holm(chances), strict=True))
        results = {
            name: msgspec.structs.replace(found, against=pairs[name], corrected=corrected.get(name))
            for name, found in results.items()
        }
        return cls(
            format=FORMAT,
            against=against,
            worlds=list(dict.fromkeys(task.world for task in tasks)),
            topics=list(dict.fromkeys(task.topic for task in tasks)),
            measure=measure,
            left_out=len(tasks) - len(counted),
            strategies={name: results[name] for name in asked},
            references={name: found for name, found in results.items() if name not in asked},
            tasks=list(tasks),
        )


def everyone(task: Result) -> dict[str, StrategyResult]:
    """Return the strategies of a task with its references."""
    return {**task.strategies, **task.references}


def tells(task: Result) -> bool:
    """Return whether optimal is far enough from breadth-first for `closed` to be meaningful."""
    strategies = everyone(task)
    if BEST not in strategies:
        return False
    best = strategies[BEST].mean["area"]
    return best - strategies[WORST].mean["area"] > NARROW * best


def value(task: Result, name: str, measure: str) -> float:
    """Return the value of a strategy in a task, by a measure."""
    strategy = everyone(task)[name]
    if measure == "closed":
        assert strategy.closed is not None
        return strategy.closed
    return strategy.mean[measure]


def by_world(name: str, tasks: Sequence[Result], measure: str) -> list[list[float]]:
    """Return the values of a strategy, a list for each world."""
    groups: dict[str, list[float]] = {}
    for task in tasks:
        groups.setdefault(task.world, []).append(value(task, name, measure))
    return list(groups.values())


def mean_of(groups: Sequence[Sequence[float]]) -> float:
    """Return the mean of the means of the worlds."""
    return float(np.mean([np.mean(group) for group in groups]))


def interval(groups: Sequence[Sequence[float]]) -> Interval:
    """Return the mean over worlds with its interval."""
    return Interval(mean_of(groups), *(bootstrap(groups) or ()))


def overall(name: str, tasks: Sequence[Result], measured: Sequence[Result]) -> OverallResult:
    """Return the means of a strategy."""
    return OverallResult(
        relevant=mean_of(by_world(name, tasks, "relevant")),
        downloads=mean_of(by_world(name, tasks, "downloads")),
        cpu_seconds=mean_of(by_world(name, tasks, "cpu_seconds")),
        area=interval(by_world(name, tasks, "area")),
        closed=interval(by_world(name, measured, "closed")) if measured else None,
    )


def tested(name: str, against: str, tasks: Sequence[Result], measure: str) -> Difference:
    """Return the paired difference of two strategies."""
    ours, theirs = by_world(name, tasks, measure), by_world(against, tasks, measure)
    if len(ours) == 1:
        return paired(ours[0], theirs[0])
    means = [[float(np.mean(group)) for group in groups] for groups in (ours, theirs)]
    return paired(*means)


def task_folder(out: Path, base: ReplayOptions) -> Path:
    """Return the folder of a task, named after its world and target."""
    text = f"{Path(base.world).name}-{base.aim}"
    name = "".join(letter if letter.isalnum() else "-" for letter in text)[:LONGEST_NAME]
    while "--" in name:
        name = name.replace("--", "-")
    whole = msgspec.json.encode((base.world, msgspec.to_builtins(base.aim, enc_hook=str)))
    return out / TASKS / f"{name.strip('-')}-{blake2b(whole, digest_size=4).hexdigest()}"


def check_folder(out: Path) -> None:
    """Raise a UsageError for a folder with something other than a comparison of several tasks."""
    check_own(out)
    if out.exists() and any(out.iterdir()) and not (out / TASKS).is_dir():
        raise UsageError(
            f"--out {out} holds something else than a comparison of several worlds or topics;"
            " choose another folder"
        )
