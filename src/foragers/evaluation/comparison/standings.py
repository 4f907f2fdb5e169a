"""Standings: the share of the way from breadth-first to optimal that strategies close on many webs.

Every web is crawled for several labels, for as many downloads as it has reachable pages, or a share
of them.  Shares are measured up to 10, 25 and 100 % of the reachable pages, and up to 1,000
downloads.  Recorded and generated webs have tables of their own.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np
from rich.markup import escape
from rich.table import Table

from foragers.core.options import Target
from foragers.evaluation.comparison.options import BEST, WORST
from foragers.evaluation.comparison.report import empty_table
from foragers.evaluation.comparison.result import Result, StrategyResult
from foragers.evaluation.comparison.several import NARROW, Interval, everyone, interval
from foragers.evaluation.comparison.study import Study

DOWNLOADS = 1000
"""A budget that users have, whatever the size of the web."""
COLUMNS: dict[str, float | None] = {"10 %": 0.1, "25 %": 0.25, "100 %": 1.0, "at 1,000": None}
"""The columns, and their shares of the reachable pages; None for a number of downloads."""
RANKED_BY = ("25 %", "100 %", "at 1,000")
"""Strategies are ranked by the first of these columns that has a value."""
LABELS = 4
"""The number of labels used on one web."""
KINDS = ("topic:", "class:", "target:")
"""Prefixes of labels that name the topic or the kind of a page."""
FEWEST, LARGEST_SHARE = 10, 0.25
"""A label is used if at least this many pages have it, and at most this share of all."""

SharesClosed = dict[str, Interval | None]
"""The share closed in each column; None if no web has anything to close."""


def downloads_of(reachable: int, share: float) -> int:
    """Return the downloads of a crawl of some share of a web: 1,000 at least, if it has them."""
    return min(reachable, max(DOWNLOADS, round(share * reachable)))


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
    """Return a target for each label; with `words`, its name is also the topic."""
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


def closed(task: Result, name: str, column: str) -> float | None:
    """Return the share that a strategy closes up to the downloads of a column.

    It is None if breadth-first comes within a tenth of optimal, or the budget ends before.
    """
    share = COLUMNS[column]
    budget = min(DOWNLOADS, task.reachable) if share is None else round(share * task.reachable)
    budget = max(1, budget)
    strategies = everyone(task)
    if budget > task.budget or BEST not in strategies:
        return None
    low, high = area(strategies[WORST], budget), area(strategies[BEST], budget)
    if high - low <= NARROW * high:
        return None
    return (area(strategies[name], budget) - low) / (high - low)


def strategies_of(tasks: Sequence[Result]) -> list[str]:
    """Return the compared strategies but the two ends."""
    return [name for name in tasks[0].strategies if name not in (WORST, BEST)]


def standings(tasks: Sequence[Result]) -> dict[str, SharesClosed]:
    """Return the standing of each strategy but the two ends, best first."""
    found = {
        name: {column: mean_closed(tasks, name, column) for column in COLUMNS}
        for name in strategies_of(tasks)
    }
    return dict(sorted(found.items(), key=lambda item: -order(item[1])))


def order(standing: SharesClosed) -> float:
    """Return the sort key of a strategy."""
    values = (standing[column] for column in RANKED_BY)
    return next((value.mean for value in values if value), -np.inf)


def mean_closed(tasks: Sequence[Result], name: str, column: str) -> Interval | None:
    """Return the mean over webs, with its interval."""
    groups: dict[str, list[float]] = {}
    for task in tasks:
        value = closed(task, name, column)
        if value is not None:
            groups.setdefault(task.world, []).append(value)
    return interval(list(groups.values())) if groups else None


def by_web(tasks: Sequence[Result], column: str) -> dict[str, dict[str, float | None]]:
    """Return the share closed by each strategy on each web, best strategy first."""
    webs: dict[str, list[Result]] = {}
    for task in tasks:
        webs.setdefault(task.world, []).append(task)
    return {
        name: {
            web: value.mean if (value := mean_closed(own, name, column)) else None
            for web, own in webs.items()
        }
        for name in standings(tasks)
    }


def best_elsewhere(shares: dict[str, dict[str, float | None]], web: str) -> str:
    """Return the strategy with the highest mean share on the other webs; "" if there are none."""
    means = {
        name: float(np.mean(others))
        for name, row in shares.items()
        if (others := [value for other, value in row.items() if other != web and value is not None])
    }
    return max(means, key=lambda name: means[name]) if means else ""


def milliseconds(tasks: Sequence[Result], name: str) -> float:
    """Return the CPU time of a strategy for each download, the mean over tasks."""
    means = [task.strategies[name].mean for task in tasks]
    return float(
        np.mean([1000 * mean["cpu_seconds"] / max(mean["downloads"], 1) for mean in means])
    )


def groups_of(tasks: Sequence[Result], generated: Collection[str]) -> dict[str, list[Result]]:
    """Return the tasks of recorded and of generated webs, if there are such."""
    groups = {
        "recorded": [task for task in tasks if task.world not in generated],
        "generated": [task for task in tasks if task.world in generated],
    }
    return {kind: group for kind, group in groups.items() if group}


def tables(tasks: Sequence[Result], generated: Collection[str]) -> list[Table]:
    """Return a table for recorded and one for generated webs, if there are such."""
    return [table(kind, group) for kind, group in groups_of(tasks, generated).items()]


def table(kind: str, tasks: Sequence[Result]) -> Table:
    """Return the table of one kind of webs; it fits a terminal of 80 columns."""
    webs = len({task.world for task in tasks})
    title = f"{webs} {kind} web{'s' if webs != 1 else ''}, {len(tasks)} tasks: share closed at"
    grid = empty_table(title, ("strategy", *COLUMNS))
    for name, standing in standings(tasks).items():
        grid.add_row(escape(name), *(shown(value, short=True) for value in standing.values()))
    return grid


def shown(value: Interval | None, short: bool = False) -> str:
    """Return a share with its interval."""
    if value is None:
        return "–"
    if value.low is None or value.high is None:
        return f"{value.mean:.2f}"
    text = f"{value.mean:.2f} ({value.low:.2f} to {value.high:.2f})"
    return text.replace("0.", ".").replace(" to ", " ") if short else text


SUMMARY = (
    f"share closed: of the distance from {WORST} to {BEST}, by the area under the curve up to 10,"
    " 25 and 100 % as many downloads as a web has reachable pages, and up to 1,000 downloads; mean"
    " over webs of the means over their labels. In parentheses: the 95 % bootstrap interval over"
    f" webs and their labels. Tasks where {WORST} comes within a tenth of {BEST} are left out."
)


def markdown(tasks: Sequence[Result], generated: Collection[str]) -> str:
    """Return the same tables as Markdown, and a table of all webs for each column."""
    lines: list[str] = []
    for kind, group in groups_of(tasks, generated).items():
        lines += [f"**{kind.capitalize()} webs**", ""]
        lines += [f"| strategy | {' | '.join(COLUMNS)} | ms a page |"]
        lines += ["|---|" + "---|" * len(COLUMNS) + "--:|"]
        for name, standing in standings(group).items():
            cells = " | ".join(map(shown, standing.values()))
            lines.append(f"| {name} | {cells} | {milliseconds(group, name):.2f} |")
        lines.append("")
    for column in COLUMNS:
        shares = by_web(tasks, column)
        if any(value is not None for row in shares.values() for value in row.values()):
            lines += [*web_lines(shares, column), ""]
    return "\n".join(lines) + f"\n{SUMMARY}\n"


def web_lines(shares: dict[str, dict[str, float | None]], column: str) -> list[str]:
    """Return the table of strategies by webs, with the choice that the other webs suggest."""
    webs = list(next(iter(shares.values())))
    names = " | ".join(Path(web).name for web in webs)
    lines = [f"| {column} | {names} |", "|---|" + "--:|" * len(webs)]
    for name, row in shares.items():
        lines.append(f"| {name} | {' | '.join(map(share_text, row.values()))} |")
    if len(webs) > 1:
        chosen = {web: best_elsewhere(shares, web) for web in webs}
        cells = [
            f"{share_text(shares[name][web])} {name}" if name else "–"
            for web, name in chosen.items()
        ]
        lines.append(f"| *the best on the other webs* | {' | '.join(cells)} |")
    return lines


def share_text(value: float | None) -> str:
    """Return a share without an interval."""
    return "–" if value is None else f"{value:.2f}"
