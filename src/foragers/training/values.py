"""What a link is worth: the discounted rewards of the best that can follow (section 2.3).

Following a link leads to a page; from there the crawl goes to the reward nearest to the
fringe, the links of all pages on its way so far, and on to the next nearest.  A reward
collected in step t is worth `gamma ** t`, the page behind the link itself being step 0:

    Q = Σ gamma ** t        over the steps t at which a reward is collected

So Q depends on the page behind a link alone, and is computed once for each page.  At most
one reward is collected a step.  Leaving out all steps after `depth` therefore makes Q too
small by at most `gamma ** (depth + 1) / (1 - gamma)`: with gamma = 0.5 and 20 steps by less
than 0.000001, which moves no link into another bin.

Among equally near rewards the one with the lowest number comes first, and the way to it
is through the first link of a page that is on a shortest one.
"""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from foragers.training.nearest import Flags, Nearest, Numbers, nearest_rewards

GAMMA = 0.5
DEPTH = 20
"""How many steps count: the error is at most gamma ** 20."""

Values = NDArray[np.float64]


def page_values(
    starts: Numbers, targets: Numbers, rewards: Flags, gamma: float = GAMMA, depth: int = DEPTH
) -> Values:
    """Return Q of a link to every page.

    Page p has the links `starts[p] .. starts[p + 1]`, which point at the pages `targets`, or at
    none (-1); `rewards` tells which pages are worth finding.
    """
    # A sequence collects at most depth + 1 rewards, so no page needs to know more of them.
    found = nearest_rewards(starts, targets, rewards, depth + 1, depth)
    walk = _Walk(found, gamma, depth)
    values = np.zeros(len(rewards))
    for page in np.flatnonzero(np.diff(found.starts)).tolist():
        values[page] = walk.worth(page)
    return values


class _Walk:
    """The greedy sequence from a page, on lists, which give single numbers faster than arrays."""

    def __init__(self, found: Nearest, gamma: float, depth: int) -> None:
        self.starts: list[int] = found.starts.tolist()
        self.rewards: list[int] = found.rewards.tolist()
        self.distances: list[int] = found.distances.tolist()
        self.hops: list[int] = found.hops.tolist()
        self.depth = depth
        self.discounts = np.cumprod([1.0, *[gamma] * depth]).tolist()

    def worth(self, page: int) -> float:
        """Return the discounted sum of the rewards on the way."""
        starts, rewards = self.starts, self.rewards
        fringe: list[tuple[int, int, int, int, int]] = []
        reached, had = {page}, set[int]()
        value, step = 0.0, 0
        self._push(fringe, had, page, starts[page], 0)
        while fringe:
            distance, reward, order, here, entry = heappop(fringe)
            if reward in had:
                self._push(fringe, had, here, entry + 1, order)
                continue
            step += distance
            if step > self.depth:
                break
            value += self.discounts[step]
            had.add(reward)
            self._push(fringe, had, here, entry + 1, order)
            while here != reward:
                here = self.hops[rewards.index(reward, starts[here], starts[here + 1])]
                if here not in reached:
                    reached.add(here)
                    self._push(fringe, had, here, starts[here], len(reached))
        return value

    def _push(
        self,
        fringe: list[tuple[int, int, int, int, int]],
        had: set[int],
        page: int,
        entry: int,
        order: int,
    ) -> None:
        """Add the nearest reward of a page, from an entry on, that was not had yet."""
        rewards, end = self.rewards, self.starts[page + 1]
        while entry < end and rewards[entry] in had:
            entry += 1
        if entry < end:
            heappush(fringe, (self.distances[entry], rewards[entry], order, page, entry))
