"""The time for pauses and deadlines: seconds since 1970, but never set back or ahead.

It starts at the time of the system and then runs with the monotonic clock.  A system clock
that jumps ends no crawl and shortens no pause.  Dates that are recorded are of the system.
"""

from __future__ import annotations

import time

_START = time.time() - time.monotonic()


def steady() -> float:
    """Return the time by a clock that nobody sets."""
    return _START + time.monotonic()


def to_system(moment: float) -> float:
    """Return a steady time as the system's clock would tell it now."""
    return moment - steady() + time.time()


def from_system(moment: float) -> float:
    """Return a time of the system's clock as a steady one."""
    return moment - time.time() + steady()
