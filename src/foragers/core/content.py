"""The content of a page, in memory or as stored in a ledger."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Self

import msgspec
import numpy as np
from msgspec.structs import force_setattr, replace

from foragers.core.links import LinkColumns, ParsedLink, ParsedLinks
from foragers.core.packing import Compress, Unpack, decoder_of, unpacked
from foragers.core.types import Addresses, Document, HostId, Link, Links, Page, UrlId


class LinkUrls:
    """The URLs that a page links to; other URLs are looked up in `others`."""

    __slots__ = ("_hrefs", "_others")

    def __init__(self, links: Iterable[tuple[UrlId, str]], others: Addresses | None) -> None:
        self._hrefs = dict(links)
        self._others = others

    def href(self, url: UrlId) -> str:
        """Return a URL as a string."""
        href = self._hrefs.get(url)
        if href is None and self._others is not None:
            return self._others.href(url)
        return href or ""

    def hrefs(self, urls: Sequence[UrlId]) -> list[str]:
        """Return many URLs as strings."""
        return list(map(self.href, urls))


class MemoryContent(msgspec.Struct, frozen=True, array_like=True):
    """A document and its links in memory, with validators of this version."""

    words: Document
    links: tuple[Link, ...] = ()
    etag: str = ""
    modified: str = ""

    def document(self) -> Document:
        """Return the text of the page."""
        return self.words

    def outlinks(self) -> Sequence[ParsedLink]:
        """Return the links as parsed."""
        return [
            ParsedLink(link.href, link.anchor, link.around, link.path, link.position, link.rel)
            for link in self.links
        ]

    def columns(self, others: Addresses | None = None) -> Links:
        """Return the links of a page; `others` finds URLs that it does not link to."""
        targets = np.array([link.url for link in self.links], np.int32)
        hosts = np.array([link.host for link in self.links], np.int32)
        urls = LinkUrls(((link.url, link.href) for link in self.links), others)
        return Links(targets, hosts, urls, self)


class ContentToStore(msgspec.Struct, frozen=True, array_like=True):
    """A document and its links as they are written to a ledger, the links as columns.

    Numbers are last, since who packs the rest may not know them.  Ledgers of earlier formats have
    them before the URLs, or their links one by one, as `listed`.
    """

    words: Document
    listed: tuple[Link, ...] = ()
    etag: str = ""
    modified: str = ""
    early_targets: list[UrlId] = []
    early_hosts: list[HostId] = []
    hrefs: list[str] = []
    told: LinkColumns = LinkColumns()
    targets: list[UrlId] = []
    hosts: list[HostId] = []

    @classmethod
    def of(cls, page: Page, document: Document) -> Self:
        """Return the content of a page to be stored."""
        targets, content = page.links.targets.tolist(), page.content
        told = ParsedLinks.of(content.outlinks()).columns()
        # Only what came from a server has these; asking for a protocol takes far longer.
        if getattr(content, "noarchive", False):
            # No copy of its text: title and links are no copy.
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


class StoredContent(ContentToStore, frozen=True, array_like=True):
    """A document and its links as read from a ledger."""

    def __post_init__(self) -> None:
        if self.early_targets and not self.targets:
            force_setattr(self, "targets", self.early_targets)
            force_setattr(self, "hosts", self.early_hosts)
        # It may come from a damaged or malicious file.
        numbers = (*self.targets, *self.hosts)
        numbers += tuple(number for link in self.listed for number in (link.url, link.host))
        if not len(self.targets) == len(self.hosts) == len(self.hrefs):
            raise ValueError("columns of links do not fit each other")
        if numbers and not -1 <= min(numbers) <= max(numbers) < 1 << 31:
            raise ValueError("a link points nowhere")
        self.told.check(len(self.hrefs))

    def document(self) -> Document:
        """Return the text of the page."""
        return self.words

    def outlinks(self) -> Sequence[ParsedLink]:
        """Return the links as parsed."""
        if self.listed:
            return MemoryContent(self.words, self.listed).outlinks()
        return ParsedLinks.read(self.hrefs, self.told)

    @property
    def links(self) -> Sequence[Link]:
        """The links one by one."""
        return self.listed or tuple(self.columns())

    def columns(self, others: Addresses | None = None) -> Links:
        """Return the links of a page; `others` finds URLs that it does not link to."""
        if self.listed:
            return MemoryContent(self.words, self.listed).columns(others)
        urls = LinkUrls(zip(self.targets, self.hrefs, strict=True), others)
        targets, hosts = np.array(self.targets, np.int32), np.array(self.hosts, np.int32)
        return Links(targets, hosts, urls, self)


class SentContent(ContentToStore, frozen=True, array_like=True):
    """A document and its links as another machine sent them, without numbers."""

    def __post_init__(self) -> None:
        self.told.check(len(self.hrefs))


class PackedContent(NamedTuple):
    """The content of a page as another machine packed it, which does not know numbers of URLs.

    It is a `ContentToStore` without its last fields: another frame with these follows it.
    """

    frame: bytes

    @classmethod
    def of(
        cls,
        document: Document,
        links: ParsedLinks,
        etag: str,
        modified: str,
        compress: Compress,
    ) -> PackedContent:
        """Return packed content."""
        fields = (document, (), etag, modified, (), (), links.hrefs, links.columns())
        start = bytes([_ARRAY + len(ContentToStore.__struct_fields__)])
        # In one frame: the words around links are mostly those of the text.
        return cls(compress(b"".join((start, *map(_ENCODER.encode, fields)))))

    def read(self, unpack: Unpack = unpacked) -> SentContent:
        """Return the content; a DamagedError says what is wrong."""
        return _decode(unpack(self.frame) + _NO_NUMBERS)

    def numbered(self, page: Page, compress: Compress) -> bytes | None:
        """Return the packed content of its page; None if the crawl spells its URLs otherwise."""
        links, targets = page.links, page.links.targets.tolist()
        if links.addresses.hrefs(targets) != links.outlinks.hrefs:
            return None
        numbers = _ENCODER.encode(targets) + _ENCODER.encode(links.hosts.tolist())
        return self.frame + compress(numbers)


_ARRAY = 0x90
"""The first byte of an array in msgpack, to which its length is added."""
_NO_NUMBERS = bytes([_ARRAY, _ARRAY])
_ENCODER = msgspec.msgpack.Encoder()
_decode = decoder_of(SentContent)
