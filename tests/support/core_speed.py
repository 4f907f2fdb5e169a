"""How much work something is, told in what this core does in the same minute.

Seconds say as much about the machine as about the code: a test asks instead how many times as
long something takes as a piece of plain Python, in CPU time.  One `unit` is about a millisecond
of a core of 2024.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from timeit import repeat


def plain_work() -> None:
    """Do what every core does in about a millisecond."""
    sorted(range(6000), key=lambda number: number * 7919 % 6007)


def seconds(work: Callable[[], object], number: int = 1, times: int = 5) -> float:
    """Return the CPU time of some work, at its quickest."""
    return min(repeat(work, timer=time.process_time, number=number, repeat=times)) / number


unit = partial(seconds, plain_work, number=5, times=7)
"""Return how long one unit of work takes now."""


def units(work: Callable[[], object], number: int = 1, times: int = 5) -> float:
    """Return how much work something is, beside plain work before and after it."""
    before = unit()
    taken = seconds(work, number, times)
    return taken / max(before, unit())
