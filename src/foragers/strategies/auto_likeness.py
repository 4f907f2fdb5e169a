"""What a page is worth that is like what is wanted, but not enough to count.

    worth = likeness · (share of pages less alike)⁸ / (1 + relevant pages found)

Where nothing has passed the judge yet, what comes nearest shows the way; the more has passed, the
less likeness says that is not enough.  And what most pages are like leads nowhere: one word of a
topic that stands on every page.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

STEPS = 256
DOUBLINGS = 3
"""How often the share is squared: to the eighth power."""


@dataclass
class Likeness:
    """How alike the pages were that did not count, in steps, and how many did."""

    _counts: array[int] = field(default_factory=lambda: array("q", [0]) * (STEPS + 1), repr=False)
    _others: int = 0
    _relevant: int = 0

    def worth(self, likeness: float, relevant: bool) -> float:
        """Return what a page is worth, and take it in."""
        if relevant:
            self._relevant += 1
            return 1.0
        step = int(min(max(likeness, 0.0), 1.0) * STEPS)
        rare = sum(self._counts[:step]) / (self._others + 1)
        self._counts[step] += 1
        self._others += 1
        for _ in range(DOUBLINGS):
            rare *= rare
        return likeness * rare / (1 + self._relevant)
