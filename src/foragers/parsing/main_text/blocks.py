"""A page as blocks of text: one walk through its tree.

A block is a run of text that a reader sees as one paragraph, heading, list item, table cell or
piece of code.  Elements are kept as columns, in document order, so that features of a block's
surroundings (its containers, their classes, how much of their text is links) costs little.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import starmap
from typing import Any, NamedTuple

import selectolax.lexbor
from selectolax.lexbor import LexborHTMLParser, LexborNode

from foragers.compiled import compiled

MAX_BLOCKS = 20_000
MAX_CHARS = 4_000_000
"""Limits of one page: what is beyond them is left out."""

SILENT = (
    *("script", "style", "noscript", "template", "svg", "iframe", "select", "textarea", "object"),
    *("embed", "audio", "video", "canvas", "math", "noframes", "noembed", "datalist", "head"),
    *("input", "button", "map", "nav"),
)
"""Elements whose text is no part of a page's, or never main text."""

HEADINGS = {f"h{level}": level for level in range(1, 7)}
BLOCK_TAGS = frozenset((
    *HEADINGS,
    *("address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details"),
    *("dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form"),
    *("header", "hgroup", "html", "legend", "li", "main", "menu", "nav", "ol", "p", "pre"),
    *("section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul", "search"),
    *("option", "optgroup", "listing", "xmp", "plaintext"),
))  # fmt: skip

(
    ARTICLE, MAIN, NAV, HEADER, FOOTER, ASIDE, FORM, TABLE, LIST, FIGURE, QUOTE, PRE, HIDDEN, LINK,
    BOLD, ITALIC, CODE, HEADING, ITEM, BODY_PROPERTY,
) = (1 << bit for bit in range(20))  # fmt: skip

TAG_FLAGS = {
    **{"article": ARTICLE, "main": MAIN, "nav": NAV, "header": HEADER, "footer": FOOTER},
    **{"aside": ASIDE, "form": FORM, "table": TABLE, "ul": LIST, "ol": LIST, "dl": LIST},
    **{"figure": FIGURE, "figcaption": FIGURE, "blockquote": QUOTE, "q": 0, "pre": PRE},
    **{
        "a": LINK,
        "listing": PRE,
        "xmp": PRE,
        "dialog": HIDDEN,
        "b": BOLD,
        "strong": BOLD,
        "i": ITALIC,
    },
    **{"em": ITALIC, "code": CODE, "kbd": CODE, "samp": CODE, "tt": CODE, "li": ITEM},
    **dict.fromkeys(HEADINGS, HEADING),
}
ROLE_FLAGS = {
    **{"article": ARTICLE, "main": MAIN, "navigation": NAV, "banner": HEADER, "search": FORM},
    **{"contentinfo": FOOTER, "complementary": ASIDE, "dialog": HIDDEN, "alertdialog": HIDDEN},
}
INLINE_FLAGS = LINK | BOLD | ITALIC | CODE
_HIDES = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_INLINE_TAGS = frozenset((
    *("span", "img", "br", "b", "i", "em", "strong", "small", "sup", "sub", "u", "s", "time"),
    *("label", "picture", "source", "abbr", "cite", "q", "font", "wbr", "mark", "var", "hr"),
))  # fmt: skip
"""Elements whose attributes say nothing about blocks."""
_INLINE_NOTED = frozenset(("a", "br", "hr"))
_CODE_TAGS = frozenset(("pre", "code"))
_READ_NAMES = frozenset(("role", "hidden", "style", "itemprop"))
_PROBE_TEXT = "a text of twenty-nine letters"
_PROBE = (
    f"{_PROBE_TEXT}<div class='oneTwo XMLFile' id=i itemprop=text><a href=x><b>c</b></a> d<br>e"
    "<br><br>f</div><pre class=p>g<x-y role=main><code class=k>h</code></x-y></pre><hr>&#233;"
)
"""A page that the compiled walk must divide as the one in Python does, to be used at all."""
_TOKEN = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


@dataclass(slots=True)
class Block:
    """One block: its text, and where it stands.

    `owner` is the element it belongs to, and `flags` say what that is inside of.  `runs` has, for
    markup inside a block, pairs of a text and its inline element (-1: none).
    """

    owner: int
    flags: int
    runs: list[tuple[str, int]] = field(default_factory=list)
    text: str = ""
    link_chars: int = 0


