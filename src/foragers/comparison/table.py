"""A comparison as people read it."""

from __future__ import annotations

from rich.box import SIMPLE
from rich.markup import escape
from rich.table import Table

from foragers.comparison.compare import BEST, WORST
from foragers.comparison.result import Result, StrategyResult
from foragers.measures.significance import Difference


def table(result: Result) -> Table:
    """Return a table that fits a terminal, best strategy first."""
    grid = Table(box=SIMPLE, title=escape(title(result)), title_justify="left", pad_edge=False)
    grid.add_column("strategy", no_wrap=True, overflow="ellipsis", max_width=26)
    headings = ["relevant", "per 100", "closed", f"vs {result.against}", "p", "ms/page"]
    for heading in headings:
        grid.add_column(heading, justify="right", no_wrap=heading != headings[3])
    for name, found in ranked(result):
        grid.add_row(
            *map(escape, row(name, found)), style="dim" if name in result.references else ""
        )
    return grid


def ranked(result: Result) -> list[tuple[str, StrategyResult]]:
    """Return all strategies, references too, by the area under their curves."""
    everyone = {**result.strategies, **result.references}
    return sorted(everyone.items(), key=lambda item: -item[1].mean["area"])


def row(name: str, found: StrategyResult) -> tuple[str, ...]:
    """Return the cells of one strategy."""
    mean, std = found.mean, found.std
    spread = f" ± {std['relevant']:.0f}" if len(found.runs) > 1 and std["relevant"] else ""
    downloads = max(mean["downloads"], 1)
    return (
        name,
        f"{mean['relevant']:,.0f}{spread}",
        f"{100 * mean['relevant'] / downloads:.1f}",
        "–" if found.closed is None else f"{100 * found.closed:.0f} %",
        *difference(found.against),
        f"{1000 * mean['cpu_seconds'] / downloads:.2f}",
    )


def difference(found: Difference | None) -> tuple[str, str]:
    """Return a difference of areas and how likely chance alone makes one as large."""
    if found is None:
        return "–", "–"
    if found.p is not None:
        chance = f"{found.p:.3f}" if found.p >= 0.001 else "<.001"
    else:
        chance = "exact" if found.runs > 1 and found.mean else "–"
    return f"{found.mean:+,.1f}", chance


def title(result: Result) -> str:
    """Return what was compared."""
    return f"{result.world}: {result.topic}; {result.budget:,} downloads a run"


def summary(result: Result) -> str:
    """Say how to read the table."""
    pages = f"{result.reachable:,} page{'s' if result.reachable != 1 else ''} can be reached"
    more = " when it begins" if result.targets is None else f", {result.targets:,} of them relevant"
    return (
        f"{pages}{more}. relevant: pages found, mean and"
        " deviation over the runs. per 100: for 100 downloads. closed: share of the distance from"
        f" {WORST} to {BEST}, by the area under the curve. vs, p: difference in that area (mean"
        " relevant pages held), and Student's p over paired seeds; exact: chance plays no part."
    )
