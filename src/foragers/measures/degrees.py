"""How many links pages have, and the power laws that describe it."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from foragers.measures.powerlaw import PowerLaw, fit_between, fit_from, fit_tail


class Degrees(msgspec.Struct, frozen=True):
    """The degrees of a graph in one direction.

    `histogram` holds pairs of a degree and how many nodes have it, zero included; the
    laws are fitted to the degrees above zero: to the `tail`, to `all` of them, and to
    all of them `bounded` at the largest.
    """

    mean: float
    largest: int
    histogram: tuple[tuple[int, int], ...]
    tail: PowerLaw | None
    all: PowerLaw | None
    bounded: PowerLaw | None


def degrees(values: NDArray[np.int64]) -> Degrees:
    """Describe the degrees of all nodes."""
    xs, counts = np.unique(values, return_counts=True)
    return Degrees(
        mean=float(values.mean()) if len(values) else 0.0,
        largest=int(values.max(initial=0)),
        histogram=tuple(zip(xs.tolist(), counts.tolist(), strict=True)),
        tail=fit_tail(values),
        all=fit_from(values),
        bounded=fit_between(values),
    )
