"""A web as columns: the form of every replayed world, recorded or generated.

URLs are numbered 0..U-1, also those that are only linked to.  Each URL has no, one or several
*versions*, sorted by URL and then by time; each version has *links*, in the order of the page.
Everything that a crawl needs often is an integer in an array; content comes from `texts`, on
demand.

    url u      has the versions  version_starts[u] .. version_starts[u + 1]
    version v  appeared at times[v], has status codes[v], redirects to url redirects[v] (or -1),
               has the content of version same_as[v] (the first of its URL with that content),
               has the links     link_starts[v] .. link_starts[v + 1]
    link l     points to url targets[l]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from foragers.core.types import Document, Ids, ParsedLink, UrlId
from foragers.worlds.addresses import AddressBook


class Body(msgspec.Struct, frozen=True):
    """The bytes that a server sends for a version."""

    content_type: str
    data: bytes


class Texts(Protocol):
    """The content of every version of a world."""

    kind: ClassVar[str]

    def save(self, folder: Path) -> None:
        """Write what is needed to restore these texts."""
        ...

    def document(self, version: int) -> Document:
        """Return the text of a version."""
        ...

    def outlinks(self, version: int) -> Sequence[ParsedLink]:
        """Return a version's links as parsed."""
        ...

    def body(self, version: int) -> Body:
        """Return the bytes of a version."""
        ...


class Labels(msgspec.Struct, frozen=True):
    """The labels of pages: a set of URLs for every label."""

    urls: dict[str, Ids] = {}


@dataclass(repr=False)
class Archive:
    """The columns of one world."""

    book: AddressBook
    version_starts: NDArray[np.int64]
    times: NDArray[np.float64]
    codes: NDArray[np.int16]
    redirects: Ids
    same_as: Ids
    link_starts: NDArray[np.int64]
    targets: Ids
    texts: Texts
    seeds: tuple[UrlId, ...]
    labels: Labels = field(default_factory=Labels)
    evolving: bool = False
    start: float = 0.0
    end: float = 0.0
    path: Path | None = None
    origin: dict[str, str | int | float] = field(default_factory=dict)

    @cached_property
    def target_hosts(self) -> Ids:
        """The host of every link's target."""
        return self.book.host_ids[self.targets]

    @cached_property
    def latest(self) -> Ids:
        """The last version of every URL, or -1 if there is none."""
        counts = np.diff(self.version_starts)
        return np.where(counts > 0, self.version_starts[1:] - 1, -1).astype(np.int32)

    def links_of(self, version: int) -> slice:
        """Return the slice of a version's links in `targets`."""
        return slice(int(self.link_starts[version]), int(self.link_starts[version + 1]))

    @property
    def pages(self) -> int:
        """The number of URLs that have a page at some time."""
        urls = np.repeat(np.arange(len(self.book)), np.diff(self.version_starts))
        return len(np.unique(urls[self.codes // 100 == 2]))

    @property
    def versions(self) -> int:
        """The number of versions of pages."""
        return len(self.times)

    def __repr__(self) -> str:
        kind = self.origin.get("preset") or self.texts.kind.replace("stored", "recorded")
        counts = (
            f"{self.pages:,} pages, {len(self.targets):,} links, {len(self.labels.urls)} labels"
        )
        where = f" in {self.path}" if self.path is not None else ""
        return f"<World {kind}: {counts}{where}>"
