"""The content of a page whose links are at hand as objects."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from foragers.types import Addresses, Document, Link, Links, Outlink, UrlId


class Spelled:
    """The addresses that a page links to, and someone to ask for others."""

    __slots__ = ("_hrefs", "_others")

    def __init__(self, links: Sequence[Link], others: Addresses | None) -> None:
        self._hrefs = {link.url: link.href for link in links}
        self._others = others

    def href(self, url: UrlId) -> str:
        """Return the address of a URL."""
        known = self._hrefs.get(url)
        if known is None and self._others is not None:
            return self._others.href(url)
        return known or ""


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

    def columns(self, others: Addresses | None = None) -> Links:
        """Return the links as a page carries them; `others` knows addresses besides theirs."""
        targets = np.array([link.url for link in self.links], np.int32)
        hosts = np.array([link.host for link in self.links], np.int32)
        return Links(targets, hosts, Spelled(self.links, others), self)
