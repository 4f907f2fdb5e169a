"""Hidden links of a page."""

from __future__ import annotations

import re
from functools import lru_cache

from selectolax.lexbor import LexborHTMLParser, LexborNode

from foragers.parsing.html.links import FoundLink

HIDDEN = "hidden"
"""The relation of a hidden link."""
# They begin with literals, which are searched for fast.
_MAY_HIDE = (re.compile(rb"hidden(?<=\shidden)[\s=>/]"), re.compile(rb"style(?<=\sstyle)\s*="))
_HIDES = re.compile(
    r"(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)"
    r"|opacity\s*:\s*0*\.?0*\s*(?:[;!]|$)|font-size\s*:\s*0[a-z%]*\s*(?:[;!]|$)"
    r"|(?:max-)?(?:width|height)\s*:\s*0[a-z%]*\s*(?:[;!]|$)"
    r"|(?:left|top|right|text-indent)\s*:\s*-\d{4,})",
    re.IGNORECASE,
)
_MOST_ELEMENTS, _MOST_LINKS, _MOST_AROUND = 2000, 10_000, 32
"""Limits: elements with a style, links, and enclosing elements of each that are examined."""


def hide(tree: LexborHTMLParser, page: bytes, links: list[FoundLink]) -> None:
    """Add `hidden` to the relation of links that a page does not show.

    Only the page itself is considered: the attribute `hidden`, or the style of the link or of an
    enclosing element.  Style sheets are not.
    """
    if not links or not may_hide(page):
        return
    hidden: set[int] = set()
    for node in tree.css("[hidden], [style]")[:_MOST_ELEMENTS]:
        attributes = node.attributes
        if "hidden" in attributes or hides(attributes.get("style") or ""):
            hidden.add(node.mem_id)
    if hidden:
        for node, _, attributes in links[:_MOST_LINKS]:
            if _is_inside(node, hidden):
                attributes["rel"] = hidden_relation(attributes.get("rel") or "")


def may_hide(page: bytes) -> bool:
    """Return whether a page may hide something, as far as its bytes tell."""
    # Names are mostly written in lower case, and then the page need not be copied.
    if any(pattern.search(page) for pattern in _MAY_HIDE):
        return True
    page = page.lower()
    return any(pattern.search(page) for pattern in _MAY_HIDE)


def hides(style: str) -> bool:
    """Return whether a style hides an element."""
    return _HIDES.search(style) is not None


@lru_cache(maxsize=1024)
def hidden_relation(relation: str) -> str:
    """Return the relation of a link that is hidden."""
    return f"{relation.lower()} {HIDDEN}".lstrip()


def _is_inside(node: LexborNode, hidden: set[int]) -> bool:
    """Return whether an element is one of several, or inside one of them."""
    around: LexborNode | None = node
    for _ in range(_MOST_AROUND):
        if around is None:
            return False
        if around.mem_id in hidden:
            return True
        around = around.parent
    return False
