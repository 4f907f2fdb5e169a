"""Numbers as people read them in a table."""

from __future__ import annotations

from math import floor, isfinite, log10

from foragers.exhibits.exhibit import Cell, Measured, Verdict

FIGURES = 3
"""How many figures of a number are worth reading."""


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
    """Return a number with as many decimals as it, or the one it stands beside, deserves."""
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
