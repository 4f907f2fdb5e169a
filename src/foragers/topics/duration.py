"""Durations as people write them: 90, 45m, 24h, 1d12h, 2w."""

from __future__ import annotations

import re
from math import isfinite

from foragers.errors import UsageError

_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*([smhdw])\s*")
_WHOLE = re.compile(rf"(?:{_PART.pattern})+")
_PLAIN = re.compile(r"\d+(?:\.\d+)?")


def parse_duration(given: str | float, option: str = "--new-within") -> float:
    """Return the seconds of a duration such as 24h, 1d12h or 3600."""
    text = str(given).strip().lower()
    if _PLAIN.fullmatch(text):
        seconds = float(text)
    elif _WHOLE.fullmatch(text):
        seconds = sum(float(number) * _SECONDS[unit] for number, unit in _PART.findall(text))
    else:
        seconds = 0.0
    if not (isfinite(seconds) and seconds > 0):
        raise UsageError(
            f"{option} {given}: not a duration; write for example 90s, 45m, 24h, 7d or 1d12h"
        )
    return seconds
