"""From the bytes of a page to its document and its links.

    bytes -> UTF-8 (encoding) -> harmless (sanitise) -> tree -> text and links

`parse` never raises: a page that cannot be parsed is an empty document without links.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import msgspec
from selectolax.lexbor import LexborHTMLParser

from foragers.core.links import ParsedLink, ParsedLinks
from foragers.core.types import Document
from foragers.parsing.dates import PUBLISHED_NAMES, first_date
from foragers.parsing.html.collect import WITHOUT_EVENTS, collect
from foragers.parsing.html.contents import Contents
from foragers.parsing.html.head import Head
from foragers.parsing.html.links import MAX_LINKS, Targets, head_links, loose_links
from foragers.parsing.html.sanitise import limited
from foragers.parsing.html.walk import walk

MAX_BYTES = 10 << 20
MAX_FEEDS = 20
"""The largest number of feeds of one page."""


class Parsed(msgspec.Struct, frozen=True):
    """The document of a page, and its links.

    `robots` is the content of its robots meta elements, `base` the base of its relative links,
    `truncated` the limits that it exceeded, if any, and `feeds` are the URLs of the feeds it
    announces.
    """

    document: Document
    links: Sequence[ParsedLink] = ()
    robots: str = ""
    base: str = ""
    truncated: str = ""
    feeds: tuple[str, ...] = ()


def parse(
    body: bytes,
    url: str,
    content_type: str = "",
    *,
    max_bytes: int = MAX_BYTES,
    described: bool = True,
) -> Parsed:
    """Parse a page: its document, and each of its links with its texts.

    Links that are not `described` have only their own text, not the words around them nor their
    position in the page: not all strategies need them.
    """
    page, tail, truncated = limited(body, content_type, max_bytes)
    tree = LexborHTMLParser(page, options=WITHOUT_EVENTS)
    read = walk(tree, page, url, described) or collect(tree, page, url, described)
    links = _links(read, described, tail)
    if read.found >= MAX_LINKS or len(links) >= MAX_LINKS:
        truncated = f"{truncated}, links".lstrip(", ")
    head = read.head
    return Parsed(
        document=_document(read),
        links=links,
        robots=", ".join(head.robots + head.asked_by_name),
        base=head.base,
        truncated=truncated,
        feeds=_feeds(head) if head.feeds else (),
    )


def _links(read: Contents, described: bool, tail: bytes) -> ParsedLinks:
    """Return all links: of the head, of the body, and of the part that was only searched."""
    targets, known = read.targets, {read.itself, *read.links.hrefs}
    links = ParsedLinks(read.words if described else "")
    for url, relation in head_links(read.head, targets, known).items():
        links.add(url, path="html head" if described else "", rel=relation)
    links.extend(read.links)
    if tail:
        known.update(links.hrefs)
        for url in loose_links(tail, targets, MAX_LINKS - read.found, known):
            links.add(url)
    links.positions = list(range(len(links)))
    if not described:
        links.starts, links.ends = [], []
    return links


def _feeds(head: Head) -> tuple[str, ...]:
    """Return the URLs of the feeds that a page announces, each once."""
    urls = map(Targets(head.base).target, head.feeds)
    return tuple(dict.fromkeys(address for address in urls if address))[:MAX_FEEDS]


def _document(read: Contents) -> Document:
    """Return the document of a page."""
    head, root = read.head, read.root
    named = (head.named[name] for name in PUBLISHED_NAMES if name in head.named)
    return Document(
        title=read.title or head.named.get("og:title", ""),
        headings=read.headings,
        text=read.text,
        language=(root.get("lang") or root.get("xml:lang") or head.language).strip(),
        published=first_date(chain(named, read.dates)),
        canonical=read.targets.target(head.canonical) if head.canonical else None,
    )
