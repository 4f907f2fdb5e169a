"""A look at a page's bytes before they are parsed, so that no page can stop a crawl.

An HTML parser takes quadratic time or memory over some inputs: thousands of
attributes in one tag, thousands of open elements, formatting elements that are
left open and have to be opened again in every paragraph.  `is_harmless` tells in
a few cheap steps that a page is none of these, as nearly all are.  The others are
rewritten tag by tag (see `rewrite`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

MAX_ATTRIBUTES = 128

_TINY_BYTES = 1 << 12
# A page is read tag by tag if it is larger than this.
_MANY_TAGS = 20_000
_MANY_BYTES = 1 << 20
# Tags of up to so many bytes in all cannot hold enough attributes to hurt.
_BRIEF_BYTES = 1 << 16
_LONG_TAG = 1024
# Bytes of formatting tags times all tags: a byte of such a tag can cost 30 to 90 bytes of memory
# whenever a block begins, as formatting left open is opened again there.
_HARMLESS_PRODUCT = 4_000_000

_ATTRIBUTES = rb"(?:[^>=]++|=\s*+(?:\"[^\"]*+\"|'[^']*+')?+)*+"
START_TAG = re.compile(rb"<([A-Za-z][^\s/>]*+)(%b)>?+" % _ATTRIBUTES)
ATTRIBUTE = re.compile(
    rb"[\s/]*+[^\s/>=][^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>\"'][^\s>]*+)?+)?+"
)
# Formatting elements with attributes; those without can be opened again only three at a time.
# The third group is there if the element is closed at once.
_FORMATTING = re.compile(
    rb"<([bBiIuUsSeEtTfFcCnN](?:[mM]|[tT]|[oO][nN][tT]|[iI][gG]|[oO][dD][eE]|[oO][bB][rR]"
    rb"|[mM][aA][lL]{2}|[tT][rR][iI][kK][eE]|[tT][rR][oO][nN][gG])?+)(?=[\s/])(%b)"
    rb"(>[^<]*+</\1>)?+" % _ATTRIBUTES
)

Places = NDArray[np.int64]
_PAIR = np.dtype("<u2")
_BEGINNINGS = frozenset((b"em", b"tt", b"fo", b"bi", b"co", b"no", b"sm", b"st"))


def is_harmless(body: bytes) -> bool:
    """Say whether a page can be parsed as it is, in time and memory linear in its size."""
    size = len(body)
    if size <= _TINY_BYTES:
        return True
    if size > _MANY_BYTES:
        return False
    starts = (np.frombuffer(body, np.uint8) == ord("<")).nonzero()[0]
    tags = len(starts)
    if tags > _MANY_TAGS:
        return False
    if size * tags > _HARMLESS_PRODUCT and _reopened(body, starts) * tags > _HARMLESS_PRODUCT:
        return False
    return size <= _BRIEF_BYTES or not _has_crowded_tag(body, starts)


def _reopened(body: bytes, starts: Places) -> int:
    """Return how many bytes of formatting tags may be opened again where a block begins."""
    # Of those that are alike no more than three are opened again.
    left_open = Counter(tag.group(1, 2) for tag in _formatting(body, starts) if tag[3] is None)
    return sum(len(inside) * min(3, count) for (_, inside), count in left_open.items())


def _formatting(body: bytes, starts: Places) -> Iterator[re.Match[bytes]]:
    """Give the formatting elements with attributes, and perhaps some that only look so."""
    # Most tags are ruled out by two letters, all at once.
    pairs = np.ndarray((len(body) + 1,), _PAIR, body + b"  ", strides=(1,))
    for start in starts[_may_be_formatting()[pairs[starts + 1]]].tolist():
        if found := _FORMATTING.match(body, start):
            yield found


@lru_cache(maxsize=1)
def _may_be_formatting() -> NDArray[np.bool_]:
    """Return with which pairs of letters the formatting elements begin."""
    found = np.zeros(1 << 16, np.bool_)
    for pair in product(range(128), repeat=2):
        name = bytes(pair).lower()
        single = name[:1] in b"bius" and (name[1:].isspace() or name[1:] == b"/")
        found[pair[0] | pair[1] << 8] = single or name in _BEGINNINGS
    return found


def _has_crowded_tag(body: bytes, starts: Places) -> bool:
    """Look for a tag with too many attributes wherever two tags stand far apart."""
    gaps = np.diff(starts, append=len(body))
    for start in starts[gaps > _LONG_TAG].tolist():
        tag = START_TAG.match(body, start)
        if tag and is_crowded(tag[2]):
            return True
    return False


def is_crowded(attributes: bytes) -> bool:
    """Say whether the inside of a tag holds more attributes than are read."""
    return len(attributes) > 2 * MAX_ATTRIBUTES and attribute_count(attributes) > MAX_ATTRIBUTES


def attribute_count(attributes: bytes) -> int:
    """Count the attributes inside of a tag."""
    return len(ATTRIBUTE.findall(attributes))
