"""Waiting for what must come: a slow machine only takes longer."""

from __future__ import annotations

import time
from collections.abc import Callable

LONG = 300.0
"""Seconds after which something will not come any more: only a test that fails waits for them."""


def until(happens: Callable[[], object], said: str = "it has not happened") -> None:
    """Wait until something is so."""
    end = time.monotonic() + LONG
    while not happens():
        assert time.monotonic() < end, said
        time.sleep(0.02)
