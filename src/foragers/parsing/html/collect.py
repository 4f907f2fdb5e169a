"""One walk through a page that collects its elements, and leaves marks in its tree."""

from __future__ import annotations

from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from foragers.parsing.dates import json_ld_date
from foragers.parsing.html.links import FoundLink
from foragers.parsing.html.text import LINK, LINK_END, MARKS
from foragers.parsing.html.tree import elements

_MAX_HEADING_CHARS = 20_000


@dataclass(slots=True)
class Elements:
    """The collected elements of a page, and the texts of those that are read at once."""

    head: list[LexborNode] = field(default_factory=list)
    links: list[FoundLink] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    times: list[str] = field(default_factory=list)
    json_ld: list[str] = field(default_factory=list)
    noframes: list[str] = field(default_factory=list)
    frames: list[LexborNode] = field(default_factory=list)
    title: str = ""
    heading_chars: int = 0
    marks: int = 0


def gather(tree: LexborHTMLParser, with_roles: bool) -> Elements:
    """Collect elements, and mark in the tree where regions are."""
    collected = Elements()
    links, silent = collected.links, []
    for kind, node in elements(tree, with_roles):
        if kind == "a":
            attributes = node.attributes
            if "href" in attributes:
                links.append((node, attributes["href"] or "", attributes))
        elif kind in MARKS:
            before, after = MARKS[kind]
            node.insert_before(before)
            node.insert_after(after)
            collected.marks += 2
        elif kind == "silent":
            _read_silent(collected, node)
            silent.append(node)
        else:
            _read(collected, kind, node)
            if node.tag == "iframe":
                collected.frames.append(node)
    for node in silent:
        node.decompose()
    return collected


def mark(collected: Elements, links: list[FoundLink]) -> None:
    """Mark in the tree where some links are, and remove frames, whose text is not shown."""
    for node, _, _ in links:
        node.insert_before(LINK)
        node.insert_after(LINK_END)
    collected.marks += 2 * len(links)
    for node in collected.frames:
        node.decompose()


def _read(collected: Elements, kind: str, node: LexborNode) -> None:
    """Read an element of another kind."""
    if kind == "head":
        collected.head.append(node)
    elif kind == "link":
        attributes = node.attributes
        href = attributes.get("href" if node.tag == "area" else "src")
        if href is not None:
            collected.links.append((node, href, attributes))
    elif kind == "heading":
        # Headings can be nested, and then each of them has all the text.
        if collected.heading_chars < _MAX_HEADING_CHARS:
            text = node.text()
            collected.heading_chars += len(text) + 1
            collected.headings.append(" ".join(text[:_MAX_HEADING_CHARS].split()))
    elif kind == "title":
        collected.title = collected.title or " ".join(node.text().split())
    elif kind == "time":
        attributes = node.attributes
        moment = attributes.get("datetime")
        if moment:
            first = "pubdate" in attributes or attributes.get("itemprop") == "datePublished"
            collected.times.insert(0 if first else len(collected.times), moment)


def _read_silent(collected: Elements, node: LexborNode) -> None:
    """Read an element whose text is not shown."""
    if node.tag == "noframes":
        collected.noframes.append(node.text())
    elif node.tag == "script":
        kind = node.attributes.get("type")
        if kind and kind.strip().lower() == "application/ld+json":
            collected.json_ld.append(json_ld_date(node.text()))
