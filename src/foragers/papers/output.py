"""Exhibits on a terminal, and in a folder.

A folder has pictures as PNG and SVG, tables as CSV and LaTeX, the data of figures and all verdicts
as CSV, everything but the pictures as JSON, and one page with it all.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
from rich.box import SIMPLE
from rich.console import Console
from rich.markup import escape as escape_markup
from rich.table import Table as Grid

from foragers.core.files import write
from foragers.errors import UsageError
from foragers.evaluation.plots.canvas import figure, have_matplotlib
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
from foragers.papers.latex import table_latex
from foragers.papers.pages import page

STYLES = {True: "green", False: "red", None: "yellow"}


def show(exhibits: Exhibits, console: Console) -> None:
    """Print the tables and the verdicts."""
    console.print(exhibits.title, style="bold", markup=False)
    for name, value in exhibits.settings.items():
        console.print(f"  {name}: {value}", markup=False, highlight=False)
    for table in exhibits.tables:
        for part in parts_of(table, console.width):
            console.print(grid_of(part))
        if table.note:
            console.print(table.note, style="dim", markup=False, highlight=False)
    if exhibits.verdicts:
        console.print(grid_of_verdicts(exhibits.verdicts))
    for note in exhibits.notes:
        console.print(note, markup=False, highlight=False)


def parts_of(table: Table, width: int) -> list[Table]:
    """Return a table, or several with the same first column, that keep words whole.

    A column is at least as wide as its longest word, and as its numbers.
    """
    texts = [table.columns, *([worded(cell) for cell in row] for row in table.rows)]
    widths = [max(least_width(row[at]) for row in texts) for at in range(len(table.columns))]
    widths[0] = min(max(len(row[0]) for row in texts), max(widths[0], FIRST_COLUMN))
    parts: list[list[int]] = [[]]
    room = width - widths[0] - EDGES
    for at in range(1, len(widths)):
        if parts[-1] and room < widths[at] + GAP:
            parts.append([])
            room = width - widths[0] - EDGES
        parts[-1].append(at)
        room -= widths[at] + GAP
    return [
        replace(
            table,
            columns=(table.columns[0], *(table.columns[at] for at in part)),
            rows=[(row[0], *(row[at] for at in part)) for row in table.rows],
        )
        for part in parts
    ]


GAP = 3
"""Characters between two columns."""
EDGES = 2
"""Characters left and right of a table."""
FIRST_COLUMN = 32
"""The first column wraps if it is wider than this."""


def least_width(text: str) -> int:
    """Return how many characters a text needs: numbers are not broken, other texts at spaces."""
    is_number = text[:1].isdigit() and len(text) < 24
    return len(text) if is_number else max(map(len, text.split()), default=0)


def grid_of(table: Table) -> Grid:
    """Return a table for the terminal."""
    grid = Grid(box=SIMPLE, title=escape_markup(table.title), title_justify="left", pad_edge=False)
    for place, column in enumerate(table.columns):
        least = max(
            (least_width(worded(row[place])) for row in table.rows), default=least_width(column)
        )
        grid.add_column(
            escape_markup(column),
            justify="right" if place else "left",
            min_width=max(least, least_width(column)) if place else None,
        )
    for row in table.rows:
        grid.add_row(*(escape_markup(worded(cell)) for cell in row))
    return grid


def grid_of_verdicts(verdicts: Sequence[Verdict]) -> Grid:
    """Return the claims with what became of them."""
    grid = Grid(box=SIMPLE, title="Claims of the paper", title_justify="left", pad_edge=False)
    for heading in ("claim", "verdict", "statistic"):
        grid.add_column(heading)
    world = ""
    for verdict in verdicts:
        if verdict.world != world:
            world = verdict.world
            grid.add_row(f"[bold]{escape_markup(world)}[/]", "", "")
        grid.add_row(
            escape_markup(verdict.claim),
            f"[{STYLES[verdict.holds]}]{judged(verdict)}[/]",
            escape_markup("; ".join(part for part in (verdict.statistic, verdict.reason) if part)),
        )
    return grid


def write_exhibits(exhibits: Exhibits, out: Path) -> None:
    """Write everything; the page comes last, so that it is there only when all is."""
    check_names(exhibits)
    try:
        out.mkdir(parents=True, exist_ok=True)
        remove_stale(exhibits, out)
        for table in exhibits.tables:
            write(out / f"{table.name}.csv", table_csv(table))
            write(out / f"{table.name}.tex", table_latex(table).encode())
        for shown in exhibits.figures:
            write(out / f"{shown.name}.csv", columns_csv(shown))
            if have_matplotlib():
                with figure(out / shown.name, shown.width, shown.height) as drawing:
                    shown.draw(drawing)
        write(out / "claims.csv", claims_csv(exhibits.verdicts))
        write(out / "settings.csv", as_csv([("setting", "value"), *exhibits.settings.items()]))
        write(out / "notes.csv", notes_csv(exhibits))
        write(out / "exhibits.json", msgspec.json.format(as_json(exhibits), indent=1) + b"\n")
        write(out / "report.html", page(exhibits, out).encode())
    except OSError as error:
        raise UsageError(f"--out {out}: {error.strerror}; choose another") from error


def check_names(exhibits: Exhibits) -> None:
    """Raise an error if two exhibits would be written to the same file."""
    names = [*(one.name for one in exhibits.tables), *(one.name for one in exhibits.figures)]
    names += ["claims", "settings", "notes", "exhibits", "report"]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"exhibits share a file: {', '.join(sorted(twice))}")


def names_of(exhibits: Exhibits) -> set[str]:
    """Return the names of all tables and figures."""
    return {one.name for one in exhibits.tables} | {one.name for one in exhibits.figures}


def remove_stale(exhibits: Exhibits, out: Path) -> None:
    """Remove what an earlier reproduction left there and this one does not make."""
    try:
        before = read_exhibits(out)
    except (OSError, ValueError, msgspec.MsgspecError):
        return
    for name in names_of(before) - names_of(exhibits):
        for suffix in (".csv", ".tex", ".png", ".svg"):
            if Path(name).name == name:  # the file may be anybody's
                (out / f"{name}{suffix}").unlink(missing_ok=True)


def read_exhibits(out: Path) -> Exhibits:
    """Return exhibits that were written before; their figures are drawn already."""
    told = msgspec.json.decode((out / "exhibits.json").read_bytes(), type=Written)
    return Exhibits(
        told.paper,
        told.title,
        told.settings,
        [Table(one.name, one.title, one.columns, read_rows(one), one.note) for one in told.tables],
        [Figure(one.name, one.title, {}, drawn_before, one.note) for one in told.figures],
        [Verdict(**msgspec.structs.asdict(one)) for one in told.verdicts],
        told.notes,
    )


def drawn_before(_: object) -> None:
    """Stand for the drawing of a figure that was read back."""
    raise ValueError("this figure was drawn before")


class WrittenMeasured(msgspec.Struct):
    """A mean in `exhibits.json`, where what is no number is null."""

    mean: float | None
    std: float | None
    runs: int


def read_rows(table: WrittenTable) -> list[tuple[Cell, ...]]:
    """Return the rows of a table as they were."""
    return [tuple(map(read_cell, row)) for row in table.rows]


def read_cell(cell: str | int | float | WrittenMeasured | None) -> Cell:
    """Return a cell as it was."""
    if not isinstance(cell, WrittenMeasured):
        return cell
    mean, std = (float("nan") if one is None else one for one in (cell.mean, cell.std))
    return Measured(mean, std, cell.runs)


class WrittenTable(msgspec.Struct):
    """A table in `exhibits.json`."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: list[tuple[str | int | float | WrittenMeasured | None, ...]]
    note: str


