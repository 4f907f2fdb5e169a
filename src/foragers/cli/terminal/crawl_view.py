"""The progress of a crawl: a panel on a terminal, a line every few seconds elsewhere."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from math import inf
from typing import Protocol, Self

from rich.console import Console
from rich.live import Live as Panel
from rich.table import Table
from rich.text import Text

from foragers.core.clock import steady
from foragers.core.display import counted, plain
from foragers.core.types import Status, Visit
from foragers.evaluation.metrics.counts import ERRORS, CrawlCounts
from foragers.evaluation.metrics.recall import Estimate
from foragers.http.causes import cause_of
from foragers.http.reasons import reason_said

LATELY = 100
LONGEST = 64
"""The number of characters shown of a URL."""
NAMED = 3
"""Causes of errors and skips that are named."""
REDRAW, LINE_EVERY = 0.25, 10.0
"""Seconds between two updates on a terminal, and between two lines elsewhere."""


class ShownCrawl(Protocol):
    """The facts of a crawl that a view shows."""

    @property
    def budget(self) -> int:
        """How many downloads it may make."""
        ...

    @property
    def waiting(self) -> int | None:
        """How many known pages wait to be fetched, if the strategy can tell."""
        ...

    @property
    def latest(self) -> Estimate | None:
        """The estimate of the pages within reach, if there is one."""
        ...

    @property
    def before(self) -> CrawlCounts:
        """The counts before the crawl was resumed."""
        ...

    @property
    def awaited(self) -> int:
        """The number of busy hosts that are waited for, because their pages promise more."""
        ...

    @property
    def condition(self) -> str:
        """What delays the crawl, if something does."""
        ...

    @property
    def ends(self) -> float:
        """The deadline of the crawl, by the monotonic clock; infinity if there is none."""
        ...


class View:
    """Counts visits and shows the counts."""

    def __init__(self, console: Console, crawl: ShownCrawl) -> None:
        self._console = console
        self._crawl = crawl
        self._tally = crawl.before
        self._lately: deque[bool] = deque(maxlen=LATELY)
        self._last = ""
        self._errors: Counter[str] = Counter()
        self._skips: Counter[str] = Counter()
        self._started = time.monotonic()
        self._done_here = 0
        self._next = self._started + (0.0 if console.is_terminal else LINE_EVERY)
        self._panel: Panel | None = None

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._panel = Panel(self._picture(), console=self._console, transient=True)
            self._panel.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._panel is not None:
            self._panel.stop()

    def update(self, visits: Sequence[Visit]) -> None:
        """Count some visits, and show the counts if it is time."""
        for visit in visits:
            self._count(visit)
        now = time.monotonic()
        if now < self._next:
            return
        if self._panel is not None:
            self._next = now + REDRAW
            self._panel.update(self._picture())
        else:
            self._next = now + LINE_EVERY
            self._console.print(self._line(), soft_wrap=True, highlight=False, markup=False)

    def _count(self, visit: Visit) -> None:
        before = self._tally.downloads
        found = self._tally.add(visit)
        if self._tally.downloads > before:
            self._done_here += 1
            self._lately.append(found)
        if found:
            self._last = plain(visit.page.href)
        status, reason = visit.page.status, visit.page.reason
        if status in ERRORS:
            self._errors[cause_of(reason) or status] += 1
        elif status == Status.SKIPPED.value and reason:
            self._skips[cause_of(reason)] += 1

    def _line(self) -> str:
        """Return the counts in one line: each number before its label."""
        overall, lately = self._harvest()
        tally, hosts = self._tally, counted(len(self._tally.hosts), "host")
        return (
            f"{tally.downloads:,} of {self._crawl.budget:,} downloads, {self._rate()} a second,"
            f" {tally.relevant:,} relevant ({overall:.0%}, lately {lately:.0%}), {hosts},"
            f" {counted(tally.errors, 'error')}{within(self._errors)},"
            f" {tally.skipped:,} skipped{within(self._skips)},"
            f" {self._queue()} waiting, {self._left()} left"
            + self._recall()
            + (f", {self._awaited()}" if self._crawl.awaited else "")
            + (f", {plain(self._crawl.condition)}" if self._crawl.condition else "")
            + (f", last {short(self._last)}" if self._last else "")
        )

    def _picture(self) -> Table:
        """Return the counts as a table: label, number, and what more there is to say."""
        grid = Table.grid(padding=(0, 2))
        grid.add_column(style="bold", no_wrap=True)
        grid.add_column(justify="right", no_wrap=True)
        grid.add_column(overflow="ellipsis", no_wrap=True)
        for label, number, more in self._rows():
            grid.add_row(label, number, Text(more))
        whole = Table.grid()
        whole.add_row(grid)
        latest = self._crawl.latest
        if latest is not None:
            for plan in latest.plans[:1]:
                whole.add_row(Text(plain(plan.said)))
            whole.add_row(Text(plain(latest.basis_said), style="dim"))
        if self._crawl.awaited:
            whole.add_row(Text(f"now  {self._awaited()}"))
        if self._crawl.condition:
            whole.add_row(Text(f"now  {plain(self._crawl.condition)}", style="bold"))
        if self._last:
            whole.add_row(Text(f"last relevant  {short(self._last)}", no_wrap=True))
        return whole

    def _rows(self) -> Iterator[tuple[str, str, str]]:
        """Yield label, number and remark of each count."""
        overall, lately = self._harvest()
        tally, latest = self._tally, self._crawl.latest
        pace = f"{self._rate()} a second, {self._left()} left"
        yield "downloads", f"{tally.downloads:,} of {self._crawl.budget:,}", pace
        found = f"{overall:.0%} of downloads, {lately:.0%} lately"
        yield "relevant", f"{tally.relevant:,}", found
        if latest is not None:
            yield "recall", latest.recall_said, latest.total_said
        yield "hosts", f"{len(tally.hosts):,}", f"{self._queue()} pages waiting"
        yield "errors", f"{tally.errors:,}", causes_said(self._errors)
        yield "skipped", f"{tally.skipped:,}", causes_said(self._skips)

    def _rate(self) -> str:
        """Return the downloads a second since the crawl began or was resumed."""
        passed = time.monotonic() - self._started
        return f"{self._done_here / passed:,.1f}" if passed > 0 else "?"

    def _harvest(self) -> tuple[float, float]:
        lately = sum(self._lately) / len(self._lately) if self._lately else 0.0
        return self._tally.relevant / max(1, self._tally.downloads), lately

    def _recall(self) -> str:
        """Return the share found, and what the budget will find, if these are known."""
        latest = self._crawl.latest
        if latest is None or latest.total is None:
            return ""
        plans = [plan.said for plan in latest.plans[:1] if not plan.withheld]
        return ", ".join(["", str(latest), *plans])

    def _awaited(self) -> str:
        """Return a note that better pages are waited for, with the number of their hosts."""
        return f"waiting for better pages on {counted(self._crawl.awaited, 'host')}"

    def _queue(self) -> str:
        waiting = self._crawl.waiting
        return "?" if waiting is None else f"{waiting:,}"

    def _left(self) -> str:
        """Return the time left, by the budget and the speed so far or by the deadline."""
        seconds = max(0.0, self._crawl.ends - steady())
        if self._done_here:
            passed = time.monotonic() - self._started
            budget = max(0, self._crawl.budget - self._tally.downloads)
            seconds = min(seconds, passed / self._done_here * budget)
        if seconds == inf:
            return "?"
        minutes, seconds = divmod(int(seconds), 60)
        hours, minutes = divmod(minutes, 60)
        return f"{hours}:{minutes:02}:{seconds:02}"


def causes_said(causes: Counter[str]) -> str:
    """Return the most frequent causes, each with its number."""
    first = causes.most_common(NAMED)
    told = [f"{count:,} × {plain(reason_said(cause), 40)}" for cause, count in first]
    rest = causes.total() - sum(count for _, count in first)
    return ", ".join([*told, *([f"{rest:,} others"] if rest else [])])


def within(causes: Counter[str]) -> str:
    """Return the causes in brackets, if there are any."""
    return f" ({causes_said(causes)})" if causes else ""


def short(address: str) -> str:
    """Return a URL shortened for a line."""
    return address if len(address) <= LONGEST else address[: LONGEST - 1] + "…"
