"""What share of the distance from breadth-first to optimal strategies close, with intervals.

Every web counts the same, whatever the number of its labels and seeds.  Intervals are
of the bootstrap over webs and, within each, over labels and their seeds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from benchmarks.standings_runs import BEST, DOWNLOADS, WORST, Kept, Task

SHARES = (0.1, 0.25, 1.0)
COLUMNS = ("10 %", "25 %", "100 %", "at 1,000")
ROUNDS, INTERVAL = 1000, (5, 95)
NARROW = 0.1
"""Where breadth-first is nearer to optimal than this share of it, there is nothing to close."""

Row = NDArray[np.float64]
"""The share closed at each of the budgets; not a number where there is nothing to close."""


def budgets(kept: Kept) -> list[int]:
    """Return after how many downloads one looks."""
    shares = [max(1, round(share * kept.reachable)) for share in SHARES]
    return [*shares, min(DOWNLOADS, kept.reachable)]


def area(kept: Kept, budget: int) -> float:
    """Return the mean number of relevant pages held over the downloads of a budget."""
    return sum(max(0, budget - at + 1) for at in kept.found_at) / budget


def closed(kept: Kept, worst: Kept, best: Kept) -> Row:
    """Return what share of the distance a crawl closes."""
    row = []
    for budget in budgets(kept):
        low, high = area(worst, budget), area(best, budget)
        tells = high - low > NARROW * high and budget <= kept.budget
        row.append((area(kept, budget) - low) / (high - low) if tells else np.nan)
    return np.array(row)


@dataclass
class Standings:
    """Shares closed, by strategy, web, and label or web of a kind: a row for each seed."""

    rows: dict[str, dict[str, dict[Task, list[Row]]]] = field(default_factory=dict)
    costs: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def of(cls, crawls: Sequence[Kept]) -> Standings:
        """Measure every crawl between the two ends of its task."""
        ends = {(kept.task, kept.strategy): kept for kept in crawls}
        made = cls()
        for kept in crawls:
            made.costs[kept.strategy].append(1000 * kept.cpu_seconds / max(1, kept.downloads))
            if kept.strategy not in (WORST, BEST):
                row = closed(kept, ends[kept.task, WORST], ends[kept.task, BEST])
                tasks = made.rows.setdefault(kept.strategy, {}).setdefault(kept.task.world, {})
                tasks.setdefault(kept.task, []).append(row)
        return made

    @property
    def worlds(self) -> list[str]:
        """The webs."""
        return list(dict.fromkeys(world for found in self.rows.values() for world in found))

    def mean(self, strategy: str, worlds: Sequence[str] | None = None) -> Row:
        """Return the mean over webs of the means over their tasks."""
        found = self.rows[strategy]
        return mean_of([mean_of(means(found[name])) for name in worlds or self.worlds])

    def interval(self, strategy: str) -> tuple[Row, Row]:
        """Return the 90 % interval of that mean."""
        rng = np.random.default_rng(0)
        drawn = np.array([drawn_means(tasks, rng) for tasks in self.rows[strategy].values()])
        webs = rng.integers(len(drawn), size=(ROUNDS, len(drawn)))
        again = np.array([mean_of(drawn[some, number]) for number, some in enumerate(webs)])
        low, high = np.nanpercentile(again, INTERVAL, axis=0)
        return low, high

    def chosen(self) -> dict[str, list[str]]:
        """Return for each web and budget which strategy is the best on all other webs."""
        picked = {}
        for world in self.worlds:
            others = [name for name in self.worlds if name != world]
            if others:
                means_ = {name: self.mean(name, others) for name in self.rows}
                picked[world] = [
                    max(means_, key=lambda name: np.nan_to_num(means_[name][place], nan=-np.inf))
                    for place in range(len(COLUMNS))
                ]
        return picked


def means(tasks: Mapping[Task, Sequence[Row]]) -> Row:
    """Return the mean over seeds of each task."""
    return np.array([np.mean(rows, axis=0) for rows in tasks.values()])


def drawn_means(tasks: Mapping[Task, Sequence[Row]], rng: np.random.Generator) -> Row:
    """Return the mean of a web, over and over, with tasks and their seeds drawn anew."""
    rows = [np.array(some) for some in tasks.values()]
    drawn = np.empty((ROUNDS, len(COLUMNS)))
    for number in range(ROUNDS):
        some = [rows[place] for place in rng.integers(len(rows), size=len(rows))]
        again = [one[rng.integers(len(one), size=len(one))].mean(axis=0) for one in some]
        drawn[number] = mean_of(again)
    return drawn


def mean_of(rows: Sequence[Row] | Row) -> Row:
    """Return the mean of those that say something; not a number where none does."""
    told = ~np.isnan(rows)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(told, rows, 0.0).sum(axis=0) / told.sum(axis=0))


def overall(standings: Standings) -> list[str]:
    """Return the table of all strategies, over all webs."""
    lines = [
        "| strategy | " + " | ".join(COLUMNS) + " | ms a page |",
        "|---|" + "---|" * len(COLUMNS) + "--:|",
    ]
    for name in ranked(standings):
        low, high = standings.interval(name)
        cells = [
            "–" if np.isnan(one) else f"{one:.2f} ({below:.2f} to {above:.2f})"
            for one, below, above in zip(standings.mean(name), low, high, strict=True)
        ]
        cost = float(np.mean(standings.costs[name]))
        lines.append(f"| {name} | {' | '.join(cells)} | {cost:.2f} |")
    return lines


def by_world(standings: Standings, place: int) -> list[str]:
    """Return the table of strategies by webs at one budget, and the choice made without each."""
    worlds = standings.worlds
    lines = [f"| {COLUMNS[place]} | " + " | ".join(worlds) + " |", "|---|" + "--:|" * len(worlds)]
    for name in ranked(standings):
        shares = [standings.mean(name, [world])[place] for world in worlds]
        lines.append(f"| {name} | " + " | ".join(map(said, shares)) + " |")
    if picked := standings.chosen():
        cells = [
            f"{said(standings.mean(picked[world][place], [world])[place])} {picked[world][place]}"
            for world in worlds
        ]
        lines.append("| *the best on the other webs* | " + " | ".join(cells) + " |")
    return lines


def said(share: float) -> str:
    """Write a share down."""
    return "–" if np.isnan(share) else f"{share:.2f}"


def ranked(standings: Standings) -> list[str]:
    """Return the strategies, the best up to a quarter of the pages first."""
    return sorted(standings.rows, key=lambda name: -standings.mean(name)[1])
