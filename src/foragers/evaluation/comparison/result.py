"""The result of a comparison: the schema of `--json` (docs/comparison.md)."""

from __future__ import annotations

import msgspec
import numpy as np

from foragers.evaluation.metrics.significance import Difference

FORMAT = 1


class RunResult(msgspec.Struct, frozen=True):
    """One crawl."""

    seed: int
    downloads: int
    relevant: int
    links_followed: int
    curve: list[tuple[int, int]]
    seconds: float
    cpu_seconds: float
    missing: int
    failed: int
    area: float


MEASURED = (
    "downloads",
    "relevant",
    "links_followed",
    "seconds",
    "cpu_seconds",
    "missing",
    "failed",
    "area",
)


class StrategyResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """All crawls of one strategy."""

    runs: list[RunResult]
    mean: dict[str, float]
    std: dict[str, float]
    closed: float | None = None
    against: Difference | None = None

    @classmethod
    def of(cls, runs: list[RunResult]) -> StrategyResult:
        """Summarise the runs of a strategy."""
        columns = {name: np.array([getattr(run, name) for run in runs]) for name in MEASURED}
        spread = 1 if len(runs) > 1 else 0
        return cls(
            runs,
            {name: float(column.mean()) for name, column in columns.items()},
            {name: float(column.std(ddof=spread)) for name, column in columns.items()},
        )


class Result(msgspec.Struct, frozen=True):
    """A whole comparison.

    `reachable` is the number of pages that can be reached from the seeds at the start and `targets`
    that of the relevant ones among them (`None` if it depends on the time of fetching).
    `references` are breadth-first and optimal, between which the share `closed` is measured.
    """

    format: int
    world: str
    topic: str
    budget: int
    reachable: int
    targets: int | None
    against: str
    strategies: dict[str, StrategyResult]
    references: dict[str, StrategyResult]