class WrittenFigure(msgspec.Struct):
    """A figure in `exhibits.json`, without its data."""

    name: str
    title: str
    note: str


class WrittenVerdict(msgspec.Struct):
    """A verdict in `exhibits.json`."""

    claim: str
    holds: bool | None
    statistic: str
    reason: str
    world: str = ""
    p: float | None = None


class Written(msgspec.Struct):
    """The file `exhibits.json`."""

    paper: str
    title: str
    settings: dict[str, str]
    tables: list[WrittenTable]
    figures: list[WrittenFigure]
    verdicts: list[WrittenVerdict]
    notes: list[str]


def claims_csv(verdicts: Sequence[Verdict]) -> bytes:
    """Return all verdicts."""
    heads = ("claim", "world", "verdict", "statistic", "p", "reason")
    rows = [
        (one.claim, one.world, judged(one), one.statistic, "" if one.p is None else one.p,
         one.reason)
        for one in verdicts
    ]  # fmt: skip
    return as_csv([heads, *rows])


def notes_csv(exhibits: Exhibits) -> bytes:
    """Return the title of the page, and the titles and notes of all exhibits."""
    rows = [("", exhibits.title, "")]
    rows += [(one.name, one.title, one.note) for one in exhibits.tables]
    rows += [(one.name, one.title, one.note) for one in exhibits.figures]
    return as_csv([("exhibit", "title", "note"), *rows, *(("", "", one) for one in exhibits.notes)])


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
                    "world": verdict.world,
                    "p": verdict.p,
                }
                for verdict in exhibits.verdicts
            ],
            "notes": list(exhibits.notes),
        }
    )
