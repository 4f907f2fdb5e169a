"""What is gathered in one walk through a page, and the marks that the walk leaves in its tree."""

from __future__ import annotations

from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from foragers.pages import words
from foragers.pages.dates import json_ld_date
from foragers.pages.links import MAX_DESCRIBED, MAX_LINKS, Found, address_of
from foragers.pages.tree import elements

_MAX_HEADINGS = 500
_MAX_HEADING_LETTERS = 1000


@dataclass(slots=True)
class Elements:
    """The elements of a page that matter, and the words of those that are read at once."""

    head: list[LexborNode] = field(default_factory=list)
    links: list[Found] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    times: list[str] = field(default_factory=list)
    json_ld: list[str] = field(default_factory=list)
    noframes: list[str] = field(default_factory=list)
    title: str = ""
    marks: int = 0


def gather(tree: LexborHTMLParser, with_roles: bool) -> Elements:
    """Collect the elements that matter, and mark in the tree where links and regions are."""
    found = Elements()
    marked: list[tuple[LexborNode, bytes, bytes]] = []
    silent: list[LexborNode] = []
    for kind, node in elements(tree, with_roles):
        if kind == "link":
            tag, attributes = node.tag or "", node.attributes
            href = address_of(tag, attributes)
            if href is not None and len(found.links) < MAX_LINKS:
                found.links.append((node, href, attributes))
                if len(found.links) <= MAX_DESCRIBED:
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


def _read(found: Elements, kind: str, node: LexborNode) -> None:
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


def _read_silent(found: Elements, node: LexborNode) -> None:
    """Read an element whose text is not shown."""
    if node.tag == "noframes":
        found.noframes.append(node.text())
    elif node.tag == "script":
        kind = node.attributes.get("type")
        if kind and kind.strip().lower() == "application/ld+json":
            found.json_ld.append(json_ld_date(node.text()))
