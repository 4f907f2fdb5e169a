"""Text from the web made safe to show, and times and numbers as text."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from urllib.parse import urlsplit

# Control characters can drive terminals; direction marks can make a text look like another.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+")
MAX_LENGTH = 200


def plain(text: str, longest: int = MAX_LENGTH) -> str:
    """Return a text on one line, without characters that move the cursor."""
    tidy = " ".join(_UNSAFE.sub(" ", text).split())
    return tidy if len(tidy) <= longest else tidy[: longest - 1] + "…"


def opening(text: str, longest: int) -> str:
    """Return the beginning of a text on one line, cut between two words if that is possible."""
    tidy = plain(text[: 8 * longest], longest)
    if not tidy.endswith("…"):
        return tidy
    words = tidy[:-1].rpartition(" ")[0]
    return f"{words} …" if 2 * len(words) > longest else tidy


def is_web(url: str) -> bool:
    """Return whether a URL may become a link."""
    return url.lower().startswith(("http://", "https://"))


def host_name(url: str) -> str:
    """Return the host of a URL for display, whatever the URL is."""
    try:
        return urlsplit(url).netloc.rpartition("@")[2].lower() or url
    except ValueError:
        return url


def iso(time: float | None) -> str | None:
    """Return a time as ISO 8601 in UTC, to the millisecond; None if it is none."""
    moment = utc(time)
    if moment is None:
        return None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def utc(time: float | None) -> datetime | None:
    """Return a time as a datetime; None if the calendar has no such day."""
    if time is None:
        return None
    try:
        return datetime.fromtimestamp(time, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def duration(seconds: float) -> str:
    """Return a length of time in its two largest units."""
    whole = round(seconds)
    units = (("d", whole // 86_400), ("h", whole // 3600 % 24), ("min", whole // 60 % 60))
    parts = [f"{count} {unit}" for unit, count in (*units, ("s", whole % 60))]
    first = next((index for index, (_, count) in enumerate(units) if count), len(units))
    return " ".join(parts[first : first + 2])


def spelled(seconds: float) -> str:
    """Return a length of time in the largest unit of which it is a whole number, at least two."""
    for noun, unit in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        count = round(seconds / unit)
        if count > 1 and abs(seconds - count * unit) < 1e-6 * seconds:
            return counted(count, noun)
    return f"{round(seconds, 3):,g} seconds"


def counted(number: int, noun: str) -> str:
    """Return a number and its noun."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def sentence(text: str) -> str:
    """Return a text with a capital at the beginning and a full stop at the end."""
    ended = text if text.endswith((".", "!", "?", ".)")) else f"{text}."
    return ended[:1].upper() + ended[1:]
