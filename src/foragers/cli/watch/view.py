"""A watch as it goes, on a terminal: found today, delays, next looks, what requests brought."""

from __future__ import annotations

import time
from typing import Self

from rich.console import Console
from rich.live import Live as Panel
from rich.table import Table

from foragers.core.display import counted, duration, plain
from foragers.watching.status import WatchStatus
from foragers.watching.watching import Watching

REDRAW = 2.0
"""Seconds between two pictures."""
MOST_SITES, MOST_REQUESTS = 8, 6


class WatchView:
    """Shows a watch on a terminal, and nothing elsewhere."""

    def __init__(self, console: Console | None) -> None:
        self._console = console
        self._panel: Panel | None = None
        self._next = 0.0

    def __enter__(self) -> Self:
        if self._console is not None:
            self._panel = Panel(Table.grid(), console=self._console, transient=True)
            self._panel.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._panel is not None:
            self._panel.stop()

    def show(self, watching: Watching) -> None:
        """Draw the watch, if it is time."""
        if self._panel is None or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + REDRAW
        self._panel.update(table(watching.status(time.time())))


def table(status: WatchStatus) -> Table:
    """Return the state of a watch as a table."""
    grid = Table.grid(padding=(0, 2))
    day = status.account_today
    unread = f", {status.unfetched:,} not fetched yet" if status.unfetched else ""
    grid.add_row("new", f"{status.new_today:,} today, {status.new:,} in all{unread}")
    if day.median is not None and day.p90 is not None:
        grid.add_row("delay", f"{duration(day.median)} median, {duration(day.p90)} in 9 of 10")
    used = status.requests_today
    each = f", {used / status.new_today:.0f} for a new page" if status.new_today else ""
    grid.add_row("requests", f"{used:,} in the last 24 h{each}")
    if status.hubs or status.calls:
        hubs = counted(status.hubs, "feed")
        grid.add_row("hubs", f"{hubs} announced, {counted(status.calls, 'call')}")
    if status.condition:
        grid.add_row("now", plain(status.condition))
    sites = Table(box=None, pad_edge=False)
    for name in ("site", "today", "last", "in 1 h", "next look"):
        sites.add_column(name, overflow="ellipsis", no_wrap=True)
    sites.columns[-1].ratio, sites.expand = 1, True
    for site in status.sites[:MOST_SITES]:
        ahead = site.next if status.running else None
        sites.add_row(
            plain(site.site, 40),
            f"{site.new_today:,}",
            ago(site.last_new, status.updated),
            f"{site.promise.share:.0%}" if site.promise and site.promise.observed else "–",
            f"{until(ahead.at, status.updated)}  {plain(ahead.url, 60)}" if ahead else "–",
        )
    whole = Table.grid()
    whole.add_row(grid)
    whole.add_row(sites)
    if status.recent:
        whole.add_row(recent_of(status))
    if len(status.sites) > MOST_SITES:
        whole.add_row(f"and {len(status.sites) - MOST_SITES:,} more sites")
    return whole


def recent_of(status: WatchStatus) -> Table:
    """Return what the last requests brought."""
    recent = Table(box=None, pad_edge=False)
    for name in ("request", "why", "what it brought"):
        recent.add_column(name, overflow="ellipsis", no_wrap=True)
    recent.columns[0].ratio, recent.columns[2].ratio = 3, 2
    recent.expand = True
    for one in list(status.recent)[: -MOST_REQUESTS - 1 : -1]:
        moment = time.strftime("%H:%M:%S", time.localtime(one.time))
        recent.add_row(f"{moment}  {plain(one.url, 200)}", plain(one.why), plain(one.brought, 100))
    return recent


def ago(moment: float | None, now: float) -> str:
    """Return how long ago something was."""
    return "–" if moment is None else f"{duration(max(0.0, now - moment))} ago"


def until(moment: float, now: float) -> str:
    """Return how far ahead something is."""
    return "now" if moment <= now else f"in {duration(moment - now)}"
