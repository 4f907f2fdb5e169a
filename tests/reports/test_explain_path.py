"""The way to a page is found from its parents, however far apart they were fetched."""

from __future__ import annotations

import numpy as np

from foragers.core.types import NO_PARENT
from foragers.reports.explain import FIRST_PART, Leaps

ROWS = 12 * FIRST_PART


def by_hand(leaps: Leaps, row: int) -> list[int]:
    path = [row]
    while (parent := leaps.parents[row]) != NO_PARENT:
        earlier = [one for one in range(row) if parent in (leaps.urls[one], leaps.finals[one])]
        if not earlier:
            break
        row = earlier[-1]
        path.append(row)
    return [row + 1 for row in reversed(path)]


def test_the_way_is_the_last_visits_before_each_page() -> None:
    rng = np.random.default_rng(5)
    urls = rng.integers(0, ROWS // 2, ROWS)  # pages were fetched again
    finals = np.where(rng.random(ROWS) < 0.1, rng.integers(0, ROWS // 2, ROWS), urls)
    back = np.where(rng.random(ROWS) < 0.5, 9 * FIRST_PART, 300)
    parents = finals[np.maximum(0, np.arange(ROWS) - rng.integers(1, back + 1))]
    parents[:5], parents[5] = NO_PARENT, ROWS  # the parent of the sixth was never fetched
    leaps = Leaps(np.arange(1, ROWS + 1), urls, finals, parents, np.zeros(ROWS, np.int64))
    for row in (0, 5, 6, FIRST_PART, FIRST_PART + 1, 7 * FIRST_PART, ROWS - 2, ROWS - 1):
        assert leaps.path(row) == by_hand(leaps, row)
    assert leaps.path(5) == [6]
    assert leaps.path(ROWS - 1, 2) == by_hand(leaps, ROWS - 1)[-2:]
