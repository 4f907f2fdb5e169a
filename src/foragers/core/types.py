"""The records that pass between the parts: a link, a choice, a page, a visit.

A strategy makes a `Choice`; a world answers it with a `Page`; a judge turns the
page into a `Visit`; the ledger stores visits.  URLs and hosts are small integers
here, assigned by a `UrlTable`; a `Link` also has its URL as a string.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Protocol, TypeAlias, overload

import msgspec
import numpy as np
from numpy.typing import NDArray

from foragers.core.links import ParsedLink as ParsedLink
from foragers.core.links import ParsedLinks

UrlId: TypeAlias = int
HostId: TypeAlias = int
Ids: TypeAlias = NDArray[np.int32]

NO_PARENT: UrlId = -1
"""The parent of a seed, since no page links to it."""


class Purpose(StrEnum):
    """The purpose of a request.

    A strategy requests pages, for the first time or again (REVISIT).  The crawl itself requests
    lists of pages (SITEMAP, FEED), and extracts archived pages again when its scope has become
    wider (SCOPE).
    """

    PAGE = "page"
    REVISIT = "revisit"
    SITEMAP = "sitemap"
    FEED = "feed"
    SCOPE = "scope"

    @property
    def is_list(self) -> bool:
        """Whether the request is for a list of pages."""
        return self in LISTS

    @property
    def is_own(self) -> bool:
        """Whether it is a request of the crawl itself, from which a strategy learns nothing."""
        return self in OWN


LISTS = (Purpose.SITEMAP, Purpose.FEED)
OWN = (*LISTS, Purpose.SCOPE)


class Status(StrEnum):
    """How a download ended.

    UNWANTED pages were received and are not kept (another type, a copy, noindex, a list of pages);
    their links are followed like all others.  REFUSED pages were refused by the server, and
    SKIPPED pages were not requested (robots.txt, scope, traps).
    """

    OK = "ok"
    UNCHANGED = "unchanged"
    UNWANTED = "unwanted"
    MISSING = "missing"
    REFUSED = "refused"
    FAILED = "failed"
    SKIPPED = "skipped"


def status_of(code: int) -> Status:
    """Return the status of a download for an HTTP status code."""
    if 200 <= code < 300:
        return Status.OK
    if code in (401, 402, 403, 429, 451):
        return Status.REFUSED
    return Status.MISSING if 400 <= code < 500 else Status.FAILED


class Document(msgspec.Struct, frozen=True):
    """The text of a page, without its links."""

    title: str = ""
    headings: tuple[str, ...] = ()
    text: str = ""
    language: str = ""
    published: float | None = None
    canonical: str | None = None
    kind: str = ""
    """The type of a document that is no web page, such as pdf."""


class Link(msgspec.Struct, frozen=True, gc=False):
    """A link to a numbered URL, with its texts."""

    url: UrlId
    host: HostId
    href: str
    anchor: str = ""
    around: str = ""
    path: str = ""
    position: int = 0
    rel: str = ""


class Addresses(Protocol):
    """Finds the string of a URL by its number."""

    def href(self, url: UrlId) -> str:
        """Return a URL as a string."""
        ...

    def hrefs(self, urls: Sequence[UrlId]) -> list[str]:
        """Return many URLs as strings, in the same order."""
        ...


class Content(Protocol):
    """The content of a page: in memory, on disk, or generated on demand."""

    def document(self) -> Document:
        """Return the text of the page."""
        ...

    def outlinks(self) -> Sequence[ParsedLink]:
        """Return its links as parsed, in the order of the page."""
        ...


class Links(Sequence[Link]):
    """The links of one page: columns of integers, and texts only on demand.

    Most strategies need only `targets` and `hosts`.  Iterating gives `Link`
    objects, for which the page's text is loaded.
    """

    __slots__ = ("_content", "addresses", "hosts", "targets")

    def __init__(self, targets: Ids, hosts: Ids, addresses: Addresses, content: Content) -> None:
        self.targets = targets
        self.hosts = hosts
        self.addresses = addresses
        self._content = content

    def __len__(self) -> int:
        return len(self.targets)

    @property
    def outlinks(self) -> ParsedLinks:
        """The links as parsed, in columns, without making objects."""
        return ParsedLinks.of(self._content.outlinks())

    @property
    def anchors(self) -> Sequence[str]:
        """The text of each link."""
        return self.outlinks.anchors

    def __iter__(self) -> Iterator[Link]:
        href = self.addresses.href
        outlinks = self._content.outlinks()
        for url, host, out in zip(
            self.targets.tolist(), self.hosts.tolist(), outlinks, strict=True
        ):
            yield Link(
                url, host, href(url), out.anchor, out.around, out.path, out.position, out.rel
            )

    def at(self, indexes: Sequence[int]) -> list[Link]:
        """Return the links at some indexes, without making objects of the others."""
        href, outs = self.addresses.href, self.outlinks
        urls, hosts = self.targets[indexes].tolist(), self.hosts[indexes].tolist()
        return [
            Link(
                url, host, href(url), outs.anchors[i], outs.around(i), outs.paths[i],
                outs.positions[i], outs.rels[i],
            )
            for url, host, i in zip(urls, hosts, indexes, strict=True)
        ]  # fmt: skip

    @overload
    def __getitem__(self, index: int) -> Link: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Link]: ...
    def __getitem__(self, index: int | slice) -> Link | Sequence[Link]:
        """Return one link, or a slice of them."""
        return list(self)[index]


class Choice(msgspec.Struct, frozen=True, gc=False):
    """A page to fetch next, with its promise, its agent, and the page that links to it.

    `agent` is a name for people, and for the strategy that gave it; code uses `purpose`.
    """

    url: UrlId
    host: HostId
    promise: float = 0.0
    agent: str = ""
    parent: UrlId = NO_PARENT
    depth: int = 0
    purpose: Purpose = Purpose.PAGE


class Page(msgspec.Struct, frozen=True, gc=False):
    """The outcome of a choice.

    `final` is the URL after redirects, `time` when the response was complete, `born`
    when this version of the page appeared, and `version` a number that is the same
    for the same content of the same URL (-1 without content).  `pause` is how
    long the host asks to be left alone, and `record` the location of the archived response.  A page
    that is deferred has the time from which it may be requested again, as `retry_at`.
    """

    choice: Choice
    status: Status
    reason: str
    final: UrlId
    time: float
    born: float
    version: int
    links: Links
    content: Content
    pause: float = 0.0
    record: str = ""
    retry_at: float | None = None

    @property
    def href(self) -> str:
        """The URL of the page after redirects, as a string."""
        return self.links.addresses.href(self.final)

    @property
    def document(self) -> Document:
        """The text of the page, which may be read from disk now."""
        return self.content.document()


class Visit(msgspec.Struct, frozen=True, gc=False):
    """A page with its relevance."""

    page: Page
    relevance: float
    relevant: bool

    @property
    def url(self) -> UrlId:
        """The URL that was requested."""
        return self.page.choice.url

    @property
    def links(self) -> Links:
        """The links of the page."""
        return self.page.links
