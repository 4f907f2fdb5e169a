"""Which links a page hides from its readers."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from foragers.parsing.html.links import Found

HIDDEN = "hidden"
"""What stands in the relation of a link that is not shown."""
_MAY_HIDE = re.compile(rb"\shidden\b|\sstyle\s*=", re.IGNORECASE)
_HIDES = re.compile(
    r"(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)"
    r"|opacity\s*:\s*0*\.?0*\s*(?:[;!]|$)|font-size\s*:\s*0[a-z%]*\s*(?:[;!]|$)"
    r"|(?:max-)?(?:width|height)\s*:\s*0[a-z%]*\s*(?:[;!]|$)"
    r"|(?:left|top|right|text-indent)\s*:\s*-\d{4,})",
    re.IGNORECASE,
)
_MOST_ELEMENTS, _MOST_LINKS, _MOST_AROUND = 2000, 10_000, 32
"""So many elements with a style are looked at, so many links, and so many elements around each."""


def hide(tree: LexborHTMLParser, page: bytes, found: list[Found]) -> None:
    """Write into the relation of links that a page does not show that they are hidden.

    Seen is what the page itself says: `hidden`, or the style of the link or of an element
    around it.  What style sheets hide is not known.
    """
    if not found or _MAY_HIDE.search(page) is None:
        return
    hidden: set[int] = set()
    for node in tree.css("[hidden], [style]")[:_MOST_ELEMENTS]:
        attributes = node.attributes
        if "hidden" in attributes or _HIDES.search(attributes.get("style") or ""):
            hidden.add(node.mem_id)
    if hidden:
        for node, _, attributes in found[:_MOST_LINKS]:
            if _is_inside(node, hidden):
                attributes["rel"] = f"{(attributes.get('rel') or '').lower()} {HIDDEN}".lstrip()


def _is_inside(node: LexborNode, hidden: set[int]) -> bool:
    """Say whether an element is one of those, or in one of them."""
    around: LexborNode | None = node
    for _ in range(_MOST_AROUND):
        if around is None:
            return False
        if around.mem_id in hidden:
            return True
        around = around.parent
    return False
