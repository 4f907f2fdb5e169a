"""Success rates of groups of links, each shrunk towards the rate of the group around it.

    p(g) = (s + m · p(parent)) / (n + m)

A group is a node of a tree: all links, those to a host, those of a host under one tag path,
those of one page under one tag path; or a directory in a directory.  Of a group that
nothing is known of, the one around it is believed.

Whether there is a page at all is counted in the same groups, but one around takes in only the
first few answers of each group inside it: what is to be expected of a new host is what
hosts were like, not what the many links within the best known ones were like.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

ROOT = 0
FEW_ANSWERS = 3
"""So many answers of a group are taken in by the group around it."""
MOST_GROUPS = 300_000
"""Beyond these no new groups are made: links then belong to the one around."""
FIRST_WORTH, FIRST_ANSWER, FIRST_WEIGHT = 0.02, 0.9, 3.0
"""What is believed of all links before any was followed, with the weight of a few."""

GROUP = np.dtype(
    [
        ("parent", np.int32),
        ("level", np.int32),
        ("followed", np.float64),
        ("earned", np.float64),
        ("tried", np.float64),
        ("answered", np.float64),
        ("worth", np.float64),
        ("answer", np.float64),
    ]
)


def first_group() -> NDArray[np.void]:
    """Return a table with the group of all links."""
    table = np.zeros(1024, GROUP)
    table["worth"][ROOT], table["answer"][ROOT] = FIRST_WORTH, FIRST_ANSWER
    return table


@dataclass
class Rates:
    """Groups, and what following their links has brought: worth, and an answer at all."""

    shrinkage: float = 3.0
    table: NDArray[np.void] = field(default_factory=first_group, repr=False)
    _numbers: dict[Hashable, int] = field(default_factory=dict, repr=False)
    _count: int = 1

    def __len__(self) -> int:
        return self._count

    def group(self, name: Hashable, parent: int = ROOT) -> int:
        """Return the number of a group, which is made if it is new."""
        number = self._numbers.get(name)
        if number is None:
            if self._count >= MOST_GROUPS:
                return parent
            number = self._numbers[name] = self._count
            self._add(parent)
        return number

    def _add(self, parent: int) -> None:
        if self._count == len(self.table):
            self.table = np.concatenate([self.table, np.zeros_like(self.table)])
        around = self.table[parent]
        self.table[self._count] = (
            parent, around["level"] + 1, 0, 0, 0, 0, around["worth"], around["answer"],
        )  # fmt: skip
        self._count += 1

    def lineage(self, groups: NDArray[np.int32]) -> Places:
        """Return some groups and all groups around them, each once."""
        parents = self.table["parent"]
        found = here = np.unique(groups)
        while len(here) > 1 or here[0] != ROOT:
            here = np.unique(parents[here])
            found = np.union1d(found, here)
        return found.astype(np.intp)

    def count(self, places: Places, worth: float) -> None:
        """Take in that a link of some groups was followed."""
        self.table["followed"][places] += 1
        self.table["earned"][places] += worth

    def answer(self, groups: NDArray[np.int32], answered: bool) -> None:
        """Take in whether there was a page, in groups around only while the inner one is new."""
        parents, tried = self.table["parent"], self.table["tried"]
        places: set[int] = set()
        for place in groups.tolist():
            here = place
            while here not in places:
                places.add(here)
                if tried[here] >= FEW_ANSWERS:
                    break
                here = int(parents[here])
        counted = sorted(places)
        tried[counted] += 1
        self.table["answered"][counted] += answered

    def correct(self, places: Places, more: float) -> None:
        """Take in that a link was worth more than was known when it was followed."""
        self.table["earned"][places] += more

    def refresh(self) -> None:
        """Work out all rates anew, from the outside in."""
        table = self.table[: self._count]
        worth, answer = table["worth"], table["answer"]
        followed, tried, m = table["followed"], table["tried"], self.shrinkage
        worth[ROOT] = (table["earned"][ROOT] + FIRST_WEIGHT * FIRST_WORTH) / (
            followed[ROOT] + FIRST_WEIGHT
        )
        answer[ROOT] = (table["answered"][ROOT] + FIRST_WEIGHT * FIRST_ANSWER) / (
            tried[ROOT] + FIRST_WEIGHT
        )
        levels = table["level"]
        for level in range(1, int(levels.max()) + 1):
            here = np.flatnonzero(levels == level)
            around = table["parent"][here]
            worth[here] = (table["earned"][here] + m * worth[around]) / (followed[here] + m)
            answer[here] = (table["answered"][here] + m * answer[around]) / (tried[here] + m)
