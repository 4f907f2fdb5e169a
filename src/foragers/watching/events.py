"""What a watch reports: new, changed and removed pages, and sites that fall silent.

Events are found in the visits of the ledger, one after the other, and added to `events.jsonl`.  A
watch that was killed goes on after the last visit that it had looked through.

A new article may be known by its link before there is a request to fetch it.  Then it is reported
as new and not yet fetched.  Later it is `fetched`, or `withdrawn` if it is no new article.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf
from typing import Protocol

import msgspec
from msgspec.structs import replace

from foragers.core.display import opening, plain
from foragers.core.protocols import Judge
from foragers.core.types import Page, Purpose, Status, UrlId, Visit
from foragers.strategies.watch.articles import is_article
from foragers.strategies.watch.sites import Waiting
from foragers.strategies.watch.strategy import NEAR, NEW, UNSEEN
from foragers.urls.id_set import IdSet
from foragers.urls.parse import host_of, site_of
from foragers.watching.differences import MainTexts, difference

LONGEST_TITLE, LONGEST_SUMMARY = 300, 600
GRACE = 86_400.0
"""Seconds by which the date of a page may lie before the watch: many dates have no time.

By so much it may lie ahead, too: many have no zone."""
GONE_AFTER = 2
"""Looks in a row at which a page was missing, until it is reported as removed."""
MOST_TITLES = 5000
"""Titles of reported links in memory."""
GONE = re.compile(r"404|410|error page")


class EventKind(StrEnum):
    """What has happened."""

    NEW = "new"
    CHANGED = "changed"
    REMOVED = "removed"
    ALARM = "alarm"
    FETCHED = "fetched"
    WITHDRAWN = "withdrawn"


class Event(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True, gc=False):
    """Something to report.

    `found` is when it was found, `since` the earliest time at which it may have happened (the last
    look at which it had not), `published` the date given in the page, and `visit` its number in the
    ledger.  All are seconds since 1970.  `canonical` is the URL that the page gives as its own, if
    it has another.  A page that is not `fetched` is known by its link, whose text is the title.
    An event holds texts and numbers only, so the collector need not walk through 100,000 of them.
    """

    event: EventKind
    url: str
    site: str
    found: float
    visit: int
    title: str = ""
    summary: str = ""
    since: float | None = None
    published: float | None = None
    relevance: float = 0.0
    late: bool = False
    diff: str = ""
    canonical: str = ""
    fetched: bool = True

    @property
    def key(self) -> str:
        """A name that no other event has."""
        return f"{self.url}#{self.event}-{self.visit}" if self.event != "new" else self.url


class Numbers(Protocol):
    """Finds the number of a URL that is known; a table of URLs does."""

    def find(self, url: str) -> UrlId | None:
        """Return the number of a URL."""
        ...


class Earlier(Protocol):
    """Finds earlier visits of a page; a ledger does."""

    def last(self, final: UrlId, before: int | None = None) -> Visit | None:
        """Return the last visit before another."""
        ...


@dataclass
class Findings:
    """Finds events in visits, each visit once."""

    ledger: Earlier
    began: float
    changes: bool = False
    topics: dict[str, Judge] = field(default_factory=dict)
    texts: MainTexts = field(default_factory=MainTexts)
    numbers: Numbers | None = None
    seen: IdSet = field(default_factory=IdSet)
    articles: IdSet = field(default_factory=IdSet)
    """Pages that were articles when they were first seen, by their links too."""
    missing: dict[UrlId, int] = field(default_factory=dict)
    gone: set[UrlId] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    """Canonical URLs of pages that have another URL."""
    told: dict[UrlId, str] = field(default_factory=dict)
    """The URLs of pages that were reported by their links and are not yet fetched."""
    titles: dict[str, UrlId] = field(default_factory=dict)
    """The titles of these, and of those that were fetched: a page may have several URLs."""

    def restore(self, known: Iterable[Event]) -> None:
        """Take up what earlier events say."""
        for one in known:
            number = None if self.numbers is None else self.numbers.find(one.url)
            if one.canonical:
                self.names.add(one.canonical)
            if number is None:
                continue
            if not one.fetched:
                self._note(number, one)
                continue
            self.told.pop(number, None)
            self.seen.add(number)
            if one.event is not EventKind.ALARM:
                self.articles.add(number)
            if one.event is EventKind.REMOVED:
                self.gone.add(number)
            else:
                self.gone.discard(number)

    def announce(self, number: int, link: Waiting, href: str, now: float) -> Event | None:
        """Return the event of a new article that is known by its link, if it was not reported."""
        event = Event(
            event=EventKind.NEW,
            url=href,
            site=site_of(host_of(href)),
            found=now,
            visit=number,
            title=plain(link.title, LONGEST_TITLE),
            since=link.since,
            relevance=1.0,
            fetched=False,
        )
        is_known = link.url in self.told or link.url in self.seen or href in self.names
        if is_known or name_of(event) in self.titles:
            return None
        self._note(link.url, event)
        return event

    def _note(self, url: UrlId, event: Event) -> None:
        """Note a page that is reported by its link."""
        self.told[url] = event.url
        self.titles[name_of(event)] = url
        if len(self.titles) > MOST_TITLES:
            del self.titles[next(iter(self.titles))]

    def look(self, number: int, visit: Visit, link: Waiting | None = None) -> Event | None:
        """Return what a visit has found, if anything; `link` led to its page."""
        page, event = visit.page, self._find(number, visit, link)
        url = page.choice.url
        if event is not None and event.event is EventKind.NEW and link is not None:
            same = name_of(replace(event, title=plain(link.title, LONGEST_TITLE)))
            url = url if url in self.told else self.titles.get(same, url)
        if url not in self.told or (event is None and page.status is not Status.OK):
            return event
        told = self.told.pop(url)
        if event is None:
            event, kind = self._event(EventKind.WITHDRAWN, number, page, 0.0), EventKind.WITHDRAWN
        else:
            kind = EventKind.FETCHED if event.event is EventKind.NEW else event.event
        return replace(event, event=kind, url=told)

    def _find(self, number: int, visit: Visit, link: Waiting | None) -> Event | None:
        """Return what a visit has found, whether it was reported by its link or not."""
        page = visit.page
        if page.choice.purpose.is_list or page.choice.purpose is Purpose.SCOPE:
            return None
        if self._is_gone(page):
            return self._missing(number, page)
        if page.status is Status.UNCHANGED:
            self.missing.pop(page.final, None)
        if page.status is not Status.OK:
            return None
        known = page.final in self.seen
        self.seen.add(page.final)
        self.missing.pop(page.final, None)
        self.gone.discard(page.final)
        headline = link is not None and link.headline
        headline = page.final in self.articles if known else headline
        if page.choice.depth == 0 or not is_article(page, headline=headline):
            return None
        self.articles.add(page.final)
        if known:
            return self._changed(number, visit) if self.changes else None
        if self._is_other_name(page) or not self._is_new(page):
            return None
        since = link.since if link is not None and link.source >= 0 else None
        return self._new(number, visit, since)

    def _is_gone(self, page: Page) -> bool:
        """Return whether a page seen before is missing, or leads to the home page or a list now."""
        asked = page.choice.url
        if asked not in self.seen:
            return False
        if page.status is Status.MISSING:
            return bool(GONE.search(page.reason))
        moved = page.status in (Status.OK, Status.UNCHANGED) and page.final != asked
        return moved and page.choice.depth > 0 and page.final in self.seen and not is_article(page)

    def _is_other_name(self, page: Page) -> bool:
        """Return whether a page says that it is another one, which was seen before."""
        canonical = page.document.canonical
        if not canonical or self.numbers is None or canonical == page.href:
            return page.href in self.names
        if site_of(host_of(canonical)) != site_of(host_of(page.href)):
            return False
        number = self.numbers.find(canonical)
        if number == page.final:
            return False
        is_known = canonical in self.names or (number is not None and number in self.seen)
        self.names.add(canonical)
        return is_known

    def _is_new(self, page: Page) -> bool:
        """Return whether a page seen for the first time has appeared since the watch began."""
        date = date_of(page)
        if page.choice.agent == NEW:
            return date is None or date >= self.began - GRACE
        if page.choice.agent in (NEAR, UNSEEN):
            modified = getattr(page.content, "modified", "")
            dated = page.born if date is None and modified else date
            return dated is not None and dated >= self.began
        return False

    def _wanted(self, visit: Visit) -> float | None:
        """Return the relevance of a page if it is wanted."""
        judge = self.topics.get(host_of(visit.page.href))
        if judge is not None:
            relevance = judge.relevance(visit.page)
            return relevance if relevance >= judge.threshold else None
        return visit.relevance if visit.relevant else None

    def _new(self, number: int, visit: Visit, since: float | None) -> Event | None:
        relevance = self._wanted(visit)
        if relevance is None:
            return None
        page = visit.page
        late = page.choice.agent == UNSEEN
        document = page.document
        if late and since is None:
            since = page.born
        named = document.canonical or ""
        return self._event(
            EventKind.NEW, number, page, relevance, since=since, late=late,
            published=date_of(page),
            canonical=named if named in self.names else "",
        )  # fmt: skip

    def _changed(self, number: int, visit: Visit) -> Event | None:
        """Report a page whose text has changed, with the difference."""
        page = visit.page
        relevance = self._wanted(visit)
        before = self.ledger.last(page.final, number)
        if before is None or relevance is None:
            return None
        diff = difference(self.texts.of(before.page), self.texts.of(page))
        if not diff:
            return None
        return self._event(
            EventKind.CHANGED, number, page, relevance, since=before.page.time, diff=diff
        )

    def _missing(self, number: int, page: Page) -> Event | None:
        """Report an article that is gone, after several looks."""
        url = page.choice.url
        if url in self.gone:
            return None
        self.missing[url] = self.missing.get(url, 0) + 1
        if self.missing[url] < GONE_AFTER:
            return None
        del self.missing[url]
        before = self.ledger.last(url, number)
        if before is None or not is_article(before.page, headline=url in self.articles):
            return None
        self.gone.add(url)
        return self._event(
            EventKind.REMOVED, number, before.page, 0.0, found=page.time, since=before.page.time
        )

    def _event(
        self, kind: EventKind, number: int, page: Page, relevance: float, **more: object
    ) -> Event:
        document = page.document
        shown = {
            "found": page.time,
            "title": plain(document.title or page.href, LONGEST_TITLE),
            "summary": opening(self.texts.below_title(page), LONGEST_SUMMARY),
            **more,
        }
        return Event(
            event=kind,
            url=page.href,
            site=site_of(host_of(page.href)),
            visit=number,
            relevance=relevance,
            **shown,  # type: ignore[arg-type]
        )


def date_of(page: Page) -> float | None:
    """Return the date that a page gives, unless it lies in the future: that of an event does."""
    date = page.document.published
    return None if date is not None and date > page.time + GRACE else date


def name_of(event: Event) -> str:
    """Return the name of a page by its site and title, whatever its URL."""
    return f"{event.site} {event.title.casefold()}"


def settled(events: Iterable[Event]) -> list[Event]:
    """Return events in which those reported by their links have what was fetched later.

    Those that were withdrawn are left out.
    """
    whole: list[Event | None] = []
    told: dict[str, int] = {}
    for one in events:
        if one.event is EventKind.FETCHED and one.url in told:
            at = told.pop(one.url)
            first = whole[at] or one
            whole[at] = replace(
                one, event=EventKind.NEW, found=first.found, visit=first.visit, since=first.since
            )
        elif one.event is EventKind.WITHDRAWN and one.url in told:
            whole[told.pop(one.url)] = None
        elif one.event not in (EventKind.FETCHED, EventKind.WITHDRAWN):
            if not one.fetched:
                told[one.url] = len(whole)
            whole.append(one)
    return [one for one in whole if one is not None]


def delays(events: Sequence[Event]) -> Iterator[tuple[float, float]]:
    """Give for each new page the least and the largest delay that it may have had."""
    for one in events:
        if one.event is not EventKind.NEW:
            continue
        most = one.found - one.since if one.since is not None else inf
        if one.published is not None and 0 <= one.found - one.published <= most:
            yield one.found - one.published, one.found - one.published
        else:
            yield 0.0, max(0.0, most)
