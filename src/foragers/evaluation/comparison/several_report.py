"""A comparison over several worlds and targets for readers: table, HTML and curves."""

from __future__ import annotations

import os
from html import escape
from pathlib import Path

import numpy as np
from rich.markup import escape as escape_markup
from rich.table import Table

from foragers.core.files import write
from foragers.evaluation.comparison.options import BEST, WORST
from foragers.evaluation.comparison.report import (
    STYLE,
    cells,
    chance,
    empty_table,
    per_100,
    shared_downloads,
)
from foragers.evaluation.comparison.result import Result
from foragers.evaluation.comparison.several import (
    Interval,
    OverallResult,
    SeveralResults,
    everyone,
    mean_of,
)
from foragers.evaluation.plots.curves import Points, curves_at_both_widths
from foragers.evaluation.plots.harvest import plot_curves

HEADINGS = ("strategy", "closed", "95 %", "gain", "p", "relevant", "per 100", "ms/page")
POINTS = 400
"""Points of a curve in the figure."""


def table(result: SeveralResults) -> Table:
    """Return a table that fits a terminal of 80 columns, best strategy first."""
    grid = empty_table(title(result), HEADINGS)
    for name, texts in rows(result).items():
        style = "dim" if name in result.references else ""
        grid.add_row(*map(escape_markup, texts), style=style)
    return grid


def title(result: SeveralResults) -> str:
    """Return the title: what was compared."""
    budgets = sorted({task.budget for task in result.tasks})
    amount = f"{budgets[0]:,}" if len(budgets) == 1 else f"{budgets[0]:,} to {budgets[-1]:,}"
    worlds, topics = len(result.worlds), len(result.topics)
    return (
        f"{worlds} world{'s' if worlds != 1 else ''}, {topics} topic{'s' if topics != 1 else ''},"
        f" {len(result.tasks)} tasks; {amount} downloads a run"
    )


def ranked(result: SeveralResults) -> list[tuple[str, OverallResult]]:
    """Return all strategies, references too, best first."""
    everything = {**result.strategies, **result.references}
    return sorted(everything.items(), key=lambda item: -measured(item[1]).mean)


def measured(strategy: OverallResult) -> Interval:
    """Return the measure that strategies are ranked by."""
    return strategy.closed or strategy.area


def rows(result: SeveralResults) -> dict[str, tuple[str, ...]]:
    """Return the cells of each strategy, best first."""
    return {name: row(name, strategy, result) for name, strategy in ranked(result)}


def row(name: str, strategy: OverallResult, result: SeveralResults) -> tuple[str, ...]:
    """Return the cells of one strategy."""
    percent = result.measure == "closed"
    value = measured(strategy)
    span = "–"
    if value.low is not None and value.high is not None:
        span = f"{shown(value.low, percent)} to {shown(value.high, percent)}"
    gain, p = "–", "–"
    if strategy.against is not None:
        gain = (
            f"{100 * strategy.against.mean:+.0f} %" if percent else f"{strategy.against.mean:+,.1f}"
        )
        exact = (
            strategy.against.runs > 1 and strategy.against.mean != 0 and strategy.against.p is None
        )
        p = "exact" if exact else "–"
    if strategy.corrected is not None:
        p = chance(strategy.corrected)
    return (
        name,
        f"{100 * value.mean:.0f} %" if percent else "–",
        span,
        gain,
        p,
        f"{strategy.relevant:,.0f}",
        f"{rate(name, result):.1f}",
        f"{1000 * strategy.cpu_seconds / max(strategy.downloads, 1):.2f}",
    )


def shown(value: float, percent: bool) -> str:
    """Return one end of an interval."""
    return f"{100 * value:.0f}" if percent else f"{value:,.1f}"


def rate(name: str, result: SeveralResults) -> float:
    """Return relevant pages per 100 downloads, the mean over worlds."""
    groups: dict[str, list[float]] = {}
    for task in result.tasks:
        value = per_100(everyone(task)[name], shared_downloads(task))
        groups.setdefault(task.world, []).append(value)
    return mean_of(list(groups.values()))


def summary(result: SeveralResults) -> str:
    """Return an explanation of the table."""
    pairs = "worlds" if len(result.worlds) > 1 else "topics"
    if result.measure == "closed":
        first = (
            f"closed: share of the distance from {WORST} to {BEST}, by the area under the curve,"
            " mean over worlds. 95 %: its bootstrap interval over worlds and their topics, in"
            f" percent. gain: difference in closed to {result.against}."
        )
    else:
        first = (
            "95 %: bootstrap interval, over worlds and their topics, of the mean number of relevant"
            f" pages held. gain: difference in that number to {result.against}."
        )
    left = (
        f" In {result.left_out} of the {len(result.tasks)} tasks {WORST} comes within a tenth of"
        f" {BEST}; such tasks do not count for closed, gain and p."
        if result.left_out
        else ""
    )
    return (
        f"{first} p: Student's t-test over paired {pairs}, corrected by Holm's method for the"
        " number of strategies. relevant: relevant pages found, mean over worlds. per 100: relevant"
        " pages per 100 downloads, among as many first downloads of a task as every strategy made."
        f"{left}"
    )


