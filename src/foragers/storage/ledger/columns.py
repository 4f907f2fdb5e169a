"""A crawl as columns: one row a visit, for measures to compute on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from foragers.core.types import Ids, Status, Visit


@dataclass(frozen=True)
class Facts:
    """What happened, in order: all of a ledger but the words."""

    urls: Ids
    finals: Ids
    statuses: NDArray[np.str_]
    times: NDArray[np.float64]
    born: NDArray[np.float64]
    versions: NDArray[np.int64]
    promises: NDArray[np.float64]
    agents: NDArray[np.str_]
    parents: Ids
    depths: Ids
    relevance: NDArray[np.float64]
    relevant: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.urls)

    @cached_property
    def ok(self) -> NDArray[np.bool_]:
        """Whether a page came back."""
        found: NDArray[np.bool_] = self.statuses == Status.OK.value
        return found

    @classmethod
    def of(cls, visits: Iterable[Visit]) -> Facts:
        """Collect the facts of some visits."""
        return cls.from_rows([row(visit) for visit in visits])

    @classmethod
    def from_rows(cls, rows: list[Row]) -> Facts:
        """Turn rows into columns."""
        columns = list(zip(*rows, strict=True)) or [()] * len(TYPES)
        typed = zip(columns, TYPES, strict=True)
        return cls(*(np.array(column, kind) for column, kind in typed))

    @classmethod
    def joined(cls, parts: Sequence[Facts]) -> Facts:
        """Put facts one after the other."""
        if not parts:
            return cls.from_rows([])
        columns = [[getattr(part, field.name) for part in parts] for field in fields(cls)]
        return cls(*(np.concatenate(column) for column in columns))


Row = tuple[int, int, str, float, float, int, float, str, int, int, float, bool]
TYPES = (
    np.int32,
    np.int32,
    np.str_,
    np.float64,
    np.float64,
    np.int64,
    np.float64,
    np.str_,
    np.int32,
    np.int32,
    np.float64,
    np.bool_,
)


def row(visit: Visit) -> Row:
    """Return the facts of one visit, in the order of the columns."""
    page, choice = visit.page, visit.page.choice
    return (
        choice.url,
        page.final,
        page.status.value,
        page.time,
        page.born,
        page.version,
        choice.promise,
        choice.agent,
        choice.parent,
        choice.depth,
        visit.relevance,
        visit.relevant,
    )
