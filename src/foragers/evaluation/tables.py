"""Tables, figures, and verdicts on the claims of a paper, with numbers formatted for reading."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import msgspec
import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing
from math import floor, isfinite, log10


class Measured(msgspec.Struct, frozen=True):
    """A mean over runs, with the deviation between them."""

    mean: float
    std: float
    runs: int

    @classmethod
    def of(cls, values: Iterable[float]) -> Measured:
        """Summarise the values of several runs."""
        column = np.array(list(values), float)
        spread = float(column.std(ddof=1)) if len(column) > 1 else 0.0
        return cls(float(column.mean()), spread, len(column))


Cell: TypeAlias = str | int | float | Measured | None
"""A cell of a table; None is an unknown value."""


@dataclass(frozen=True)
class Table:
    """A table; `name` is its file's, such as `table-2`; `ours` and `paper` go side by side."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]
    note: str = ""


@dataclass(frozen=True)
class Figure:
    """A figure and its data: columns of equal length, one row per point."""

    name: str
    title: str
    data: Mapping[str, Sequence[str | float | int]]
    draw: Callable[[Drawing], None]
    note: str = ""
    width: float = 7.2
    height: float = 4.6


@dataclass(frozen=True)
class Verdict:
    """Whether a claim of the paper holds on a world, and by which statistic; None: unknown.

    `p` is that of the test, if there was one, before it is corrected for the number of tests.
    """

    claim: str
    holds: bool | None
    statistic: str
    reason: str = ""
    world: str = ""
    p: float | None = None


@dataclass(frozen=True)
class Exhibits:
    """Everything that one paper shows, reproduced on one or more worlds."""

    paper: str
    title: str
    settings: Mapping[str, str]
    tables: Sequence[Table] = ()
    figures: Sequence[Figure] = ()
    verdicts: Sequence[Verdict] = ()
    notes: Sequence[str] = field(default_factory=tuple)


FIGURES = 3
"""The number of significant digits shown."""


def worded(cell: Cell) -> str:
    """Return the text of a cell."""
    if cell is None:
        return "–"
    if isinstance(cell, Measured):
        shown = cell.runs > 1 and isfinite(cell.mean)
        spread = f" ± {number(cell.std, cell.mean)}" if shown else ""
        return number(cell.mean) + spread
    return cell if isinstance(cell, str) else number(cell)


def number(value: float, beside: float | None = None) -> str:
    """Return a number with a true minus, and as many decimals as it, or the one beside, needs."""
    if value < 0:
        return f"−{number(-value, beside)}"
    if not isfinite(value):
        return "–"
    if isinstance(value, int):
        return f"{value:,}"
    size = abs(value if beside is None else beside)
    if size >= 10 ** (FIGURES - 1) or value == beside == 0:
        return f"{value:,.0f}"
    decimals = FIGURES - 1 - floor(log10(size)) if size > 0 else FIGURES - 1
    return f"{value:,.{min(decimals, 6)}f}"


def judged(verdict: Verdict) -> str:
    """Return a verdict in two words at most."""
    return {True: "holds", False: "does not hold", None: "cannot be told"}[verdict.holds]
