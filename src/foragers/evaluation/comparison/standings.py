"""Standings: the share of the way from breadth-first to optimal that strategies close on many webs.

Every web is crawled for several labels, for as many downloads as it has reachable pages.  Shares
are measured up to 10, 25 and 100 % of these downloads.  Recorded and generated webs stand apart.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain

import numpy as np
from rich.box import SIMPLE
from rich.markup import escape
from rich.table import Table

from foragers.core.options import Target
from foragers.evaluation.comparison.options import BEST, WORST
from foragers.evaluation.comparison.result import Result, StrategyResult
from foragers.evaluation.comparison.several import NARROW, Interval, everyone, interval
from foragers.evaluation.comparison.study import Study

SHARES = (0.1, 0.25, 1.0)
COLUMNS = ("10 %", "25 %", "100 %")
LABELS = 4
"""The number of labels used on one web."""
KINDS = ("topic:", "class:", "target:")
"""Prefixes of labels that name the topic or the kind of a page."""
FEWEST, LARGEST_SHARE = 10, 0.25
"""A label is used if at least this many pages have it, and at most this share of all."""

Standing = tuple[Interval | None, ...]
"""The share closed at each of the columns; None if no web has anything to close."""


def labels_of(study: Study, most: int = LABELS) -> list[str]:
    """Return labels of the reachable pages: a rare one, a frequent one, some between."""
    reach = study.reachable()
    sizes = {}
    for name, urls in study.archive.labels.urls.items():
        size = len(reach & frozenset(urls.tolist()))
        if name.startswith(KINDS) and FEWEST <= size <= LARGEST_SHARE * len(reach):
            sizes[name] = size
    by_size = sorted(sizes, key=lambda name: (sizes[name], name))
    rows = np.unique(np.linspace(0, len(by_size) - 1, min(most, len(by_size))).astype(int))
    return [by_size[row] for row in rows]


def targets_of(study: Study, words: bool) -> list[Target]:
    """Return a target for each label; with `words`, its name is the topic too."""
    return [
        Target(topic=words_of(label) if words else None, relevant=label)
        for label in labels_of(study)
    ]


def words_of(label: str) -> str:
    """Return the words that a user would type to find pages with a label."""
    return label.partition(":")[2].replace("-", " ")


def area(strategy: StrategyResult, budget: int) -> float:
    """Return the mean number of relevant pages held over the first downloads, mean over runs."""
    grid = np.arange(1, budget + 1)
    means = []
    for run in strategy.runs:
        xs, ys = zip(*[(0, 0), *run.curve], strict=True)
        means.append(float(np.interp(grid, xs, ys).mean()))
    return float(np.mean(means))


def closed(task: Result, name: str, share: float) -> float | None:
    """Return the share that a strategy closes up to a share of the reachable pages.

    It is None if breadth-first comes within a tenth of optimal, or the budget ends before.
    """
    budget = max(1, round(share * task.reachable))
    strategies = everyone(task)
    if budget > task.budget or BEST not in strategies:
        return None
    low, high = area(strategies[WORST], budget), area(strategies[BEST], budget)
    return (
        (area(strategies[name], budget) - low) / (high - low)
        if high - low > NARROW * high
        else None
    )


def standings(tasks: Sequence[Result]) -> dict[str, Standing]:
    """Return the standing of each strategy but the two ends, best at 25 % first."""
    names = [name for name in tasks[0].strategies if name not in (WORST, BEST)]
    means = {name: tuple(mean_closed(tasks, name, share) for share in SHARES) for name in names}
    return dict(sorted(means.items(), key=lambda item: -order(item[1])))


def order(standing: Standing) -> float:
    """Return the sort key of a strategy."""
    value = standing[1] or standing[2]
    return value.mean if value else -np.inf


def mean_closed(tasks: Sequence[Result], name: str, share: float) -> Interval | None:
    """Return the mean over webs, with its interval."""
    groups: dict[str, list[float]] = {}
    for task in tasks:
        value = closed(task, name, share)
        if value is not None:
            groups.setdefault(task.world, []).append(value)
    return interval(list(groups.values())) if groups else None


def tables(tasks: Sequence[Result], generated: Collection[str]) -> list[Table]:
    """Return a table for recorded and one for generated webs, if there are such."""
    groups = {
        "recorded": [task for task in tasks if task.world not in generated],
        "generated": [task for task in tasks if task.world in generated],
    }
    return [table(kind, tasks_of_kind) for kind, tasks_of_kind in groups.items() if tasks_of_kind]


def table(kind: str, tasks: Sequence[Result]) -> Table:
    """Return the table of one kind of webs."""
    webs = len({task.world for task in tasks})
    grid = Table(
        box=SIMPLE,
        title=f"{webs} {kind} web{'s' if webs != 1 else ''}, {len(tasks)} tasks: share closed at",
        title_justify="left",
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    grid.add_column("strategy", overflow="fold", max_width=26)
    for heading in COLUMNS:
        grid.add_column(heading, justify="right", no_wrap=True)
    for name, standing in standings(tasks).items():
        grid.add_row(escape(name), *map(said, standing))
    return grid


def said(value: Interval | None) -> str:
    """Return a share with its interval."""
    if value is None:
        return "–"
    if value.low is None or value.high is None:
        return f"{value.mean:.2f}"
    return f"{value.mean:.2f} ({value.low:.2f} to {value.high:.2f})"


SUMMARY = (
    f"share closed: of the distance from {WORST} to {BEST}, by the area under the curve up to 10,"
    " 25 and 100 % as many downloads as a web has reachable pages; mean over webs of the means over"
    " their labels. In parentheses: the 95 % bootstrap interval over webs and their labels. Tasks"
    f" where {WORST} comes within a tenth of {BEST} are left out."
)


def markdown(tasks: Sequence[Result], generated: Collection[str]) -> str:
    """Return the same tables as Markdown."""
    parts = []
    for kind, chosen in (("Recorded", False), ("Generated", True)):
        tasks_of_kind = [task for task in tasks if (task.world in generated) is chosen]
        if tasks_of_kind:
            head = [
                f"**{kind} webs**",
                "",
                f"| strategy | {' | '.join(COLUMNS)} |",
                "|---|---|---|---|",
            ]
            lines = [
                f"| {name} | {' | '.join(map(said, standing))} |"
                for name, standing in standings(tasks_of_kind).items()
            ]
            parts.append([*head, *lines, ""])
    return "\n".join(chain.from_iterable(parts)) + f"\n{SUMMARY}\n"