@dataclass(slots=True)
class PageBlocks:
    """The blocks of a page, and its elements as columns; the first element is the root."""

    title: str = ""
    language: str = ""
    base: str = ""
    blocks: list[Block] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    flags: list[int] = field(default_factory=list)
    tokens: dict[int, tuple[str, ...]] = field(default_factory=dict)
    links: dict[int, str] = field(default_factory=dict, repr=False)
    owners: list[int] = field(default_factory=list)
    code_languages: dict[int, str] = field(default_factory=dict)


@lru_cache(maxsize=4096)
def tokens_of(names: str) -> tuple[str, ...]:
    """Return the lower-case words in the classes or the id of an element."""
    return tuple(dict.fromkeys(map(str.lower, _TOKEN.findall(names[:200]))))


def tag_of(name: str) -> _Tag:
    """Return what a tag says by itself."""
    described = name not in _INLINE_TAGS and name not in _INLINE_NOTED
    flags = TAG_FLAGS.get(name, 0)
    noted = described or name in _INLINE_NOTED or flags != 0
    return _Tag(name, flags, name in BLOCK_TAGS, described, noted)


def split(tree: LexborHTMLParser) -> PageBlocks:
    """Return the blocks of a parsed page; the tree loses its silent elements."""
    page = PageBlocks()
    title = tree.css_first("title")
    page.title = " ".join(title.text().split()) if title is not None else ""
    root = tree.root
    if root is None:
        return page
    page.language = (root.attributes.get("lang") or "").strip()
    base = tree.head.css_first("base[href]") if tree.head is not None else None
    page.base = (base.attributes.get("href") or "") if base is not None else ""
    tree.strip_tags(list(SILENT))
    library = _prepared()
    if library is None:
        _Walk(page).run(root)
    else:
        _walk_quickly(library, tree, page)
    _finish(page)
    return page


def _walk_quickly(library: Any, tree: LexborHTMLParser, page: PageBlocks) -> None:
    """Do what `_Walk.run` does, compiled."""
    root, said, most = tree.root, _Walk(page).attributes, (MAX_CHARS, MAX_BLOCKS)
    assert root is not None
    found = library.split(tree, root.mem_id, tag_of, said, INLINE_FLAGS, PRE, *most)
    blocks, page.tags, page.parents, page.flags, page.owners, page.links, page.tokens = found
    page.blocks = list(starmap(Block, blocks))


@lru_cache(maxsize=1)
def _prepared() -> Any | None:
    """Return the compiled walk if it can read the trees of this version of selectolax."""
    library, tree = compiled("foragers.parsing.main_text._blocks"), LexborHTMLParser(_PROBE)
    text = tree.body.first_child if tree.body is not None else None
    if library is None or text is None or tree.root is None:
        return None
    if not library.prepare(selectolax.lexbor.__file__, text.mem_id, _PROBE_TEXT.encode()):
        return None
    quick, slow = PageBlocks(), PageBlocks()
    _walk_quickly(library, tree, quick)
    _Walk(slow).run(tree.root)
    return library if quick == slow else None


class _Tag(NamedTuple):
    """What a tag says by itself; one that says nothing is not `noted`."""

    name: str
    flags: int
    is_block: bool
    is_described: bool
    is_noted: bool


