"""How often pages change, by the age of their content: learned for groups of pages.

A page that changed an hour ago is likelier to change again than one that has not changed for a
week.  So a group has a rate for each of several *ages*, in doubling steps: changes seen per time
watched.  Whether a page changed once or twice between two visits is unknown; the expected number is
counted.  A group with few observations has the rates of its parent group:
`(changes + s) / (watched + s / parent's rate)`.

Shares are learned in the same way: of changes that are news, of news found through links that were
new on a changed page, of such links that led to news.

*Trust* is the news that visits to pages of the group brought, divided by the news expected of
them, and at most 1.  The pages that are visited are those of which most is expected, so they
include the ones whose rates are too high by chance; trust corrects for that.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from foragers.strategies.auto.settings import REVISIT_DEFAULTS, RevisitSettings

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

EDGES: Floats = np.array([0.0, *(600.0 * 2.0**step for step in range(13))])
"""Where the ages begin, in seconds: up to ten minutes, twenty, … four weeks and more."""
ENDS: Floats = np.array([*EDGES[1:].tolist(), np.inf])
EDGE_LIST: list[float] = EDGES.tolist()
AGES = len(EDGES)
ROOT = 0

GROUP = np.dtype(
    [
        ("parent", np.int32),
        ("events", np.float64, (AGES,)),
        ("watched", np.float64, (AGES,)),
        ("cases", np.float64, (3,)),
        ("good", np.float64, (3,)),
        ("rate", np.float64, (AGES,)),
        ("until", np.float64, (AGES,)),
        ("share", np.float64, (3,)),
        ("expected", np.float64),
        ("found", np.float64),
        ("trust", np.float64),
    ]
)


def first_groups(settings: RevisitSettings) -> NDArray[np.void]:
    """Return the table with the group of all pages."""
    table = np.zeros(64, GROUP)
    table["rate"][ROOT], table["share"][ROOT] = settings.first_rate, settings.first_shares
    table["trust"][ROOT] = 1.0
    table["until"][ROOT] = settings.first_rate * EDGES
    return table


@dataclass
class Hazards:
    """Groups of pages: `rate` by age, `until` the changes expected up to an age, shares, trust."""

    settings: RevisitSettings = REVISIT_DEFAULTS
    table: NDArray[np.void] = field(init=False, repr=False)
    _numbers: dict[Hashable, int] = field(default_factory=dict, repr=False)
    _levels: list[list[int]] = field(default_factory=lambda: [[ROOT], [], []], repr=False)

    def __post_init__(self) -> None:
        self.table = first_groups(self.settings)

    def group(self, key: Hashable, parent: int = ROOT) -> int:
        """Return the number of a group; a new one starts with its parent's values.

        A group has at most two groups above it: its host's, and that of all pages.
        """
        number = self._numbers.get(key)
        if number is not None:
            return number
        if len(self._numbers) >= self.settings.most_groups:
            return parent
        number = self._numbers[key] = len(self._numbers) + 1
        if number >= len(self.table):
            self.table = np.concatenate([self.table, np.zeros_like(self.table)])
        for name in ("rate", "until", "share", "trust"):
            self.table[name][number] = self.table[name][parent]
        self.table["parent"][number] = parent
        self._levels[1 if parent == ROOT else 2].append(number)
        return number

    def between(self, groups: Places, first: Floats, last: Floats) -> Floats:
        """Return the expected number of changes from one age to another."""
        found: Floats = self._until(groups, last) - self._until(groups, first)
        return found

    def between_ages(self, group: int, first: float, last: float) -> float:
        """Return the same for a single page."""
        return self._until_age(group, last) - self._until_age(group, first)

    def _until_age(self, group: int, age: float) -> float:
        step = max(bisect_right(EDGE_LIST, age), 1) - 1
        rate: float = self.table["rate"].item(group, step)
        until: float = self.table["until"].item(group, step)
        return until + rate * (age - EDGE_LIST[step])

    def rates(self, groups: Places, ages: Floats) -> Floats:
        """Return the expected changes per second at an age."""
        found: Floats = self.table["rate"][groups, age_of(ages)]
        return found

    def _until(self, groups: Places, ages: Floats) -> Floats:
        steps = age_of(ages)
        rates, until = self.table["rate"], self.table["until"]
        found: Floats = until[groups, steps] + rates[groups, steps] * (ages - EDGES[steps])
        return found

    def watch(self, group: int, first: float, last: float, changes: float) -> None:
        """Add the changes of a page that was observed from one age to another."""
        ends, starts = (np.minimum(np.maximum(edges, first), last) for edges in (ENDS, EDGES))
        overlap = ends - starts
        chances = overlap * self.table["rate"][group]
        shares = chances / total if (total := float(chances.sum())) > 0 else overlap * 0.0
        for one in self.lineage(group):
            self.table["events"][one] += changes * shares
            self.table["watched"][one] += overlap

    def count(self, group: int, share: int, cases: float, good: float) -> None:
        """Add cases to a share, and how many of them were good."""
        for one in self.lineage(group):
            self.table["cases"][one, share] += cases
            self.table["good"][one, share] += good

    def compare(self, group: int, expected: float, found: float) -> None:
        """Add a visit: the news expected of it, and the news it brought."""
        for one in self.lineage(group):
            self.table["expected"][one] += expected
            self.table["found"][one] += found

    def lineage(self, group: int) -> tuple[int, ...]:
        """Return a group and all groups above it."""
        found = [group]
        while found[-1] != ROOT:
            found.append(int(self.table["parent"][found[-1]]))
        return tuple(found)

    def refresh(self) -> None:
        """Compute rates, shares and trust again, parents first."""
        table, settings = self.table, self.settings
        sure = settings.sure
        for level, some in enumerate(self._levels):
            if not some:
                continue
            rows = np.array(some)
            above = table["parent"][rows]
            rates = table["rate"][above] if level else np.full((1, AGES), settings.first_rate)
            shares = table["share"][above] if level else np.array([settings.first_shares])
            some_changes = settings.alike if level else settings.first_changes
            rate = table["events"][rows] + some_changes
            rate /= table["watched"][rows] + some_changes / rates
            table["rate"][rows] = rate
            steps = rate[:, :-1] * np.diff(EDGES)
            table["until"][rows, 1:] = np.cumsum(steps, axis=1)
            good = table["good"][rows] + sure * shares
            table["share"][rows] = good / (table["cases"][rows] + sure)
            trusted = settings.sure_visits * (table["trust"][above] if level else 1.0)
            kept = (table["found"][rows] + trusted) / (
                table["expected"][rows] + settings.sure_visits
            )
            table["trust"][rows] = np.minimum(kept, 1.0)


def age_of(ages: Floats) -> Places:
    """Return the index of the step in `EDGES` that each age is in."""
    return np.maximum(EDGES.searchsorted(ages, side="right"), 1) - 1
