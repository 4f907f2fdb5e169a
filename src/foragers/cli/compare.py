"""`foragers compare`: several strategies on the same worlds, with the same budget and seeds."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

from rich.console import Console

from foragers.cli.options import add_options, aims_of, since_of
from foragers.cli.terminal.progress import progress
from foragers.core.files import check_writable, write
from foragers.core.options import ReplayOptions, Target, check_ranges, make
from foragers.errors import UsageError
from foragers.evaluation.comparison import ray_cluster as cluster
from foragers.evaluation.comparison.comparison import Comparison
from foragers.evaluation.comparison.options import CompareOptions
from foragers.evaluation.comparison.plan import Plan, compare_tasks
from foragers.evaluation.comparison.result import Result, RunResult
from foragers.evaluation.comparison.several import TASKS, check_folder, task_folder
from foragers.evaluation.comparison.standings import downloads_of, targets_of
from foragers.evaluation.comparison.study import Study, prepare
from foragers.evaluation.comparison.workers import ComparisonJob
from foragers.evaluation.plots import canvas
from foragers.strategies.registry import split
from foragers.worlds.labels import read_lines
from foragers.worlds.store import open_world


def add(verb: argparse.ArgumentParser) -> None:
    """Describe the options of the command."""
    verb.usage = "%(prog)s W [W ...] [options]"
    verb.add_argument(
        "world", nargs="+", metavar="W", help="folder of a web; make one with 'foragers world'"
    )
    add_options(verb, CompareOptions, repeated=("topic", "relevant"))
    results = verb.add_argument_group("results")
    results.add_argument("--json", type=Path, metavar="FILE", help="write the result as JSON")
    results.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="write a report, curves and the ledger of each run here",
    )
    verb.add_argument("--config", metavar="FILE", help="read options from a TOML file")
    verb.set_defaults(run=run)


def run(options: argparse.Namespace, console: Console) -> None:
    """Compare, and print and write the result."""
    plans = plans_of(options)
    for plan in plans:
        plan.check()
    if options.json:
        check_writable(options.json, "--json")
    if options.out and (len(plans) > 1 or options.standings):
        check_folder(options.out)
    studies = [judged(plan, console) for plan in plans]
    tasks = compare_with_progress(plans, studies, console)
    folders = [plan.out for plan in plans if plan.out]
    generated = generated_worlds(plans, studies) if options.standings else None
    result = Comparison(tasks, folders, generated)
    for table in result.tables():
        console.print(table)
    console.print(result.explanation(), markup=False, highlight=False)
    if options.json:
        write(options.json, result.to_json())
    if options.out:
        write_folder(result, options.out, console)


def compare_arguments(worlds: list[str], given: Mapping[str, Any]) -> argparse.Namespace:
    """Return options given by name in Python as the command line would have them."""
    verb = argparse.ArgumentParser()
    add(verb)
    options = verb.parse_args(worlds)
    for name, value in given.items():
        if name not in vars(options) or name in ("run", "config", "json", "world"):
            raise UsageError(f"'{name}' is not an option of compare")
        if value is None:
            continue
        if name in ("topic", "relevant"):
            value = [value] if isinstance(value, str) else list(value)
        elif name == "strategies" and not isinstance(value, str):
            value = ",".join(value)
        elif name in ("out", "seeds"):
            value = Path(value)
        setattr(options, name, value)
    return options


def judged(plan: Plan, console: Console) -> Study:
    """Open the world of a plan, and judge its pages once for all runs."""
    study = prepare(plan.base)
    with progress(console, "judging pages", study.archive.pages) as meter:
        study.score(meter)
    return study


def plans_of(given: argparse.Namespace) -> list[Plan]:
    """Return a plan for each world and target."""
    targets = aims_of(given)
    if len(set(given.world)) < len(given.world):
        raise UsageError("a world is named twice; give each once")
    if (given.words or given.until != 1) and not given.standings:
        name = "--words" if given.words else "--until"
        raise UsageError(f"{name} goes with --standings; add it")
    if given.standings:
        return standing_plans(given, targets)
    several = len(targets) * len(given.world) > 1
    plans = []
    for world in given.world:
        for target in targets:
            options = make(CompareOptions, vars(given), aim=target)
            plan = replace(plan_of(options, world), out=given.out)
            if several:
                out = given.out and task_folder(given.out, plan.base)
                plan = replace(plan, out=out, once=True)
            plans.append(plan)
    return plans


def standing_plans(given: argparse.Namespace, targets: list[Target]) -> list[Plan]:
    """Return plans that crawl each web to its end, for the given targets or some of its labels."""
    if given.since not in (None, "end") or given.new_within:
        raise UsageError("--standings needs webs that stand still; leave out --since, --new-within")
    plans = []
    for world in given.world:
        study = prepare(ReplayOptions(world, "", labels=given.labels))
        budget = downloads_of(len(study.reachable()), given.until)
        chosen = targets if targets != [Target()] else targets_of(study, given.words)
        if not chosen:
            raise UsageError(
                f"{world}: no label has from 10 pages to a quarter of all;"
                " give --topic or --relevant"
            )
        for target in chosen:
            plan = plan_of(make(CompareOptions, vars(given), aim=target), world)
            out = given.out and task_folder(given.out, plan.base)
            plans.append(replace(plan, base=replace(plan.base, budget=budget), out=out, once=True))
    return plans


def generated_worlds(plans: Sequence[Plan], studies: Sequence[Study]) -> set[str]:
    """Return the names of the worlds that are generated."""
    pairs = zip(plans, studies, strict=True)
    return {plan.base.world for plan, study in pairs if "preset" in study.archive.origin}


def plan_of(options: CompareOptions, world: str) -> Plan:
    """Return the plan for one world."""
    check_ranges(options)
    base = ReplayOptions(
        world=world,
        strategy="",
        aim=options.aim,
        budget=options.budget,
        seed=options.seed,
        seeds=tuple(read_lines(Path(options.seeds), "--seeds")) if options.seeds else (),
        labels=options.labels,
        connections=options.concurrency,
        delay=options.delay,
        latency=None if options.latency is None else latency_of(options.latency),
        learns_since=options.seed if options.in_turn else None,
    )
    return Plan(
        base=timed(base, options),
        strategies=tuple(spec.strip() for spec in split(options.strategies)),
        runs=options.runs,
        against=options.against,
        processes=options.jobs or processes(options.ray),
        ray=options.ray,
    )


def latency_of(text: str) -> tuple[float, float]:
    """Read `0.05-2`, or one number."""
    least, dash, most = text.partition("-")
    try:
        found = float(least), float(most if dash else least)
    except ValueError:
        found = (-1.0, -1.0)
    if not 0 < found[0] <= found[1] < inf:
        raise UsageError(f"--latency {text}: write seconds like 0.2, or a range like 0.05-2")
    return found


def processes(ray: str | None) -> int:
    """Return the number of parallel runs: one per core here, as many as fit on a cluster."""
    return os.cpu_count() or 1 if ray in (None, cluster.LOCAL) else cluster.MANY


def timed(base: ReplayOptions, options: CompareOptions) -> ReplayOptions:
    """Add the start of the replay and the speed of its clock."""
    archive = open_world(Path(base.world))
    since = since_of(options.since or ("start" if options.aim.new_within else "end"), archive)
    pace = options.seconds_per_page
    if pace is None:
        left = archive.end - (archive.end if since is None else since)
        pace = max(left, 0.0) / max(options.budget, 1) or 1.0
    return replace(base, since=since, seconds_per_page=pace)


def compare_with_progress(
    plans: Sequence[Plan], studies: Sequence[Study], console: Console
) -> list[Result]:
    """Do the runs of all tasks behind a progress bar."""
    done = 0
    runs = sum(
        len(plan.seeds(spec))
        for plan, study in zip(plans, studies, strict=True)
        for spec in (*plan.strategies, *plan.references(study))
    )
    with progress(console, "crawling", runs) as meter:

        def watch(job: ComparisonJob, result: RunResult) -> None:
            nonlocal done
            done += 1
            meter(done, f"{job.run.strategy}: {result.relevant:,} relevant")

        return compare_tasks(plans, studies, watch)


def write_folder(result: Comparison, out: Path, console: Console) -> None:
    """Write everything into the folder of the comparison."""
    result.save(out)
    if not canvas.have_matplotlib():
        told = f"curves are in harvest.svg only; PNG files {canvas.LEFT_OUT}"
        console.print(told, markup=False, soft_wrap=True)
    ledgers = out / TASKS if (out / TASKS).is_dir() else out / "ledgers"
    places = f"report: {out / 'report.html'}; ledgers: {ledgers}"
    console.print(places, soft_wrap=True, markup=False)