class _Walk:
    """The state of one walk: the block that is open, and the elements met."""

    def __init__(self, page: PageBlocks) -> None:
        self.page = page
        self.block: Block | None = None
        self.after_break = False

    def run(self, root: LexborNode) -> None:
        """Visit all nodes below the root, in document order."""
        page, chars, number = self.page, 0, 0
        flags, owners, parents = page.flags, page.owners, page.parents
        # Numbers of unknown tags are those of this page alone.
        known: dict[int, _Tag] = {}
        numbers: dict[int, int] = {}
        for node in root.traverse(include_text=True):
            if node.is_text_node:
                text, block = node.text_content or "", self.block
                if not text or text.isspace():
                    # At the end of a block it does no harm, so nobody asks whose it is.
                    if block is not None:
                        block.runs.append((text, -1))
                    continue
                parent = node.parent
                above = numbers.get(parent.mem_id, 0) if parent is not None else 0
                owner, inside = owners[above], flags[above]
                if block is None or block.owner != owner:
                    block = self.block = Block(owner, inside & ~INLINE_FLAGS)
                    page.blocks.append(block)
                inline = above if inside & INLINE_FLAGS and above != owner else -1
                block.runs.append((text, inline))
                self.after_break = False
                chars += len(text)
                if chars > MAX_CHARS or len(page.blocks) > MAX_BLOCKS:
                    return
            elif node.is_element_node:
                parent = node.parent
                above = numbers.get(parent.mem_id, 0) if parent is not None and number else -1
                tag = known.get(node.tag_id)
                if tag is None:
                    tag = known[node.tag_id] = tag_of(node.tag or "")
                if not tag.is_noted and number:
                    numbers[node.mem_id] = above
                    continue
                numbers[node.mem_id] = number
                said = self.described(node, tag.name, number) if tag.is_described else 0
                page.tags.append(tag.name)
                parents.append(above)
                flags.append((flags[above] if number else 0) | tag.flags | said)
                if tag.is_block or not number:
                    owners.append(number)
                    self.block = None
                else:
                    owners.append(owners[above])
                    if tag.name in _INLINE_NOTED:
                        self.inline(node, tag.name, number)
                number += 1

    def inline(self, node: LexborNode, tag: str, number: int) -> None:
        """Note an inline element that is more than a style."""
        if tag == "a":
            self.page.links[number] = node.attributes.get("href") or ""
        elif tag == "br":
            self.line_break()
        else:
            self.block = None

    def described(self, node: LexborNode, tag: str, number: int) -> int:
        """Note the class names of an element; return what its attributes say of it."""
        attributes = node.attributes
        if not attributes:
            return 0
        names = attributes.get("class")
        if "id" in attributes or "itemprop" in attributes:
            named = names, attributes.get("id"), attributes.get("itemprop")
            names = " ".join(filter(None, named))
        if names:
            self.page.tokens[number] = tokens_of(names)
        if tag in _CODE_TAGS or not _READ_NAMES.isdisjoint(attributes):
            return self.attributes(attributes, tag, number)
        return 0

    def attributes(self, attributes: dict[str, str | None], tag: str, number: int) -> int:
        """Return what attributes say of an element."""
        flags = ROLE_FLAGS.get(attributes.get("role") or "", 0)
        if "hidden" in attributes or _HIDES.search(attributes.get("style") or ""):
            flags |= HIDDEN
        if attributes.get("itemprop") in ("articleBody", "text"):
            flags |= BODY_PROPERTY
        if tag in _CODE_TAGS and (names := attributes.get("class")):
            self.page.code_languages[number] = names
        return flags

    def line_break(self) -> None:
        """End a line; two line breaks end a block."""
        if self.block is None:
            return
        if self.after_break and not self.block.flags & PRE:
            self.block = None
            self.after_break = False
        else:
            self.block.runs.append(("\n", -1))
            self.after_break = True


def _finish(page: PageBlocks) -> None:
    """Join the runs of every block, and leave out those without text."""
    kept, flags = [], page.flags
    for block in page.blocks:
        if block.flags & PRE:
            block.text = "".join([text for text, _ in block.runs]).strip("\r\n").rstrip()
        else:
            block.text = joined([text for text, _ in block.runs])
        if not block.text or block.text.isspace():
            continue
        links = [text for text, inline in block.runs if inline >= 0 and flags[inline] & LINK]
        if flags[block.owner] & LINK:
            block.link_chars = len(block.text)
        elif links:
            block.link_chars = min(len(joined(links)), len(block.text))
        kept.append(block)
    page.blocks = kept


def joined(texts: list[str]) -> str:
    """Join texts; white space is one space, or the line break it contains as a run of its own."""
    if "\n" not in texts:
        return " ".join("".join(texts).split())
    # Line breaks in the source are white space like any other.
    lines = "".join(["\0" if text == "\n" else text for text in texts]).split("\0")
    return "\n".join(filter(None, (" ".join(line.split()) for line in lines)))
