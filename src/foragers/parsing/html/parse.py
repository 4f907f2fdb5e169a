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
from foragers.parsing.html import text as words
from foragers.parsing.html.collect import Elements, gather
from foragers.parsing.html.head import Head, read_head
from foragers.parsing.html.hidden import hide
from foragers.parsing.html.links import (
    MAX_DESCRIBED,
    MAX_LINKS,
    Targets,
    add_links,
    add_plain_links,
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
    marked = MAX_DESCRIBED if described else 0
    tree, collected, text = _read_tree(page, marked)
    if text.marks > collected.marks:
        tree, collected, text = _read_tree(words.without_false_marks(page), marked)
    head = read_head(collected.head, url)
    hide(tree, page, collected.links)
    links = _links(collected, head, text if described else None, tail)
    if len(links) >= MAX_LINKS:
        truncated = f"{truncated}, links".lstrip(", ")
    return Parsed(
        document=_document(tree, collected, head, text.text),
        links=links,
        robots=", ".join(head.robots + head.asked_by_name),
        base=head.base,
        truncated=truncated,
        feeds=_feeds(head) if head.feeds else (),
    )


def _read_tree(page: bytes, marked: int) -> tuple[LexborHTMLParser, Elements, words.PageText]:
    """Parse a page and split its text."""
    tree = LexborHTMLParser(page, options=WITHOUT_EVENTS)
    collected = gather(tree, b"role=" in page, marked)
    if tree.body is None and collected.noframes:
        return tree, collected, _read_noframes(collected, marked)
    return tree, collected, words.divide(_text(tree))


def _read_noframes(collected: Elements, marked: int) -> words.PageText:
    """Add the content of `noframes` to a page of frames."""
    inner = LexborHTMLParser("".join(collected.noframes), options=WITHOUT_EVENTS)
    within = gather(inner, False, marked)
    text = words.divide(_text(inner))
    text.starts[:0] = text.ends[:0] = [0] * len(collected.links)
    collected.links += within.links
    collected.headings += within.headings
    collected.marks = within.marks
    return text


def _text(tree: LexborHTMLParser) -> str:
    """Return the text of the page's body, with marks."""
    return tree.body.text(separator=" ") if tree.body is not None else ""


def _links(
    collected: Elements, head: Head, text: words.PageText | None, tail: bytes
) -> ParsedLinks:
    """Return all links: of the head, of the body, and of the part that was only searched."""
    targets, links = Targets(head.base), ParsedLinks(text.all if text else "")
    for address, relation in head_links(head, targets):
        links.add(address, path="html head" if text else "", rel=relation)
    if text:
        add_links(links, collected.links, targets, text)
    else:
        add_plain_links(links, collected.links, targets)
    for address in loose_links(tail, targets, MAX_LINKS - len(links)) if tail else ():
        links.add(address)
    links.positions = list(range(len(links)))
    if text is None:
        links.starts, links.ends = [], []
    return links


def _feeds(head: Head) -> tuple[str, ...]:
    """Return the URLs of the feeds that a page announces, each once."""
    urls = map(Targets(head.base).target, head.feeds)
    return tuple(dict.fromkeys(address for address in urls if address))[:MAX_FEEDS]


def _document(tree: LexborHTMLParser, collected: Elements, head: Head, text: str) -> Document:
    """Return the document of a page."""
    root = tree.root.attributes if tree.root is not None else {}
    dates = chain(
        (head.named[name] for name in PUBLISHED_NAMES if name in head.named),
        collected.json_ld,
        collected.times,
    )
    return Document(
        title=collected.title or head.named.get("og:title", ""),
        headings=tuple(heading for heading in collected.headings if heading),
        text=text,
        language=(root.get("lang") or root.get("xml:lang") or head.language).strip(),
        published=first_date(dates),
        canonical=Targets(head.base).target(head.canonical) if head.canonical else None,
    )
