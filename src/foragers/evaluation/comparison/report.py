"""A comparison for readers: a table for the terminal, and one self-contained HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

import numpy as np
from rich.box import SIMPLE
from rich.markup import escape as escape_markup
from rich.table import Table

from foragers.core.files import write
from foragers.evaluation.comparison.options import BEST, WORST
from foragers.evaluation.comparison.result import Result, StrategyResult
from foragers.evaluation.metrics.significance import Difference
from foragers.evaluation.plots.curves import curves_at_both_widths
from foragers.evaluation.plots.page_colours import SCHEME
from foragers.evaluation.plots.widths import ONE_OF_BOTH

HEADINGS = ("strategy", "relevant", "per 100", "closed", "gain", "p", "ms/page")


def empty_table(title: str, headings: Sequence[str]) -> Table:
    """Return a table for the terminal without rows; its first column names strategies."""
    grid = Table(
        box=SIMPLE,
        title=escape_markup(title),
        title_justify="left",
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    # Only this column may wrap: a long specification never cuts off a number or a heading.
    grid.add_column(headings[0], overflow="fold", min_width=len(headings[0]), max_width=40)
    for heading in headings[1:]:
        grid.add_column(heading, justify="right", no_wrap=True)
    return grid


def table(result: Result) -> Table:
    """Return a table that fits a terminal, best strategy first."""
    grid = empty_table(title(result), HEADINGS)
    shown = shared_downloads(result)
    for name, strategy in ranked(result):
        grid.add_row(
            *map(escape_markup, row(name, strategy, shown)),
            style="dim" if name in result.references else "",
        )
    return grid


def shared_downloads(result: Result) -> int:
    """Return the number of downloads that every run made: the minimum over all runs."""
    everyone = (*result.strategies.values(), *result.references.values())
    return max(1, min(run.downloads for strategy in everyone for run in strategy.runs))


def per_100(strategy: StrategyResult, downloads: int) -> float:
    """Return the relevant pages among the first downloads, for each 100 of them."""
    held = []
    for run in strategy.runs:
        xs, ys = zip(*[(0, 0), *run.curve], strict=True)
        held.append(np.interp(downloads, xs, ys))
    return float(np.mean(held)) * 100 / downloads


def ranked(result: Result) -> list[tuple[str, StrategyResult]]:
    """Return all strategies, references too, by the area under their curves."""
    everyone = {**result.strategies, **result.references}
    return sorted(everyone.items(), key=lambda item: -item[1].mean["area"])


def row(name: str, strategy: StrategyResult, shown: int) -> tuple[str, ...]:
    """Return the cells of one strategy; `shown` downloads count for the column `per 100`."""
    mean, std = strategy.mean, strategy.std
    spread = f" ± {std['relevant']:.0f}" if len(strategy.runs) > 1 and std["relevant"] else ""
    downloads = max(mean["downloads"], 1)
    return (
        name,
        f"{mean['relevant']:,.0f}{spread}",
        f"{per_100(strategy, shown):.1f}",
        "–" if strategy.closed is None else f"{100 * strategy.closed:.0f} %",
        *difference(strategy.against),
        f"{1000 * mean['cpu_seconds'] / downloads:.2f}",
    )


def difference(gain: Difference | None) -> tuple[str, str]:
    """Return a difference of areas and its p-value."""
    if gain is None:
        return "–", "–"
    if gain.p is not None:
        return f"{gain.mean:+,.1f}", chance(gain.p)
    return f"{gain.mean:+,.1f}", "exact" if gain.runs > 1 and gain.mean else "–"


def chance(p: float) -> str:
    """Return a p-value to three places."""
    return f"{p:.3f}" if p >= 0.001 else "<.001"


def title(result: Result) -> str:
    """Return the title: what was compared."""
    return f"{result.world}: {result.topic}; {result.budget:,} downloads a run"


def summary(result: Result) -> str:
    """Return an explanation of the table."""
    pages = f"{result.reachable:,} page{'s' if result.reachable != 1 else ''} can be reached"
    more = " when it begins" if result.targets is None else f", {result.targets:,} of them relevant"
    return (
        f"{pages}{more}. relevant: relevant pages found, mean and standard deviation over the"
        f" runs. per 100: relevant pages per 100 downloads, among the first"
        f" {shared_downloads(result):,} downloads, which every run made. closed: share of the"
        f" distance from {WORST} to {BEST}, by the area under the curve. gain: difference in that"
        f" area (mean number of relevant pages held) to {result.against}. p: Student's t-test over"
        " paired random seeds; exact: all runs are equal."
    )


STYLE = (
    SCHEME
    + ONE_OF_BOTH
    + """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem;
       padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .35rem .6rem; border-bottom: 1px solid var(--line); }
