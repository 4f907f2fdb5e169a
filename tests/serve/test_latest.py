"""A state that takes long to read never keeps a reader waiting, and is read once for all."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

import pytest

from foragers.errors import UsageError
from foragers.serve.latest import LatestState, Read
from foragers.serve.settings import ServeSettings
from support import waiting
from support.waiting import until

BRIEF = ServeSettings(glance=0.01, cost=1e9)
LONG = ServeSettings(glance=60.0, cost=1e9)


@dataclass
class SlowReader:
    """Gives 1, 2, 3 … each time that it is let go."""

    go: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    calls: int = 0

    def __call__(self) -> int:
        self.calls += 1
        assert self.go.acquire(timeout=waiting.LONG)
        return self.calls


def test_a_reader_does_not_wait_for_the_first_state_nor_for_a_newer_one() -> None:
    slow = SlowReader()
    latest = LatestState(slow, BRIEF)
    assert latest.ask(7) is None
    assert latest.ask(7) is None
    slow.go.release()
    until(lambda: latest.ask(7) == Read(1, is_old=False))
    assert slow.calls == 1, "all readers share one thread"
    assert latest.ask(8) == Read(1, is_old=True), "the last state is shown meanwhile"
    assert latest.ask(9) == Read(1, is_old=True)
    until(lambda: slow.calls == 2)
    slow.go.release()
    slow.go.release()
    until(lambda: latest.ask(9) == Read(3, is_old=False))


def test_what_is_read_quickly_is_never_old() -> None:
    given = iter(range(100))
    latest = LatestState(lambda: next(given), LONG)
    assert [latest.ask(version) for version in (1, 1, 2)] == [
        Read(0, is_old=False),
        Read(0, is_old=False),
        Read(1, is_old=False),
    ]


def test_a_program_waits_for_the_first_state() -> None:
    slow = SlowReader()
    latest = LatestState(slow, BRIEF)
    threading.Timer(0.2, slow.go.release).start()
    assert latest.ask(1, first=waiting.LONG) == Read(1, is_old=False)
    assert latest.ask(2, first=waiting.LONG) == Read(1, is_old=True), "then it gets what there is"
    slow.go.release()


def test_reading_takes_a_share_of_the_time_only() -> None:
    slow = SlowReader()
    latest = LatestState(slow, ServeSettings(glance=60.0, cost=1e-6))
    threading.Timer(0.05, slow.go.release).start()
    assert latest.ask(1) == Read(1, is_old=False)
    assert latest.ask(2) == Read(1, is_old=True)
    assert slow.calls == 1, "it rests for long after it has read"


def test_a_failure_is_told_and_the_next_reader_tries_again() -> None:
    tried = []

    def fail_once() -> str:
        tried.append(1)
        if len(tried) == 1:
            raise UsageError("the ledger was removed")
        return "read"

    latest = LatestState(fail_once, LONG)
    with pytest.raises(UsageError, match="removed"):
        latest.ask(1)
    assert latest.ask(1) == Read("read", is_old=False)
