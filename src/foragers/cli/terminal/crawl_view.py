"""The progress of a crawl: a panel on a terminal, a line every few seconds elsewhere."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from math import inf
from typing import Protocol, Self

from rich.console import Console
from rich.live import Live as Panel
from rich.table import Table
from rich.text import Text

from foragers.core.clock import steady
from foragers.core.display import counted, plain
from foragers.core.types import Visit
from foragers.evaluation.metrics.counts import CrawlCounts
from foragers.evaluation.metrics.recall import Estimate

LATELY = 100
LONGEST = 64
"""The number of characters shown of a URL."""
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

    def _line(self) -> str:
        """Return the counts in one line."""
        overall, lately = self._harvest()
        tally, hosts = self._tally, counted(len(self._tally.hosts), "host")
        return (
            f"{tally.downloads:,} of {self._crawl.budget:,} downloads, {tally.relevant:,} relevant"
            f" ({overall:.0%}, lately {lately:.0%}), {hosts},"
            f" {counted(tally.errors, 'error')}, {tally.skipped:,} skipped,"
            f" {self._queue()} waiting, {self._left()} left"
            + self._recall()
            + (f", {self._awaited()}" if self._crawl.awaited else "")
            + (f", {plain(self._crawl.condition)}" if self._crawl.condition else "")
            + (f", last {short(self._last)}" if self._last else "")
        )

    def _picture(self) -> Table:
        """Return the counts as a table."""
        overall, lately = self._harvest()
        tally = self._tally
        grid = Table.grid(padding=(0, 2))
        grid.add_row(
            "downloads", f"{tally.downloads:,} of {self._crawl.budget:,}", self._left(), "left"
        )
        grid.add_row("relevant", f"{tally.relevant:,}", f"{overall:.0%}", f"lately {lately:.0%}")
        if self._crawl.latest is not None:
            grid.add_row("recall", self._crawl.latest.recall_said, self._crawl.latest.total_said)
        grid.add_row("hosts", f"{len(tally.hosts):,}", f"{self._queue()}", "pages waiting")
        grid.add_row("errors", f"{tally.errors:,}", f"{tally.skipped:,}", "skipped")
        if self._crawl.awaited:
            grid.add_row("now", self._awaited())
        if self._crawl.condition:
            grid.add_row("now", Text(plain(self._crawl.condition)))
        whole = Table.grid()
        whole.add_row(grid)
        if self._crawl.latest is not None:
            for plan in self._crawl.latest.plans[:1]:
                whole.add_row(Text(plain(plan.said)))
            whole.add_row(Text(plain(self._crawl.latest.basis_said), style="dim"))
        if self._last:
            whole.add_row(Text(f"last relevant  {short(self._last)}", no_wrap=True))
        return whole

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
        return f"waiting for {counted(self._crawl.awaited, 'host')}"

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


def short(address: str) -> str:
    """Return a URL shortened for a line."""
    return address if len(address) <= LONGEST else address[: LONGEST - 1] + "…"
