"""Exhibits on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.box import SIMPLE
from rich.console import Console
from rich.markup import escape
from rich.table import Table as Grid

from foragers.exhibits.exhibit import Exhibits, Table, Verdict
from foragers.exhibits.wording import judged, worded

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
    grid = Grid(box=SIMPLE, title=escape(table.title), title_justify="left", pad_edge=False)
    for place, column in enumerate(table.columns):
        grid.add_column(escape(column), justify="right" if place else "left")
    for row in table.rows:
        grid.add_row(*(escape(worded(cell)) for cell in row))
    return grid


def grid_of_verdicts(verdicts: Sequence[Verdict]) -> Grid:
    """Return the claims with what became of them."""
    grid = Grid(box=SIMPLE, title="Claims of the paper", title_justify="left", pad_edge=False)
    for heading in ("claim", "verdict", "statistic"):
        grid.add_column(heading)
    for verdict in verdicts:
        grid.add_row(
            escape(verdict.claim),
            f"[{STYLES[verdict.holds]}]{judged(verdict)}[/]",
            escape("; ".join(part for part in (verdict.statistic, verdict.reason) if part)),
        )
    return grid
