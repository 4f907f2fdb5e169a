"""From the bytes of a page to its document and its links.

    bytes -> UTF-8 (encoding) -> harmless (limits, rewrite) -> tree -> words and links

`parse` never raises: a page that cannot be read is an empty document without links.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain, islice

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from foragers.pages import words
from foragers.pages.dates import PUBLISHED_NAMES, first_date, json_ld_date
from foragers.pages.encoding import to_utf8
from foragers.pages.head import Head, read_head
from foragers.pages.limits import is_harmless
from foragers.pages.links import MAX_LINKS, Found, Targets, address_of, loose_addresses, outlinks
from foragers.pages.rewrite import Rewritten, rewrite
from foragers.pages.tree import elements
from foragers.types import Document, Outlink

MAX_BYTES = 10 << 20
_MAX_HEADINGS = 500
_MAX_HEADING_LETTERS = 1000
# What lies beyond the part that is parsed is searched for links only, up to a further limit.
_SEARCHED_FACTOR = 6
# Mutation events cost time and matter to live pages only.
_WITHOUT_EVENTS = 1


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


@dataclass(slots=True)
class _Elements:
    """The elements of a page that matter, and the words of those that are read at once."""

    head: list[LexborNode] = field(default_factory=list)
    links: list[Found] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    times: list[str] = field(default_factory=list)
    json_ld: list[str] = field(default_factory=list)
    noframes: list[str] = field(default_factory=list)
    title: str = ""
    marks: int = 0


def parse(body: bytes, url: str, content_type: str = "", *, max_bytes: int = MAX_BYTES) -> Parsed:
    """Read a page: its document, and each of its links with the words that speak of it."""
    page, tail, truncated = _limited(body, content_type, max_bytes)
    tree, found, text = _read_tree(page)
    if text.marks > found.marks:
        tree, found, text = _read_tree(words.without_false_marks(page))
    head = read_head(found.head, url)
    links = _links(found, head, text, tail)
    if len(links) == MAX_LINKS:
        truncated = f"{truncated}, links".lstrip(", ")
    return Parsed(
        document=_document(tree, found, head, text.text),
        links=tuple(links),
        robots=", ".join(head.robots),
        base=head.base,
        truncated=truncated,
    )


def _limited(body: bytes, content_type: str, max_bytes: int) -> Rewritten:
    """Return a page in UTF-8 that can be parsed, what is only searched, and why."""
    page = to_utf8(body[:max_bytes], content_type)
    beyond = body[max_bytes : _SEARCHED_FACTOR * max_bytes]
    if is_harmless(page):
        return Rewritten(page, beyond, "size" if beyond else "")
    page, tail, reason = rewrite(page)
    if beyond:
        reason = f"{reason}, size".lstrip(", ")
    return Rewritten(page, tail + beyond, reason)


def _read_tree(page: bytes) -> tuple[LexborHTMLParser, _Elements, words.Words]:
    """Parse a page and divide its words."""
    tree = LexborHTMLParser(page, options=_WITHOUT_EVENTS)
    found = _gather(tree, b"role=" in page)
    if tree.body is None and found.noframes:
        return tree, found, _read_noframes(found)
    return tree, found, words.divide(_text(tree))


def _read_noframes(found: _Elements) -> words.Words:
    """Add to a page of frames what it shows where there are none."""
    inner = LexborHTMLParser("".join(found.noframes), options=_WITHOUT_EVENTS)
    within = _gather(inner, with_roles=False)
    text = words.divide(_text(inner))
    text.spans[:0] = [(0, 0)] * len(found.links)
    found.links += within.links
    found.headings += within.headings
    found.marks = within.marks
    return text


def _gather(tree: LexborHTMLParser, with_roles: bool) -> _Elements:
    """Collect the elements that matter, and mark in the tree where links and regions are."""
    found = _Elements()
    marked: list[tuple[LexborNode, bytes, bytes]] = []
    silent: list[LexborNode] = []
    for kind, node in elements(tree, with_roles):
        if kind == "link":
            tag, attributes = node.tag or "", node.attributes
            href = address_of(tag, attributes)
            if href is not None and len(found.links) < MAX_LINKS:
                found.links.append((node, href, attributes))
                marked.append((node, words.LINK, words.LINK_END))
            if tag == "iframe":
                silent.append(node)
        elif kind in words.MARKS:
            marked.append((node, *words.MARKS[kind]))
        elif kind == "silent":
            _read_silent(found, node)
            silent.append(node)
        else:
            _read(found, kind, node)
    for node, before, after in marked:
        node.insert_before(before)
        node.insert_after(after)
    for node in silent:
        node.decompose()
    found.marks = 2 * len(marked)
    return found


def _read(found: _Elements, kind: str, node: LexborNode) -> None:
    """Read an element that is not a link or a region."""
    if kind == "head":
        found.head.append(node)
    elif kind == "heading":
        if len(found.headings) < _MAX_HEADINGS:
            found.headings.append(" ".join(node.text().split())[:_MAX_HEADING_LETTERS])
    elif kind == "title":
        found.title = found.title or " ".join(node.text().split())
    elif kind == "time":
        attributes = node.attributes
        moment = attributes.get("datetime")
        if moment:
            first = "pubdate" in attributes or attributes.get("itemprop") == "datePublished"
            found.times.insert(0 if first else len(found.times), moment)


def _read_silent(found: _Elements, node: LexborNode) -> None:
    """Read an element whose text is not shown."""
    if node.tag == "noframes":
        found.noframes.append(node.text())
    elif node.tag == "script":
        kind = node.attributes.get("type")
        if kind and kind.strip().lower() == "application/ld+json":
            found.json_ld.append(json_ld_date(node.text()))


def _text(tree: LexborHTMLParser) -> str:
    """Return the text of the page's body, its marks included."""
    return tree.body.text(separator=" ") if tree.body is not None else ""


def _links(found: _Elements, head: Head, text: words.Words, tail: bytes) -> list[Outlink]:
    """Return all links: those of the head, of the body, and of what was only searched."""
    targets = Targets(head.base)
    links: list[Outlink] = []
    for href, relation in head.links:
        address = targets.target(href)
        if address:
            links.append(Outlink(address, path="html head", position=len(links), rel=relation))
    links += islice(outlinks(found.links, targets, text, len(links)), MAX_LINKS - len(links))
    for href in loose_addresses(tail):
        if len(links) >= MAX_LINKS:
            break
        address = targets.target(href)
        if address:
            links.append(Outlink(address, position=len(links)))
    return links


def _document(tree: LexborHTMLParser, found: _Elements, head: Head, text: str) -> Document:
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
