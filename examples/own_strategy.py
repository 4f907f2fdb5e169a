"""A strategy of your own: written, checked, and measured against breadth-first.

Run it with: python examples/own_strategy.py
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

import foragers
from foragers.core.types import Choice, HostId, Visit
from foragers.frontier.frontier import Frontier
from foragers.judges.keywords import Keywords
from foragers.testing import check_strategy
from foragers.worlds.replay import Recorded

BUDGET = 500


@dataclass
class ShortUrls:
    """Short URLs first."""

    frontier: Frontier = field(default_factory=Frontier)

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        """Choose the pages with the shortest URLs."""
        return self.frontier.pop(n, closed)

    def tell(self, visits: Sequence[Visit]) -> None:
        """Queue each link by the length of its URL."""
        for visit in visits:
            page = visit.page
            self.frontier.fetched(page)
            for link in visit.links:
                promise = 1 / len(link.href)
                self.frontier.push(link.url, link.host, promise, page.final, page.choice.depth + 1)


def main() -> None:
    """Check the strategy, and see what it finds."""
    archive = foragers.generate("topics", seed=1, pages=2000)
    judge = Keywords("robot sensor actuator", threshold=0.5)
    check_strategy(ShortUrls, lambda: Recorded(archive), judge)
    found = foragers.compare(
        archive,
        "robot sensor actuator",
        threshold=0.5,
        strategies=["breadth-first", ShortUrls],
        budget=BUDGET,
    )
    print(found)


if __name__ == "__main__":
    main()
