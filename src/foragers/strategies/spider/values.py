"""The rewards nearest to every page of a web, found for all pages at once.

Rewards send their name backwards along links, one step a round; a page keeps the first
`most` names that reach it, equally near ones in the order of their numbers, and passes on what
it keeps.  What a page keeps its neighbours have kept too: were there `most` better
names for the page behind a link, they would be better for the page in front of it.  So
the work is at most `most` times the number of links, not a search for every page.

What a link is worth: the discounted rewards of the best that can follow (section 2.3).

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

from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Nearest:
    """For page p the entries `starts[p] .. starts[p + 1]`, nearest first.

    An entry is a reward, how many links away it is (0: the page itself), and the page to go to
    next on the way there: the first link of the page that is on a shortest way.
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
        """Turn links around; a target of -1 is no page."""
        sources = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        links = np.flatnonzero(targets >= 0)
        links = links[np.argsort(targets[links], kind="stable")]
        held = np.bincount(targets[links], minlength=len(starts) - 1)
        return cls(np.concatenate(([0], np.cumsum(held))), sources[links], links)

    def before(self, pages: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """Return the links to some pages: their sources, their numbers, which page it was."""
        first, held = self.starts[pages], self.starts[pages + 1] - self.starts[pages]
        whose = np.repeat(np.arange(len(pages)), held)
        offset = np.arange(len(whose)) - np.repeat(np.cumsum(held) - held, held)
        places = first[whose] + offset
        return self.sources[places], self.links[places], whose


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
        found = _pass_on(backwards, pages, names, len(wanted), held, known, most)
        pages, names, _ = found
        if not len(pages):
            break
        layers.append(found)
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
    """Return the pages that hear of a reward for the first time, of which, and through whom."""
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
    """Say which keys are among sorted ones."""
    if not len(known):
        return np.zeros(len(keys), np.bool_)
    places = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    found: Flags = known[places] == keys
    return found


def _gathered(
    layers: list[tuple[Numbers, Numbers, Numbers]], wanted: Numbers, pages: int
) -> Nearest:
    """Put the entries of each page together, nearest first."""
    where, names, hops = (np.concatenate(column) for column in zip(*layers, strict=True))
    distances = np.repeat(np.arange(len(layers)), [len(layer[0]) for layer in layers])
    order = np.argsort(where, kind="stable")
    starts = np.concatenate(([0], np.cumsum(np.bincount(where, minlength=pages))))
    return Nearest(starts, wanted[names[order]], distances[order], hops[order])


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
