"""The features of each block of a page, as a table of numbers.

A row is a block and a column a feature.  `NAMES` names the columns, in their order.
`TokenWeights` say how much more often a class name, or a word of a short block, stands with main
text than with the rest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foragers.parsing.main_text.blocks import (
    ARTICLE,
    ASIDE,
    BODY_PROPERTY,
    FIGURE,
    FOOTER,
    FORM,
    HEADER,
    HEADING,
    HEADINGS,
    HIDDEN,
    ITEM,
    LIST,
    MAIN,
    NAV,
    PRE,
    QUOTE,
    TABLE,
    Block,
    PageBlocks,
)

Table = NDArray[np.float64]
Column = NDArray[np.float64]
Ids = NDArray[np.int64]

FLAGS = {
    "in_article": ARTICLE, "in_main": MAIN, "in_nav": NAV, "in_header": HEADER,
    "in_footer": FOOTER, "in_aside": ASIDE, "in_form": FORM, "in_table": TABLE, "in_list": LIST,
    "in_figure": FIGURE, "in_quote": QUOTE, "in_pre": PRE, "is_hidden": HIDDEN,
    "is_heading": HEADING, "in_item": ITEM, "in_body_property": BODY_PROPERTY,
}  # fmt: skip
KINDS = ("p", "li", "td", "div", "blockquote", "dd", "figcaption", "section")
LEVELS = (0, 1, 2, 3, 5)
"""How many elements above its own a container of a block is."""
NEAR = 3
"""How many elements above its own describe a block."""
LONG_CHARS, MOST_LINKS = 100, 0.35
"""A block of so many characters, at most this share of them in links, is a sign of main text."""
SHARES = (0.5, 0.8)
"""Shares of the long blocks that the containers have which are taken for those of main text."""
SHORT_CHARS = 120
"""Words count in blocks of up to this many characters."""
FIRST_WORDS = 12
AROUND = (-2, -1, 1, 2)
_WORD = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile(r"\d")
_ASCII_WORDS = bytes(
    code if not code or chr(code).isalpha() else ord(" ") for code in bytes(range(128)).lower()
).ljust(256)
_NO_DIGITS = bytes(code for code in range(1, 256) if not chr(code).isdigit() or code > 127)
_ENDS = tuple('.!?…。！？:;"”»')

NAMES: tuple[str, ...] = (
    "chars", "words", "link_share", "line_breaks", "sentences", "commas", "ends", "digits",
    "level", "in_title", "title_share", "seen_before",
    *FLAGS, *(f"is_{kind}" for kind in KINDS),
    "near_sum", "near_least", "near_most", "far_sum", "far_least", "far_most", "word_sum",
    "word_least",
    *(f"{name}_{level}" for level in LEVELS
      for name in ("chars", "links", "long_share", "blocks", "spread")),
    *(f"{name}_{share:g}" for share in SHARES for name in ("inside", "below", "before", "after")),
    "position", "text_before", "from_first_long", "from_last_long", "from_h1", "page_blocks",
    "page_long", "depth",
    *(f"{name}{at:+d}" for at in AROUND for name in ("chars", "links", "far", "heading", "same")),
)  # fmt: skip
_FLAG_BITS = np.array(list(FLAGS.values()))
_KIND_NUMBERS = np.arange(len(KINDS))
_KIND_CODES = {kind: number for number, kind in enumerate(KINDS)}
_SAID_BY_NEIGHBOURS = [
    NAMES.index(name) for name in ("chars", "link_share", "far_sum", "is_heading")
]


@dataclass(frozen=True)
class TokenWeights:
    """Weights of class names and of words; the sign says for (+) or against (-) main text.

    They are whole numbers, so that sums of them are exact in any order.
    """

    classes: dict[str, int] = field(default_factory=dict)
    words: dict[str, int] = field(default_factory=dict)


def words_of(text: str) -> list[str]:
    """Return the first words of a text, in lower case."""
    return _WORD.findall(text[:SHORT_CHARS].lower())[:FIRST_WORDS]


def plain_lines(texts: Sequence[str]) -> tuple[list[str], bytes]:
    """Return the texts in ASCII, the others empty, and all in one line with a NUL between them."""
    plain = [text if text.isascii() and "\0" not in text else "" for text in texts]
    return plain, "\0".join(plain).encode()


def digits_of_each(texts: Sequence[str]) -> list[int]:
    """Return the number of digits in many texts; one pass for those in ASCII."""
    plain, line = plain_lines(texts)
    counts = map(len, line.translate(None, _NO_DIGITS).split(b"\0"))
    return [
        count if kept == text else len(_DIGIT.findall(text))
        for text, kept, count in zip(texts, plain, counts, strict=False)
    ]


def words_of_each(texts: Sequence[str]) -> list[list[str]]:
    """Return the words of many texts in lower case; one pass for those in ASCII."""
    plain, line = plain_lines(texts)
    lines = line.translate(_ASCII_WORDS).decode().split("\0")
    return [
        line.split() if kept == text else _WORD.findall(text.lower())
        for text, kept, line in zip(texts, plain, lines, strict=False)
    ]


def is_long(block: Block) -> bool:
    """Return whether a block is a sign of main text by its length."""
    size = len(block.text)
    return size >= LONG_CHARS and block.link_chars <= MOST_LINKS * size


def table(page: PageBlocks, lexicon: TokenWeights) -> Table:
    """Return the features of a page's blocks."""
    if not page.blocks:
        return np.zeros((0, len(NAMES)))
    owners = np.array([block.owner for block in page.blocks])
    parents = np.array(page.parents)
    sums = _sums(page)
    starts = [block.text[:SHORT_CHARS] for block in page.blocks]
    words = words_of_each(starts)
    rows = np.hstack((
        _own(page, words, digits_of_each(starts)),
        _flags(page, owners),
        _class_weights(page, lexicon.classes, owners, parents),
        _word_weights(page, lexicon.words, words),
        _containers(sums, owners, parents),
        _places(page, sums, owners),
    ))  # fmt: skip
    return np.hstack((rows, _neighbours(rows, page, owners, parents)))


