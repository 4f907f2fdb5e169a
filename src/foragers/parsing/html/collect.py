"""What is gathered in one walk through a page, and the marks that the walk leaves in its tree."""

from __future__ import annotations

from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from foragers.parsing.dates import json_ld_date
from foragers.parsing.html.links import MAX_DESCRIBED, Found
from foragers.parsing.html.text import LINK, LINK_END, MARKS
from foragers.parsing.html.tree import elements

_MAX_HEADING_LETTERS = 20_000


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
    heading_letters: int = 0
    marks: int = 0
    most_marked: int = MAX_DESCRIBED


def gather(tree: LexborHTMLParser, with_roles: bool, marked: int = MAX_DESCRIBED) -> Elements:
    """Collect the elements that matter, and mark in the tree where regions and some links are."""
    found = Elements(most_marked=marked)
    links = found.links
    silent: list[LexborNode] = []
    for kind, node in elements(tree, with_roles):
        if kind == "a":
            attributes = node.attributes
            if "href" in attributes:
                links.append((node, attributes["href"] or "", attributes))
                if marked and len(links) <= marked:
                    node.insert_before(LINK)
                    node.insert_after(LINK_END)
                    found.marks += 2
        elif kind in MARKS:
            before, after = MARKS[kind]
            node.insert_before(before)
            node.insert_after(after)
            found.marks += 2
        elif kind == "silent":
            _read_silent(found, node)
            silent.append(node)
        else:
            _read(found, kind, node)
            if node.tag == "iframe":
                silent.append(node)
    for node in silent:
        node.decompose()
    return found


def _read(found: Elements, kind: str, node: LexborNode) -> None:
    """Read an element of another kind."""
    if kind == "head":
        found.head.append(node)
    elif kind == "link":
        if _read_link(found, node) and len(found.links) <= found.most_marked:
            node.insert_before(LINK)
            node.insert_after(LINK_END)
            found.marks += 2
    elif kind == "heading":
        # Headings can contain each other, and then each of them all the text.
        if found.heading_letters < _MAX_HEADING_LETTERS:
            text = node.text()
            found.heading_letters += len(text) + 1
            found.headings.append(" ".join(text[:_MAX_HEADING_LETTERS].split()))
    elif kind == "title":
        found.title = found.title or " ".join(node.text().split())
    elif kind == "time":
        attributes = node.attributes
        moment = attributes.get("datetime")
        if moment:
            first = "pubdate" in attributes or attributes.get("itemprop") == "datePublished"
            found.times.insert(0 if first else len(found.times), moment)


def _read_link(found: Elements, node: LexborNode) -> bool:
    """Read an area or a frame; say whether it is a link."""
    attributes = node.attributes
    href = attributes.get("href" if node.tag == "area" else "src")
    if href is None:
        return False
    found.links.append((node, href, attributes))
    return True


def _read_silent(found: Elements, node: LexborNode) -> None:
    """Read an element whose text is not shown."""
    if node.tag == "noframes":
        found.noframes.append(node.text())
    elif node.tag == "script":
        kind = node.attributes.get("type")
        if kind and kind.strip().lower() == "application/ld+json":
            found.json_ld.append(json_ld_date(node.text()))
