"""The content of a page whose links are at hand as objects."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from foragers.types import Document, Link, Links, Outlink, UrlId


class Kept(msgspec.Struct, frozen=True, array_like=True):
    """A document and its links, held in memory."""

    words: Document
    links: tuple[Link, ...] = ()

    def document(self) -> Document:
        """Return what the page says."""
        return self.words

    def outlinks(self) -> Sequence[Outlink]:
        """Return the links as the page shows them."""
        return [
            Outlink(link.href, link.anchor, link.around, link.path, link.position, link.rel)
            for link in self.links
        ]

    def href(self, url: UrlId) -> str:
        """Return the address of a URL that the page links to."""
        return next(link.href for link in self.links if link.url == url)

    def columns(self) -> Links:
        """Return the links as a page carries them."""
        targets = np.array([link.url for link in self.links], np.int32)
        hosts = np.array([link.host for link in self.links], np.int32)
        return Links(targets, hosts, self, self)
