"""The pages of a comparison: curves with names at their ends, table, runs side by side."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from foragers.errors import UsageError
from foragers.evaluation.comparison import report, several_report
from foragers.evaluation.comparison.result import Result
from foragers.evaluation.comparison.several import SeveralResults
from foragers.serve.openapi import ApiPages, ApiPath
from foragers.serve.site import SiteFrame

RESULT = "result.json"
MOST_BYTES = 1 << 29
PATHS = (ApiPath("/api/result", "The result, in the form of `compare --json`"),)


@dataclass(frozen=True)
class Grid:
    """A table: headings, rows, which rows are references, and how many columns are text."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    dim: Collection[int] = ()
    texts: int = 1


@dataclass(frozen=True)
class ShownComparison:
    """A comparison as the page shows it; `runs` has a row for each strategy, a column a seed."""

    title: str
    strategies: Grid
    explanation: str
    picture: str
    caption: str
    runs: Grid | None
    tasks: Sequence[ShownComparison] = ()
    by_task: Grid | None = None


@dataclass
class ComparePages:
    """The pages of one comparison."""

    site: SiteFrame
    folder: Path

    def routes(self) -> list[Route]:
        """Return the addresses of the pages."""
        guarded = self.site.guarded
        return [
            Route("/", guarded(self.comparison)),
            Route("/tasks/{number:int}", guarded(self.task)),
            Route("/api/result", guarded(self.result)),
            *ApiPages(self.site, "A comparison by Foragers", PATHS).routes(),
        ]

    async def comparison(self, request: Request) -> Response:
        """Show the comparison, or how far it has come."""
        if not (self.folder / RESULT).is_file():
            done = sum(1 for _ in self.folder.glob("**/runs/*.json"))
            return self.site.shown(request, "compare.html", result=None, done=done)
        result = await run_in_threadpool(lambda: shown_result(result_in(self.folder)))
        return self.site.shown(request, "compare.html", result=result, done=0)

    async def task(self, request: Request) -> Response:
        """Show one task of a comparison of several."""
        result = await run_in_threadpool(lambda: shown_result(result_in(self.folder)))
        number = request.path_params["number"]
        if not 0 <= number < len(result.tasks):
            return self.site.shown(request, "error.html", 404, message="There is no such task.")
        return self.site.shown(request, "compare.html", result=result.tasks[number], done=0)

    async def result(self, _request: Request) -> Response:
        """Return the result as JSON."""
        found = await run_in_threadpool(result_in, self.folder)
        return JSONResponse(msgspec.to_builtins(found))


def result_in(folder: Path) -> Result | SeveralResults:
    """Return the result in the folder of a comparison."""
    file = folder / RESULT
    try:
        if file.stat().st_size > MOST_BYTES:
            raise UsageError(f"{RESULT} is very large")
        data = file.read_bytes()
        try:
            return msgspec.json.decode(data, type=Result)
        except msgspec.ValidationError:
            return msgspec.json.decode(data, type=SeveralResults)
    except FileNotFoundError:
        raise UsageError(f"there is no {RESULT} yet; the comparison has not ended") from None
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{RESULT} cannot be read ({error}); compare again") from error


def shown_result(result: Result | SeveralResults) -> ShownComparison:
    """Return a comparison as the page shows it."""
    return shown_several(result) if isinstance(result, SeveralResults) else shown_one(result)


def shown_one(result: Result) -> ShownComparison:
    """Return a comparison on one world."""
    ranked, shared = report.ranked(result), report.shared_downloads(result)
    rows = [report.row(name, strategy, shared) for name, strategy in ranked]
    dim = {at for at, (name, _) in enumerate(ranked) if name in result.references}
    return ShownComparison(
        report.title(result),
        Grid(report.HEADINGS, rows, dim),
        report.summary(result),
        report.picture(result),
        report.caption(result),
        runs_of(result),
    )


def runs_of(result: Result) -> Grid:
    """Return the runs side by side: relevant pages of each strategy and random seed."""
    ranked = report.ranked(result)
    seeds = sorted({run.seed for _, strategy in ranked for run in strategy.runs})
    rows = []
    for name, strategy in ranked:
        found = {run.seed: run for run in strategy.runs}
        cells = [
            f"{found[seed].relevant:,} of {found[seed].downloads:,}" if seed in found else "–"
            for seed in seeds
        ]
        rows.append((name, *cells))
    return Grid(("strategy", *(f"seed {seed}" for seed in seeds)), rows)


def shown_several(result: SeveralResults) -> ShownComparison:
    """Return a comparison over several worlds and topics."""
    rows = several_report.rows(result)
    dim = {at for at, name in enumerate(rows) if name in result.references}
    headings, lines = several_report.by_task(result)
    return ShownComparison(
        several_report.title(result),
        Grid(several_report.HEADINGS, list(rows.values()), dim),
        several_report.summary(result),
        several_report.picture(result),
        several_report.CAPTION,
        None,
        [shown_one(task) for task in result.tasks],
        Grid(headings, lines, texts=2),
    )
