"""One walk through a parsed page: the elements that matter, sorted by what they are for."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from selectolax.lexbor import LexborHTMLParser, LexborNode

MAX_PATH_LETTERS = 240
_MAX_CLASS_LETTERS = 32

Attributes = dict[str, str | None]

_KINDS = {
    "a": ("a",),
    "link": ("area", "frame", "iframe"),
    "head": ("base", "link", "meta"),
    "title": ("title",),
    "heading": ("h1", "h2", "h3", "h4", "h5", "h6"),
    "silent": ("script", "style", "noframes", "noembed", "textarea"),
    "aside": ("nav", "aside", "footer", "noscript", "select", "dialog"),
    "header": ("header",),
    "main": ("main", "article"),
    "time": ("time",),
}
_ROLES = {
    "navigation": "aside",
    "complementary": "aside",
    "contentinfo": "aside",
    "search": "aside",
    "banner": "header",
    "main": "main",
}


@lru_cache(maxsize=1)
def _kind_of_tag() -> dict[int, str]:
    """Number the tags as the parser does, by parsing one of each."""
    kinds: dict[int, str] = {}
    for kind, tags in _KINDS.items():
        for tag in tags:
            outer = "frameset" if tag == "frame" else "body"
            node = LexborHTMLParser(f"<{outer}><{tag}>").css_first(tag)
            if node is not None:
                kinds[node.tag_id] = kind
    return kinds


def elements(tree: LexborHTMLParser, with_roles: bool) -> Iterator[tuple[str, LexborNode]]:
    """Yield the elements that matter with their kind, in document order, then those with a role.

    Text may be put before and after an element while it is had.
    """
    root = tree.root
    if root is None:
        return
    kind_of = _kind_of_tag().get
    for node in root.traverse():
        kind = kind_of(node.tag_id)
        if kind is not None:
            yield kind, node
    if with_roles:
        for node in tree.css("div[role], section[role], form[role], ul[role], td[role]"):
            kind = _ROLES.get((node.attributes.get("role") or "").strip().lower())
            if kind is not None:
                yield kind, node


def tag_path(node: LexborNode, attributes: Attributes, known: dict[int, str]) -> str:
    """Return the way from the root to an element: `html body div.menu ul li a`.

    Each element is named by its tag and its first class.  A path that is too long
    loses its beginning.  `known` remembers the paths of other elements of this page.
    """
    above = node.parent
    if above is None:
        return _step(node, attributes)
    path = known.get(above.mem_id)
    if path is None:
        path = _climb(above, known)
    path = f"{path} {_step(node, attributes)}"
    return path if len(path) <= MAX_PATH_LETTERS else _shortened(path)


def _climb(node: LexborNode, known: dict[int, str]) -> str:
    """Find the path of an element from that of the nearest one above whose path is known."""
    chain = []
    above: LexborNode | None = node
    path = ""
    while above is not None and above.is_element_node:
        key = above.mem_id
        if key in known:
            path = known[key]
            break
        chain.append((key, _step(above, above.attributes)))
        above = above.parent
    for key, name in reversed(chain):
        path = f"{path} {name}" if path else name
        if len(path) > MAX_PATH_LETTERS:
            path = _shortened(path)
        known[key] = path
    return path


def _shortened(path: str) -> str:
    return path[path.find(" ", len(path) - MAX_PATH_LETTERS - 1) + 1 :]


def _step(node: LexborNode, attributes: Attributes) -> str:
    """Name an element by its tag and its first class."""
    classes = attributes.get("class")
    tag = node.tag or ""
    if not classes:
        return tag
    first = classes.split(None, 1)
    return f"{tag}.{first[0][:_MAX_CLASS_LETTERS]}" if first else tag
