"""The words of a page, with marks between them where links and regions begin and end.

Marks are control characters, put into the tree as text around the elements they
stand for.  So a single call gives the text of the whole page, and splitting it at the
marks tells which words are whose, at a small part of the cost of asking each element.
"""

from __future__ import annotations

import re
from typing import NamedTuple

LINK, LINK_END = b"\x01", b"\x02"
ASIDE, ASIDE_END = b"\x03", b"\x04"
HEADER, HEADER_END = b"\x05", b"\x06"
MAIN, MAIN_END = b"\x07", b"\x08"
MARKS = {"aside": (ASIDE, ASIDE_END), "header": (HEADER, HEADER_END), "main": (MAIN, MAIN_END)}

MAX_TEXT = 4_000_000
AROUND_WORDS = 20
_AROUND_LETTERS = 200
_ANCHOR_WORDS = 60
_ANCHOR_LETTERS = 1000
# The main elements carry the text if they hold this share of what is no navigation.
_MAIN_SHARE = 0.4
# If next to nothing is outside of navigation, the page means something else by it.
_LEAST_SHARE, _LEAST_LETTERS = 0.2, 400

_MARK = re.compile("([\x01-\x08])")
_FALSE_MARK = re.compile(rb"[\x01-\x08]|&#(?:0*[1-8]|[xX]0*[1-8])(?:;|(?![0-9A-Fa-f]))")


class Words(NamedTuple):
    """All words of a page, its main text, the span of words of each link, the number of marks."""

    words: list[str]
    text: str
    spans: list[tuple[int, int]]
    marks: int

    def anchor(self, link: int) -> str:
        """Return the words of a link."""
        if link >= len(self.spans):
            return ""
        start, end = self.spans[link]
        return " ".join(self.words[start : min(end, start + _ANCHOR_WORDS)])[:_ANCHOR_LETTERS]

    def around(self, link: int) -> str:
        """Return the twenty words before a link and the twenty after it, without its own."""
        if link >= len(self.spans):
            return ""
        start, end = self.spans[link]
        before = self.words[max(0, start - AROUND_WORDS) : start]
        after = self.words[end : end + AROUND_WORDS]
        around = " ".join(before + after)
        if len(around) <= 2 * _AROUND_LETTERS:
            return around
        # Scripts without spaces have words as long as paragraphs.
        left, right = " ".join(before)[-_AROUND_LETTERS:], " ".join(after)[:_AROUND_LETTERS]
        return f"{left} {right}".strip()


def without_false_marks(body: bytes) -> bytes:
    """Remove control characters from a page that happen to be those used as marks."""
    return _FALSE_MARK.sub(b"", body)


def divide(text: str) -> Words:
    """Split a marked text into words, and tell the main text and the links' words."""
    pieces = _MARK.split(text[:MAX_TEXT])
    words = pieces[0].split()
    plain, core = words.copy(), list[str]()
    plain_letters, core_letters = len(pieces[0]), 0
    spans: list[tuple[int, int]] = []
    opened: list[int] = []
    inside = {"\x03": 0, "\x05": 0, "\x07": 0}
    for mark, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        if mark == "\x01":
            opened.append(len(spans))
            spans.append((len(words), len(words)))
        elif mark == "\x02":
            if opened:
                link = opened.pop()
                spans[link] = (spans[link][0], len(words))
        elif mark in inside:
            inside[mark] += 1
        else:
            inside[chr(ord(mark) - 1)] -= 1
        found = piece.split()
        if not found:
            continue
        words += found
        if inside["\x03"]:
            continue
        if inside["\x07"]:
            core += found
            core_letters += len(piece)
        elif inside["\x05"]:
            continue
        plain += found
        plain_letters += len(piece)
    if core and core_letters >= _MAIN_SHARE * plain_letters:
        chosen = core
    elif plain_letters >= min(_LEAST_LETTERS, _LEAST_SHARE * len(text)):
        chosen = plain
    else:
        chosen = words
    return Words(words, " ".join(chosen), spans, len(pieces) // 2)
