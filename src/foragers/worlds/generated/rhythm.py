"""When news comes in: more by day than by night, less at weekends."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from foragers.exact import cos_of_turns
from foragers.worlds.generated.weaving import DAY

HOUR = 3600.0
BUSIEST = 15
"""The hour of the day at which most is written."""


def moments(
    count: int,
    first_day: float,
    last_day: float,
    swing: float,
    weekend: float,
    random: np.random.Generator,
) -> NDArray[np.int64]:
    """Draw so many moments, in seconds from midnight before a Monday, in order.

    The rate swings by the share `swing` around its daily mean, and is `weekend` times
    that of a weekday on Saturdays and Sundays.
    """
    hours = np.linspace(first_day * 24, last_day * 24, 1 + max(1, int((last_day - first_day) * 24)))
    rate = 1 + swing * cos_of_turns((hours - BUSIEST) / 24)
    rate *= np.where(hours // 24 % 7 >= 5, weekend, 1.0)
    passed = np.concatenate(([0.0], np.cumsum((rate[1:] + rate[:-1]) / 2)))
    drawn = np.interp(random.random(count) * passed[-1], passed, hours * HOUR)
    return np.sort(drawn).astype(np.int64)


def days(seconds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the day of each moment."""
    return (seconds // DAY).astype(np.int64)
