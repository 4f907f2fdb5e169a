"""A comparison as one HTML file that needs nothing else."""

from __future__ import annotations

from html import escape
from pathlib import Path

from foragers.comparison.result import Result
from foragers.comparison.table import ranked, row, summary, title
from foragers.files import write

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
