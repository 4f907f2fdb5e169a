"""Addresses that give themselves away: too long, too deep, or going round in circles."""

from __future__ import annotations

from collections import Counter

MAX_LETTERS = 1024
MAX_FOLDERS = 24
MAX_PARAMETERS = 16
# Once round and round again happens (/lib/x/lib/x); twice again is a circle.
_TURNS = 3


def oddity(url: str) -> str | None:
    """Return what is wrong with an address in itself, or None."""
    if len(url) > MAX_LETTERS:
        return f"an address of more than {MAX_LETTERS} letters"
    if url.count("&") >= MAX_PARAMETERS:
        return f"more than {MAX_PARAMETERS} parameters"
    folders = url.count("/") - 2
    # Shorter paths cannot hold a repetition, and most are shorter.
    if folders < 3:
        return None
    path = url.partition("?")[0]
    folders = path.count("/") - 2
    if folders > MAX_FOLDERS:
        return f"more than {MAX_FOLDERS} folders deep"
    if folders >= 3 and _is_circle(path):
        return "a path that repeats itself"
    return None


def _is_circle(url: str) -> bool:
    """Say whether a path goes through the same folders again and again."""
    segments = [segment for segment in url.partition("#")[0].split("/")[3:] if segment]
    if len(segments) == len(set(segments)):
        return False
    # Numbers may repeat: /1/1/1 is a date, a tile of a map, a verse.
    named = Counter(segment for segment in segments if not segment.isdigit())
    if not named or max(named.values()) < _TURNS:
        return False
    if max(named.values()) > _TURNS:
        return True
    return any(_turns(segments, size) for size in range(1, len(segments) // _TURNS + 1))


def _turns(segments: list[str], size: int) -> bool:
    """Say whether some `size` segments come three times in a row."""
    same = 0
    for here, there in zip(segments, segments[size:], strict=False):
        same = same + 1 if here == there and not here.isdigit() else 0
        if same >= (_TURNS - 1) * size:
            return True
    return False
