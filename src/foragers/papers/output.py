"""Exhibits on a terminal.

Exhibits in a folder: pictures as PNG and SVG, data as CSV and JSON, and one page with it all.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

import msgspec
from rich.box import SIMPLE
from rich.console import Console
from rich.markup import escape as escape_markup
from rich.table import Table as Grid

from foragers.core.files import write
from foragers.errors import UsageError
from foragers.evaluation.plots.canvas import LEFT_OUT, figure, have_matplotlib
from foragers.evaluation.tables import (
    Cell,
    Exhibits,
    Figure,
    Measured,
    Table,
    Verdict,
    judged,
    worded,
)
from foragers.reports.html import document

STYLES = {True: "green", False: "red", None: "yellow"}


def show(exhibits: Exhibits, console: Console) -> None:
    """Print the tables and the verdicts."""
    console.print(exhibits.title, style="bold", markup=False)
    for name, value in exhibits.settings.items():
        console.print(f"  {name}: {value}", markup=False, highlight=False)
    for table in exhibits.tables:
        console.print(grid_of(table))
        if table.note:
            console.print(table.note, style="dim", markup=False, highlight=False)
    if exhibits.verdicts:
        console.print(grid_of_verdicts(exhibits.verdicts))
    for note in exhibits.notes:
        console.print(note, markup=False, highlight=False)


def grid_of(table: Table) -> Grid:
    """Return a table for the terminal."""
    grid = Grid(box=SIMPLE, title=escape_markup(table.title), title_justify="left", pad_edge=False)
    for place, column in enumerate(table.columns):
        grid.add_column(escape_markup(column), justify="right" if place else "left")
    for row in table.rows:
        grid.add_row(*(escape_markup(worded(cell)) for cell in row))
    return grid


def grid_of_verdicts(verdicts: Sequence[Verdict]) -> Grid:
    """Return the claims with what became of them."""
    grid = Grid(box=SIMPLE, title="Claims of the paper", title_justify="left", pad_edge=False)
    for heading in ("claim", "verdict", "statistic"):
        grid.add_column(heading)
    for verdict in verdicts:
        grid.add_row(
            escape_markup(verdict.claim),
            f"[{STYLES[verdict.holds]}]{judged(verdict)}[/]",
            escape_markup("; ".join(part for part in (verdict.statistic, verdict.reason) if part)),
        )
    return grid


def write_exhibits(exhibits: Exhibits, out: Path) -> None:
    """Write everything; the page comes last, so that it is there only when all is."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        for table in exhibits.tables:
            write(out / f"{table.name}.csv", table_csv(table))
        for shown in exhibits.figures:
            write(out / f"{shown.name}.csv", columns_csv(shown))
            if have_matplotlib():
                with figure(out / shown.name, shown.width, shown.height) as drawing:
                    shown.draw(drawing)
        write(out / "exhibits.json", msgspec.json.format(as_json(exhibits), indent=1) + b"\n")
        write(out / "report.html", page(exhibits, out).encode())
    except OSError as error:
        raise UsageError(f"--out {out}: {error.strerror}; choose another") from error


def table_csv(table: Table) -> bytes:
    """Return a table in which a mean and its deviation have a column each."""
    measured = [
        place
        for place in range(len(table.columns))
        if any(isinstance(row[place], Measured) for row in table.rows)
    ]
    heading: list[str] = []
    for place, column in enumerate(table.columns):
        heading += [column, f"{column} std"] if place in measured else [column]
    rows = [list(spread(row, measured)) for row in table.rows]
    return as_csv([heading, *rows])


def spread(row: Sequence[Cell], measured: Sequence[int]) -> Iterable[str | int | float]:
    """Return a row of plain values."""
    for place, cell in enumerate(row):
        if isinstance(cell, Measured):
            yield cell.mean
            yield cell.std
            continue
        yield "" if cell is None else cell
        if place in measured:
            yield ""


def columns_csv(shown: Figure) -> bytes:
    """Return the data of a figure."""
    return as_csv([list(shown.data), *zip(*shown.data.values(), strict=True)])


def as_csv(rows: Iterable[Sequence[object]]) -> bytes:
    """Return rows as CSV."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def as_json(exhibits: Exhibits) -> bytes:
    """Return all but the drawings, for machines."""
    return msgspec.json.encode(
        {
            "paper": exhibits.paper,
            "title": exhibits.title,
            "settings": dict(exhibits.settings),
            "tables": [
                {
                    "name": table.name,
                    "title": table.title,
                    "columns": table.columns,
                    "rows": table.rows,
                    "note": table.note,
                }
                for table in exhibits.tables
            ],
            "figures": [
                {"name": shown.name, "title": shown.title, "note": shown.note}
                for shown in exhibits.figures
            ],
            "verdicts": [
                {
                    "claim": verdict.claim,
                    "holds": verdict.holds,
                    "statistic": verdict.statistic,
                    "reason": verdict.reason,
                }
                for verdict in exhibits.verdicts
            ],
            "notes": list(exhibits.notes),
        }
    )


def page(exhibits: Exhibits, out: Path) -> str:
    """Return one page with every table, figure and verdict."""
    about = "".join(
        f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>"
        for name, value in exhibits.settings.items()
    )
    parts = [f"<h1>{escape(exhibits.title)}</h1>", f'<table class="about">{about}</table>']
    if exhibits.verdicts:
        claims = [(v.claim, judged(v), v.statistic, v.reason) for v in exhibits.verdicts]
        parts += ["<h2>Claims of the paper</h2>", grid(("claim", "", "statistic", "why"), claims)]
    for table in exhibits.tables:
        rows = [tuple(worded(cell) for cell in row) for row in table.rows]
        parts += [f"<h2>{escape(table.title)}</h2>", grid(table.columns, rows), note(table.note)]
    for shown in exhibits.figures:
        parts += [f"<h2>{escape(shown.title)}</h2>", picture_of(shown, out), note(shown.note)]
    parts += [note(text) for text in exhibits.notes]
    return document(exhibits.title, "\n".join(parts))


def picture_of(shown: Figure, out: Path) -> str:
    """Return the picture of a figure, or where its data are if it could not be drawn."""
    if not have_matplotlib():
        return note(f"Data: {shown.name}.csv. There is no figure: figures {LEFT_OUT}.")
    picture = (out / f"{shown.name}.svg").read_text(encoding="utf-8")
    return picture[picture.index("<svg") :]


def note(text: str) -> str:
    """Return a remark in small print."""
    return f'<p class="note">{escape(text)}</p>' if text else ""


def grid(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table whose first column is text."""
    lines = [line("th", headings), *(line("td", row) for row in rows)]
    return f'<div class="scroll"><table>{"".join(lines)}</table></div>'


def line(kind: str, texts: Sequence[str]) -> str:
    """Return one row of a table; what is no number stands on the left."""
    cells = "".join(
        f"<{kind}{'' if is_number(text) and place else ' class=text'}>{escape(text)}</{kind}>"
        for place, text in enumerate(texts)
    )
    return f"<tr>{cells}</tr>"


def is_number(text: str) -> bool:
    """Return whether a cell holds a number, or one of our marks for none."""
    return text[:1].isdigit() or text[:1] in "-–+." or len(text) < 24
