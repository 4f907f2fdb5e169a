"""Progress of long work: a bar on a terminal, a line every few seconds elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

LINE_EVERY = 10.0
"""Seconds between two lines where there is no terminal."""


class ConsoleMeter(Protocol):
    """Shows progress."""

    def __call__(self, done: int, note: str = "") -> None:
        """Show how much is done."""
        ...


@contextmanager
def progress(console: Console, what: str, total: int) -> Iterator[ConsoleMeter]:
    """Give a meter for work of a known size."""
    if not console.is_terminal:
        yield Lines(console, what, total)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("[dim]{task.fields[note]}"),
    )
    with Progress(*columns, console=console, transient=True) as bars:
        task = bars.add_task(what, total=total, note="")
        yield lambda done, note="": bars.update(task, completed=done, note=note)


class Lines:
    """A meter that prints a line every few seconds."""

    def __init__(self, console: Console, what: str, total: int) -> None:
        self._console = console
        self._what = what
        self._total = total
        self._next = time.monotonic() + LINE_EVERY

    def __call__(self, done: int, note: str = "") -> None:
        """Print a line if it is time for one."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + LINE_EVERY
            self._console.print(f"{self._what}: {done:,} of {self._total:,} {note}".rstrip())
