"""Several strategies on one world: the plan, the runs, and what they show."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from foragers.core.options import ReplayOptions
from foragers.errors import UsageError
from foragers.evaluation.comparison import ray_cluster as cluster
from foragers.evaluation.comparison.folder import Folder
from foragers.evaluation.comparison.result import FORMAT, Result, RunResult, StrategyResult
from foragers.evaluation.comparison.study import Study
from foragers.evaluation.comparison.workers import ComparisonJob, perform_all
from foragers.evaluation.metrics import harvest
from foragers.evaluation.metrics.significance import paired
from foragers.strategies.registry import named_model, parse

WORST, BEST = "breadth-first", "optimal"


@dataclass(frozen=True)
class Plan:
    """What is to be compared: `base` holds all but strategy and seed; `ray` is where, if there."""

    base: ReplayOptions
    strategies: tuple[str, ...]
    runs: int = 1
    against: str = WORST
    processes: int = 1
    out: Path | None = None
    ray: str | None = None

    def check(self) -> None:
        """Refuse what cannot be run, before anything is."""
        parsed = [str(parse(spec)) for spec in self.strategies]
        parse(self.against)
        if len(set(parsed)) < len(parsed):
            raise UsageError("--strategies names a strategy twice; give each once")
        if not self.strategies:
            raise UsageError("--strategies is empty; see 'foragers strategies'")
        if self.ray is not None:
            cluster.check(self.ray)
        least = {"--budget": (self.base.budget, 1), "--runs": (self.runs, 1)}
        for option, (value, lowest) in {**least, "--seed": (self.base.seed, 0)}.items():
            if value < lowest:
                raise UsageError(f"{option} {value}: must be at least {lowest}")

    def references(self, study: Study) -> tuple[str, ...]:
        """Return the strategies that are run only to be measured against."""
        wanted = (WORST, self.against) if study.open_ended else (WORST, BEST, self.against)
        return tuple(dict.fromkeys(name for name in wanted if name not in self.strategies))

    def jobs(self, study: Study) -> list[ComparisonJob]:
        """Return every run, the costly optimal ones first; models are read now, once for all."""
        specs = (*self.strategies, *self.references(study))
        models = {spec: named_model(spec) for spec in specs}
        seeds = range(self.base.seed, self.base.seed + self.runs)
        jobs = [
            ComparisonJob(
                replace(self.base, strategy=spec, seed=seed), self.ledger(spec, seed), models[spec]
            )
            for spec in specs
            for seed in seeds
        ]
        return sorted(jobs, key=lambda job: job.run.strategy != BEST)

    def perform(
        self, jobs: Sequence[ComparisonJob], study: Study
    ) -> Iterator[tuple[ComparisonJob, RunResult]]:
        """Do jobs where they are to be done."""
        if self.ray is None:
            return perform_all(jobs, study, self.processes)
        return cluster.perform_on_ray(jobs, study, self.ray, self.processes)

    def ledger(self, spec: str, seed: int) -> Path | None:
        """Return where the ledger of a run goes."""
        if self.out is None:
            return None
        name = "".join(letter if letter.isalnum() or letter in "-.=" else "_" for letter in spec)
        return self.out / "ledgers" / f"{name}-{seed}.sqlite"


def compare(
    plan: Plan, study: Study, watch: Callable[[ComparisonJob, RunResult], None] | None = None
) -> Result:
    """Do all runs of a plan that are not done yet, and sum up."""
    jobs = plan.jobs(study)
    folder = None if plan.out is None else Folder(plan.out, plan.base, study)
    done: dict[tuple[str, int], RunResult] = {}
    waiting = []
    for job in jobs:
        if folder and (known := folder.result(job)):
            done[job.run.strategy, job.run.seed] = known
            if watch:
                watch(job, known)
        else:
            waiting.append(job)
    for job, result in plan.perform(waiting, study):
        if folder:
            folder.keep(job, result)
        done[job.run.strategy, job.run.seed] = result
        if watch:
            watch(job, result)
    return summarise(plan, study, done)


def summarise(plan: Plan, study: Study, done: dict[tuple[str, int], RunResult]) -> Result:
    """Put the runs of each strategy together and measure them against the references."""
    seeds = range(plan.base.seed, plan.base.seed + plan.runs)
    specs = (*plan.strategies, *plan.references(study))
    results = {spec: StrategyResult.of([done[spec, seed] for seed in seeds]) for spec in specs}
    areas = {spec: [run.area for run in result.runs] for spec, result in results.items()}
    compared = {}
    for spec, result in results.items():
        share = None
        if BEST in results:
            ends = results[WORST].mean["area"], results[BEST].mean["area"]
            share = harvest.closed(result.mean["area"], *ends)
        other = None if spec == plan.against else paired(areas[spec], areas[plan.against])
        compared[spec] = msgspec.structs.replace(result, closed=share, against=other)
    reachable = study.reachable()
    return Result(
        format=FORMAT,
        world=plan.base.world,
        topic=str(plan.base.aim),
        budget=plan.base.budget,
        reachable=len(reachable),
        targets=None if study.open_ended else len(study.rewards() & reachable),
        against=plan.against,
        strategies={spec: compared[spec] for spec in plan.strategies},
        references={spec: compared[spec] for spec in specs if spec not in plan.strategies},
    )
