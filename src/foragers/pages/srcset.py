"""The candidates of a srcset attribute, read as the HTML standard reads them."""

from __future__ import annotations

import re

_SKIP = re.compile(r"[\t\n\f\r ,]*")
_URL = re.compile(r"[^\t\n\f\r ]+")
_BLANK = re.compile(r"[\t\n\f\r ]+")
_WIDTH = re.compile(r"0*[1-9][0-9]*w")
_HEIGHT = re.compile(r"0*[1-9][0-9]*h")
_DENSITY = re.compile(r"(?:-0*\.?0+|[0-9]+|[0-9]*\.[0-9]+)(?:[eE][+-]?[0-9]+)?x")


def srcset_urls(srcset: str) -> list[str]:
    """Return the URLs of the valid candidates, in order and unresolved."""
    urls: list[str] = []
    position = 0
    while True:
        skipped = _SKIP.match(srcset, position)
        found = _URL.match(srcset, skipped.end() if skipped else position)
        if found is None:
            return urls
        url, position = found[0], found.end()
        descriptors: list[str] = []
        if not url.endswith(","):
            descriptors, position = _descriptors(srcset, position)
        if _consistent(descriptors):
            urls.append(url.rstrip(","))


def _descriptors(srcset: str, position: int) -> tuple[list[str], int]:
    """Read up to the next comma that stands outside of parentheses."""
    start, within = position, False
    while position < len(srcset):
        character = srcset[position]
        if within:
            within = character != ")"
        elif character == ",":
            break
        else:
            within = character == "("
        position += 1
    return _split(srcset[start:position]), position


def _split(text: str) -> list[str]:
    """Split descriptors at white space; one with a parenthesis is wrong however it is split."""
    return [part for part in _BLANK.split(text) if part]


def _consistent(descriptors: list[str]) -> bool:
    """Say whether the descriptors are a width, a width and a height, a density, or nothing."""
    kinds = ""
    for descriptor in descriptors:
        for kind, pattern in (("w", _WIDTH), ("h", _HEIGHT), ("x", _DENSITY)):
            if pattern.fullmatch(descriptor):
                kinds += kind
                break
        else:
            return False
    return kinds in ("", "w", "x", "wh", "hw")
