"""The clock for pauses and deadlines: seconds since 1970, but monotonic.

It starts at the system time and then runs with the monotonic clock.  So a system clock that jumps
ends no crawl and shortens no pause.  Recorded dates are those of the system clock.
"""

from __future__ import annotations

import time

_START = time.time() - time.monotonic()


def steady() -> float:
    """Return the time of the monotonic clock."""
    return _START + time.monotonic()


def to_system(moment: float) -> float:
    """Return a monotonic time as a time of the system clock."""
    return moment - steady() + time.time()


def from_system(moment: float) -> float:
    """Return a time of the system clock as a monotonic one."""
    return moment - time.time() + steady()
