"""The words of a generated world: made up when asked for, the same every time.

Every word follows from the seed and from where it stands.  A page's words are drawn
from its topic, its second topic, its kind and the background; a link's words from the
title of its target and, around it, from what the target is about, with some noise.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import msgspec

from foragers.types import Document, Outlink
from foragers.worlds.archive import Body
from foragers.worlds.generated.anchors import LinkWriter
from foragers.worlds.generated.columns import Ground, Marks
from foragers.worlds.generated.pages import PageWriter
from foragers.worlds.generated.style import Style
from foragers.worlds.generated.vocabulary import vocabulary
from foragers.worlds.render import render

STYLE = "generated.json"


class GeneratedTexts:
    """The texts of a generated world."""

    kind: ClassVar[str] = "generated"

    def __init__(self, style: Style, marks: Marks, ground: Ground) -> None:
        words = vocabulary(style.topics, [kind.vocabulary for kind in style.kinds])
        self._style = style
        self._marks = marks
        self._ground = ground
        self._starts = ground.version_starts.data
        self._pages = PageWriter(style, words)
        self._links = LinkWriter(style, words, marks, ground)

    @classmethod
    def open(cls, folder: Path) -> GeneratedTexts:
        """Open what `save` wrote, beside the columns of the world."""
        style = msgspec.json.decode((folder / STYLE).read_bytes(), type=Style)
        return cls(style, Marks.open(folder), Ground.open(folder))

    def save(self, folder: Path) -> None:
        """Write the style and the columns that only these texts need."""
        text = msgspec.json.format(msgspec.json.encode(self._style), indent=1)
        (folder / STYLE).write_bytes(text + b"\n")
        self._marks.save(folder)

    def document(self, version: int) -> Document:
        """Return what a version says."""
        marks, url = self._marks, self.url_of(version)
        kind = int(marks.kinds[url])
        dated = self._style.kinds[kind].dated
        published = float(self._ground.times[self._starts[url]]) if dated else None
        return self._pages.write(
            url,
            kind,
            (int(marks.topics[url]), int(marks.seconds[url])),
            int(marks.revisions[version]),
            published,
        )

    def outlinks(self, version: int) -> Sequence[Outlink]:
        """Return a version's links as the page shows them."""
        return self._links.write(version, self.url_of(version))

    def body(self, version: int) -> Body:
        """Return the page as HTML."""
        html = render(self.document(version), self.outlinks(version))
        return Body("text/html; charset=utf-8", html)

    def url_of(self, version: int) -> int:
        """Return the URL that a version belongs to."""
        return bisect_right(self._starts, version) - 1

    def __getstate__(self) -> tuple[Style, Marks, Ground]:
        return self._style, self._marks, self._ground

    def __setstate__(self, state: tuple[Style, Marks, Ground]) -> None:
        self.__init__(*state)  # type: ignore[misc]
