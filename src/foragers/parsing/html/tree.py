"""One walk through a parsed page: the elements that matter, by their kind."""

from __future__ import annotations

from functools import lru_cache

from selectolax.lexbor import LexborHTMLParser, LexborNode

from foragers.parsing.html.head import Attributes

MAX_PATH_CHARS = 240
_MAX_TAG_CHARS, _MAX_CLASS_CHARS = 64, 32
# Longer paths are not cached: pages could fill the memory with them.
_MANY_CHARS = 128

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
_TAGS_WITH_ROLES = frozenset(("div", "section", "form", "ul", "td"))
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


def elements(tree: LexborHTMLParser, with_roles: bool) -> list[tuple[str, LexborNode]]:
    """Return elements with their kind, in document order, then those with a role."""
    root = tree.root
    if root is None:
        return []
    kind_of = _kind_of_tag().get
    # In one comprehension, since most elements of a page do not matter.
    collected = [(kind, node) for node in root.traverse() if (kind := kind_of(node.tag_id))]
    if with_roles:
        # All with a role: searching for some tags only takes the parser three times as long.
        for node in tree.css("[role]"):
            role = _ROLES.get((node.attributes.get("role") or "").strip().lower())
            if role is not None and node.tag in _TAGS_WITH_ROLES:
                collected.append((role, node))
    return collected


class TagPaths:
    """The tag paths of elements: `html body div.menu ul li a`.

    Each element is named by its tag and its first class.  A path that is too long loses its start.
    Neighbours have most of their paths in common, and so have the pages of a site, so all paths are
    cached.
    """

    __slots__ = ("_paths",)

    def __init__(self) -> None:
        self._paths: dict[int, str] = {}

    def of(self, node: LexborNode, attributes: Attributes) -> str:
        """Return the path of an element with its attributes."""
        above = node.parent
        name = _step(node.tag or "", attributes.get("class"))
        if above is None:
            return name
        paths, key = self._paths, above.mem_id
        path = paths.get(key)
        if path is None:
            # Mostly it is one of many items of a list whose path is cached.
            over = above.parent
            path = paths.get(over.mem_id) if over is not None else None
            if path is None:
                path = self._climbed(above)
            else:
                item = _step(above.tag or "", above.attributes.get("class"))
                path = paths[key] = _below(path, item)
        return _below(path, name)

    def _climbed(self, node: LexborNode) -> str:
        """Find the path of an element from the nearest element above with a cached path."""
        names: list[tuple[int, str]] = []
        above: LexborNode | None = node
        path: str | None = None
        while path is None and above is not None and above.is_element_node:
            names.append((above.mem_id, _step(above.tag or "", above.attributes.get("class"))))
            above = above.parent
            path = self._paths.get(above.mem_id) if above is not None else None
        path = path or ""
        for key, name in reversed(names):
            self._paths[key] = path = _below(path, name)
        return path


@lru_cache(maxsize=4096)
def _below(path: str, name: str) -> str:
    """Return the path of an element from that of its parent."""
    path = f"{path} {name}" if path else name
    if len(path) <= MAX_PATH_CHARS:
        return path
    return path[path.find(" ", len(path) - MAX_PATH_CHARS - 1) + 1 :]


def _step(tag: str, classes: str | None) -> str:
    """Name an element by its tag and its first class."""
    if not classes:
        return tag[:_MAX_TAG_CHARS]
    if len(classes) > _MANY_CHARS:
        classes = classes.lstrip()[:_MANY_CHARS]
    return _with_class(tag[:_MAX_TAG_CHARS], classes)


@lru_cache(maxsize=4096)
def _with_class(tag: str, classes: str) -> str:
    first = classes.split(None, 1)
    return f"{tag}.{first[0][:_MAX_CLASS_CHARS]}" if first else tag