def _sums(page: PageBlocks) -> Table:
    """Return how much each element contains.

    The rows are characters, those in links, those in long blocks, and blocks.
    """
    n = len(page.tags)
    chars, links, long, count = [0] * n, [0] * n, [0] * n, [0] * n
    for block in page.blocks:
        owner, size = block.owner, len(block.text)
        chars[owner] += size
        links[owner] += block.link_chars
        count[owner] += 1
        if size >= LONG_CHARS and block.link_chars <= MOST_LINKS * size:
            long[owner] += size
    parents = page.parents
    for i in range(n - 1, 0, -1):
        if count[i]:
            above = parents[i]
            chars[above] += chars[i]
            links[above] += links[i]
            count[above] += count[i]
            long[above] += long[i]
    return np.array((chars, links, long, count), np.float64)


def _own(page: PageBlocks, first_words: list[list[str]], digits: list[int]) -> Table:
    """Return what the text of each block says."""
    title, tags = page.title.lower(), page.tags
    title_words = set(_WORD.findall(title))
    seen: set[str] = set()
    rows = []
    for block, words, numbers in zip(page.blocks, first_words, digits, strict=True):
        text = block.text
        size, ends = len(text), text.endswith(_ENDS)
        known = [word for word in words if word in title_words] if title_words else ()
        is_title = len(known) == len(words) and size < SHORT_CHARS and text.lower() in title
        rows.append((
            size, text.count(" ") + 1, block.link_chars / size, text.count("\n"),
            text.count(". ") + text.count("! ") + text.count("? ") + ends,
            text.count(","), ends, numbers,
            HEADINGS.get(tags[block.owner], 0), is_title,
            len(known) / len(words) if words else 0.0, text in seen,
        ))  # fmt: skip
        seen.add(text)
    return np.array(rows, np.float64)


def _flags(page: PageBlocks, owners: Ids) -> Table:
    """Return what kind of element each block is, and what it is inside of."""
    flags = np.array([block.flags for block in page.blocks])
    codes = np.array([_KIND_CODES.get(page.tags[owner], -1) for owner in owners.tolist()])
    inside, kinds = (flags[:, None] & _FLAG_BITS) != 0, codes[:, None] == _KIND_NUMBERS
    return np.hstack((inside, kinds)).astype(np.float64)


def _class_weights(page: PageBlocks, known: dict[str, int], owners: Ids, parents: Ids) -> Table:
    """Return the weights of the classes around each block, near it and all the way up."""
    # Few elements differ in their classes: the weights of each kind are kept once, by its number.
    kinds, kind_of = [(0, 0, 0)], dict[tuple[str, ...], int]()
    chains, chain_of = [(0, 0, 0)], dict[tuple[int, int], int]()
    near, far, all_tokens = [0] * len(page.tags), list[int](), page.tokens
    for i, above in enumerate(page.parents):
        here = far[above] if above >= 0 else 0
        tokens = all_tokens.get(i)
        if tokens:
            kind = kind_of.get(tokens)
            if kind is None:
                found = [0, *[known[token] for token in tokens if token in known]]
                kind = kind_of[tokens] = len(kinds)
                kinds.append((sum(found), min(found), max(found)))
            near[i] = kind
            chain = chain_of.get((here, kind))
            if chain is None:
                chain = chain_of[here, kind] = len(chains)
                (total, least, most), own = chains[here], kinds[kind]
                chains.append((total + own[0], min(least, own[1]), max(most, own[2])))
            here = chain
        far.append(here)
    columns = np.array(kinds, np.float64)[near]
    around = np.zeros((len(owners), 3))
    element, inside = owners, np.ones(len(owners), np.bool_)
    for _ in range(NEAR):
        there = np.where(inside[:, None], columns[element], 0.0)
        around[:, 0] += there[:, 0]
        around[:, 1] = np.minimum(around[:, 1], there[:, 1])
        around[:, 2] = np.maximum(around[:, 2], there[:, 2])
        inside &= parents[element] >= 0
        element = np.where(inside, parents[element], 0)
    return np.hstack((around, np.array(chains, np.float64)[np.array(far)[owners]]))


