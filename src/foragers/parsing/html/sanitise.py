"""Checks and rewrites a page's bytes before they are parsed, so that no page can stop a crawl.

An HTML parser takes quadratic time or memory for some inputs: thousands of attributes in one tag,
thousands of open elements, formatting elements that are left open and have to be opened again in
every paragraph.  `is_harmless` shows in a few cheap steps that a page is none of these, as nearly
all are.  The others are rewritten tag by tag.

Attributes beyond a number are dropped, except a link's URL; so are tags below a depth, except
links; so is all formatting if too much of it is left open.  The part beyond the size limits is cut
off, and only searched for links.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import product
from math import inf
from typing import Any, NamedTuple

import numpy as np

from foragers.compiled import compiled
from foragers.parsing.encoding import to_utf8
from foragers.parsing.html.element_kinds import FORMATTING
from foragers.parsing.html.nesting import (
    MAX_ATTRIBUTES,
    MAX_WEIGHT,
    MAX_WORK,
    OpenElements,
    nesting,
)
from foragers.parsing.html.tokens import (
    ATTRIBUTE,
    ATTRIBUTES,
    RAW_TEXT,
    START_TAG,
    TOKEN,
    attribute_count,
    raw_end,
)

_TINY_BYTES = 1 << 12
# The nesting of a page with more tags or bytes is counted.
_MANY_TAGS = 20_000
_MANY_BYTES = 1 << 20
# Tags of up to this many bytes in all cannot have enough attributes to do harm.
_BRIEF_BYTES = 1 << 16
_LONG_TAG = 1024
# Bytes of formatting tags times all tags: a byte of such a tag can cost 30 to 90 bytes of memory
# whenever a block begins, since formatting left open is opened again there.
_HARMLESS_PRODUCT = 4_000_000

# Elements that may stand inside of a formatting element without keeping its end tag from closing
# it: none of them is a block, a table cell, a link, or text that is no markup.
_INLINE = (
    rb"(?:span|b|i|u|s|em|tt|big|code|font|small|strike|strong|sub|sup|abbr|cite|var|kbd|samp|q|dfn"
    rb"|mark|time|bdi|bdo|ins|del|img|br|wbr)(?=[\s/>])"
)
# How many tags and texts inside of a formatting element are read to find its end tag.
_MOST_WITHIN = 32
# Formatting elements with attributes; those without can be opened again only three at a time. The
# third group is there if the element is closed before it could be opened again.
_FORMATTING = re.compile(
    rb"<([bBiIuUsSeEtTfFcCnN](?:[oO][nN][tT]|[iI][gG]|[oO][dD][eE]|[oO][bB][rR]|[mM][aA][lL]{2}"
    rb"|[tT][rR][iI][kK][eE]|[tT][rR][oO][nN][gG]|[mM]|[tT])?+)(?=[\s/])(%b)"
    rb"(>(?:[^<]++|<(?!/\1>)/?+%b%b>){0,%d}+</\1>)?+"
    % (ATTRIBUTES, _INLINE, ATTRIBUTES, _MOST_WITHIN)
)
_MOST_EQUAL = 3

_PAIR = np.dtype("<u2")
_BEGINNINGS = frozenset((b"em", b"tt", b"fo", b"bi", b"co", b"no", b"sm", b"st"))


class Tags(NamedTuple):
    """The tags of a page: how many, where formatting may begin, and where long ones may begin."""

    total: int
    formatting: list[int]
    long: list[int]


def scan_in_python(body: bytes, pairs: bytes, most: int) -> Tags:
    """Find the tags of a page: those with some first characters, and those with much after them."""
    starts = (np.frombuffer(body, np.uint8) == ord("<")).nonzero()[0]
    # Most tags are excluded by two characters, all at once.
    following = np.ndarray((len(body) + 1,), _PAIR, body + b"  ", strides=(1,))
    formatting = starts[np.frombuffer(pairs, np.bool_)[following[starts + 1]]]
    gaps = np.diff(starts, append=len(body))
    return Tags(len(starts), formatting.tolist(), starts[gaps > most].tolist())


_COMPILED = compiled("foragers.parsing.html._tags")
_scan = scan_in_python if _COMPILED is None else _COMPILED.scan


def is_harmless(body: bytes) -> bool:
    """Return whether a page can be parsed unchanged, in time and memory linear in its size."""
    size = len(body)
    if size <= _TINY_BYTES:
        return True
    tags, formatting, long = _scan(body, _may_be_formatting(), _LONG_TAG)
    if tags > MAX_WEIGHT:
        return False
    if size * tags > _HARMLESS_PRODUCT and _opens_much(body, formatting, _HARMLESS_PRODUCT // tags):
        return False
    if (size > _MANY_BYTES or tags > _MANY_TAGS) and not nesting(body).is_bounded:
        return False
    return size <= _BRIEF_BYTES or not _has_crowded_tag(body, long)


def _opens_much(body: bytes, starts: list[int], most: int) -> bool:
    """Return whether more than some bytes of formatting tags may be opened again at a block."""
    left_open: Counter[tuple[bytes | Any, ...]] = Counter()
    total = 0
    for start in starts:
        tag = _FORMATTING.match(body, start)
        if tag is not None and tag[3] is None:
            key = tag.group(1, 2)
            left_open[key] += 1
            if left_open[key] <= _MOST_EQUAL:  # no more equal ones are opened again
                total += len(key[1])
                if total > most:
                    return True
    return False


@lru_cache(maxsize=1)
def _may_be_formatting() -> bytes:
    """Return a byte for each pair of characters: 1 if a formatting element begins with them."""
    table = bytearray(1 << 16)
    firsts = {letter for name in _BEGINNINGS for letter in name[:1] + name[:1].upper()}
    for pair in product(firsts | {*b"biusBIUS"}, range(128)):
        name = bytes(pair).lower()
        single = name[:1] in b"bius" and (name[1:].isspace() or name[1:] == b"/")
        table[pair[0] | pair[1] << 8] = single or name in _BEGINNINGS
    return bytes(table)


def _has_crowded_tag(body: bytes, starts: list[int]) -> bool:
    """Search for a tag with too many attributes wherever two tags stand far apart."""
    for start in starts:
        tag = START_TAG.match(body, start)
        if tag and is_crowded(tag[2]):
            return True
    return False


def is_crowded(attributes: bytes) -> bool:
    """Return whether the inside of a tag has more attributes than are read."""
    return len(attributes) > 2 * MAX_ATTRIBUTES and attribute_count(attributes) > MAX_ATTRIBUTES


MAX_DEPTH = 256
MAX_REOPENED = 200_000
_SHORT = 32
# The part beyond that is searched for links only, up to a further limit.
_SEARCHED_FACTOR = 6

_ADDRESS = re.compile(rb"[\s/\"'](?:href|src)\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s>\"']+)", re.I)
_FORMATTING_TAGS = FORMATTING - {b"a"}
_CELLS = frozenset(b"td th caption".split())
_KEPT = RAW_TEXT | frozenset(
    b"a area base br col embed frame hr img input link meta param source track wbr".split()
)


class Rewritten(NamedTuple):
    """A page that can be parsed, the part cut off its end, and the reason."""

    body: bytes
    tail: bytes
    reason: str


def rewrite(body: bytes) -> Rewritten:
    """Return a page that an HTML parser reads in linear time, close to the original."""
    found = nesting(body)
    if found.weight <= MAX_WEIGHT and found.work <= MAX_WORK:
        reader = _TagReader(body)
        reader.read()
        if reader.reopened > MAX_REOPENED:
            reader = _TagReader(body, with_formatting=False)
            reader.read()
        if found.most_attributes <= MAX_ATTRIBUTES or nesting(reader.result()).is_bounded:
            return reader.rewritten()
    # Formatting that is left open would count as open from then on.
    reader = _TagReader(body, with_formatting=False, max_depth=MAX_DEPTH)
    reader.read()
    return reader.rewritten()


def limited(body: bytes, content_type: str, max_bytes: int) -> Rewritten:
    """Return a page in UTF-8 that can be parsed, the part only searched for links, and a reason."""
    page = to_utf8(body[:max_bytes], content_type)
    beyond = body[max_bytes : _SEARCHED_FACTOR * max_bytes]
    if is_harmless(page):
        return Rewritten(page, beyond, "size" if beyond else "")
    page, tail, reason = rewrite(page)
    if beyond:
        reason = f"{reason}, size".lstrip(", ")
    return Rewritten(page, tail + beyond, reason)


class _TagReader:
    """One pass over a page that tracks what a parser would have to keep open."""

    def __init__(self, body: bytes, with_formatting: bool = True, max_depth: float = inf) -> None:
        self.body = body
        self.with_formatting = with_formatting
        self.max_depth = max_depth
        self.end = len(body)
        self.reasons: dict[str, None] = {}
        self.pieces: list[bytes] = []
        self.copied = 0
        self.weight = 0
        self.reopened = 0
        self.elements = OpenElements()
        self.dropped: dict[bytes, int] = {}
        self.live: list[tuple[bytes, int]] = []
        self.scopes: list[tuple[bytes, int]] = []

    def read(self) -> None:
        """Read to the end, or to a limit."""
        position = 0
        while match := TOKEN.search(self.body, position):
            position = match.end()
            start, attributes, end, ignored, data = match.groups()
            if start is not None:
                name = start.lower()
                self.start_tag(match, name, attributes)
                if name in RAW_TEXT:
                    position = self.raw_text(name, position)
            elif end is not None:
                self.weight += len(ignored) // 2
                self.end_tag(match, end.lower())
            elif data is not None:
                position = self.character_data(match)
            if self.weight > MAX_WEIGHT:
                self.end = match.start()
                self.reasons["tags"] = None
                return
            if self.with_formatting and self.reopened > MAX_REOPENED:
                return

    def raw_text(self, name: bytes, start: int) -> int:
        """Return where text that is no markup ends; where it may be markup, let it have no tags."""
        end = raw_end(self.body, name, start)
        if self.elements.markups and b"<" in self.body[start:end]:
            tamed = self.body[start:end].replace(b"<", b" ")
            self.pieces += (self.body[self.copied : start], tamed)
            self.copied = end
            self.reasons["raw text"] = None
        return end

    def character_data(self, match: re.Match[bytes]) -> int:
        """Return where a section of character data ends, which is a comment outside of drawings."""
        if self.elements.markups:
            self.replace(match, b" ", "raw text")
            return match.end()
        closed = self.body.find(b">", match.end())
        return closed if closed >= 0 else len(self.body)

    def result(self) -> bytes:
        """Return the page with all replacements."""
        return b"".join([*self.pieces, self.body[self.copied : self.end]])

    def rewritten(self) -> Rewritten:
        """Return the page, what was cut off, and the reasons."""
        return Rewritten(self.result(), self.body[self.end :], ", ".join(self.reasons))

    def replace(self, match: re.Match[bytes], text: bytes, reason: str) -> None:
        """Replace a tag by another text."""
        self.pieces += (self.body[self.copied : match.start()], text)
        self.copied = match.end()
        self.reasons[reason] = None

    def start_tag(self, match: re.Match[bytes], name: bytes, attributes: bytes) -> None:
        """Keep, trim or drop a start tag."""
        size = len(attributes)
        # Counting is slow, and a short tag has few attributes anyway.
        count = attribute_count(attributes) if size > _SHORT else size // 12 + (size > 1)
        self.weight += 1 + min(count, MAX_ATTRIBUTES)
        if name in _FORMATTING_TAGS and not self.with_formatting:
            self.replace(match, b"", "formatting")
            return
        is_deep = len(self.elements) >= self.max_depth
        if is_deep and (name not in _KEPT or (name == b"a" and self.elements.doubts)):
            self.dropped[name] = self.dropped.get(name, 0) + 1
            # In a drawing links stand inside of each other.
            self.replace(match, match[0] + b"</a>" if name == b"a" else b" ", "depth")
            return
        if size > MAX_ATTRIBUTES and is_crowded(attributes):
            attributes = _first_attributes(attributes)
            self.replace(match, b"<%b%b>" % (name, attributes), "attributes")
        self.elements.start(name, attributes)
        if name in _FORMATTING_TAGS:
            self.start_formatting(name, count)
        elif name not in _KEPT:
            self.start_block(name)

    def start_formatting(self, name: bytes, count: int) -> None:
        """Record formatting that is opened again in later blocks until it is closed."""
        if count or self.live[-40:].count((name, 1)) < 3:
            self.live.append((name, 1 + count))
            self.reopened += len(self.live) // 64

    def start_block(self, name: bytes) -> None:
        """Count the formatting opened again in a block; in a cell none is."""
        if self.live:
            self.reopen()
        if not self.elements.is_sure or self.elements.last_name != name:
            return
        if name == b"table":
            self.scopes.append((name, len(self.live)))
        elif name in _CELLS:
            self.leave(b"table", inclusive=False)
            self.scopes.append((name, len(self.live)))

    def end_tag(self, match: re.Match[bytes], name: bytes) -> None:
        """Close the elements that an end tag closes."""
        self.weight += 1
        if self.dropped and self.dropped.get(name):
            self.dropped[name] -= 1
            self.replace(match, b" ", "depth")
            return
        if name in _FORMATTING_TAGS and not self.with_formatting:
            self.replace(match, b"", "formatting")
            return
        is_closed = self.elements.end(name)
        if name in _FORMATTING_TAGS:
            self.end_formatting(name)
        else:
            if self.live:
                self.reopen()
            if is_closed and (name == b"table" or name in _CELLS):
                self.leave(name)

    def end_formatting(self, name: bytes) -> None:
        """Forget the last formatting of a name within the current table cell."""
        floor = self.scopes[-1][1] if self.scopes else 0
        for index in range(len(self.live) - 1, floor - 1, -1):
            if self.live[index][0] == name:
                del self.live[index]
                return
        self.reopen()

    def leave(self, name: bytes, inclusive: bool = True) -> None:
        """Leave a table or a cell, and forget the formatting left open in it."""
        if not any(scope == name for scope, _ in self.scopes[-MAX_DEPTH:]):
            return
        while self.scopes:
            scope, floor = self.scopes[-1]
            if scope == name and not inclusive:
                return
            self.scopes.pop()
            del self.live[floor:]
            if scope == name:
                return

    def reopen(self) -> None:
        """Count the elements and attributes that a parser may have to create again here."""
        floor = self.scopes[-1][1] if self.scopes else 0
        self.reopened += sum(weight for _, weight in self.live[floor:])


def _first_attributes(attributes: bytes) -> bytes:
    """Return the first attributes of a crowded tag, and its URL wherever it stands."""
    position = 0
    for _ in range(MAX_ATTRIBUTES):
        match = ATTRIBUTE.match(attributes, position)
        if match is None:
            break
        position = match.end()
    address = _ADDRESS.search(attributes, position)
    kept = attributes[:position]
    return kept + b" " + address[0].lstrip(b"\"'/") if address else kept
