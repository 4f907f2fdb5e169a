"""A hostile page made harmless: read tag by tag, and relieved of what would hurt.

Attributes beyond a number are dropped, except a link's address; so are tags below
a depth, except links; so is all formatting where too much of it is left open.  What
lies beyond the limits of size is cut off, to be searched for links and no more.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from foragers.pages.encoding import to_utf8
from foragers.pages.limits import (
    ATTRIBUTE,
    MAX_ATTRIBUTES,
    attribute_count,
    is_crowded,
    is_harmless,
)

MAX_DEPTH = 256
MAX_WEIGHT = 400_000
"""How many tags and attributes are parsed, at some 200 bytes of memory each."""
MAX_REOPENED = 200_000
_SHORT = 32
# What lies beyond the part that is parsed is searched for links only, up to a further limit.
_SEARCHED_FACTOR = 6

_TAG = re.compile(
    rb"<(?:([A-Za-z][^\s/>]*+)((?:[^>=]++|=\s*+(?:\"[^\"]*+\"|'[^']*+')?+)*+)>?+"
    rb"|/([A-Za-z][^\s/>]*+)[^>]*+>?+"
    rb"|!--(?:-?>|.*?--!?>|.*+))",
    re.DOTALL,
)
_ADDRESS = re.compile(rb"[\s/\"'](?:href|src)\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s>\"']+)", re.I)
_RAW_TEXT = {
    name: re.compile(rb"</%b(?=[\s/>])" % name, re.IGNORECASE)
    for name in b"script style xmp textarea title iframe noembed noframes".split()
}
_FORMATTING = frozenset(b"b big code em font i nobr s small strike strong tt u".split())
_CELLS = frozenset(b"td th caption".split())
_NOT_OPENED = frozenset(
    b"a area base br col embed frame hr img input link meta param source track wbr".split()
)
_KEPT = _NOT_OPENED | _RAW_TEXT.keys()
_SIBLINGS = frozenset(b"p li td th tr dt dd option optgroup tbody thead tfoot rt rp".split())
_CONTAINERS = frozenset(b"ul ol dl table select button ruby object svg math template".split())


class Rewritten(NamedTuple):
    """A page that can be parsed, what was cut off its end, and why."""

    body: bytes
    tail: bytes
    reason: str


def rewrite(body: bytes) -> Rewritten:
    """Return a page that an HTML parser reads in linear time, as like the original as can be."""
    reader = _Reader(body)
    reader.read()
    if reader.reopened > MAX_REOPENED:
        reader = _Reader(body, with_formatting=False)
        reader.read()
    return Rewritten(reader.result(), body[reader.end :], ", ".join(reader.reasons))


def limited(body: bytes, content_type: str, max_bytes: int) -> Rewritten:
    """Return a page in UTF-8 that can be parsed, what is only searched for links, and why."""
    page = to_utf8(body[:max_bytes], content_type)
    beyond = body[max_bytes : _SEARCHED_FACTOR * max_bytes]
    if is_harmless(page):
        return Rewritten(page, beyond, "size" if beyond else "")
    page, tail, reason = rewrite(page)
    if beyond:
        reason = f"{reason}, size".lstrip(", ")
    return Rewritten(page, tail + beyond, reason)


class _Reader:
    """One reading of a page, keeping count of what a parser would have to keep open."""

    def __init__(self, body: bytes, with_formatting: bool = True) -> None:
        self.body = body
        self.with_formatting = with_formatting
        self.end = len(body)
        self.reasons: dict[str, None] = {} if with_formatting else {"formatting": None}
        self.pieces: list[bytes] = []
        self.copied = 0
        self.weight = 0
        self.reopened = 0
        self.open: list[bytes] = []
        self.open_count: dict[bytes, int] = {}
        self.dropped: dict[bytes, int] = {}
        self.live: list[tuple[bytes, int]] = []
        self.scopes: list[tuple[bytes, int]] = []

    def read(self) -> None:
        """Read to the end, or to where a limit is reached."""
        position = 0
        while found := _TAG.search(self.body, position):
            position = found.end()
            start, attributes, end = found.groups()
            if start is not None:
                name = start.lower()
                self.start_tag(found, name, attributes)
                if name in _RAW_TEXT:
                    closing = _RAW_TEXT[name].search(self.body, position)
                    position = closing.start() if closing else len(self.body)
            elif end is not None:
                self.end_tag(found, end.lower())
            if self.weight > MAX_WEIGHT:
                self.end = found.start()
                self.reasons["tags"] = None
                return
            if self.with_formatting and self.reopened > MAX_REOPENED:
                return

    def result(self) -> bytes:
        """Return the page with all replacements made."""
        return b"".join([*self.pieces, self.body[self.copied : self.end]])

    def replace(self, found: re.Match[bytes], text: bytes, reason: str) -> None:
        """Put another text in the place of a tag."""
        self.pieces += (self.body[self.copied : found.start()], text)
        self.copied = found.end()
        self.reasons[reason] = None

    def start_tag(self, found: re.Match[bytes], name: bytes, attributes: bytes) -> None:
        """Weigh a start tag, and keep, trim or drop it."""
        size = len(attributes)
        # Counting is dear, and a short tag has few attributes anyway.
        count = attribute_count(attributes) if size > _SHORT else size // 12 + (size > 1)
        self.weight += 1 + min(count, MAX_ATTRIBUTES)
        if name in _FORMATTING:
            if not self.with_formatting:
                self.replace(found, b"", "formatting")
                return
            self.start_formatting(name, count)
        elif name not in _NOT_OPENED:
            self.start_block(name)
        if len(self.open) >= MAX_DEPTH and name not in _KEPT:
            self.dropped[name] = self.dropped.get(name, 0) + 1
            self.replace(found, b" ", "depth")
            return
        if name not in _KEPT:
            self.open.append(name)
            self.open_count[name] = self.open_count.get(name, 0) + 1
        if size > MAX_ATTRIBUTES and is_crowded(attributes):
            self.replace(found, b"<%b%b>" % (name, _first_attributes(attributes)), "attributes")

    def start_formatting(self, name: bytes, count: int) -> None:
        """Remember formatting that is opened again in later blocks until it is closed."""
        if count or self.live[-40:].count((name, 1)) < 3:
            self.live.append((name, 1 + count))
            self.reopened += len(self.live) // 64

    def start_block(self, name: bytes) -> None:
        """Close what a new block closes by itself, and count what is opened again in it."""
        if self.live:
            self.reopen()
        if name in _SIBLINGS:
            for above in self.open[:-5:-1]:
                if above == name:
                    self.close(name)
                    break
                if above in _CONTAINERS:
                    break
        if name == b"table":
            self.scopes.append((name, len(self.live)))
        elif name in _CELLS:
            self.leave(b"table", inclusive=False)
            self.scopes.append((name, len(self.live)))

    def end_tag(self, found: re.Match[bytes], name: bytes) -> None:
        """Close what an end tag closes."""
        self.weight += 1
        if self.dropped and self.dropped.get(name):
            self.dropped[name] -= 1
            self.replace(found, b" ", "depth")
            return
        if name in _FORMATTING:
            if not self.with_formatting:
                self.replace(found, b"", "formatting")
                return
            self.end_formatting(name)
        else:
            if self.live:
                self.reopen()
            if name == b"table" or name in _CELLS:
                self.leave(name)
        if self.open_count.get(name):
            self.close(name)

    def close(self, name: bytes) -> None:
        """Close the innermost element of a name and all that stand open within it."""
        while self.open:
            last = self.open.pop()
            self.open_count[last] -= 1
            if last == name:
                return

    def end_formatting(self, name: bytes) -> None:
        """Forget the last formatting of a name within the present table cell."""
        floor = self.scopes[-1][1] if self.scopes else 0
        for index in range(len(self.live) - 1, floor - 1, -1):
            if self.live[index][0] == name:
                del self.live[index]
                return
        self.reopen()

    def leave(self, name: bytes, inclusive: bool = True) -> None:
        """Leave a table or a cell, forgetting the formatting left open in it."""
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
        """Count the elements and attributes that a parser may have to make anew here."""
        floor = self.scopes[-1][1] if self.scopes else 0
        self.reopened += sum(weight for _, weight in self.live[floor:])


def _first_attributes(attributes: bytes) -> bytes:
    """Return the first attributes of a crowded tag, and its address wherever it stands."""
    position = 0
    for _ in range(MAX_ATTRIBUTES):
        found = ATTRIBUTE.match(attributes, position)
        if found is None:
            break
        position = found.end()
    address = _ADDRESS.search(attributes, position)
    kept = attributes[:position]
    return kept + b" " + address[0].lstrip(b"\"'/") if address else kept
