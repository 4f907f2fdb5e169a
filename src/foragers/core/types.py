"""The facts that pass between the parts: a link, a choice, a page, a visit.

A strategy makes a `Choice`; a world answers it with a `Page`; a judge turns the
page into a `Visit`; the ledger keeps visits.  URLs and hosts are small integers
here, assigned by a `UrlTable`; a `Link` also carries its URL as a string.
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
"""The parent of a seed: no page pointed at it."""


class Purpose(StrEnum):
    """What a request is for.

    A strategy asks for pages, for the first time or again (REVISIT).  The crawl itself asks for
    lists of pages (SITEMAP, FEED), and reads a page again without a request when its scope has
    become wider (SCOPE).
    """

    PAGE = "page"
    REVISIT = "revisit"
    SITEMAP = "sitemap"
    FEED = "feed"
    SCOPE = "scope"

    @property
    def is_list(self) -> bool:
        """Whether a list of pages is asked for."""
        return self in LISTS

    @property
    def is_own(self) -> bool:
        """Whether the crawl itself asks, so that a strategy learns nothing from the answer."""
        return self in OWN


LISTS = (Purpose.SITEMAP, Purpose.FEED)
OWN = (*LISTS, Purpose.SCOPE)


class Status(StrEnum):
    """How a download ended.

    UNWANTED is what came and is not kept (another type, a copy, noindex, a list of pages); it may
    still have links, which are followed like all others.  REFUSED is what the server would
    not give, SKIPPED what was not asked for (robots.txt, scope, traps).
    """

    OK = "ok"
    UNCHANGED = "unchanged"
    UNWANTED = "unwanted"
    MISSING = "missing"
    REFUSED = "refused"
    FAILED = "failed"
    SKIPPED = "skipped"


def status_of(code: int) -> Status:
    """Return how a download ended that was answered with an HTTP status code."""
    if 200 <= code < 300:
        return Status.OK
    if code in (401, 402, 403, 429, 451):
        return Status.REFUSED
    return Status.MISSING if 400 <= code < 500 else Status.FAILED


class Document(msgspec.Struct, frozen=True):
    """What a page says, apart from its links."""

    title: str = ""
    headings: tuple[str, ...] = ()
    text: str = ""
    language: str = ""
    published: float | None = None
    canonical: str | None = None


class Link(msgspec.Struct, frozen=True, gc=False):
    """A link to a known address, with the words that speak of it."""

    url: UrlId
    host: HostId
    href: str
    anchor: str = ""
    around: str = ""
    path: str = ""
    position: int = 0
    rel: str = ""


class Addresses(Protocol):
    """Letters for a URL's number."""

    def href(self, url: UrlId) -> str:
        """Return the address of a URL."""
        ...

    def hrefs(self, urls: Sequence[UrlId]) -> list[str]:
        """Return the addresses of many URLs, in the same order."""
        ...


class Content(Protocol):
    """The words of a page: in memory, still on disk, or not yet made up."""

    def document(self) -> Document:
        """Return what the page says."""
        ...

    def outlinks(self) -> Sequence[ParsedLink]:
        """Return its links as the page shows them, in the order of the page."""
        ...


class EmptyContent:
    """The content of an answer that has none."""

    __slots__ = ()

    def document(self) -> Document:
        """Return an empty document."""
        return Document()

    def outlinks(self) -> Sequence[ParsedLink]:
        """Return no links."""
        return ()


class Links(Sequence[Link]):
    """The links of one page: columns of integers, and words only when asked for.

    Most strategies need only `targets` and `hosts`.  Iterating gives `Link`
    objects, for which the page's words are loaded.
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
        """The links as the page shows them, in columns, without making objects of them."""
        return ParsedLinks.of(self._content.outlinks())

    @property
    def anchors(self) -> Sequence[str]:
        """The words of each link."""
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

    def at(self, places: Sequence[int]) -> list[Link]:
        """Return the links at some places, without making objects of the others."""
        href, outs = self.addresses.href, self.outlinks
        urls, hosts = self.targets[places].tolist(), self.hosts[places].tolist()
        return [
            Link(
                url, host, href(url), outs.anchors[place], outs.around(place), outs.paths[place],
                outs.positions[place], outs.rels[place],
            )
            for url, host, place in zip(urls, hosts, places, strict=True)
        ]  # fmt: skip

    @overload
    def __getitem__(self, index: int) -> Link: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Link]: ...
    def __getitem__(self, index: int | slice) -> Link | Sequence[Link]:
        """Return one link, or some of them."""
        return list(self)[index]


class Choice(msgspec.Struct, frozen=True, gc=False):
    """A page to fetch next, with the reason: its promise, whose choice it is, what led there.

    `agent` is a name for people, and for the strategy that gave it; what the request is for is
    its `purpose`.
    """

    url: UrlId
    host: HostId
    promise: float = 0.0
    agent: str = ""
    parent: UrlId = NO_PARENT
    depth: int = 0
    purpose: Purpose = Purpose.PAGE


class Page(msgspec.Struct, frozen=True, gc=False):
    """What came back for a choice.

    `final` is where redirects ended, `time` when the answer was there, `born`
    when this version of the page appeared, and `version` a number that is the same
    for the same content of the same URL (-1 where there is no content).  `pause` is how
    long the host asks to be left alone, and `record` where the answer was archived.  A page that
    is deferred has the time from which it may be asked for again, as `retry_at`.
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
        """The address where the page was found, after redirects."""
        return self.links.addresses.href(self.final)

    @property
    def document(self) -> Document:
        """What the page says; read from disk now if need be."""
        return self.content.document()


class Visit(msgspec.Struct, frozen=True, gc=False):
    """A page and what it is worth."""

    page: Page
    relevance: float
    relevant: bool

    @property
    def url(self) -> UrlId:
        """The URL that was asked for."""
        return self.page.choice.url

    @property
    def links(self) -> Links:
        """The links found on the page."""
        return self.page.links
