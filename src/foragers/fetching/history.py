"""The pages that a live crawl has fetched, and what it knows about those it fetches again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
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
from foragers.fetching.redirects import is_sendable
from foragers.storage.ledger.columns import Facts
from foragers.urls.id_set import IdSet

Header = tuple[str, str]


class LastVisit(Protocol):
    """Finds the last visit of a page; a ledger does."""

    def last(self, final: UrlId) -> Visit | None:
        """Return the last visit at which a page was received, if there was one."""
        ...


class HostLookup(Addresses, Protocol):
    """Finds URLs and their hosts."""

    def host(self, url: UrlId) -> HostId:
        """Return the host of a URL."""
        ...


class CachedPage(msgspec.Struct, frozen=True):
    """A page that was received before, with its validators (RFC 9110, section 8.8)."""

    visit: Visit
    url: str
    etag: str = ""
    modified: str = ""

    @property
    def final(self) -> UrlId:
        """The URL of the page, after redirects."""
        return self.visit.page.final

    @property
    def version(self) -> int:
        """The version that was received, -1 for a list of pages."""
        return self.visit.page.version

    @property
    def seen(self) -> float:
        """When it was received."""
        return self.visit.page.time

    def conditions(self, url: str, max_chars: int) -> tuple[Header, ...]:
        """Return the headers that request the page only if it has changed."""
        if url != self.url:
            return ()
        headers = []
        if is_sendable(self.etag, max_chars):
            headers.append(("If-None-Match", self.etag))
        if is_sendable(self.modified, max_chars) and is_date(self.modified):
            headers.append(("If-Modified-Since", self.modified))
        return tuple(headers)


def is_seed(choice: Choice) -> bool:
    """Return whether a choice is a seed."""
    return choice.parent == NO_PARENT and not choice.depth and not choice.purpose.is_list


def is_date(value: str) -> bool:
    """Return whether a header is a date."""
    try:
        parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError):
        return False
    return True


class HostNames(Protocol):
    """The names of hosts."""

    def host_name(self, host: HostId) -> str:
        """Return the name of a host."""
        ...


@dataclass(slots=True)
class HostLimits:
    """The largest number of pages of each host: its own in `budgets`, or `per_host`; 0 is none."""

    per_host: int = 0
    budgets: Mapping[str, int] = field(default_factory=dict)
    names: HostNames | None = None

    def __bool__(self) -> bool:
        return bool(self.per_host or self.budgets)

    def of(self, host: HostId) -> int:
        """Return the limit of a host."""
        if not self.budgets or self.names is None:
            return self.per_host
        return self.budgets.get(self.names.host_name(host), self.per_host)


@dataclass(slots=True)
class FetchHistory:
    """The pages fetched, the URLs that redirect to them, and the number of pages per host.

    `fetched` are the final URLs of pages; `moved` are URLs that redirect to one; `lists` are
    sitemaps and feeds.  No more pages are requested from a host than its limit.
    """

    limits: HostLimits = field(default_factory=HostLimits)
    last_visits: LastVisit | None = None
    fetched: IdSet = field(default_factory=IdSet)
    moved: dict[UrlId, UrlId] = field(default_factory=dict)
    lists: set[UrlId] = field(default_factory=set)
    counts: Counter[HostId] = field(default_factory=Counter)

    def load(self, facts: Facts, table: HostLookup, lists: Iterable[UrlId] = ()) -> None:
        """Add the visits of a ledger, and the URLs that were lists."""
        ok = facts.ok
        self.fetched.update(facts.finals[ok].tolist())
        elsewhere = ok & (facts.urls != facts.finals)
        moves = zip(facts.urls[elsewhere].tolist(), facts.finals[elsewhere].tolist(), strict=True)
        self.moved.update(moves)
        self.lists.update(lists)
        if self.limits:
            requested = facts.statuses != Status.SKIPPED.value
            self.counts.update(table.host(url) for url in facts.urls[requested].tolist())

    def add(self, page: Page) -> None:
        """Add a page."""
        url = page.choice.url
        if page.choice.purpose.is_list:
            self.lists.add(page.final)
        if page.status is Status.OK:
            self.fetched.add(page.final)
            if page.final != url:
                self.moved[url] = page.final

    def is_known(self, url: UrlId) -> bool:
        """Return whether a URL has led to a page before."""
        return url in self.fetched or url in self.moved

    def count(self, host: HostId, status: Status) -> bool:
        """Count a page of a host unless it was skipped; return whether the host is full."""
        if self.limits and status is not Status.SKIPPED:
            self.counts[host] += 1
        return self.is_full(host)

    def is_full(self, host: HostId) -> bool:
        """Return whether a host has reached its limit of pages."""
        return bool(self.limits) and 0 < self.limits.of(host) <= self.counts[host]

    def cached(self, url: UrlId, addresses: Addresses) -> CachedPage | None:
        """Return the page of a URL with its validators, if it was received before."""
        final = self.moved.get(url, url)
        if self.last_visits is None or not (final in self.fetched or final in self.lists):
            return None
        visit = self.last_visits.last(final)
        if visit is None:
            return None
        content, href = visit.page.content, addresses.href(final)
        if isinstance(content, StoredContent):
            return CachedPage(visit, href, content.etag, content.modified)
        return CachedPage(visit, href)