td { white-space: nowrap; }
th:first-child, td:first-child, .tasks :is(th, td):nth-child(2) { text-align: left; }
tr.reference { color: var(--soft); } .scroll { overflow-x: auto; }
svg { width: 100%; height: auto; display: block; } p.note { color: var(--soft); font-size: .9rem; }
"""
)


def write_report(result: Result, out: Path) -> None:
    """Write report.html."""
    html = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{escape(title(result))}</title><style>{STYLE}</style></head><body>
<h1>{escape(title(result))}</h1>
<div class="scroll">{strategies(result)}</div>
<p class="note">{escape(summary(result))}</p>
<h2>Relevant pages found</h2>
{picture(result)}
<p class="note">{escape(caption(result))}</p>
<p class="note">The ledger of each run is in <code>ledgers/</code>. <code>SELECT * FROM pages</code>
lists its downloads, each with its parent, promise and relevance.</p>
<h2>Runs</h2>
<div class="scroll">{runs(result)}</div>
</body></html>
"""
    write(out / "report.html", html.encode())


def picture(result: Result) -> str:
    """Return the curves for wide and for narrow screens, as SVG."""
    curves = {name: [run.curve for run in strategy.runs] for name, strategy in ranked(result)}
    return curves_at_both_widths(curves, result.budget, result.references, "relevant pages found")


def caption(result: Result) -> str:
    """Return the caption of the curves."""
    runs = max(len(strategy.runs) for strategy in result.strategies.values())
    several = (
        f" Each line is the mean over the runs of a strategy, at most {runs}, with different random"
        " seeds; bands reach from the worst to the best run."
        if runs > 1
        else " Each line is one run."
    )
    dashed = ", ".join(result.references)
    references = (
        f" Dashed lines are references, run only to be compared with: {dashed}." if dashed else ""
    )
    return (
        f"Relevant pages found (vertical) after each download (horizontal), up to the budget of"
        f" {result.budget:,} downloads.{several}{references} A strategy that runs out of URLs keeps"
        " what it has found."
    )


def strategies(result: Result) -> str:
    """Return the table of strategies."""
    shown = shared_downloads(result)
    lines = [
        cells("td", row(name, strategy, shown), "reference" if name in result.references else "")
        for name, strategy in ranked(result)
    ]
    return f"<table>{cells('th', HEADINGS)}{''.join(lines)}</table>"


def runs(result: Result) -> str:
    """Return the table of single runs."""
    headings = ("strategy", "seed", "downloads", "relevant", "missing", "failed", "area")
    lines = [
        cells(
            "td",
            (
                name,
                str(run.seed),
                f"{run.downloads:,}",
                f"{run.relevant:,}",
                f"{run.missing:,}",
                f"{run.failed:,}",
                f"{run.area:,.1f}",
            ),
        )
        for name, strategy in ranked(result)
        for run in strategy.runs
    ]
    return f"<table>{cells('th', headings)}{''.join(lines)}</table>"


def cells(kind: str, texts: tuple[str, ...], style: str = "") -> str:
    """Return one row of a table."""
    inside = "".join(f"<{kind}>{escape(text)}</{kind}>" for text in texts)
    return f'<tr class="{style}">{inside}</tr>' if style else f"<tr>{inside}</tr>"
