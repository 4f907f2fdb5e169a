"""What a watch reports: new, changed and removed pages, and sites that fall silent.

Events are found in the visits of the ledger, one after the other, and added to `events.jsonl`.  A
watch that was killed goes on after the last visit that it had looked through.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from enum import StrEnum
from math import inf
from typing import Protocol

import msgspec

from foragers.core.display import plain
from foragers.core.protocols import Judge
from foragers.core.types import Page, Purpose, Status, UrlId, Visit
from foragers.strategies.watch.sources import is_hub
from foragers.strategies.watch.strategy import NEAR, NEW, UNSEEN
from foragers.urls.id_set import IdSet
from foragers.urls.parse import host_of, site_of

LONGEST_TITLE, LONGEST_SUMMARY, LONGEST_DIFF = 300, 600, 4000
SHORTEST_CHANGE = 3
"""Words of a changed sentence, at least: counters and dates are no news."""
SENTENCE = re.compile(r"(?<=[.!?…])\s+(?=\S)")
GRACE = 86_400.0
"""Seconds by which the date of a page may lie before the watch: many dates have no time."""
GONE_AFTER = 2
"""Looks in a row at which a page was missing, until it is reported as removed."""
GONE = re.compile(r"404|410|error page")


class EventKind(StrEnum):
    """What has happened."""

    NEW = "new"
    CHANGED = "changed"
    REMOVED = "removed"
    ALARM = "alarm"


class Event(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Something to report.

    `found` is when it was found, `since` the earliest time at which it may have happened (the last
    look at which it had not), `published` the date given in the page, and `visit` its number in the
    ledger.  All are seconds since 1970.
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

    @property
    def key(self) -> str:
        """A name that no other event has."""
        return f"{self.url}#{self.event}-{self.visit}" if self.event != "new" else self.url


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
    threshold: float = 0.0
    seen: IdSet = field(default_factory=IdSet)
    hubs: set[UrlId] = field(default_factory=set)
    missing: dict[UrlId, int] = field(default_factory=dict)
    gone: set[UrlId] = field(default_factory=set)

    def look(self, number: int, visit: Visit, since: float | None = None) -> Event | None:
        """Return what a visit has found, if anything."""
        page = visit.page
        if page.choice.purpose.is_list or page.choice.purpose is Purpose.SCOPE:
            return None
        if page.status is Status.MISSING and page.final in self.seen:
            return self._missing(number, page)
        if page.status is Status.UNCHANGED:
            self.missing.pop(page.final, None)
        if page.status is not Status.OK:
            return None
        known = page.final in self.seen
        self.seen.add(page.final)
        self.missing.pop(page.final, None)
        self.gone.discard(page.final)
        if page.choice.depth == 0 or is_hub(page):
            self.hubs.add(page.final)
            return None
        if known:
            return self._changed(number, visit) if self.changes else None
        return self._new(number, visit, since) if self._is_new(page) else None

    def _is_new(self, page: Page) -> bool:
        """Return whether a page seen for the first time has appeared since the watch began."""
        date = page.document.published
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
        late = visit.page.choice.agent == UNSEEN
        published = visit.page.document.published
        if late and since is None:
            since = visit.page.born
        return self._event(
            EventKind.NEW, number, visit.page, relevance, since=since, late=late,
            published=published,
        )  # fmt: skip

    def _changed(self, number: int, visit: Visit) -> Event | None:
        """Report a page whose text has changed, with the difference."""
        page = visit.page
        if page.final in self.hubs:
            return None
        relevance = self._wanted(visit)
        before = self.ledger.last(page.final, number)
        if before is None or relevance is None:
            return None
        diff = difference(before.page.document.text, page.document.text)
        if not diff:
            return None
        return self._event(
            EventKind.CHANGED, number, page, relevance, since=before.page.time, diff=diff
        )

    def _missing(self, number: int, page: Page) -> Event | None:
        """Report a page that is gone, after several looks."""
        if page.final in self.gone or not GONE.search(page.reason) or page.final in self.hubs:
            return None
        self.missing[page.final] = self.missing.get(page.final, 0) + 1
        if self.missing[page.final] < GONE_AFTER:
            return None
        del self.missing[page.final]
        self.gone.add(page.final)
        before = self.ledger.last(page.final, number)
        title = before.page.document.title if before is not None else ""
        return self._event(EventKind.REMOVED, number, page, 0.0, title=title)

    def _event(
        self, kind: EventKind, number: int, page: Page, relevance: float, **more: object
    ) -> Event:
        document = page.document
        shown = {
            "title": plain(document.title or page.href, LONGEST_TITLE),
            "summary": plain(document.text, LONGEST_SUMMARY),
            **more,
        }
        return Event(
            event=kind,
            url=page.href,
            site=site_of(host_of(page.href)),
            found=page.time,
            visit=number,
            relevance=relevance,
            **shown,  # type: ignore[arg-type]
        )


def sentences(text: str) -> list[str]:
    """Split a text into sentences, or long pieces."""
    return [part for part in SENTENCE.split(text) if part.strip()]


def difference(before: str, after: str) -> str:
    """Return what has changed from one text to another, line by line; "" if it is nothing."""
    old, new = sentences(before), sentences(after)
    lines: list[str] = []
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag != "equal":
            lines += [f"- {plain(one, LONGEST_SUMMARY)}" for one in old[a:b]]
            lines += [f"+ {plain(one, LONGEST_SUMMARY)}" for one in new[c:d]]
    told = [line for line in lines if len(words_of(line)) >= SHORTEST_CHANGE]
    return "\n".join(lines)[:LONGEST_DIFF] if told else ""


def words_of(line: str) -> list[str]:
    """Return the words of a line without its numbers."""
    return [word for word in re.findall(r"\w+", line) if not word.isdigit()]


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
