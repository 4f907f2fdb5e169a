"""The text of a generated world: generated on demand, the same every time.

Every word follows from the seed and from its position.  A page's words are drawn from its topic,
its second topic, its kind and the background; a link's words from the title of its target and,
around it, from the target's topic, with some noise.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import msgspec

from foragers.core.files import read
from foragers.core.types import Document, ParsedLink
from foragers.errors import DamagedError, UsageError
from foragers.worlds.archive import Body
from foragers.worlds.generated.text.columns import GeneratedColumns, WorldColumns
from foragers.worlds.generated.text.links import LinkWriter
from foragers.worlds.generated.text.pages import PageWriter
from foragers.worlds.generated.text.style import Style
from foragers.worlds.generated.text.vocabulary import vocabulary
from foragers.worlds.html_writer import render
from foragers.worlds.mapping import DAMAGED

STYLE = "generated.json"


class GeneratedTexts:
    """The texts of a generated world."""

    kind: ClassVar[str] = "generated"

    def __init__(
        self,
        style: Style,
        marks: GeneratedColumns,
        ground: WorldColumns,
        folder: Path | None = None,
    ) -> None:
        self._folder = folder
        words = vocabulary(style.topics, [kind.vocabulary for kind in style.kinds])
        self._style = style
        self._marks = marks
        self._ground = ground
        self._starts = ground.version_starts.data
        self._pages = PageWriter(style, words)
        self._links = LinkWriter(style, words, marks, ground)

    @classmethod
    def open(cls, folder: Path) -> GeneratedTexts:
        """Open the files that `save` wrote, beside the columns of the world."""
        style = msgspec.json.decode(read(folder / STYLE), type=Style)
        try:
            return cls(style, GeneratedColumns.open(folder), WorldColumns.open(folder), folder)
        except DAMAGED as error:
            raise DamagedError(f"{STYLE}: {error}") from error

    def save(self, folder: Path) -> None:
        """Write the style and the columns that only these texts need."""
        text = msgspec.json.format(msgspec.json.encode(self._style), indent=1)
        (folder / STYLE).write_bytes(text + b"\n")
        self._marks.save(folder)

    def document(self, version: int) -> Document:
        """Return the text of a version."""
        try:
            return self._document(version)
        except DAMAGED as error:
            raise self._damaged(error) from error

    def outlinks(self, version: int) -> Sequence[ParsedLink]:
        """Return a version's links as parsed."""
        try:
            return self._links.write(version, self.url_of(version))
        except DAMAGED as error:
            raise self._damaged(error) from error

    def _damaged(self, error: Exception) -> Exception:
        """Return the error for damaged files."""
        if self._folder is None:  # they are not files, so the fault is ours
            return error
        return UsageError(f"{self._folder} is damaged ({error}); generate it again")

    def _document(self, version: int) -> Document:
        """Return the text of a version."""
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

    def body(self, version: int) -> Body:
        """Return the page as HTML."""
        html = render(self.document(version), self.outlinks(version))
        return Body("text/html; charset=utf-8", html)

    def url_of(self, version: int) -> int:
        """Return the URL of a version."""
        return bisect_right(self._starts, version) - 1

    def __getstate__(self) -> tuple[Style, GeneratedColumns, WorldColumns, Path | None]:
        return self._style, self._marks, self._ground, self._folder

    def __setstate__(
        self, state: tuple[Style, GeneratedColumns, WorldColumns, Path | None]
    ) -> None:
        self.__init__(*state)  # type: ignore[misc]
