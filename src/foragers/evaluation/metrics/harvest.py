"""Harvest: how many relevant pages were found, and how soon.

A *download* is one choice with its page; redirects that it followed are part of it, and a response
without a page (404) is a download too.  A relevant page counts once, when it is first fetched.  The
*area* is the mean number of relevant pages held over the downloads of a budget; a crawl that ends
early keeps its last number to the end.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

import numpy as np
from numpy.typing import NDArray

from foragers.core.types import NO_PARENT, UrlId
from foragers.storage.ledger.columns import Facts

Counts = NDArray[np.int64]
MAX_POINTS = 1000
"""The number of points of a stored curve."""


def found(facts: Facts, truth: AbstractSet[UrlId] | None = None) -> Counts:
    """Return the number of relevant pages found after each download.

    With a truth, these are its URLs; without, the pages that the judge called relevant, each
    version counted once.
    """
    if truth is None:
        hits, identity = facts.relevant & facts.ok, facts.versions
    else:
        wanted = np.fromiter(truth, np.int64, len(truth))
        hits, identity = facts.ok & np.isin(facts.finals, wanted), facts.finals.astype(np.int64)
    rows = np.flatnonzero(hits)
    _, first = np.unique(identity[rows], return_index=True)
    fresh = np.zeros(len(facts), np.int64)
    fresh[rows[first]] = 1
    return np.cumsum(fresh)


def links_followed(facts: Facts) -> int:
    """Return the number of downloads that followed a link, not a seed."""
    return int(np.count_nonzero(facts.parents != NO_PARENT))


def area(counts: Counts, budget: int) -> float:
    """Return the mean number of relevant pages held over the downloads of a budget."""
    if not len(counts) or budget < 1:
        return 0.0
    counts = counts[:budget]
    rest = (budget - len(counts)) * int(counts[-1])
    return (int(counts.sum()) + rest) / budget


def closed(value: float, worst: float, best: float) -> float | None:
    """Return the share of the distance from the worst to the best that a value closes."""
    return (value - worst) / (best - worst) if best > worst else None


def downloads_until(counts: Counts, wanted: int) -> int | None:
    """Return the downloads needed to find a number of relevant pages, if they were found."""
    position = int(np.searchsorted(counts, wanted))
    return position + 1 if position < len(counts) else None


def curve(counts: Counts, points: int = MAX_POINTS) -> list[tuple[int, int]]:
    """Return (downloads, relevant) at evenly spaced downloads, the last one included."""
    if not len(counts):
        return []
    rows = np.unique(np.linspace(0, len(counts) - 1, min(points, len(counts))).astype(np.int64))
    return [(int(row) + 1, int(counts[row])) for row in rows]
