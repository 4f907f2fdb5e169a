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

import numpy as np

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


def is_harmless(body: bytes) -> bool:
    """Say whether a page can be parsed as it is, in time and memory linear in its size."""
    size = len(body)
    if size <= _TINY_BYTES:
        return True
    tags = body.count(b"<")
    if size > _MANY_BYTES or tags > _MANY_TAGS:
        return False
    if size * tags > _HARMLESS_PRODUCT:
        # Of those that are alike no more than three are opened again.
        left_open = Counter(tag[:2] for tag in _FORMATTING.findall(body) if not tag[2])
        reopened = sum(len(inside) * min(3, count) for (_, inside), count in left_open.items())
        if reopened * tags > _HARMLESS_PRODUCT:
            return False
    return size <= _BRIEF_BYTES or not _has_crowded_tag(body)


def _has_crowded_tag(body: bytes) -> bool:
    """Look for a tag with too many attributes wherever two tags stand far apart."""
    starts = np.flatnonzero(np.frombuffer(body, np.uint8) == ord("<"))
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
