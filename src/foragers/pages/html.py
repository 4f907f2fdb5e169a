"""From the bytes of a page to its document and its links.

    bytes -> UTF-8 (encoding) -> harmless (limits, rewrite) -> tree -> words and links

`parse` never raises: a page that cannot be read is an empty document without links.
"""

from __future__ import annotations

import re
from html import unescape
from itertools import islice

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from foragers.pages import words
from foragers.pages.dates import PUBLISHED_NAMES, first_date, json_ld_date
from foragers.pages.encoding import to_utf8
from foragers.pages.limits import is_harmless
from foragers.pages.refresh import parse_refresh
from foragers.pages.rewrite import rewrite
from foragers.pages.tree import elements, step, tag_path
from foragers.types import Document, Outlink
from foragers.urls import resolve

MAX_BYTES = 10 << 20
MAX_LINKS = 120_000
MAX_HREF_LETTERS = 8192
MAX_HEADINGS = 500
# What lies beyond the part that is parsed is searched for links only, up to a further limit.
_SEARCHED_FACTOR = 6
_WITHOUT_EVENTS = 1

_TAIL_LINK = re.compile(
    rb"<a\s(?:[^<>]{0,1000}?\s)?href\s*=\s*(?:\"([^\"<>]{0,8192})\"|'([^'<>]{0,8192})'|([^\s<>\"']{1,8192}))",
    re.IGNORECASE,
)


class Parsed(msgspec.Struct, frozen=True):
    """What a page says and where it points.

    `robots` is the content of its robots meta elements, `base` what its relative
    links are relative to, and `truncated` the limits it went beyond, or nothing.
    """

    document: Document
    links: tuple[Outlink, ...] = ()
    robots: str = ""
    base: str = ""
    truncated: str = ""


def parse(
    body: bytes, url: str, content_type: str = "", *, max_bytes: int = MAX_BYTES
) -> Parsed:
    """Read a page: its document, and each of its links with the words that speak of it."""
    page, tail, truncated = to_utf8(body[:max_bytes], content_type), b"", ""
    if len(body) > max_bytes or not is_harmless(page):
        page, tail, truncated = rewrite(page, max_bytes)
        if len(body) > max_bytes:
            tail += body[max_bytes : _SEARCHED_FACTOR * max_bytes]
            truncated = ", ".join(filter(None, (truncated, "size")))
    reading = _Reading(page, url)
    if reading.has_false_marks:
        reading = _Reading(words.without_false_marks(page), url)
    if tail:
        reading.search(tail)
    if len(reading.links) >= MAX_LINKS:
        truncated = ", ".join(filter(None, (truncated, "links")))
    return reading.parsed(truncated)


class _Reading:
    """One reading of a parsed page; its fields are what has been found so far."""

    def __init__(self, page: bytes, url: str) -> None:
        self.url = url
        self.base = url
        self.links: list[Outlink] = []
        self.resolved: dict[str, str | None] = {}
        self.tree = LexborHTMLParser(page, options=_WITHOUT_EVENTS)
        self.head: list[LexborNode] = []
        self.anchors: list[tuple[LexborNode, str, str]] = []
        self.headings: list[LexborNode] = []
        self.times: list[LexborNode] = []
        self.title: LexborNode | None = None
        self.noframes: list[str] = []
        self.json_ld = ""
        self.marks = 0
        self.walk(b"role=" in page)
        self.metas: dict[str, str] = {}
        self.robots: list[str] = []
        self.canonical: str | None = None
        self.read_head()
        container = self.tree.body
        text = container.text(separator=" ") if container is not None else ""
        self.words = words.divide(text)
        self.has_false_marks = len(self.words.spans) > len(self.anchors)
        self.read_anchors()
