"""Blocks written out: as plain text, as Markdown, or in chunks for retrieval.

Each block becomes a `Piece`.  Pieces are separated by an empty line, except items of a list and
rows of a table, which follow each other line by line.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from foragers.parsing.main_text.blocks import (
    BOLD,
    CODE,
    HEADING,
    HEADINGS,
    INLINE_FLAGS,
    ITALIC,
    ITEM,
    LINK,
    PRE,
    QUOTE,
    TABLE,
    Block,
    PageBlocks,
)

MAX_QUOTES, MAX_INDENT = 4, 6
"""Deeper quotations and lists are written like these."""
MAX_CELL_CHARS = 300
"""A table with a longer cell is layout."""
Resolve = Callable[[str], str]
_SPECIAL = re.compile(r"[\\`*\[\]]|<(?=[A-Za-z/!?])|(?<!\w)_|_(?!\w)")
_LINE_START = re.compile(r"^(?:[#>+-](?=\s)|(?:=|-){2,}$|\d{1,9}(?=[.)]\s))")
_CODE_LANGUAGE = re.compile(r"(?:lang|language|highlight|brush)[-:_ ]+([A-Za-z0-9+#]{1,20})")
_NO_LANGUAGES = frozenset(("no", "none", "nohighlight", "plain", "plaintext", "text", "txt"))
_TICKS = re.compile(r"`+")


@dataclass(frozen=True)
class Piece:
    """One block as it is written; `tight`, if it follows the one before on the next line."""

    text: str
    level: int = 0
    tight: bool = False


def joined(pieces: Sequence[Piece]) -> str:
    """Return pieces as one text."""
    parts: list[str] = []
    for piece in pieces:
        if parts:
            parts.append("\n" if piece.tight else "\n\n")
        parts.append(piece.text)
    return "".join(parts)


def pieces(page: PageBlocks, chosen: Sequence[int], resolve: Resolve | None = None) -> list[Piece]:
    """Return the chosen blocks as plain text, or as Markdown if links can be resolved."""
    writer = _Writer(page, resolve)
    found: list[Piece] = []
    for table, numbers in groupby(chosen, lambda number: writer.table_of(page.blocks[number])):
        blocks = [page.blocks[number] for number in numbers]
        rows = writer.rows(blocks) if table >= 0 else None
        if rows is not None:
            found += writer.table(rows)
        else:
            found += [writer.piece(block) for block in blocks]
    return found


class _Writer:
    """Writes blocks; remembers in which list item and list it was last."""

    def __init__(self, page: PageBlocks, resolve: Resolve | None) -> None:
        self.page, self.resolve = page, resolve
        self.item = -1
        self.list = -1
        self.numbers: dict[int, int] = {}
        counts: dict[int, int] = {}
        for element, tag in enumerate(page.tags):
            if tag == "li":
                parent = page.parents[element]
                self.numbers[element] = counts[parent] = counts.get(parent, 0) + 1

    def above(self, element: int) -> Iterator[int]:
        """Yield an element and those around it, from the inside out."""
        while element >= 0:
            yield element
            element = self.page.parents[element]

    def table_of(self, block: Block) -> int:
        """Return the table that a block is in, or -1."""
        if not block.flags & TABLE:
            return -1
        tags = self.page.tags
        return next(
            (element for element in self.above(block.owner) if tags[element] == "table"), -1
        )

    def rows(self, blocks: Sequence[Block]) -> list[list[str]] | None:
        """Return the cells of a table, or None if it is layout."""
        found: dict[int, dict[int, list[str]]] = {}
        for block in blocks:
            cell = row = -1
            for element in self.above(block.owner):
                tag = self.page.tags[element]
                if tag in ("td", "th") and cell < 0:
                    cell = element
                elif tag == "tr":
                    row = element
                    break
            if row < 0 or block.flags & (PRE | HEADING) or len(block.text) > MAX_CELL_CHARS:
                return None
            found.setdefault(row, {}).setdefault(cell, []).append(self.inline(block))
        if len(found) < 2 or max(map(len, found.values())) < 2:
            return None
        return [[" ".join(texts) for texts in cells.values()] for cells in found.values()]

    def table(self, rows: list[list[str]]) -> Iterator[Piece]:
        """Yield the rows of a table."""
        self.item = self.list = -1
        columns = max(map(len, rows))
        for i, row in enumerate(rows):
            cells = [cell.replace("\n", " ") for cell in row]
            if self.resolve is None:
                yield Piece(" | ".join(cells), tight=i > 0)
                continue
            cells = [cell.replace("|", r"\|") for cell in cells] + [""] * (columns - len(cells))
            yield Piece(f"| {' | '.join(cells)} |", tight=i > 0)
            if i == 0:
                yield Piece(f"|{' --- |' * columns}", tight=True)

    def piece(self, block: Block) -> Piece:
        """Return one block as it is written."""
        level = HEADINGS.get(self.page.tags[block.owner], 0)
        if not level and block.flags & HEADING:
            tags = self.page.tags
            level = next(
                HEADINGS[tags[at]] for at in self.above(block.owner) if tags[at] in HEADINGS
            )
        text = self.inline(block)
        if level:
            # Manuals end headings with a mark that links to themselves.
            text = text.replace("\n", " ").rstrip("¶# ")
            self.item = self.list = -1
            return Piece(f"{'#' * level} {text}" if self.resolve else text, level)
        prefix, first, tight = self.prefix(block)
        if block.flags & PRE and self.resolve:
            text = self.fenced(block)
        elif self.resolve:
            text = "\n".join(map(_started, text.split("\n")))
        lines = text.split("\n")
        return Piece(
            "\n".join([first + lines[0], *[prefix + line for line in lines[1:]]]), 0, tight
        )

    def prefix(self, block: Block) -> tuple[str, str, bool]:
        """Return what begins the lines of a block, what its first, and if it follows tightly."""
        quotes = ""
        if block.flags & QUOTE and self.resolve:
            tags = self.page.tags
            depth = sum(tags[element] == "blockquote" for element in self.above(block.owner))
            quotes = "> " * min(depth, MAX_QUOTES)
        if not block.flags & ITEM:
            self.item = self.list = -1
            return quotes, quotes, False
        items = [element for element in self.above(block.owner) if self.page.tags[element] == "li"]
        item, outer = items[0], items[-1]
        indent = "  " * min(len(items) - 1, MAX_INDENT)
        parent = self.page.parents[item]
        ordered = parent >= 0 and self.page.tags[parent] == "ol"
        marker = f"{self.numbers[item]}. " if ordered else "- "
        outermost = self.page.parents[outer]
        tight, again = outermost == self.list, item == self.item
        self.item, self.list = item, outermost
        rest = quotes + indent + " " * len(marker)
        return rest, rest if again else quotes + indent + marker, tight and not again

    def fenced(self, block: Block) -> str:
        """Return code between fences."""
        longest = max(map(len, _TICKS.findall(block.text)), default=0)
        fence = "`" * max(3, longest + 1)
        return f"{fence}{self.language(block)}\n{block.text}\n{fence}"

    def language(self, block: Block) -> str:
        """Return the programming language that classes name, or ""."""
        inside = [inline for _, inline in block.runs if inline >= 0][:1]
        for element in (*inside, *list(self.above(block.owner))[:3]):
            names = self.page.code_languages.get(element) or " ".join(
                self.page.tokens.get(element, ())
            )
            match = _CODE_LANGUAGE.search(names)
            if match and match[1].lower() not in _NO_LANGUAGES:
                return match[1].lower()
        return ""

    def inline(self, block: Block) -> str:
        """Return the text of a block, with its links and emphasis if it becomes Markdown."""
        if self.resolve is None or block.flags & PRE:
            return block.text
        flags = self.page.flags
        heading = block.flags & HEADING
        parts: list[str] = []
        for (link, style), runs in groupby(block.runs, lambda run: self.style(run[1])):
            text = "".join(
                [text if text == "\n" else re.sub(r"\s+", " ", text) for text, _ in runs]
            )
            parts.append(self.styled(text, link, style & ~BOLD if heading else style))
        if flags[block.owner] & LINK and not any("](" in part for part in parts):
            parts = [self.linked("".join(parts), self.link_of(block.owner))]
        lines = "".join(parts).split("\n")
        return "\n".join(filter(None, (" ".join(line.split()) for line in lines)))

    def style(self, inline: int) -> tuple[int, int]:
        """Return the link that an inline element is in (-1: none), and its styles."""
        if inline < 0:
            return -1, 0
        flags = self.page.flags[inline] & INLINE_FLAGS
        return (self.link_of(inline) if flags & LINK else -1), flags & ~LINK

    def link_of(self, element: int) -> int:
        """Return the link that an element is in, or -1."""
        return next((at for at in self.above(element) if at in self.page.links), -1)

    def styled(self, text: str, link: int, style: int) -> str:
        """Return a run of text with its marks; white space stays outside of them."""
        bare = text.strip()
        if not bare:
            return text
        before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
        if style & CODE:
            ticks = "``" if "`" in bare else "`"
            bare = f"{ticks} {bare} {ticks}" if "`" in bare else f"`{bare}`"
        else:
            bare = _SPECIAL.sub(r"\\\g<0>", bare)
            marks = "**" * bool(style & BOLD) + "*" * bool(style & ITALIC)
            bare = f"{marks}{bare}{marks}" if "\n" not in bare else bare
        return f"{before}{self.linked(bare, link)}{after}"

    def linked(self, text: str, link: int) -> str:
        """Return a text as a link, if it leads to a page."""
        if link < 0 or self.resolve is None or "\n" in text:
            return text
        target = self.resolve(self.page.links[link])
        return f"[{text}]({target})" if target else text


def _started(line: str) -> str:
    """Escape what would begin another kind of block."""
    match = _LINE_START.match(line)
    if match is None:
        return line
    start = match[0]
    return f"{start}\\{line[len(start) :]}" if start.isdecimal() else f"\\{line}"


@dataclass(frozen=True)
class Chunk:
    """A part of a text, and the headings that it stands under."""

    headings: tuple[str, ...]
    text: str


def chunks(found: Sequence[Piece], most: int) -> list[Chunk]:
    """Split pieces into chunks of at most so many words, where headings and blocks end.

    A heading begins a chunk unless the one before is less than half full.  Only a block that is
    longer than a chunk is split inside.
    """
    done: list[Chunk] = []
    path: list[tuple[int, str]] = []
    under: tuple[str, ...] = ()
    waiting: list[Piece] = []
    words = 0
    queue = deque(part for whole in found for part in _parts(whole, most))
    while queue:
        piece = queue.popleft()
        size = len(piece.text.split())
        bare = all(one.level for one in waiting)
        if words + size > most and waiting and bare and words < most:
            # Headings are not left behind alone: as much follows them as fits.
            queue.extendleft(reversed(list(_parts(piece, most - words))))
            continue
        if waiting and (words + size > most or (piece.level and not bare and words * 2 >= most)):
            kept = [waiting.pop()] if waiting[-1].level and not bare else []
            done.append(Chunk(under, joined(waiting)))
            waiting, words = kept, sum(len(one.text.split()) for one in kept)
            queue.appendleft(piece)
            continue
        if piece.level:
            path = [entry for entry in path if entry[0] < piece.level]
            path.append((piece.level, piece.text.lstrip("# ")))
        if bare:
            under = tuple(text for _, text in path)
        waiting.append(piece)
        words += size
    if waiting:
        done.append(Chunk(under, joined(waiting)))
    return done


def _parts(piece: Piece, most: int) -> Iterator[Piece]:
    """Split a piece that is longer than a chunk."""
    words = piece.text.split()
    if len(words) <= most:
        yield piece
        return
    for start in range(0, len(words), most):
        yield Piece(" ".join(words[start : start + most]))
