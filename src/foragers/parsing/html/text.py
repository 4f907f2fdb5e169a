"""The words of a page, with marks between them where links and regions begin and end.

Marks are control characters, put into the tree as text around the elements they
stand for.  So a single call gives the text of the whole page, and splitting it at the
marks tells which words are whose, at a small part of the cost of asking each element.
"""

from __future__ import annotations

import re
from typing import NamedTuple

# All marks begin with the same character: that can be searched for much faster than a set.
MARK = "\x01"
LINK, LINK_END = b"\x01a", b"\x01b"
MARKS = {
    "aside": (b"\x01s", b"\x01t"),
    "header": (b"\x01h", b"\x01i"),
    "main": (b"\x01m", b"\x01n"),
}

MAX_TEXT = 4_000_000
ANCHOR_CHARS = 400
# The main elements carry the text if they hold this share of what is no navigation.
_MAIN_SHARE = 0.4
# If next to nothing is outside of navigation, the page means something else by it.
_LEAST_SHARE, _LEAST_CHARS = 0.2, 400

_FALSE_MARK = re.compile(rb"\x01|&#(?:0*1|[xX]0*1)(?:;|(?![0-9A-Fa-f]))")


class PageText(NamedTuple):
    """The words of a page with single spaces between them: all of them, and the main text.

    `starts` and `ends` tell for each link where in `all` its own words begin and end, and
    `marks` is the number of marks that were found.
    """

    all: str
    text: str
    starts: list[int]
    ends: list[int]
    marks: int


def without_false_marks(body: bytes) -> bytes:
    """Remove control characters from a page that happen to be those used as marks."""
    return _FALSE_MARK.sub(b"", body)


def divide(text: str) -> PageText:
    """Tell the main text and the links' words in a text with marks."""
    first, *rest = " ".join(text[:MAX_TEXT].split()).split(MARK)
    starts: list[int] = []
    ends: list[int] = []
    opened: list[int] = []
    regions: list[tuple[int, str]] = []
    position = len(first)
    for marked in rest:
        # A mark is a word of its own: its letter, and then a space.
        mark = marked[:1]
        if mark == "a":
            opened.append(len(starts))
            starts.append(position)
            ends.append(position)
        elif mark != "b":
            regions.append((position, mark))
        elif opened:
            ends[opened.pop()] = position
        if (size := len(marked)) > 2:
            position += size - 2
    words = first + "".join([marked[2:] for marked in rest])
    return PageText(words, main_text(words, regions), starts, ends, len(rest))


def main_text(words: str, regions: list[tuple[int, str]]) -> str:
    """Return the main text of a page, given where its regions begin and end."""
    # A mark after the last word leaves a space, which is no text.
    return _main_part(words.rstrip(), regions).rstrip()


def _main_part(words: str, regions: list[tuple[int, str]]) -> str:
    """Return what stands in the main elements, or outside of navigation, or all."""
    if not regions:
        return words
    core: list[str] = []
    plain: list[str] = []
    asides = headers = mains = start = 0
    for end, mark in [*regions, (len(words), "")]:
        if end > start and asides <= 0:
            piece = words[start:end]
            if mains > 0:
                core.append(piece)
            if mains > 0 or headers <= 0:
                plain.append(piece)
        start = end
        asides += (mark == "s") - (mark == "t")
        headers += (mark == "h") - (mark == "i")
        mains += (mark == "m") - (mark == "n")
    main, outside = "".join(core), "".join(plain)
    if main and len(main) >= _MAIN_SHARE * len(outside):
        return main
    return outside if len(outside) >= min(_LEAST_CHARS, _LEAST_SHARE * len(words)) else words
