"""Several strategies on one world: the plan, the runs, and their summary."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from foragers.core.options import ReplayOptions, check_value
from foragers.errors import UsageError
from foragers.evaluation.comparison import ray_cluster as cluster
from foragers.evaluation.comparison.folder import Folder
from foragers.evaluation.comparison.options import BEST, WORST, CompareOptions
from foragers.evaluation.comparison.result import FORMAT, Result, RunResult, StrategyResult
from foragers.evaluation.comparison.study import Study
from foragers.evaluation.comparison.workers import ComparisonJob, perform_all
from foragers.evaluation.metrics import harvest
from foragers.evaluation.metrics.significance import paired
from foragers.strategies.registry import info, init_names, named_model, parse


@dataclass(frozen=True)
class Plan:
    """What to compare on one world for one target.

    `base` has everything but strategy and seed.  `ray` is the address of a cluster, if one is used.
    With `once`, strategies without a random generator run once, whatever `runs` is, unless hosts
    have latencies: these depend on the random seed.
    """

    base: ReplayOptions
    strategies: tuple[str, ...]
    runs: int = 1
    against: str = WORST
    processes: int = 1
    out: Path | None = None
    ray: str | None = None
    once: bool = False

    def check(self) -> None:
        """Raise a UsageError for what cannot be run, before anything is."""
        parsed = [str(parse(spec)) for spec in self.strategies]
        parse(self.against)
        twice = [spec for at, spec in enumerate(self.strategies) if parsed[at] in parsed[:at]]
        if twice:
            raise UsageError(f"--strategies names {twice[0]} twice; give each once")
        if not self.strategies:
            raise UsageError("--strategies is empty; see 'foragers strategies'")
        if self.ray is not None:
            cluster.check(self.ray)
        check_value(CompareOptions, "budget", self.base.budget)
        check_value(CompareOptions, "runs", self.runs)
        check_value(CompareOptions, "seed", self.base.seed)

    def references(self, study: Study) -> tuple[str, ...]:
        """Return the strategies that are run only as references."""
        wanted = (WORST, self.against) if study.open_ended else (WORST, BEST, self.against)
        return tuple(dict.fromkeys(name for name in wanted if name not in self.strategies))

    def seeds(self, spec: str) -> range:
        """Return the random seeds of the runs of a strategy."""
        varies = is_random(spec) or self.base.latency is not None
        runs = 1 if self.once and not varies else self.runs
        return range(self.base.seed, self.base.seed + runs)

    def jobs(self, study: Study, task: int = 0) -> list[ComparisonJob]:
        """Return every run, the slow optimal ones first; models are read now, once for all."""
        specs = (*self.strategies, *self.references(study))
        models = {spec: named_model(spec) for spec in specs}
        jobs = [
            ComparisonJob(
                replace(self.base, strategy=spec, seed=seed),
                self.ledger(spec, seed),
                models[spec],
                task,
            )
            for spec in specs
            for seed in self.seeds(spec)
        ]
        return sorted(jobs, key=lambda job: job.run.strategy != BEST)

    def perform(
        self, jobs: Sequence[ComparisonJob], studies: Sequence[Study]
    ) -> Iterator[tuple[ComparisonJob, RunResult]]:
        """Run jobs in processes of this machine or on a cluster."""
        if self.ray is None:
            return perform_all(jobs, studies, self.processes)
        return cluster.perform_on_ray(jobs, studies, self.ray, self.processes)

    def ledger(self, spec: str, seed: int) -> Path | None:
        """Return the file for the ledger of a run."""
        if self.out is None:
            return None
        name = "".join(letter if letter.isalnum() or letter in "-.=" else "_" for letter in spec)
        return self.out / "ledgers" / f"{name}-{seed}.sqlite"


def is_random(spec: str) -> bool:
    """Return whether a strategy may depend on its random seed: whether it has a field `rng`."""
    about = info(spec)
    return not about.is_built_in or "rng" in init_names(about.kind)


Watch = Callable[[ComparisonJob, RunResult], None]


def compare(plan: Plan, study: Study, watch: Watch | None = None) -> Result:
    """Do all runs of a plan that are not finished, and summarise them."""
    return compare_tasks([plan], [study], watch)[0]


def compare_tasks(
    plans: Sequence[Plan], studies: Sequence[Study], watch: Watch | None = None
) -> list[Result]:
    """Do all runs of several plans in one pool of processes; return a result for each plan.

    All plans have the same processes and the same cluster.
    """
    # Models are read here, so that a missing one is reported before a folder is made.
    jobs = [
        job
        for task, (plan, study) in enumerate(zip(plans, studies, strict=True))
        for job in plan.jobs(study, task)
    ]
    folders = [
        None if plan.out is None else Folder(plan.out, plan.base, study)
        for plan, study in zip(plans, studies, strict=True)
    ]
    done: list[dict[tuple[str, int], RunResult]] = [{} for _ in plans]
    waiting = []

    def keep(job: ComparisonJob, result: RunResult) -> None:
        done[job.task][job.run.strategy, job.run.seed] = result
        if watch:
            watch(job, result)

    for job in jobs:
        folder = folders[job.task]
        if folder and (kept := folder.result(job)):
            keep(job, kept)
        else:
            waiting.append(job)
    for job, result in plans[0].perform(waiting, studies):
        if folder := folders[job.task]:
            folder.keep(job, result)
        keep(job, result)
    return [summarise(*task) for task in zip(plans, studies, done, strict=True)]


def summarise(plan: Plan, study: Study, done: dict[tuple[str, int], RunResult]) -> Result:
    """Combine the runs of each strategy and compare them with the references."""
    specs = (*plan.strategies, *plan.references(study))
    results = {
        spec: StrategyResult.of([done[spec, seed] for seed in plan.seeds(spec)]) for spec in specs
    }
    areas = {spec: [run.area for run in result.runs] for spec, result in results.items()}
    compared = {}
    for spec, result in results.items():
        share = None
        if BEST in results:
            ends = results[WORST].mean["area"], results[BEST].mean["area"]
            share = harvest.closed(result.mean["area"], *ends)
        other = None if spec == plan.against else paired(*matched(areas[spec], areas[plan.against]))
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
        strategies={str(spec): compared[spec] for spec in plan.strategies},
        references={str(spec): compared[spec] for spec in specs if spec not in plan.strategies},
    )


def matched(ours: list[float], theirs: list[float]) -> tuple[list[float], list[float]]:
    """Return two lists of equal length; a strategy that ran once had the same area every time."""
    runs = max(len(ours), len(theirs))
    return (ours * runs)[:runs], (theirs * runs)[:runs]
