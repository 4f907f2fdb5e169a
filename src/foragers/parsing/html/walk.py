"""The compiled walk over a page, in place of `collect`, `text` and most of `links`.

It reads the tree of selectolax and gives the same results.  There is none if it was not built, if
it is not wanted (FORAGERS_PURE=1), or if this version of selectolax is not as it expects; and some
unusual pages it leaves to the modules in Python.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import selectolax.lexbor
from selectolax.lexbor import LexborHTMLParser

from foragers.compiled import compiled
from foragers.core.links import ParsedLinks
from foragers.parsing.html.contents import Contents, dates_of, heading
from foragers.parsing.html.head import read_head
from foragers.parsing.html.hidden import hidden_relation, hides, may_hide
from foragers.parsing.html.links import Chosen, choose_spoken, label, targets_of
from foragers.parsing.html.text import main_text

_KINDS = {
    "a": 1,
    "area": 2,
    "frame": 3,
    "iframe": 4,
    **dict.fromkeys(("base", "link", "meta"), 5),
    "title": 6,
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), 7),
    "script": 8,
    **dict.fromkeys(("style", "noframes", "noembed", "textarea"), 9),
    **dict.fromkeys(("nav", "aside", "footer", "noscript", "select", "dialog"), 10),
    "header": 11,
    **dict.fromkeys(("main", "article"), 12),
    "time": 13,
    **dict.fromkeys(("div", "section", "form", "ul", "td"), 14),
    "img": 15,
}
"""The numbers of the kinds of elements in `_walk.c`."""
_AROUND = {"frame": "<frameset>", "td": "<table><tr>"}
_PROBE_TEXT = "a text of twenty-nine letters"
_PROBE = (
    '<html lang=xx><head><base href="/b/"><title>T</title></head><body class="  one two">'
    f'{_PROBE_TEXT}<x-probe class=k><nav><a href="x" rel=r>a<b>b</b></a></nav></x-probe>'
    "<svg><a href=y xlink:href=z><script>no</script>c</a></svg><div hidden style='s'>"
)
_EXPECTED: tuple[object, ...] = (
    ["x", "y"],
    f"{_PROBE_TEXT} a b c",
    [(30, "s"), (34, "t")],
    [("base", {"href": "/b/"})],
    ["T"],
    [None],
    {"lang": "xx"},
    (
        ["a b", "c"],
        ["r", ""],
        ["html body.one x-probe.k nav a", "html body.one svg a"],
        [30, 34],
        [34, 36],
    ),
)
"""What the walk must find in the probe, so that it is used at all."""


def walk(tree: LexborHTMLParser, page: bytes, url: str, described: bool) -> Contents | None:
    """Return the contents of a page, or None if they have to be collected in Python."""
    library, root, body = _prepared(), tree.root, tree.body
    if library is None or root is None or body is None:
        return None
    found = library.walk(tree, root.mem_id, body.mem_id, b"role=" in page)
    try:
        return None if found is None else _contents(found, page, url, described)
    except UnicodeDecodeError:
        return None


def _contents(found: Any, page: bytes, url: str, described: bool) -> Contents:
    """Return the contents of a page from what the walk found."""
    hrefs: list[str] = found.hrefs()
    head = read_head(found.head, url)
    targets, itself = targets_of(head, url)
    chosen = choose_spoken(hrefs, targets, itself, found.spoken())
    links = _links(found, chosen, page, described)
    words: str = found.words()
    regions: list[tuple[int, str]] = found.regions
    # A mark after the last word leaves a space before it.
    if words and max(max(links.ends, default=0), regions[-1][0] if regions else 0) > len(words):
        words += " "
    return Contents(
        head=head,
        targets=targets,
        itself=itself,
        found=len(hrefs),
        links=links,
        words=words,
        text=main_text(words, regions),
        title=" ".join(found.titles[-1].split()) if found.titles else "",
        headings=tuple(filter(None, map(heading, found.headings))),
        dates=dates_of(found.scripts, found.times),
        root=found.root(),
    )


def _links(found: Any, chosen: Chosen, page: bytes, described: bool) -> ParsedLinks:
    """Return the columns of the links that are kept."""
    links, indexes = ParsedLinks(), chosen.indexes
    links.hrefs = chosen.urls
    anchors, rels, paths, links.starts, links.ends = found.columns(indexes, described)
    if "" in anchors:
        labels = found.labels
        anchors = [
            anchor or label(*labels(index)) for anchor, index in zip(anchors, indexes, strict=True)
        ]
    links.anchors = anchors
    links.paths = paths if described else [""] * len(indexes)
    links.rels = [rel and rel.lower() for rel in rels] if any(rels) else rels
    styles: list[str | bool | None] = found.styles
    if styles and indexes:
        hiding = bytes([style is None or (bool(style) and _hides(str(style))) for style in styles])
        if 1 in hiding and may_hide(page):
            for at in found.hidden(indexes, hiding):
                links.rels[at] = hidden_relation(links.rels[at])
    return links


_hides = lru_cache(maxsize=1024)(hides)


@lru_cache(maxsize=1)
def _prepared() -> Any | None:
    """Return the compiled walk if it can read the trees of this version of selectolax."""
    library = compiled("foragers.parsing.html._walk")
    if library is None:
        return None
    tree = LexborHTMLParser(_PROBE, options=1)
    root, body = tree.root, tree.body
    text = body.first_child if body is not None else None
    kinds = [(number, kind) for tag, kind in _KINDS.items() if (number := _number(tag)) is not None]
    path = selectolax.lexbor.__file__
    if root is None or body is None or text is None or len(kinds) < len(_KINDS):
        return None
    if not library.prepare(path, kinds, text.mem_id, _PROBE_TEXT.encode()):
        return None
    found = library.walk(tree, root.mem_id, body.mem_id, True)
    return library if found is not None and _all_of(found) == _EXPECTED else None


def _all_of(found: Any) -> tuple[object, ...]:
    """Return what was found in the probe."""
    return (
        found.hrefs(), found.words(), found.regions, found.head, found.titles, found.styles,
        found.root(), found.columns([0, 1], True),
    )  # fmt: skip


def _number(tag: str) -> int | None:
    """Return the parser's number of a tag, found by parsing one."""
    node = LexborHTMLParser(_AROUND.get(tag, "<body>") + f"<{tag}>").css_first(tag)
    return None if node is None else node.tag_id
