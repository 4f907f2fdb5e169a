"""Sitemaps and feeds: which pages a site lists, and when each of them changed.

Many of these files are not well-formed, so none is parsed as XML.  A single pass looks
for the few elements that matter, by name, and takes the text behind each of them: what
is broken costs only itself.  Entities are never defined and nothing is nested, so
neither can be used against us; the number of elements looked at is bounded.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import msgspec

from foragers.pages.dates import read_date
from foragers.pages.encoding import to_utf8
from foragers.urls import resolve

MAX_BYTES = 50 << 20
"""How much of a file is read, once it is decompressed."""
MAX_URLS = 50_000
"""How many addresses are taken from one file."""

_MAX_TOKENS = 20 * MAX_URLS
_MAX_TEXT = 1 << 13
_MAX_MEMBERS = 1000
_CHUNK = 1 << 16

_SITEMAPS = (b"urlset", b"sitemapindex")
_FEEDS = (b"rss", b"feed", b"rdf")
_PAGE_DATES = (b"updated", b"modified", b"pubdate", b"date", b"published", b"issued")
# Comments and unparsed text are tokens too, so that nothing is found inside of them.
_TOKEN = re.compile(
    rb"<(?:!--.*?(?:-->|\Z)|!\[CDATA\[.*?(?:\]\]>|\Z)"
    rb"|(?P<close>/?)(?P<prefix>[\w.-]*+:)?+(?P<name>urlset|url|sitemapindex|sitemap|loc|lastmod"
    rb"|publication_date|rss|feed|rdf|item|entry|link|guid|%b)(?P<attributes>[\s/][^<>]*+)?+>)"
    % b"|".join(_PAGE_DATES),
    re.IGNORECASE | re.DOTALL,
)
_INSIDE = re.compile(rb"<!\[CDATA\[(.*?)(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)|<[^>]*>?", re.DOTALL)
_ATTRIBUTE = re.compile(rb"([\w:.-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_REFERENCE = re.compile(r"&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos));")
_CHARACTERS = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_DECLARED = re.compile(rb"\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{1,40})", re.IGNORECASE)


class Listed(msgspec.Struct, frozen=True):
    """An address that a file lists, and when it last changed, in POSIX seconds."""

    url: str
    lastmod: float | None = None


class Sitemap(msgspec.Struct, frozen=True):
    """The pages that a file lists, and the sitemaps it refers to, each once."""

    urls: tuple[Listed, ...] = ()
    children: tuple[Listed, ...] = ()
