"""Progress that nobody is shown."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Shows(Protocol):
    def __call__(self, done: int, note: str = "") -> None: ...


def nothing(done: int, note: str = "") -> None:
    """Show nothing."""


@contextmanager
def silent(_what: str, _total: int) -> Iterator[Shows]:
    """Give a meter that shows nothing."""
    yield nothing
