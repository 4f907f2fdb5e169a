"""The content of a meta refresh, read as the HTML standard reads it."""

from __future__ import annotations

import re

_REFRESH = re.compile(
    r"[\t\n\f\r ]*(?:(?P<seconds>[0-9]+)[0-9.]*|\.[0-9.]*)"
    r"(?:$|(?=[\t\n\f\r ;,])[\t\n\f\r ]*[;,]?[\t\n\f\r ]*(?P<target>.*))",
    re.DOTALL,
)
_LABEL = re.compile(r"url[\t\n\f\r ]*=[\t\n\f\r ]*", re.IGNORECASE)


def parse_refresh(content: str) -> tuple[int, str | None] | None:
    """Return the delay in seconds and the unresolved target, if the content is a refresh."""
    found = _REFRESH.match(content)
    if found is None:
        return None
    seconds = int((found["seconds"] or "0")[:9])
    target = found["target"]
    return seconds, (_unquoted(target) or None) if target else None


def _unquoted(target: str) -> str:
    """Strip the label, and the quotes with what follows them."""
    label = _LABEL.match(target)
    if label:
        target = target[label.end() :]
    if target[:1] in ("'", '"'):
        return target[1:].partition(target[0])[0]
    return target.rstrip("\t\n\f\r ")
