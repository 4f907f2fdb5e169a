"""A comparison as people read it.

A comparison as one HTML file that needs nothing else.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

from rich.box import SIMPLE
from rich.markup import escape as escape_markup
from rich.table import Table

from foragers.core.files import write
from foragers.evaluation.comparison.plan import BEST, WORST
from foragers.evaluation.comparison.result import Result, StrategyResult
from foragers.evaluation.metrics.significance import Difference


def table(result: Result) -> Table:
    """Return a table that fits a terminal, best strategy first."""
    grid = Table(
        box=SIMPLE, title=escape_markup(title(result)), title_justify="left", pad_edge=False
    )
    grid.add_column("strategy", no_wrap=True, overflow="ellipsis", max_width=26)
    headings = ["relevant", "per 100", "closed", f"vs {result.against}", "p", "ms/page"]
    for heading in headings:
        grid.add_column(heading, justify="right", no_wrap=heading != headings[3])
    for name, found in ranked(result):
        grid.add_row(
            *map(escape_markup, row(name, found)), style="dim" if name in result.references else ""
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
        " relevant pages held), and Student's p over paired seeds; exact: all runs are equal."
    )


STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #222; margin: 2rem auto; max-width: 60rem;
       padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .35rem .6rem; border-bottom: 1px solid #e4e4e4; }
th:first-child, td:first-child { text-align: left; }
tr.reference { color: #888; } .scroll { overflow-x: auto; }
svg { max-width: 100%; height: auto; } p.note { color: #555; font-size: .9rem; }
"""


def write_report(result: Result, out: Path) -> None:
    """Write report.html beside the plot, which goes into it."""
    plot = (out / "harvest.svg").read_text(encoding="utf-8")
    html = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{escape(title(result))}</title><style>{STYLE}</style></head><body>
<h1>{escape(title(result))}</h1>
<div class="scroll">{strategies(result)}</div>
<p class="note">{escape(summary(result))}</p>
<h2>Relevant pages found</h2>
{plot[plot.index("<svg") :]}
<p class="note">Mean over the runs, with the band between the worst and the best of them; dashed:
references. Each run's ledger is in <code>ledgers/</code>: <code>SELECT * FROM pages</code>
lists what it fetched and why.</p>
<h2>Runs</h2>
<div class="scroll">{runs(result)}</div>
</body></html>
"""
    write(out / "report.html", html.encode())


def strategies(result: Result) -> str:
    """Return the table of strategies."""
    headings = ("strategy", "relevant", "per 100", "closed", f"vs {result.against}", "p", "ms/page")
    lines = [
        cells("td", row(name, found), "reference" if name in result.references else "")
        for name, found in ranked(result)
    ]
    return f"<table>{cells('th', headings)}{''.join(lines)}</table>"


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
        for name, found in ranked(result)
        for run in found.runs
    ]
    return f"<table>{cells('th', headings)}{''.join(lines)}</table>"


def cells(kind: str, texts: tuple[str, ...], style: str = "") -> str:
    """Return one row of a table."""
    inside = "".join(f"<{kind}>{escape(text)}</{kind}>" for text in texts)
    return f'<tr class="{style}">{inside}</tr>' if style else f"<tr>{inside}</tr>"
