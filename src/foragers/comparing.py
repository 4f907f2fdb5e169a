"""Worlds, replays and comparisons from Python, in a script or a notebook.

import foragers

webs = [foragers.generate("topics", pages=2000, seed=seed) for seed in (1, 2, 3)]
result = foragers.compare(webs, ["robot sensor", "market price"], strategies=["auto", "best-first"])
print(result)
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Unpack

import msgspec

from foragers.cli.compare import compare_arguments, generated_worlds, plans_of
from foragers.cli.world.importing import annotated
from foragers.core.options import signature_with
from foragers.errors import UsageError, python_names
from foragers.evaluation.comparison.comparison import Comparison
from foragers.evaluation.comparison.keywords import CompareKeywords
from foragers.evaluation.comparison.options import STRATEGIES, CompareOptions
from foragers.evaluation.comparison.plan import Plan, compare_tasks
from foragers.evaluation.comparison.result import RunResult
from foragers.evaluation.comparison.run import perform
from foragers.evaluation.comparison.several import check_folder
from foragers.evaluation.comparison.study import Study, prepare
from foragers.judges.function import JudgeFunction, resolve_judge
from foragers.strategies.registry import StrategyLike, named_model, resolve
from foragers.worlds.archive import Archive
from foragers.worlds.generated import presets
from foragers.worlds.importing.importer import ImportOptions, import_world
from foragers.worlds.store import open_world as open_folder
from foragers.worlds.store import save

World = str | Path | Archive


def generate(
    preset: str,
    *,
    pages: int | None = None,
    seed: int = 0,
    out: str | Path | None = None,
    **parameters: float,
) -> Archive:
    """Generate a web; with `out` it is saved there.  See `foragers world generate`."""
    with python_names():
        archive = presets.generate(preset, seed, pages, **parameters)
        if out is None:
            return archive
        save(archive, Path(out))
        return open_folder(Path(out))


def open_world(path: str | Path) -> Archive:
    """Open the folder of a recorded or generated web."""
    return open_folder(Path(path))


def import_warc(
    out: str | Path,
    *files: str | Path,
    labels: str | Path | None = None,
    seeds: str | Path | None = None,
    evolving: bool | None = None,
    salvage: bool = False,
) -> Archive:
    """Import WARC files as a recorded web in the new folder `out`, and open it."""
    warcs = [Path(file) for file in files]
    with python_names():
        if not warcs:
            raise UsageError("import_warc needs at least one WARC file")
        for file in warcs:
            if not file.is_file():
                raise UsageError(f"{file}: no such file")
        import_world(
            Path(out),
            warcs,
            ImportOptions(salvage, evolving),
            lambda archive: annotated(
                archive,
                warcs,
                None if seeds is None else Path(seeds),
                None if labels is None else Path(labels),
            ),
        )
    return open_folder(Path(out))


@dataclass(frozen=True)
class ReplayedCrawl:
    """A crawl of a recorded or generated web: measures, and a dictionary for each download."""

    strategy: str
    result: RunResult
    pages: list[dict[str, Any]]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.pages)

    def __len__(self) -> int:
        return len(self.pages)

    def __repr__(self) -> str:
        found = self.result
        counts = f"{found.downloads:,} downloads, {found.relevant:,} relevant"
        return f"<ReplayedCrawl {self.strategy}: {counts}>"


def replay(
    world: World,
    topic: str | None = None,
    strategy: StrategyLike = "auto",
    *,
    relevant: str | None = None,
    judge: str | JudgeFunction | None = None,
    **options: Unpack[CompareKeywords],
) -> ReplayedCrawl:
    """Crawl a recorded or generated web with one strategy.

    `options` are those of `foragers compare` that concern one run, such as `threshold`, `budget`,
    `seed`, `since`, `delay` and `concurrency`.
    """
    with python_names(), TemporaryDirectory(prefix="foragers-") as scratch:
        given: dict[str, Any] = {**options, "relevant": relevant, "judge": judge}
        given |= {"strategies": [strategy], "topic": topic}
        plan = plans([world], given, Path(scratch))[0]
        plan.check()
        study = judged(plan)
        run = replace(plan.base, strategy=plan.strategies[0])
        ledger = Path(scratch) / "ledger.sqlite"
        result = perform(run, study, ledger, named_model(run.strategy))
        with closing(sqlite3.connect(ledger)) as connection:
            connection.row_factory = sqlite3.Row
            rows = connection.execute("SELECT * FROM pages ORDER BY number").fetchall()
            return ReplayedCrawl(run.strategy, result, [dict(row) for row in rows])


def compare(
    worlds: World | Sequence[World],
    topic: str | Sequence[str] | None = None,
    *,
    strategies: str | Sequence[StrategyLike] = STRATEGIES,
    relevant: str | Sequence[str] | None = None,
    judge: str | JudgeFunction | None = None,
    jobs: int = 1,
    out: str | Path | None = None,
    **options: Unpack[CompareKeywords],
) -> Comparison:
    """Compare strategies on one or several webs, for one or several topics.

    A strategy may be a name, a class or an object, and `judge` a name or a function.  `relevant`
    names a label or several.  `options` are those of `foragers compare`, such as `threshold`,
    `budget`, `runs`, `seed`, `against`, `since` and `ray`.  With more than one job, a script must
    call this under `if __name__ == "__main__":`, since processes import it again.
    """
    several = [worlds] if isinstance(worlds, str | Path | Archive) else list(worlds)
    given: dict[str, Any] = {**options, "strategies": strategies, "topic": topic}
    given |= {"relevant": relevant, "judge": judge, "jobs": jobs, "out": out}
    with python_names(), TemporaryDirectory(prefix="foragers-") as scratch:
        tasks = plans(several, given, Path(scratch))
        for plan in tasks:
            plan.check()
        if out is not None and len(tasks) > 1:
            check_folder(Path(out))
        studies = [judged(plan) for plan in tasks]
        results = compare_tasks(tasks, studies)
        # Webs that were only in memory are known by their names, not by a folder that is gone.
        names = {str(Path(scratch) / path.name): path.name for path in Path(scratch).iterdir()}
        named = [
            msgspec.structs.replace(one, world=names.get(one.world, one.world)) for one in results
        ]
        generated = None
        if options.get("standings"):
            generated = {names.get(world, world) for world in generated_worlds(tasks, studies)}
        found = Comparison(named, [plan.out for plan in tasks if plan.out], generated)
        if out is not None:
            found.save(out)
        return found


for function in (replay, compare):
    function.__dict__["__signature__"] = signature_with(function, CompareOptions)


def plans(worlds: Sequence[World], given: dict[str, Any], scratch: Path) -> list[Plan]:
    """Return a plan for each web and target; webs in memory are saved for the time being."""
    if not worlds:
        raise UsageError("there is no world to compare on; name at least one")
    folders = [folder_of(world, scratch) for world in worlds]
    judge, wanted = resolve_judge(given.get("judge")), given["strategies"]
    if isinstance(wanted, str):
        return plans_of(compare_arguments(folders, {**given, "judge": judge}))
    # Classes and objects go into the plan as they are: the command line knows names alone.
    specs = tuple(resolve(strategy) for strategy in wanted)
    given = {**given, "judge": judge, "strategies": "auto"}
    return [replace(plan, strategies=specs) for plan in plans_of(compare_arguments(folders, given))]


def folder_of(world: World, scratch: Path) -> str:
    """Return the folder of a web."""
    if not isinstance(world, Archive):
        return str(world)
    if world.path is not None:
        return str(world.path)
    origin = world.origin
    name = f"{origin.get('preset', 'world')}-{origin.get('seed', 0)}"
    number = sum(path.name.startswith(name) for path in scratch.iterdir())
    folder = scratch / (f"{name}-{number + 1}" if number else name)
    save(world, folder)
    return str(folder)


def judged(plan: Plan) -> Study:
    """Open the web of a plan, and judge its pages once for all runs."""
    study = prepare(plan.base)
    study.score()
    return study
