"""From the bytes of a page to its main text.

    bytes -> harmless UTF-8 (sanitise) -> tree -> blocks -> chosen blocks -> text, Markdown, chunks

`extract` never raises: a page that cannot be parsed has no text.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

from selectolax.lexbor import LexborHTMLParser

from foragers.parsing.html.sanitise import limited
from foragers.parsing.main_text import render
from foragers.parsing.main_text.block_classifier import BlockClassifier, trained
from foragers.parsing.main_text.blocks import (
    ASIDE,
    FOOTER,
    FORM,
    HEADER,
    HEADING,
    HIDDEN,
    NAV,
    PRE,
    Block,
    PageBlocks,
    split,
)
from foragers.parsing.main_text.repeats import digest_of
from foragers.urls.parse import resolve

MAX_BYTES = 10 << 20
TINY_CHARS = 250
"""On a page with fewer characters there is nothing to choose from: all of it counts."""
LOW_SCORE = -1500
"""Score from which blocks count on a page where none is above 0."""
_NO_EVENTS = 1
_OUTSIDE = NAV | FOOTER | ASIDE | FORM | HIDDEN | HEADER


@dataclass(frozen=True)
class MainText:
    """The main text of a page; `chosen` are the numbers of its blocks."""

    page: PageBlocks
    chosen: tuple[int, ...] = ()
    url: str = ""

    @property
    def title(self) -> str:
        """The title of the page."""
        return self.page.title

    @cached_property
    def text(self) -> str:
        """Plain text: an empty line between paragraphs, and list items and rows line by line."""
        return render.joined(render.pieces(self.page, self.chosen))

    @cached_property
    def markdown(self) -> str:
        """Markdown, with links, emphasis, tables and code."""
        return render.joined(self._markdown_pieces)

    @cached_property
    def _markdown_pieces(self) -> list[render.Piece]:
        return render.pieces(self.page, self.chosen, self.resolved)

    def chunks(self, most: int, *, markdown: bool = False) -> list[render.Chunk]:
        """Return the text, or the Markdown, in chunks of at most so many words."""
        plain = render.pieces(self.page, self.chosen) if not markdown else self._markdown_pieces
        return render.chunks(plain, most)

    def resolved(self, href: str) -> str:
        """Return the URL of a link to a page, or ""."""
        if not href or href.startswith("#"):
            return ""
        try:
            target = resolve(href.strip(), self.url)
        except ValueError:
            return ""
        unsafe = not target.startswith(("http://", "https://")) or any(c in target for c in " \n<>")
        return "" if unsafe else target.replace("(", "%28").replace(")", "%29")


def extract(
    body: bytes,
    url: str,
    content_type: str = "",
    *,
    repeated: frozenset[int] = frozenset(),
    classifier: BlockClassifier | None = None,
) -> MainText:
    """Return the main text of a page, without blocks that are `repeated` on its site.

    These are digests, as `repeats.learned` returns them.
    """
    page = blocks_of(body, content_type)
    scores = (classifier or trained()).scores(page).tolist()
    blocks = page.blocks
    chosen = [number for number, score in enumerate(scores) if score > 0]
    if sum(len(block.text) for block in blocks) <= TINY_CHARS:
        chosen = []
    elif not chosen:
        chosen = [number for number, score in enumerate(scores) if score > LOW_SCORE]
    if not chosen:
        chosen = [number for number, block in enumerate(blocks) if not block.flags & _OUTSIDE]
    if repeated:
        own = [number for number in chosen if digest_of(blocks[number].text) not in repeated]
        chosen = own or chosen
    chosen = [number for number in chosen if _is_text(blocks[number])]
    return MainText(page, tuple(without_last_headings(page, chosen)), _base(page, url))


def blocks_of(body: bytes, content_type: str = "") -> PageBlocks:
    """Return the blocks of a page."""
    harmless, _, _ = limited(body, content_type, MAX_BYTES)
    return split(LexborHTMLParser(harmless, options=_NO_EVENTS))


def without_last_headings(page: PageBlocks, chosen: Collection[int]) -> list[int]:
    """Leave out headings at the end: no text stands under them."""
    kept = list(chosen)
    while len(kept) > 1 and page.blocks[kept[-1]].flags & HEADING:
        kept.pop()
    return kept


def _is_text(block: Block) -> bool:
    """Return whether a block is more than arrows and the like, or links of a menu."""
    if block.flags & (NAV | FOOTER) and block.link_chars == len(block.text):
        return False
    return bool(block.flags & PRE) or any(map(str.isalnum, block.text))


def _base(page: PageBlocks, url: str) -> str:
    """Return what relative links are resolved against."""
    try:
        return resolve(page.base, url) if page.base else url
    except ValueError:
        return url
