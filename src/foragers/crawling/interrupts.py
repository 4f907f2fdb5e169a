"""Interrupts of a crawl: the first ends it in an orderly way, the third at once."""

from __future__ import annotations

import signal
from collections.abc import Callable
from threading import current_thread, main_thread
from types import FrameType, TracebackType
from typing import Self, TypeAlias

Handler: TypeAlias = Callable[[int, FrameType | None], object] | int | None
"""What the standard library returns for the handler of a signal."""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""SIGHUP is sent when the terminal is closed; nohup ignores it."""


class Interrupts:
    """Counts interrupts within a `with` block instead of aborting it; the third aborts it.

    Signals are caught in the main thread only, since Python allows no other.
    """

    def __init__(self, on_interrupt: Callable[[], None]) -> None:
        self.count = 0
        self._on_interrupt = on_interrupt
        self._before: dict[int, Handler] = {}

    def __enter__(self) -> Self:
        if current_thread() is main_thread():
            for number in SIGNALS:
                if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self.count += 1
        if self.count > 2:
            raise KeyboardInterrupt
        self._on_interrupt()
