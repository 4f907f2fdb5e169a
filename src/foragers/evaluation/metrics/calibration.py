"""Calibration: whether pages with higher promises are relevant more often."""

from __future__ import annotations

from itertools import pairwise

import msgspec
import numpy as np

from foragers.storage.ledger.columns import Facts

BINS = 10


class Bin(msgspec.Struct, frozen=True):
    """Downloads of similar promise, and their mean outcome."""

    downloads: int
    low: float
    high: float
    promise: float
    relevance: float
    relevant: float


def calibration(facts: Facts, bins: int = BINS) -> tuple[Bin, ...]:
    """Sort downloads by promise into bins of about equal size; equal promises share a bin.

    Bins are of equal size, not of equal width, since a promise need not be a number from
    0 to 1.  A promise without bounds is left out.
    """
    rows = np.flatnonzero(np.isfinite(facts.promises))
    if not len(rows):
        return ()
    order = rows[np.argsort(facts.promises[rows], kind="stable")]
    promises = facts.promises[order]
    starts = np.searchsorted(promises, promises[np.arange(bins) * len(order) // bins])
    edges = [*np.unique(starts).tolist(), len(order)]
    return tuple(bin_of(facts, order[first:last]) for first, last in pairwise(edges))


def bin_of(facts: Facts, rows: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> Bin:
    """Return the mean promise and outcome of downloads."""
    promises = facts.promises[rows]
    return Bin(
        downloads=len(rows),
        low=float(promises.min()),
        high=float(promises.max()),
        promise=float(promises.mean()),
        relevance=float(facts.relevance[rows].mean()),
        relevant=float((facts.relevant & facts.ok)[rows].mean()),
    )