def _word_weights(page: PageBlocks, known: dict[str, int], first_words: list[list[str]]) -> Table:
    """Return the weights of the words of short blocks."""
    sums, least = [], []
    for block, words in zip(page.blocks, first_words, strict=True):
        short = words[:FIRST_WORDS] if len(block.text) <= SHORT_CHARS else ()
        weights = [0, *[known[word] for word in short if word in known]]
        sums.append(sum(weights))
        least.append(min(weights))
    return np.array((sums, least), np.float64).T


def _containers(sums: Table, owners: Ids, parents: Ids) -> Table:
    """Return what the elements around each block contain, by their distance."""
    all_long = sums[2, 0] or 1.0
    columns: list[Column] = []
    element, level = owners, 0
    for wanted in LEVELS:
        while level < wanted:
            above = parents[element]
            element = np.where(above >= 0, above, element)
            level += 1
        chars, links, long, count = sums[:, element]
        chars = np.maximum(chars, 1.0)
        columns += (chars, links / chars, long / all_long, count, chars / count)
    return np.array(columns).T


def _places(page: PageBlocks, sums: Table, owners: Ids) -> Table:
    """Return where each block stands: in the best containers, and in the page."""
    blocks, n = page.blocks, len(page.blocks)
    order = np.arange(n)
    columns: list[NDArray[Any]] = []
    for share in SHARES:
        below = _distances(page.parents, _deepest(page, sums, share))[owners]
        held = (below >= 0).nonzero()[0]
        start, end = (held[0], held[-1]) if len(held) else (0, n)
        columns += (below >= 0, below, np.maximum(0, start - order), np.maximum(0, order - end))
    long = [i for i, block in enumerate(blocks) if is_long(block)] or [0]
    h1 = next((i for i, block in enumerate(blocks) if page.tags[block.owner] == "h1"), -1)
    sizes = np.array([len(block.text) for block in blocks])
    depths: list[int] = []
    for above in page.parents:
        depths.append(depths[above] + 1 if above >= 0 else 0)
    columns += (
        order / n, (np.cumsum(sizes) - sizes) / (sums[0, 0] or 1.0), order - long[0],
        order - long[-1], order - h1 if h1 >= 0 else np.full(n, -999), np.full(n, n),
        np.full(n, sums[2, 0]), np.array(depths)[owners],
    )  # fmt: skip
    return np.array(columns, np.float64).T


def _deepest(page: PageBlocks, sums: Table, share: float) -> int:
    """Return the deepest element with at least this share of the text in long blocks."""
    measure = sums[2] if sums[2, 0] else sums[0]
    best = 0
    # Elements stand in document order, so that each comes after the one it is inside of.
    for i in (measure >= share * measure[0]).nonzero()[0].tolist():
        if page.parents[i] == best:
            best = i
    return best


def _distances(parents: Sequence[int], best: int) -> Ids:
    """Return how far below an element each element is; -1 if it is not."""
    below = [-1] * len(parents)
    below[best] = 0
    for i in range(best + 1, len(parents)):
        above = below[parents[i]]
        if above >= 0:
            below[i] = above + 1
    return np.array(below)


def _neighbours(rows: Table, page: PageBlocks, owners: Ids, parents: Ids) -> Table:
    """Return what the blocks before and after each block say."""
    n, above = len(rows), parents[owners]
    tags = [page.tags[owner] for owner in owners.tolist()]
    numbers = {tag: number for number, tag in enumerate(dict.fromkeys(tags))}
    kinds = np.array([numbers[tag] for tag in tags])
    said = rows[:, _SAID_BY_NEIGHBOURS]
    parts = []
    for at in AROUND:
        moved = np.full((n, said.shape[1] + 1), -1.0)
        if abs(at) < n:
            here, there = slice(max(0, -at), n - max(0, at)), slice(max(0, at), n + min(0, at))
            moved[here, :-1] = said[there]
            moved[here, -1] = (above[here] == above[there]) & (kinds[here] == kinds[there])
        parts.append(moved)
    return np.hstack(parts)
