"""A replay with the rules that a live crawl has besides politeness.

A live crawl detects traps: copies of pages, error pages with status 200, URLs that lead nowhere
new.  It does not count a page again that another redirect led to.  Without these rules a replay
counts pages that a live crawl leaves out, learns from them, and so takes another way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf

import msgspec

from foragers.core.types import Choice, Link, Links, Page, Status, UrlId
from foragers.fetching.extractor import Extracted, PageExtractor
from foragers.filters.scope import Scope
from foragers.filters.traps import Traps
from foragers.http.causes import KNOWN_BEFORE
from foragers.worlds.replay import NO_IDS, NOTHING, Recorded


def everything() -> PageExtractor:
    """Return the rules of a live crawl whose scope is the whole world."""
    return PageExtractor("", Scope(within="any"), Traps())


@dataclass(slots=True)
class AsLive:
    """A recorded world, whose pages pass the rules of a live crawl."""

    world: Recorded
    rules: PageExtractor = field(default_factory=everything)
    _refused: list[Page] = field(default_factory=list)
    _fetched: set[UrlId] = field(default_factory=set)

    @property
    def now(self) -> float:
        """The time of the world inside."""
        return self.world.now

    @property
    def free(self) -> int:
        """The number of downloads that may be started now."""
        return self.world.free - len(self._refused)

    @property
    def left(self) -> float:
        """The number of downloads that the inner world allows."""
        return self.world.left

    @property
    def running(self) -> int:
        """The number of downloads in progress."""
        return self.world.running + len(self._refused)

    @property
    def seeds(self) -> Sequence[Link]:
        """The seeds of the world inside."""
        return self.world.seeds

    def start(self, choice: Choice) -> None:
        """Start a download, unless the rules refuse it."""
        href, again = self.world.archive.book.href(choice.url), choice.url in self._fetched
        reason = self.rules.refuse(href, choice.depth, 0, again)
        if reason is None:
            self.world.start(choice)
        else:
            page = self.world.answer(choice)
            self._refused.append(self._without(page, Status.SKIPPED, reason, choice.url))

    def finished(self, until: float = inf) -> Sequence[Page]:
        """Return the choices that were refused, else the next pages as the rules take them."""
        if self._refused:
            refused, self._refused = self._refused, []
            return refused
        return [self._settled(page) for page in self.world.finished(until)]

    def _settled(self, page: Page) -> Page:
        """Return what the rules make of a page."""
        if page.status is not Status.OK:
            return page
        choice, again = page.choice, page.choice.url in self._fetched
        is_known = page.final in self._fetched
        self._fetched |= {choice.url, page.final}
        if is_known and not again:
            return self._without(page, Status.UNWANTED, KNOWN_BEFORE, page.final)
        requested = self.world.archive.book.href(choice.url)
        found = Extracted(Status.OK, "", page.document, page.links.outlinks)
        settled = self.rules.settled(found, requested, page.href, choice.depth, again)
        if settled.status is Status.OK:
            return page
        if not settled.links:
            return self._without(page, settled.status, settled.reason, page.final)
        return msgspec.structs.replace(
            page, status=settled.status, reason=settled.reason, version=-1
        )

    def _without(self, page: Page, status: Status, reason: str, final: UrlId) -> Page:
        """Return a page without its content."""
        links = Links(NO_IDS, NO_IDS, self.world.archive.book, NOTHING)
        return Page(page.choice, status, reason, final, self.now, self.now, -1, links, NOTHING)
