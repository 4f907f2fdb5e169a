"""The links of a page as it shows them: one by one, or as columns.

A page has a hundred links, and most of what is asked of them is one column: their addresses,
or their words.  So a page that was just read, or is read back, has `ParsedLinks`, which keeps
columns and makes an `ParsedLink` only for those who ask for one.  The words around a link are
cut out of the words of the page then, and not before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

import msgspec

# About twenty words, and bounded where a script has no spaces between them.
_AROUND_LETTERS = 120
_LONG_WORD = 30


class ParsedLink(msgspec.Struct, frozen=True, gc=False):
    """A link as a page shows it."""

    href: str
    anchor: str = ""
    around: str = ""
    path: str = ""
    position: int = 0
    rel: str = ""


class LinkColumns(msgspec.Struct, frozen=True, array_like=True):
    """What is written down of links but for their addresses, as much as there are links.

    The words around them are told either by `starts` and `ends`, between which the words of
    a link stand in those of the page (-1 if they do not), or one by one in `arounds`.
    `paths` and `rels` are places in `names`.
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
        """Raise a ValueError if columns are not as long as they should be, or names are missing."""
        lengths = [len(self.arounds), len(self.starts), len(self.ends), len(self.positions)]
        lengths += [len(self.anchors), len(self.paths), len(self.rels)]
        places = (*self.paths, *self.rels)
        last = max(places, default=-1)
        first = min((*places, *self.starts, *self.ends), default=0)
        if any(length not in (0, links) for length in lengths) or last >= len(self.names):
            raise ValueError("columns of links do not fit each other")
        if first < -1 or len(self.starts) != len(self.ends):
            raise ValueError("columns of links point nowhere")


class ParsedLinks(Sequence[ParsedLink]):
    """The links of a page as columns of the same length.

    Of `arounds` and the spans one is empty, or both, where nothing is told but the links.
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
        found = cls()
        found.hrefs = [out.href for out in links]
        found.anchors = [out.anchor for out in links]
        found.arounds = [out.around for out in links]
        found.positions = [out.position for out in links]
        found.paths = [out.path for out in links]
        found.rels = [out.rel for out in links]
        return found

    @classmethod
    def read(cls, hrefs: list[str], columns: LinkColumns) -> ParsedLinks:
        """Return the links with some addresses, as they were written down."""
        found, names = cls(columns.words), columns.names
        found.hrefs, found.anchors, found.positions = hrefs, columns.anchors, columns.positions
        found.arounds, found.starts, found.ends = columns.arounds, columns.starts, columns.ends
        found.paths = [names[path] for path in columns.paths]
        found.rels = [names[rel] for rel in columns.rels]
        return found

    def columns(self) -> LinkColumns:
        """Return what is to be written down, all but the addresses."""
        names = dict.fromkeys(self.paths)
        names.update(dict.fromkeys(self.rels))
        place_of = {name: place for place, name in enumerate(names)}.__getitem__
        return LinkColumns(
            self.anchors,
            self.positions,
            list(map(place_of, self.paths)),
            list(map(place_of, self.rels)),
            list(names),
            self.arounds,
            self.words,
            self.starts,
            self.ends,
        )

    def add(self, href: str, anchor: str = "", path: str = "", rel: str = "") -> None:
        """Add a link around which no words are told, and leave its position open."""
        self.hrefs.append(href)
        self.anchors.append(anchor)
        self.starts.append(-1)
        self.ends.append(-1)
        self.paths.append(path)
        self.rels.append(rel)

    def chosen(self, places: Sequence[int], hrefs: list[str]) -> ParsedLinks:
        """Return the links at some places, in rising order, with the addresses given for them."""
        some = ParsedLinks(self.words)
        whole = len(places) == len(self.hrefs)
        for name in ("anchors", "arounds", "starts", "ends", "positions", "paths", "rels"):
            column = getattr(self, name)
            setattr(some, name, column if whole or not column else [column[i] for i in places])
        some.hrefs = hrefs
        return some

    def around(self, place: int) -> str:
        """Return some twenty words before and after a link, without its own."""
        if not self.starts:
            return self.arounds[place] if self.arounds else ""
        start, end = self.starts[place], self.ends[place]
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
        """Return one link, or some of them."""
        return list(self)[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def __repr__(self) -> str:
        return repr(tuple(self))


def hrefs_of(links: Sequence[ParsedLink]) -> list[str]:
    """Return the addresses of some links."""
    return links.hrefs if isinstance(links, ParsedLinks) else [out.href for out in links]


def _around(words: str, start: int, end: int) -> str:
    """Return what stands before and after a part of some words, cut off between words."""
    first, last = start - _AROUND_LETTERS, end + _AROUND_LETTERS
    # Begin and end between words, where there is a space near by.
    first = words.find(" ", first, first + _LONG_WORD) + 1 or first if first > 0 else 0
    space = words.rfind(" ", last - _LONG_WORD, last)
    return (words[first:start] + words[end : space if space > end else last]).rstrip()
