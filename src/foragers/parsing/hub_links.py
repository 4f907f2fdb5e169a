"""Hubs: where a feed says that it announces its changes (WebSub).

The hub and the topic, which is the name of the feed at its hub, stand in the Link headers of a
response, or in the links of a feed before its first entry.  Headers go first (WebSub, section 4).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, takewhile
from typing import NamedTuple

from foragers.parsing.xml_scan import elements, pattern
from foragers.urls.parse import resolve

MAX_HEAD = 1 << 16
"""The part of a feed in which its own links are looked for, in bytes."""
MAX_LINKS = 100
_TAGS = pattern(rb"link|item|entry")
_LINK = re.compile(
    r"<([^<>]{1,2000})>((?:\s*;\s*[\w*-]+\s*=\s*(?:\"[^\"]{0,500}\"|[^\s;,\"]{1,500}))*)"
)
_RELATION = re.compile(r";\s*rel\s*=\s*(?:\"([^\"]*)\"|([^\s;,\"]+))", re.IGNORECASE)
_WEB = ("http://", "https://")


class FeedHub(NamedTuple):
    """The hub of a feed, and the topic by which the hub knows it."""

    hub: str
    topic: str


def hub_of(body: bytes, url: str, headers: Iterable[str] = ()) -> FeedHub | None:
    """Return the first hub of the feed with a URL, or None."""
    hub = topic = ""
    for relations, href in chain(_in_headers(headers), _in_feed(body)):
        address = _absolute(href, url)
        if "hub" in relations:
            hub = hub or address
        if "self" in relations:
            topic = topic or address
    return FeedHub(hub, topic or url) if hub else None


def _in_headers(headers: Iterable[str]) -> Iterator[tuple[list[str], str]]:
    """Yield the relations and targets of Link headers."""
    for match in _LINK.finditer(", ".join(headers)[:MAX_HEAD]):
        relation = _RELATION.search(match[2])
        if relation is not None:
            yield (relation[1] or relation[2] or "").lower().split(), match[1].strip()


def _in_feed(body: bytes) -> Iterator[tuple[list[str], str]]:
    """Yield the relations and targets of the links of a feed, up to its first entry."""
    tags = elements(body[:MAX_HEAD], _TAGS, MAX_LINKS)
    for element in takewhile(lambda one: one.name == b"link", tags):
        yield element.attribute("rel").lower().split(), element.attribute("href")


def _absolute(href: str, base: str) -> str:
    """Return an absolute URL of the web, or ""."""
    try:
        url = resolve(href, base).partition("#")[0] if href else ""
    except ValueError:
        return ""
    return url if url.startswith(_WEB) else ""
