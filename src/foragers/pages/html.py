"""From the bytes of a page to its document and its links.

    bytes -> UTF-8 (encoding) -> harmless (limits, rewrite) -> tree -> words and links

`parse` never raises: a page that cannot be read is an empty document without links.
"""

from __future__ import annotations

from itertools import chain

import msgspec
from selectolax.lexbor import LexborHTMLParser

from foragers.pages import words
from foragers.pages.dates import PUBLISHED_NAMES, first_date
from foragers.pages.gather import Elements, gather
from foragers.pages.head import Head, read_head
from foragers.pages.links import MAX_LINKS, Targets, head_links, loose_links, outlinks
from foragers.pages.rewrite import limited
from foragers.types import Document, Outlink

MAX_BYTES = 10 << 20
# Mutation events cost time and matter to live pages only.
WITHOUT_EVENTS = 1


class Parsed(msgspec.Struct, frozen=True):
    """What a page says and where it points.

    `robots` is the content of its robots meta elements, `base` what its relative
    links are relative to, and `truncated` the limits it went beyond, if any.
    """

    document: Document
    links: tuple[Outlink, ...] = ()
    robots: str = ""
    base: str = ""
    truncated: str = ""


def parse(body: bytes, url: str, content_type: str = "", *, max_bytes: int = MAX_BYTES) -> Parsed:
    """Read a page: its document, and each of its links with the words that speak of it."""
    page, tail, truncated = limited(body, content_type, max_bytes)
    tree, found, text = _read_tree(page)
    if text.marks > found.marks:
        tree, found, text = _read_tree(words.without_false_marks(page))
    head = read_head(found.head, url)
    links = _links(found, head, text, tail)
    if len(links) >= MAX_LINKS:
        truncated = f"{truncated}, links".lstrip(", ")
    return Parsed(
        document=_document(tree, found, head, text.text),
        links=tuple(links),
        robots=", ".join(head.robots),
        base=head.base,
        truncated=truncated,
    )


def _read_tree(page: bytes) -> tuple[LexborHTMLParser, Elements, words.Words]:
    """Parse a page and divide its words."""
    tree = LexborHTMLParser(page, options=WITHOUT_EVENTS)
    found = gather(tree, b"role=" in page)
    if tree.body is None and found.noframes:
        return tree, found, _read_noframes(found)
    return tree, found, words.divide(_text(tree))


def _read_noframes(found: Elements) -> words.Words:
    """Add to a page of frames what it shows where there are none."""
    inner = LexborHTMLParser("".join(found.noframes), options=WITHOUT_EVENTS)
    within = gather(inner, with_roles=False)
    text = words.divide(_text(inner))
    text.spans[:0] = [(0, 0)] * len(found.links)
    found.links += within.links
    found.headings += within.headings
    found.marks = within.marks
    return text


def _text(tree: LexborHTMLParser) -> str:
    """Return the text of the page's body, its marks included."""
    return tree.body.text(separator=" ") if tree.body is not None else ""


def _links(found: Elements, head: Head, text: words.Words, tail: bytes) -> list[Outlink]:
    """Return all links: those of the head, of the body, and of what was only searched."""
    targets = Targets(head.base)
    links = [
        Outlink(address, path="html head", position=position, rel=relation)
        for position, (address, relation) in enumerate(head_links(head, targets))
    ]
    links += outlinks(found.links, targets, text, len(links))
    for address in loose_links(tail, targets, MAX_LINKS - len(links)):
        links.append(Outlink(address, position=len(links)))
    return links


def _document(tree: LexborHTMLParser, found: Elements, head: Head, text: str) -> Document:
    """Put together what the page says."""
    root = tree.root.attributes if tree.root is not None else {}
    dates = chain(
        (head.named[name] for name in PUBLISHED_NAMES if name in head.named),
        found.json_ld,
        found.times,
    )
    return Document(
        title=found.title or head.named.get("og:title", ""),
        headings=tuple(heading for heading in found.headings if heading),
        text=text,
        language=(root.get("lang") or root.get("xml:lang") or head.language).strip(),
        published=first_date(dates),
        canonical=Targets(head.base).target(head.canonical) if head.canonical else None,
    )
