"""The value Q of a link: the discounted rewards of the best path that follows (section 2.3).

Following a link leads to a page.  From there the crawl goes to the reward that is nearest to any
page on its path, and on to the next nearest.  A reward collected in step t is worth
`gamma ** t`; the page behind the link is step 0:

    Q = Σ gamma ** t        over the steps t at which a reward is collected

So Q depends only on the page behind a link, and is computed once for each page.  At most
one reward is collected per step.  Leaving out all steps after `depth` therefore makes Q too
small by at most `gamma ** (depth + 1) / (1 - gamma)`: with gamma = 0.5 and 20 steps by less
than 0.000001, which moves no link into another bin.

Among equally near rewards the one with the lowest number comes first, and the path to it
begins with the first link of a page that is on a shortest path.

**The rewards nearest to every page** are found for all pages at once (`nearest_rewards`).  Rewards
send their names backwards along links, one step per round.  A page keeps the first `most` names
that reach it, equally near ones in the order of their numbers, and passes these on.  This loses
nothing: if there were `most` better names for the page behind a link, they would be better
for the page in front of it too.  So the work is at most `most` times the number of links.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from foragers.strategies.spider.settings import DEFAULT_SPIDER

Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Nearest:
    """For page p the entries `starts[p] .. starts[p + 1]`, nearest first.

    An entry is a reward, its distance in links (0: the page itself), and the next page on the
    path to it: the first link of the page that is on a shortest path.
    """

    starts: Numbers
    rewards: Numbers
    distances: Numbers
    hops: Numbers


@dataclass(frozen=True)
class Backwards:
    """The links of a web by the page they point at."""

    starts: Numbers
    sources: Numbers
    links: Numbers

    @classmethod
    def of(cls, starts: Numbers, targets: Numbers) -> Backwards:
        """Reverse links; a target of -1 is no page."""
        sources = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        links = np.flatnonzero(targets >= 0)
        links = links[np.argsort(targets[links], kind="stable")]
        held = np.bincount(targets[links], minlength=len(starts) - 1)
        return cls(np.concatenate(([0], np.cumsum(held))), sources[links], links)

    def before(self, pages: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """Return the links to pages: their sources, their numbers, and the index of the page."""
        first, held = self.starts[pages], self.starts[pages + 1] - self.starts[pages]
        whose = np.repeat(np.arange(len(pages)), held)
        offset = np.arange(len(whose)) - np.repeat(np.cumsum(held) - held, held)
        rows = first[whose] + offset
        return self.sources[rows], self.links[rows], whose


def nearest_rewards(
    starts: Numbers, targets: Numbers, rewards: Flags, most: int, depth: int
) -> Nearest:
    """Return up to `most` rewards within `depth` links of every page.

    Page p has the links `starts[p] .. starts[p + 1]`, which point at the pages `targets`, or at
    none (-1).
    """
    wanted = np.flatnonzero(rewards)
    backwards = Backwards.of(starts, targets)
    pages, names = wanted, np.arange(len(wanted))
    layers = [(pages, names, wanted)]
    held = rewards.astype(np.int64)
    known = pages * max(len(wanted), 1) + names
    for _ in range(depth):
        layer = _pass_on(backwards, pages, names, len(wanted), held, known, most)
        pages, names, _ = layer
        if not len(pages):
            break
        layers.append(layer)
        held += np.bincount(pages, minlength=len(held))
        known = np.sort(np.concatenate((known, pages * len(wanted) + names)), kind="stable")
    return _gathered(layers, wanted, len(rewards))


def _pass_on(
    backwards: Backwards,
    pages: Numbers,
    names: Numbers,
    rewards: int,
    held: Numbers,
    known: Numbers,
    most: int,
) -> tuple[Numbers, Numbers, Numbers]:
    """Return the pages that a name of a reward reaches first, the names, and the next pages."""
    sources, links, whose = backwards.before(pages)
    has_room = held[sources] < most
    sources, links, whose = sources[has_room], links[has_room], whose[has_room]
    keys = sources * rewards + names[whose]
    fresh = ~_contains(known, keys)
    keys, links, whose = keys[fresh], links[fresh], whose[fresh]
    order = np.lexsort((links, keys))
    keys, whose = keys[order], whose[order]
    first = np.ones(len(keys), np.bool_)
    first[1:] = keys[1:] != keys[:-1]
    keys, whose = keys[first], whose[first]
    heard = keys // max(rewards, 1)
    rank = np.arange(len(heard)) - np.searchsorted(heard, heard)
    kept = held[heard] + rank < most
    return heard[kept], names[whose[kept]], pages[whose[kept]]


def _contains(known: Numbers, keys: Numbers) -> Flags:
    """Return which keys are among sorted ones."""
    if not len(known):
        return np.zeros(len(keys), np.bool_)
    rows = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    contained: Flags = known[rows] == keys
    return contained


def _gathered(
    layers: list[tuple[Numbers, Numbers, Numbers]], wanted: Numbers, pages: int
) -> Nearest:
    """Return the entries of each page, nearest first."""
    where, names, hops = (np.concatenate(column) for column in zip(*layers, strict=True))
    distances = np.repeat(np.arange(len(layers)), [len(layer[0]) for layer in layers])
    order = np.argsort(where, kind="stable")
    starts = np.concatenate(([0], np.cumsum(np.bincount(where, minlength=pages))))
    return Nearest(starts, wanted[names[order]], distances[order], hops[order])


Values = NDArray[np.float64]


def page_values(
    starts: Numbers,
    targets: Numbers,
    rewards: Flags,
    gamma: float = DEFAULT_SPIDER.gamma,
    depth: int = DEFAULT_SPIDER.depth,
) -> Values:
    """Return Q of a link to every page.

    Page p has the links `starts[p] .. starts[p + 1]`, which point at the pages `targets`, or at
    none (-1); `rewards` says which pages are rewards.
    """
    # A path collects at most depth + 1 rewards, so no page needs more of them.
    nearest = nearest_rewards(starts, targets, rewards, depth + 1, depth)
    path = _GreedyPath(nearest, gamma, depth)
    values = np.zeros(len(rewards))
    for page in np.flatnonzero(np.diff(nearest.starts)).tolist():
        values[page] = path.worth(page)
    return values


class _GreedyPath:
    """The greedy path from a page, on lists, whose elements are faster to read than of arrays."""

    def __init__(self, nearest: Nearest, gamma: float, depth: int) -> None:
        self.starts: list[int] = nearest.starts.tolist()
        self.rewards: list[int] = nearest.rewards.tolist()
        self.distances: list[int] = nearest.distances.tolist()
        self.hops: list[int] = nearest.hops.tolist()
        self.depth = depth
        self.discounts = np.cumprod([1.0, *[gamma] * depth]).tolist()

    def worth(self, page: int) -> float:
        """Return the discounted sum of the rewards on the path."""
        starts, rewards = self.starts, self.rewards
        fringe: list[tuple[int, int, int, int, int]] = []
        reached, collected = {page}, set[int]()
        value, step = 0.0, 0
        self._push(fringe, collected, page, starts[page], 0)
        while fringe:
            distance, reward, order, here, entry = heappop(fringe)
            if reward in collected:
                self._push(fringe, collected, here, entry + 1, order)
                continue
            step += distance
            if step > self.depth:
                break
            value += self.discounts[step]
            collected.add(reward)
            self._push(fringe, collected, here, entry + 1, order)
            while here != reward:
                here = self.hops[rewards.index(reward, starts[here], starts[here + 1])]
                if here not in reached:
                    reached.add(here)
                    self._push(fringe, collected, here, starts[here], len(reached))
        return value

    def _push(
        self,
        fringe: list[tuple[int, int, int, int, int]],
        collected: set[int],
        page: int,
        entry: int,
        order: int,
    ) -> None:
        """Add the nearest reward of a page, from an entry on, that was not collected yet."""
        rewards, end = self.rewards, self.starts[page + 1]
        while entry < end and rewards[entry] in collected:
            entry += 1
        if entry < end:
            heappush(fringe, (self.distances[entry], rewards[entry], order, page, entry))
