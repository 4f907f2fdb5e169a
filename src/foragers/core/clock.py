"""The clock for pauses and deadlines: seconds since 1970, but monotonic.

It starts at the system time and then runs with the monotonic clock, through the sleep of a laptop
as well where the system has such a clock.  So a system clock that jumps ends no crawl and shortens
no pause.  Recorded dates are those of the system clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

_passed: Callable[[], float] = (
    partial(time.clock_gettime, time.CLOCK_BOOTTIME)
    if hasattr(time, "CLOCK_BOOTTIME")
    else time.monotonic
)
"""Returns the seconds since some moment in the past."""

_START = time.time() - _passed()


def steady() -> float:
    """Return the time of the monotonic clock."""
    return _START + _passed()


def to_system(moment: float) -> float:
    """Return a monotonic time as a time of the system clock."""
    return moment - steady() + time.time()


def from_system(moment: float) -> float:
    """Return a time of the system clock as a monotonic one."""
    return moment - time.time() + steady()
