"""The content of a page whose links are at hand: as objects, or as columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
import numpy as np
from msgspec.structs import replace

from foragers.core.links import LinkColumns, ParsedLink, ParsedLinks
from foragers.core.types import Addresses, Document, HostId, Link, Links, Page, UrlId


class LinkUrls:
    """The addresses that a page links to, and someone to ask for others."""

    __slots__ = ("_hrefs", "_others")

    def __init__(self, links: Iterable[tuple[UrlId, str]], others: Addresses | None) -> None:
        self._hrefs = dict(links)
        self._others = others

    def href(self, url: UrlId) -> str:
        """Return the address of a URL."""
        known = self._hrefs.get(url)
        if known is None and self._others is not None:
            return self._others.href(url)
        return known or ""

    def hrefs(self, urls: Sequence[UrlId]) -> list[str]:
        """Return the addresses of many URLs."""
        return list(map(self.href, urls))


class MemoryContent(msgspec.Struct, frozen=True, array_like=True):
    """A document and its links, held in memory, and by what the server knows this version."""

    words: Document
    links: tuple[Link, ...] = ()
    etag: str = ""
    modified: str = ""

    def document(self) -> Document:
        """Return what the page says."""
        return self.words

    def outlinks(self) -> Sequence[ParsedLink]:
        """Return the links as the page shows them."""
        return [
            ParsedLink(link.href, link.anchor, link.around, link.path, link.position, link.rel)
            for link in self.links
        ]

    def columns(self, others: Addresses | None = None) -> Links:
        """Return the links as a page carries them; `others` knows addresses besides theirs."""
        targets = np.array([link.url for link in self.links], np.int32)
        hosts = np.array([link.host for link in self.links], np.int32)
        spelled = LinkUrls(((link.url, link.href) for link in self.links), others)
        return Links(targets, hosts, spelled, self)


class StoredContent(msgspec.Struct, frozen=True, array_like=True):
    """A document and its links as a ledger writes them down, the links as columns.

    Ledgers of the first kind have their links one by one, as `listed`.
    """

    words: Document
    listed: tuple[Link, ...] = ()
    etag: str = ""
    modified: str = ""
    targets: list[UrlId] = []
    hosts: list[HostId] = []
    hrefs: list[str] = []
    told: LinkColumns = LinkColumns()

    def __post_init__(self) -> None:
        # It may be read from a file that is damaged, or that means harm.
        numbers = (*self.targets, *self.hosts)
        numbers += tuple(number for link in self.listed for number in (link.url, link.host))
        if not len(self.targets) == len(self.hosts) == len(self.hrefs):
            raise ValueError("columns of links do not fit each other")
        if numbers and not -1 <= min(numbers) <= max(numbers) < 1 << 31:
            raise ValueError("a link points nowhere")
        self.told.check(len(self.hrefs))

    @classmethod
    def of(cls, page: Page, document: Document) -> StoredContent:
        """Return what is to be written down of a page."""
        targets, content = page.links.targets.tolist(), page.content
        told = ParsedLinks.of(content.outlinks()).columns()
        if getattr(content, "noarchive", False):
            # No copy of what it says: its title and its links are no copy.
            document = replace(document, headings=(), text="")
            told = replace(told, arounds=[], words="", starts=[], ends=[])
        return cls(
            document,
            etag=getattr(content, "etag", ""),
            modified=getattr(content, "modified", ""),
            targets=targets,
            hosts=page.links.hosts.tolist(),
            hrefs=page.links.addresses.hrefs(targets),
            told=told,
        )

    def document(self) -> Document:
        """Return what the page says."""
        return self.words

    def outlinks(self) -> Sequence[ParsedLink]:
        """Return the links as the page shows them."""
        if self.listed:
            return MemoryContent(self.words, self.listed).outlinks()
        return ParsedLinks.read(self.hrefs, self.told)

    @property
    def links(self) -> Sequence[Link]:
        """The links one by one."""
        return self.listed or tuple(self.columns())

    def columns(self, others: Addresses | None = None) -> Links:
        """Return the links as a page carries them; `others` knows addresses besides theirs."""
        if self.listed:
            return MemoryContent(self.words, self.listed).columns(others)
        spelled = LinkUrls(zip(self.targets, self.hrefs, strict=True), others)
        targets, hosts = np.array(self.targets, np.int32), np.array(self.hosts, np.int32)
        return Links(targets, hosts, spelled, self)
