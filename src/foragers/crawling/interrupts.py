"""Ctrl-C, and being told to end, that wait until all is in order."""

from __future__ import annotations

import signal
from collections.abc import Callable
from threading import current_thread, main_thread
from types import FrameType, TracebackType
from typing import Self, TypeAlias

Handler: TypeAlias = Callable[[int, FrameType | None], object] | int | None
"""What is done at a signal, as the standard library tells it."""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""SIGHUP comes when the terminal is closed; who starts a crawl with nohup ignores it."""


class Interrupts:
    """Counts interrupts within a `with` block instead of breaking it off; the third does.

    Where signals cannot be caught, which is in all threads but the main one, none are.
    """

    def __init__(self, noticed: Callable[[], None]) -> None:
        self.count = 0
        self._noticed = noticed
        self._before: dict[int, Handler] = {}

    def __enter__(self) -> Self:
        if current_thread() is main_thread():
            for number in SIGNALS:
                if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._take)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def _take(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self.count += 1
        if self.count > 2:
            raise KeyboardInterrupt
        self._noticed()
