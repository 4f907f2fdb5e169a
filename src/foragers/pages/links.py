"""The links of a page: which elements are links, where they lead, and with what words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from selectolax.lexbor import LexborNode

from foragers.pages.tree import step, tag_path
from foragers.pages.words import Words
from foragers.types import Outlink
from foragers.urls import resolve

MAX_LINKS = 120_000
MAX_HREF_LETTERS = 8192
_BLANK = "\t\n\f\r "

_LOOSE_LINK = re.compile(
    rb"<a\s(?:[^<>]{0,1000}?\s)??href\s*=\s*"
    rb"(?:\"([^\"<>]{0,8192})\"|'([^'<>]{0,8192})'|([^\s<>\"']{1,8192}))",
    re.IGNORECASE,
)


class Targets:
    """Where the links of one page lead: each spelling is resolved once."""

    def __init__(self, base: str) -> None:
        self.base = base
        self._known: dict[str, str | None] = {}

    def target(self, href: str) -> str | None:
        """Return the absolute address without its fragment, if it can be fetched."""
        try:
            return self._known[href]
        except KeyError:
            found = self._known[href] = self._resolve(href)
            return found

    def _resolve(self, href: str) -> str | None:
        if len(href) > MAX_HREF_LETTERS:
            return None
        try:
            address = resolve(href.partition("#")[0].strip(_BLANK), self.base)
        except ValueError:
            return None
        address = address.partition("#")[0]
        return address if address.startswith(("http://", "https://")) else None


def address_of(tag: str, attributes: dict[str, str | None]) -> str | None:
    """Return what an element links to, unresolved, if it does."""
    if tag in ("a", "area"):
        return attributes["href"] or "" if "href" in attributes else None
    return attributes.get("src") or None


def outlinks(
    nodes: list[tuple[LexborNode, str]], targets: Targets, words: Words, position: int = 0
) -> Iterator[Outlink]:
    """Yield the links of a page with their words, in document order from a position on."""
    paths: dict[int, str] = {}
    target, anchor_of, around_of = targets.target, words.anchor, words.around
    for index, (node, href) in enumerate(nodes):
        address = target(href)
        if address is None:
            continue
        attributes = node.attributes
        anchor = anchor_of(index) or _spoken(node, attributes)
        path = f"{tag_path(node, paths)} {step(node.tag or '', attributes.get('class'))}"
        rel = attributes.get("rel")
        yield Outlink(address, anchor, around_of(index), path, position, rel.lower() if rel else "")
        position += 1


def _spoken(node: LexborNode, attributes: dict[str, str | None]) -> str:
    """Return what stands in for the words of a link that has none: its images' or its own label."""
    if node.first_child is not None:
        alts = [inner.attributes.get("alt") for inner in node.traverse() if inner.tag == "img"]
        spoken = " ".join(" ".join(alt.split()) for alt in alts if alt)
        if spoken:
            return spoken[:MAX_HREF_LETTERS]
    label = attributes.get("alt") or attributes.get("aria-label") or attributes.get("title") or ""
    return " ".join(label.split())


def loose_addresses(markup: bytes) -> Iterator[str]:
    """Yield what looks like the address of a link in markup that is not parsed."""
    for found in _LOOSE_LINK.finditer(markup):
        raw = found[1] or found[2] or found[3]
        if raw:
            yield unescape(raw.decode("utf-8", "replace"))
