"""The pages of a comparison: curves with names at their ends, table, runs side by side."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from foragers.errors import UsageError
from foragers.evaluation.comparison import report, several_report
from foragers.evaluation.comparison.result import Result
from foragers.evaluation.comparison.several import SeveralResults
from foragers.evaluation.plots.chart import COLOURS, Axis, Band, EndNames, Line, Panel, chart
from foragers.evaluation.plots.harvest import Points, at
from foragers.reports.html import WIDE, at_both_widths
from foragers.serve.openapi import ApiPages, ApiPath
from foragers.serve.site import SiteFrame

RESULT = "result.json"
MOST_BYTES = 1 << 29
PATHS = (ApiPath("/api/result", "The result, in the form of `compare --json`"),)
MOST_NAME = 28
"""Characters of the name of a curve."""


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
    curves = {name: [run.curve for run in strategy.runs] for name, strategy in ranked}
    return ShownComparison(
        report.title(result),
        Grid(report.HEADINGS, rows, dim),
        report.summary(result),
        at_both_widths(
            lambda width: curves_picture(
                curves, result.budget, result.references, "relevant pages found", width
            )
        ),
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
    curves, longest = several_report.mean_curves(result), several_report.longest(result)
    picture = at_both_widths(
        lambda width: curves_picture(
            curves, longest, result.references, "relevant pages found, %", width
        )
    )
    return ShownComparison(
        several_report.title(result),
        Grid(several_report.HEADINGS, list(rows.values()), dim),
        several_report.summary(result),
        picture,
        several_report.CAPTION,
        None,
        [shown_one(task) for task in result.tasks],
        Grid(headings, lines, texts=2),
    )


def curves_picture(
    curves: Mapping[str, Sequence[Points]],
    budget: int,
    dashed: Collection[str],
    vertical: str,
    width: int = WIDE,
) -> str:
    """Draw the mean curve of each strategy, with its name at its end."""
    grid = np.unique(np.linspace(0, max(1, budget), 401).astype(np.int64))
    every = {name: np.array([at(run, grid) for run in runs]) for name, runs in curves.items()}
    most = max((float(values.max(initial=0.0)) for values in every.values()), default=0.0)
    panel = Panel(
        Axis("downloads", 0, max(1, budget), whole=True),
        Axis(vertical, 0, 1.05 * max(most, 1.0), whole=True),
    )
    ends, colours = [], []
    for number, (name, values) in enumerate(every.items()):
        colour = COLOURS[number % len(COLOURS)]
        if len(values) > 1:
            panel.marks.append(Band(grid, values.min(axis=0), values.max(axis=0), colour))
        mean = values.mean(axis=0)
        panel.marks.append(Line(grid, mean, colour, dashed=name in dashed))
        ends.append(float(mean[-1]))
        colours.append(colour)
    most_name = MOST_NAME if width == WIDE else MOST_NAME // 2
    names = EndNames(ends, [name[:most_name] for name in every], colours)
    panel.marks.append(names)
    panel.right = names.room
    return chart([panel], width, max(380, 60 + 16 * len(every)), "relevant pages over downloads")
