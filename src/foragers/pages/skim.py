"""Where a page points, and nothing else: for many pages whose words are read later, if at all."""

from __future__ import annotations

import msgspec
from selectolax.lexbor import LexborHTMLParser

from foragers.pages.gather import gather_links
from foragers.pages.head import read_head
from foragers.pages.html import MAX_BYTES, WITHOUT_EVENTS
from foragers.pages.links import MAX_LINKS, head_links, loose_links
from foragers.pages.rewrite import limited
from foragers.pages.targets import Targets


class Skimmed(msgspec.Struct, frozen=True):
    """The addresses of a page's links, one for each that `parse` tells, in the same order."""

    hrefs: tuple[str, ...]
    robots: str = ""
    base: str = ""
    truncated: str = ""


def skim(body: bytes, url: str, content_type: str = "", *, max_bytes: int = MAX_BYTES) -> Skimmed:
    """Read where a page points, at a fraction of the cost of reading what it says."""
    page, tail, truncated = limited(body, content_type, max_bytes)
    tree = LexborHTMLParser(page, options=WITHOUT_EVENTS)
    found = gather_links(tree)
    if tree.body is None and found.noframes:
        inner = LexborHTMLParser("".join(found.noframes), options=WITHOUT_EVENTS)
        found.links += gather_links(inner).links
    head = read_head(found.head, url)
    targets = Targets(head.base)
    hrefs = [address for address, _ in head_links(head, targets)]
    hrefs += filter(None, targets.many([href for _, href, _ in found.links[:MAX_LINKS]]))
    hrefs += loose_links(tail, targets, MAX_LINKS - len(hrefs))
    if len(hrefs) >= MAX_LINKS:
        truncated = f"{truncated}, links".lstrip(", ")
    return Skimmed(tuple(hrefs), ", ".join(head.robots + head.asked_by_name), head.base, truncated)
