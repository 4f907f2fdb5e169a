"""The summary of a crawl, for a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table
from rich.text import Text

from foragers.core.display import counted, duration, plain
from foragers.crawling.progress import LeftAlone
from foragers.evaluation.metrics.counts import ERRORS
from foragers.evaluation.metrics.recall import Estimate
from foragers.evaluation.metrics.summary import LATELY, Summary
from foragers.judges.words import Standing

WORST, MOST_CAUSES = 5, 10
"""The number of errors by host, and of causes over all hosts, that are listed."""

WIDEST_HOST, WIDEST_REASON, WIDEST_CAUSE = 30, 26, 52
LONGEST_BASIS = 400


def print_summary(
    summary: Summary,
    stopped: str | None,
    console: Console,
    estimate: Estimate | None = None,
    standing: Standing | None = None,
) -> None:
    """Print the numbers of a crawl, why it stopped, and what went wrong most often."""
    console.print(numbers(summary, stopped, estimate, standing))
    if summary.not_had:
        console.print(causes(summary))
    if summary.worst_errors:
        console.print(errors(summary))


def numbers(
    summary: Summary,
    stopped: str | None,
    estimate: Estimate | None = None,
    standing: Standing | None = None,
) -> Table:
    """Return the table of a crawl's numbers."""
    grid = Table(box=SIMPLE, show_header=False, pad_edge=False)
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(style="dim", max_width=46)
    per_second = summary.downloads / summary.seconds if summary.seconds else 0.0
    rows = [
        ("downloads", f"{summary.downloads:,}", f"{counted(summary.hosts, 'host')} answered"),
        ("relevant", f"{summary.relevant:,}", "pages, each counted once"),
        ("harvest rate", f"{summary.harvest:.1%}", last_ones(summary)),
        ("errors", f"{summary.errors:,}", statuses(summary, ERRORS)),
        ("skipped", f"{summary.skipped:,}", "not asked for, cost no budget"),
        ("time", duration(summary.seconds), f"{per_second:,.1f} downloads a second"),
    ]
    recall = ("recall", "–", "not estimated: new pages never end")
    if estimate is not None:
        recall = ("recall", estimate.recall_said, estimate.total_said)
    rows.insert(2, recall)
    if estimate is not None:
        rows.insert(3, ("", "", plain(estimate.basis_said, LONGEST_BASIS)))
    if standing is not None:
        passes = ("passes now", f"{standing.passing:,}", f"of the {standing.pages:,} pages so far")
        rows.insert(2, passes)
    for name, value, note in rows:
        grid.add_row(name, value, note)
    if estimate is not None:
        for planned in estimate.planned:
            grid.add_row("plan", "", plain(planned.said, LONGEST_BASIS))
        for ahead in estimate.plans[-1:]:
            grid.add_row("with more", "", plain(ahead.said, LONGEST_BASIS))
    if stopped:
        grid.add_row("stopped", "", Text(plain(stopped)))
    return grid


def last_ones(summary: Summary) -> str:
    """Return the yield of the last downloads."""
    number = min(LATELY, summary.downloads)
    return f"of the last {number:,}: {summary.harvest_lately:.1%}"


def statuses(summary: Summary, shown: Sequence[str]) -> str:
    """Return the number of downloads with some statuses."""
    counts = ((summary.statuses.get(status, 0), status) for status in shown)
    return ", ".join(f"{count:,} {status}" for count, status in counts if count)


def causes(summary: Summary) -> Table:
    """Return the table of why choices brought no page, by cause."""
    title = "outcomes without a page, by reason"
    grid = Table(box=SIMPLE, pad_edge=False, title=title, title_justify="left")
    grid.add_column("status", no_wrap=True)
    grid.add_column("reason", no_wrap=True, max_width=WIDEST_CAUSE, overflow="ellipsis")
    grid.add_column("times", justify="right", no_wrap=True)
    for one in summary.not_had[:MOST_CAUSES]:
        grid.add_row(Text(one.status), Text(plain(one.reason) or "–"), f"{one.count:,}")
    if len(summary.not_had) > MOST_CAUSES:
        grid.add_row("", f"and {len(summary.not_had) - MOST_CAUSES:,} other reasons", "")
    return grid


def print_left_alone(hosts: Sequence[LeftAlone], console: Console) -> None:
    """Print which hosts want to be left alone, and until when."""
    if not hosts:
        return
    grid = Table(box=SIMPLE, pad_edge=False, title="hosts to ask again later", title_justify="left")
    grid.add_column("host", no_wrap=True, max_width=WIDEST_HOST, overflow="ellipsis")
    grid.add_column("not before", no_wrap=True)
    grid.add_column("deferred pages", justify="right", no_wrap=True)
    for one in hosts[:WORST]:
        moment = datetime.fromtimestamp(one.until, UTC).strftime("%Y-%m-%d %H:%M UTC")
        grid.add_row(Text(plain(one.host)), moment, f"{one.pages:,}")
    if len(hosts) > WORST:
        grid.add_row(f"and {len(hosts) - WORST:,} more", "", "")
    console.print(grid)
    console.print("the same command tries them again")


def errors(summary: Summary) -> Table:
    """Return the table of the worst errors by host."""
    grid = Table(box=SIMPLE, pad_edge=False, title="hosts with most errors", title_justify="left")
    grid.add_column("host", no_wrap=True, max_width=WIDEST_HOST, overflow="ellipsis")
    grid.add_column("status", no_wrap=True)
    grid.add_column("reason", no_wrap=True, max_width=WIDEST_REASON, overflow="ellipsis")
    grid.add_column("times", justify="right", no_wrap=True)
    for error in summary.worst_errors[:WORST]:
        words = (plain(text) for text in (error.host, error.status, error.reason))
        grid.add_row(*map(Text, words), f"{error.count:,}")
    return grid
