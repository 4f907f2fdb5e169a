"""What a live crawl has fetched so far, and what it knows of a page that it fetches again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Protocol

import msgspec

from foragers.core.content import StoredContent
from foragers.core.types import (
    NO_PARENT,
    Addresses,
    Choice,
    HostId,
    Page,
    Status,
    UrlId,
    Visit,
)
from foragers.storage.ledger.columns import Facts
from foragers.urls.id_set import IdSet

Header = tuple[str, str]
MAX_VALIDATOR = 1024
"""The longest mark of a version that is given back to a server, in letters."""


class LastVisit(Protocol):
    """Someone who remembers the pages that were received."""

    def last(self, final: UrlId) -> Visit | None:
        """Return the last visit at which a page was received, if there was one."""
        ...


class HostLookup(Addresses, Protocol):
    """Someone who knows the host of an address too."""

    def host(self, url: UrlId) -> HostId:
        """Return the host of an address."""
        ...


class CachedPage(msgspec.Struct, frozen=True):
    """A page that was received before, and how to ask whether it has changed since."""

    visit: Visit
    url: str
    etag: str = ""
    modified: str = ""

    @property
    def final(self) -> UrlId:
        """Where the page was found."""
        return self.visit.page.final

    @property
    def version(self) -> int:
        """The version that was received, or -1 for a list of pages."""
        return self.visit.page.version

    @property
    def seen(self) -> float:
        """When it was received."""
        return self.visit.page.time

    def conditions(self, url: str) -> tuple[Header, ...]:
        """Return the headers that ask a server for a page only if it has changed."""
        if url != self.url:
            return ()
        headers = []
        if is_sendable(self.etag):
            headers.append(("If-None-Match", self.etag))
        if is_sendable(self.modified) and is_date(self.modified):
            headers.append(("If-Modified-Since", self.modified))
        return tuple(headers)


def is_seed(choice: Choice) -> bool:
    """Say whether a choice is where the crawl begins."""
    return choice.parent == NO_PARENT and not choice.depth and not choice.purpose.is_list


def is_sendable(value: str) -> bool:
    """Say whether a header that a server sent can be sent back as it is."""
    return 0 < len(value) <= MAX_VALIDATOR and value.isascii() and value.isprintable()


def is_date(value: str) -> bool:
    """Say whether a header is a date."""
    try:
        parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError):
        return False
    return True


@dataclass(slots=True)
class FetchHistory:
    """The pages that came back, which addresses led there, and how many each host gave.

    `fetched` are pages, wherever they were asked for; `moved` are addresses that
    redirect to one; `lists` are sitemaps and feeds.  With `per_host`, no host is
    asked for more pages than that.
    """

    per_host: int = 0
    memory: LastVisit | None = None
    fetched: IdSet = field(default_factory=IdSet)
    moved: dict[UrlId, UrlId] = field(default_factory=dict)
    lists: set[UrlId] = field(default_factory=set)
    counts: Counter[HostId] = field(default_factory=Counter)

    def load(self, facts: Facts, table: HostLookup, lists: Iterable[UrlId] = ()) -> None:
        """Take in what a ledger tells of the crawl so far, and which URLs were lists."""
        ok = facts.ok
        self.fetched.update(facts.finals[ok].tolist())
        elsewhere = ok & (facts.urls != facts.finals)
        moves = zip(facts.urls[elsewhere].tolist(), facts.finals[elsewhere].tolist(), strict=True)
        self.moved.update(moves)
        self.lists.update(lists)
        if self.per_host:
            asked = facts.statuses != Status.SKIPPED.value
            self.counts.update(table.host(url) for url in facts.urls[asked].tolist())

    def note(self, page: Page) -> None:
        """Take in a page that came back."""
        asked = page.choice.url
        if page.choice.purpose.is_list:
            self.lists.add(page.final)
        if page.status is Status.OK:
            self.fetched.add(page.final)
            if page.final != asked:
                self.moved[asked] = page.final

    def is_known(self, url: UrlId) -> bool:
        """Say whether an address has led to a page before."""
        return url in self.fetched or url in self.moved

    def fills(self, host: HostId, status: Status) -> bool:
        """Count a page of a host, unless it was not asked for; say whether there are enough."""
        if self.per_host and status is not Status.SKIPPED:
            self.counts[host] += 1
        return self.is_full(host)

    def is_full(self, host: HostId) -> bool:
        """Say whether a host has given as many pages as it may."""
        return 0 < self.per_host <= self.counts[host]

    def recall(self, url: UrlId, addresses: Addresses) -> CachedPage | None:
        """Return what is known of the page at an address, if it was received before."""
        final = self.moved.get(url, url)
        if self.memory is None or not (final in self.fetched or final in self.lists):
            return None
        visit = self.memory.last(final)
        if visit is None:
            return None
        content, href = visit.page.content, addresses.href(final)
        if isinstance(content, StoredContent):
            return CachedPage(visit, href, content.etag, content.modified)
        return CachedPage(visit, href)
