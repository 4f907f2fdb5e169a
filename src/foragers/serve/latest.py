"""A state that takes long to read: a thread reads it, and pages show the last one until then."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYetError
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from typing import Generic, NamedTuple, TypeVar

from foragers.serve.settings import ServeSettings

State = TypeVar("State")
BEHIND = "foragers-behind"
"""How the names of threads begin that work while pages are shown."""


class Read(NamedTuple, Generic[State]):
    """A state, and whether it was read before the last change."""

    state: State
    is_old: bool


@dataclass
class LatestState(Generic[State]):
    """The last state that was read; one thread at a time reads the next one.

    Reading takes at most the share `cost` of the time, however often readers ask.
    """

    read: Callable[[], State]
    settings: ServeSettings = field(default_factory=ServeSettings)
    _known: tuple[int, State] | None = None
    _job: Future[State] | None = None
    _rested: float = -inf
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, version: int, first: float | None = None) -> Read[State] | None:
        """Return the state of a version, or the last one; None if none was read yet.

        It waits for a glance; `first` is for how long it waits if there is no other state.
        """
        with self._lock:
            known, job = self._known, self._job
            if known is not None and known[0] == version:
                return Read(known[1], False)
            if job is None and time.monotonic() >= self._rested:
                job = self._job = Future()
                # A daemon: a server that is stopped does not wait for it.
                name = f"{BEHIND}-{version}"
                threading.Thread(
                    target=self._work, args=(version, job), name=name, daemon=True
                ).start()
        wait = self.settings.glance if first is None or known is not None else first
        if job is not None:
            with suppress(NotYetError):
                job.result(wait)
        known = self._known
        return None if known is None else Read(known[1], known[0] != version)

    def _work(self, version: int, job: Future[State]) -> None:
        began = time.monotonic()
        try:
            found = self.read()
        except BaseException as error:
            self._end()
            job.set_exception(error)
            return
        with self._lock:
            self._known = version, found
            self._rested = time.monotonic() + (time.monotonic() - began) / self.settings.cost
            self._job = None
        job.set_result(found)

    def _end(self) -> None:
        """Let the next reader try again."""
        with self._lock:
            self._job = None
