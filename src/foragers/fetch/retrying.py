"""What a server says about when to come back."""

from __future__ import annotations

from email.utils import parsedate_to_datetime

from foragers.fetch.reply import Reply


def retry_after(reply: Reply) -> float:
    """Return how many seconds a server asks to be left alone, or 0."""
    value = reply.header("Retry-After").strip()
    if value.isascii() and value.isdecimal():
        return float(value[:9])
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - reply.started)
    except (ValueError, OverflowError, TypeError):
        return 0.0
