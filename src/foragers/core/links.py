"""The links of a page as parsed, one for each target: as columns, and as objects on demand.

A page has a hundred links, and most uses need one column: their URLs, or their texts.  So a page
has `ParsedLinks`, which are columns; a `ParsedLink` object is made only on demand.  The words
around a link are cut out of the text of the page only then.  `LinkColumns` is the form of these
columns in files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

import msgspec

# About twenty words; bounded in characters, since some scripts have no spaces between words.
AROUND_CHARS = 120
LONG_WORD = 30
MOST_CHARS = 1 << 31
"""No text of a page is as long."""


class ParsedLink(msgspec.Struct, frozen=True, gc=False):
    """A link as parsed from a page."""

    href: str
    anchor: str = ""
    around: str = ""
    path: str = ""
    position: int = 0
    rel: str = ""


class LinkColumns(msgspec.Struct, frozen=True, array_like=True):
    """The links of a page as stored in a file, without their URLs; one element per link.

    The words around links are given either by `starts` and `ends`, the span of a link's
    text in the `words` of the page (-1 if it is not there), or one by one in `arounds`.
    `paths` and `rels` are indexes in `names`.
    """

    anchors: list[str] = []
    positions: list[int] = []
    paths: list[int] = []
    rels: list[int] = []
    names: list[str] = []
    arounds: list[str] = []
    words: str = ""
    starts: list[int] = []
    ends: list[int] = []

    def check(self, links: int) -> None:
        """Raise a ValueError if columns differ in length, or point nowhere."""
        whole = (self.anchors, self.positions, self.paths, self.rels)
        # Only the words around links may be missing.
        parts = (self.arounds, self.starts, self.ends)
        if any(len(column) != links for column in whole) or any(
            len(column) not in (0, links) for column in parts
        ):
            raise ValueError("columns of links do not fit each other")
        if not (
            _within(self.paths, 0, len(self.names))
            and _within(self.rels, 0, len(self.names))
            and _within(self.starts, -1, MOST_CHARS)
            and _within(self.ends, -1, MOST_CHARS)
            and len(self.starts) == len(self.ends)
        ):
            raise ValueError("columns of links point nowhere")


def _within(numbers: list[int], first: int, end: int) -> bool:
    """Return whether all numbers are from the first one to one before the end."""
    return not numbers or (min(numbers) >= first and max(numbers) < end)


class ParsedLinks(Sequence[ParsedLink]):
    """The links of a page as columns of the same length.

    One of `arounds` and the spans is empty, or both if there are no words around links.
    """

    __slots__ = (
        "anchors", "arounds", "ends", "hrefs", "paths", "positions", "rels", "starts", "words",
    )  # fmt: skip

    def __init__(self, words: str = "") -> None:
        self.words = words
        self.hrefs: list[str] = []
        self.anchors: list[str] = []
        self.arounds: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.positions: list[int] = []
        self.paths: list[str] = []
        self.rels: list[str] = []

    @classmethod
    def of(cls, links: Sequence[ParsedLink]) -> ParsedLinks:
        """Return links as columns."""
        if isinstance(links, ParsedLinks):
            return links
        parsed = cls()
        parsed.hrefs = [out.href for out in links]
        parsed.anchors = [out.anchor for out in links]
        parsed.arounds = [out.around for out in links]
        parsed.positions = [out.position for out in links]
        parsed.paths = [out.path for out in links]
        parsed.rels = [out.rel for out in links]
        return parsed

    @classmethod
    def read(cls, hrefs: list[str], columns: LinkColumns) -> ParsedLinks:
        """Return the links of a file, given their URLs."""
        links, names = cls(columns.words), columns.names
        links.hrefs, links.anchors, links.positions = hrefs, columns.anchors, columns.positions
        links.arounds, links.starts, links.ends = columns.arounds, columns.starts, columns.ends
        links.paths = [names[path] for path in columns.paths]
        links.rels = [names[rel] for rel in columns.rels]
        return links

    def columns(self) -> LinkColumns:
        """Return the columns for a file, without the URLs."""
        names = dict.fromkeys(self.paths)
        names.update(dict.fromkeys(self.rels))
        index_of = {name: index for index, name in enumerate(names)}.__getitem__
        return LinkColumns(
            self.anchors,
            self.positions,
            list(map(index_of, self.paths)),
            list(map(index_of, self.rels)),
            list(names),
            self.arounds,
            self.words,
            self.starts,
            self.ends,
        )

    def add(self, href: str, anchor: str = "", path: str = "", rel: str = "") -> None:
        """Add a link without words around it, whose position is set later."""
        self.hrefs.append(href)
        self.anchors.append(anchor)
        self.starts.append(-1)
        self.ends.append(-1)
        self.paths.append(path)
        self.rels.append(rel)

    def extend(self, others: ParsedLinks) -> None:
        """Add links whose texts are in the same words."""
        for name in ("hrefs", "anchors", "arounds", "starts", "ends", "paths", "rels"):
            getattr(self, name).extend(getattr(others, name))

    def chosen(self, indexes: Sequence[int], hrefs: list[str]) -> ParsedLinks:
        """Return the links at increasing indexes, with other URLs for them."""
        chosen = ParsedLinks(self.words)
        chosen.hrefs = hrefs
        chosen.anchors, chosen.arounds, chosen.paths = self.anchors, self.arounds, self.paths
        chosen.starts, chosen.ends = self.starts, self.ends
        chosen.positions, chosen.rels = self.positions, self.rels
        if len(indexes) < len(self.hrefs):
            for name in ("anchors", "arounds", "starts", "ends", "positions", "paths", "rels"):
                if column := getattr(self, name):
                    setattr(chosen, name, [column[i] for i in indexes])
        return chosen

    def around(self, index: int) -> str:
        """Return about twenty words before and after a link, without its own."""
        if not self.starts:
            return self.arounds[index] if self.arounds else ""
        start, end = self.starts[index], self.ends[index]
        return _around(self.words, start, end) if start >= 0 else ""

    def __len__(self) -> int:
        return len(self.hrefs)

    def __iter__(self) -> Iterator[ParsedLink]:
        arounds = map(self.around, range(len(self.hrefs)))
        return map(
            ParsedLink, self.hrefs, self.anchors, arounds, self.paths, self.positions, self.rels
        )

    @overload
    def __getitem__(self, index: int) -> ParsedLink: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[ParsedLink]: ...
    def __getitem__(self, index: int | slice) -> ParsedLink | Sequence[ParsedLink]:
        """Return one link, or a slice of them."""
        return list(self)[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def __repr__(self) -> str:
        return repr(tuple(self))


def hrefs_of(links: Sequence[ParsedLink]) -> list[str]:
    """Return the URLs of links."""
    return links.hrefs if isinstance(links, ParsedLinks) else [out.href for out in links]


def _around(words: str, start: int, end: int) -> str:
    """Return the words before and after a span."""
    first, last = start - AROUND_CHARS, end + AROUND_CHARS
    # Begin and end between words, if there is a space near.
    first = words.find(" ", first, first + LONG_WORD) + 1 or first if first > 0 else 0
    space = words.rfind(" ", last - LONG_WORD, last)
    return (words[first:start] + words[end : space if space > end else last]).rstrip()