def by_task(result: SeveralResults) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return headings and rows of the table of tasks: `closed` (or the area) by strategy."""
    names = [name for name, _ in ranked(result)]
    lines = []
    for task in result.tasks:
        strategies = everyone(task)
        values = []
        for name in names:
            share, area = strategies[name].closed, strategies[name].mean["area"]
            if result.measure == "closed":
                values.append("–" if share is None else f"{100 * share:.0f} %")
            else:
                values.append(f"{area:,.1f}")
        targets = "–" if task.targets is None else f"{task.targets:,}"
        lines.append((task.world, task.topic, f"{task.reachable:,}", targets, *values))
    return ("world", "topic", "reachable", "relevant", *names), lines


def mean_curves(result: SeveralResults) -> dict[str, list[Points]]:
    """Return for each strategy one curve: the mean over worlds of percentages found."""
    grid = np.unique(np.linspace(0, longest(result), POINTS + 1).astype(np.int64))
    curves: dict[str, list[Points]] = {}
    for name, _ in ranked(result):
        groups: dict[str, list[np.ndarray]] = {}
        for task in [task for task in result.tasks if most_found(task)] or result.tasks:
            groups.setdefault(task.world, []).append(shares(task, name, grid))
        line = np.mean([np.mean(group, axis=0) for group in groups.values()], axis=0)
        curves[name] = [list(zip(grid.tolist(), line.tolist(), strict=True))]
    return curves


def longest(result: SeveralResults) -> int:
    """Return the largest budget of all tasks."""
    return max(task.budget for task in result.tasks)


def shares(task: Result, name: str, grid: np.ndarray) -> np.ndarray:
    """Return the percentage found of what the best run of any strategy found, at each download."""
    lines = []
    for run in everyone(task)[name].runs:
        xs, ys = zip(*[(0, 0), *run.curve], strict=True)
        lines.append(np.interp(grid, xs, ys))
    return np.asarray(np.mean(lines, axis=0)) * 100 / max(most_found(task), 1)


def most_found(task: Result) -> int:
    """Return the number of relevant pages that the most successful run of a task found."""
    return max(run.relevant for strategy in everyone(task).values() for run in strategy.runs)


CAPTION = (
    "Relevant pages found (vertical, in percent of those that the most successful run of a task"
    " found) after each download (horizontal). Each line is the mean over worlds of the means over"
    " their topics and runs. Tasks in which no run found a relevant page are left out. Dashed lines"
    " are references, run only to be compared with."
)


VERTICAL = "relevant pages found, %"


def draw(result: SeveralResults, path: Path) -> Path:
    """Draw the mean curves; return the file to look at."""
    return plot_curves(
        mean_curves(result),
        longest(result),
        title(result),
        path,
        dashed=result.references,
        vertical=VERTICAL,
    )


def picture(result: SeveralResults) -> str:
    """Return the mean curves for wide and for narrow screens, as SVG."""
    curves = mean_curves(result)
    return curves_at_both_widths(curves, longest(result), result.references, VERTICAL)


def write_report(result: SeveralResults, out: Path, folders: list[Path]) -> None:
    """Write report.html, with links to the reports of the tasks."""
    headings, lines = by_task(result)
    links = "".join(
        f'<li><a href="{escape(os.path.relpath(folder / "report.html", out))}">'
        f"{escape(f'{task.world}: {task.topic}')}</a></li>"
        for folder, task in zip(folders, result.tasks, strict=True)
    )
    of_tasks = "".join(cells("td", line) for line in lines)
    html = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{escape(title(result))}</title><style>{STYLE}</style></head><body>
<h1>{escape(title(result))}</h1>
<div class="scroll">{html_table(result)}</div>
<p class="note">{escape(summary(result))}</p>
<h2>Relevant pages found</h2>
{picture(result)}
<p class="note">{escape(CAPTION)}</p>
<h2>Tasks</h2>
<div class="scroll"><table class="tasks">{cells("th", headings)}{of_tasks}</table></div>
<p class="note">{"Share closed" if result.measure == "closed" else "Area"} of each strategy. The
report of each task:</p>
<ul>{links}</ul>
</body></html>
"""
    write(out / "report.html", html.encode())


def html_table(result: SeveralResults) -> str:
    """Return the table of strategies as HTML."""
    lines = [
        cells("td", texts, "reference" if name in result.references else "")
        for name, texts in rows(result).items()
    ]
    return f"<table>{cells('th', HEADINGS)}{''.join(lines)}</table>"
