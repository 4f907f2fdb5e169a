"""What a paper shows, made again: tables, figures, and a verdict on each of its claims."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import msgspec
import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing


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
"""What stands in a table; None is what a paper, or we, cannot say."""


@dataclass(frozen=True)
class Table:
    """A table; `name` is the file's, such as `table-2`, and `ours` and `paper` go side by side."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]
    note: str = ""


@dataclass(frozen=True)
class Figure:
    """A figure and the data it shows: columns of equal length, one row a point."""

    name: str
    title: str
    data: Mapping[str, Sequence[str | float | int]]
    draw: Callable[[Drawing], None]
    note: str = ""
    width: float = 7.2
    height: float = 4.6


@dataclass(frozen=True)
class Verdict:
    """Whether a claim of the paper holds here, by which statistic; None: it cannot be told."""

    claim: str
    holds: bool | None
    statistic: str
    reason: str = ""


@dataclass(frozen=True)
class Exhibits:
    """All that one paper shows, made again on one or more worlds."""

    paper: str
    title: str
    settings: Mapping[str, str]
    tables: Sequence[Table] = ()
    figures: Sequence[Figure] = ()
    verdicts: Sequence[Verdict] = ()
    notes: Sequence[str] = field(default_factory=tuple)
