"""One walk through a parsed page: the elements that matter, sorted by what they are for."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from selectolax.lexbor import LexborHTMLParser, LexborNode

MAX_PATH_LETTERS = 240
_MAX_CLASS_LETTERS = 32

_KINDS = {
    "link": ("a", "area", "frame", "iframe"),
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
    """Yield the elements that matter with their kind, in document order, then those with a role."""
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


def tag_path(node: LexborNode, known: dict[int, str]) -> str:
    """Return the way from the root to an element's parent: `html body div.menu ul li`.

    Each element is named by its tag and its first class.  A path that is too long
    loses its beginning.  `known` remembers the paths found before on this page.
    """
    chain = []
    above = node.parent
    while above is not None and (key := above.mem_id) not in known:
        chain.append((key, above))
        above = above.parent
    path = known.get(above.mem_id, "") if above is not None else ""
    for key, element in reversed(chain):
        if element.is_document_node:
            continue
        path = f"{path} {step(element.tag or '', element.attributes.get('class'))}".lstrip()
        if len(path) > MAX_PATH_LETTERS:
            path = path[path.find(" ", len(path) - MAX_PATH_LETTERS) + 1 :]
        known[key] = path
    return path


def step(tag: str, classes: str | None) -> str:
    """Name an element by its tag and its first class."""
    first = classes.split(None, 1) if classes else ()
    return f"{tag}.{first[0][:_MAX_CLASS_LETTERS]}" if first else tag
