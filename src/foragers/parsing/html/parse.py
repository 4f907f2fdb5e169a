"""From the bytes of a page to its document and its links.

    bytes -> UTF-8 (encoding) -> harmless (sanitise) -> tree -> text and links

`parse` never raises: a page that cannot be parsed is an empty document without links.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import msgspec
from selectolax.lexbor import LexborHTMLParser

from foragers.core.links import ParsedLink, ParsedLinks
from foragers.core.types import Document
from foragers.parsing.dates import PUBLISHED_NAMES, first_date
from foragers.parsing.html import text as words
from foragers.parsing.html.collect import Elements, gather, mark
from foragers.parsing.html.head import Head, read_head
from foragers.parsing.html.hidden import hide
from foragers.parsing.html.links import (
    MAX_DESCRIBED,
    MAX_LINKS,
    Chosen,
    Targets,
    add_links,
    add_plain_links,
    choose,
    head_links,
    loose_links,
)
from foragers.parsing.html.sanitise import limited

MAX_BYTES = 10 << 20
MAX_FEEDS = 20
"""The largest number of feeds of one page."""
# Mutation events cost time and matter to live pages only.
WITHOUT_EVENTS = 1


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
    position in the page: that is a quarter of the work, and not all strategies need it.
    """
    page, tail, truncated = limited(body, content_type, max_bytes)
    tree, read = _read_tree(page, url, described)
    if read.text.marks > read.collected.marks:
        tree, read = _read_tree(words.without_false_marks(page), url, described)
    head, chosen = read.head, read.chosen
    hide(tree, page, chosen.links)
    links = _links(read, described, tail)
    if len(read.collected.links) >= MAX_LINKS or len(links) >= MAX_LINKS:
        truncated = f"{truncated}, links".lstrip(", ")
    return Parsed(
        document=_document(tree, read),
        links=links,
        robots=", ".join(head.robots + head.asked_by_name),
        base=head.base,
        truncated=truncated,
        feeds=_feeds(head) if head.feeds else (),
    )


class _Read(NamedTuple):
    """What was read from the tree of a page; `itself` is its own URL, as links have it."""

    collected: Elements
    head: Head
    targets: Targets
    itself: str | None
    chosen: Chosen
    text: words.PageText


def _read_tree(page: bytes, url: str, described: bool) -> tuple[LexborHTMLParser, _Read]:
    """Parse a page, choose its links, and split its text."""
    tree = LexborHTMLParser(page, options=WITHOUT_EVENTS)
    collected = gather(tree, b"role=" in page)
    framed = tree.body is None and bool(collected.noframes)
    shown = tree
    if framed:
        shown = LexborHTMLParser("".join(collected.noframes), options=WITHOUT_EVENTS)
        within = gather(shown, False)
        collected.links += within.links
        collected.headings += within.headings
        collected.frames += within.frames
        collected.marks = within.marks
    head = read_head(collected.head, url)
    targets = Targets(head.base)
    itself = (targets if head.base == url else Targets(url)).target("")
    chosen = choose(collected.links, targets, itself)
    mark(collected, chosen.links[:MAX_DESCRIBED] if described else [])
    text = words.divide(_text(shown))
    if framed and described:
        # Frames are marked in their own tree, which has no text.
        frames = sum(node.tag == "frame" for node, _, _ in chosen.links)
        text.starts[:0] = text.ends[:0] = [0] * frames
        collected.marks -= 2 * frames
    return tree, _Read(collected, head, targets, itself, chosen, text)


def _text(tree: LexborHTMLParser) -> str:
    """Return the text of the page's body, with marks."""
    return tree.body.text(separator=" ") if tree.body is not None else ""


def _links(read: _Read, described: bool, tail: bytes) -> ParsedLinks:
    """Return all links: of the head, of the body, and of the part that was only searched."""
    targets, known = read.targets, {read.itself, *read.chosen.urls}
    links = ParsedLinks(read.text.all if described else "")
    for url, relation in head_links(read.head, targets, known).items():
        links.add(url, path="html head" if described else "", rel=relation)
    if described:
        add_links(links, read.chosen, read.text)
    else:
        add_plain_links(links, read.chosen)
    if tail:
        known.update(links.hrefs)
        most = MAX_LINKS - len(read.collected.links)
        for url in loose_links(tail, targets, most, known):
            links.add(url)
    links.positions = list(range(len(links)))
    if not described:
        links.starts, links.ends = [], []
    return links


def _feeds(head: Head) -> tuple[str, ...]:
    """Return the URLs of the feeds that a page announces, each once."""
    urls = map(Targets(head.base).target, head.feeds)
    return tuple(dict.fromkeys(address for address in urls if address))[:MAX_FEEDS]


def _document(tree: LexborHTMLParser, read: _Read) -> Document:
    """Return the document of a page."""
    collected, head = read.collected, read.head
    root = tree.root.attributes if tree.root is not None else {}
    dates = chain(
        (head.named[name] for name in PUBLISHED_NAMES if name in head.named),
        collected.json_ld,
        collected.times,
    )
    return Document(
        title=collected.title or head.named.get("og:title", ""),
        headings=tuple(heading for heading in collected.headings if heading),
        text=read.text.text,
        language=(root.get("lang") or root.get("xml:lang") or head.language).strip(),
        published=first_date(dates),
        canonical=read.targets.target(head.canonical) if head.canonical else None,
    )
