"""Why a crawl stops, and which hosts ask for a long pause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf

import msgspec

from foragers.core.clock import steady, to_system
from foragers.core.pace import Pace
from foragers.core.types import Status, UrlId, Visit
from foragers.crawling.options import CrawlOptions
from foragers.crawling.own_requests import OwnRequests
from foragers.fetching.live import Live
from foragers.judges.words import COMMON, Standing
from foragers.worlds.budget import Budget

NAMED = 3
"""The number of hosts named in a line."""
LONG = 60.0
"""Shorter pauses, in seconds, are not reported."""
MOST_IN_VAIN = 1000
"""After so many choices in a row of pages known not to be requested, a crawl ends."""


class LeftAlone(msgspec.Struct, frozen=True):
    """A host that is to be left alone until a time, and the number of its deferred pages."""

    host: str
    until: float
    pages: int = 0


@dataclass(slots=True)
class InVain:
    """Counts the choices in a row of pages that are not requested, though that is known.

    A fleet goes back to its pages.  If none of them may be requested it would do so for ever, since
    such a choice costs no download.
    """

    count: int = 0
    _known: set[UrlId] = field(default_factory=set)

    def watch(self, visits: Sequence[Visit]) -> None:
        """Add visits."""
        for visit in visits:
            if visit.page.status is not Status.SKIPPED:
                self.count = 0
                self._known.clear()
            elif visit.page.choice.url in self._known:
                self.count += 1
            else:
                self._known.add(visit.page.choice.url)

    @property
    def reason(self) -> str:
        """Why the crawl ends, or "" if it goes on."""
        if self.count < MOST_IN_VAIN:
            return ""
        return "the strategy goes back only to pages that may not be requested (see skipped)"


def why_stopped(
    options: CrawlOptions,
    budget: Budget,
    live: Live,
    pace: Pace,
    own_requests: OwnRequests,
    waiting: int | None,
) -> str:
    """Return why a crawl has stopped, other than by its deadline."""
    if budget.spent:
        return f"the budget of {options.budget:,} downloads is spent"
    alone = left_alone(live, own_requests)
    down = [entry.host for entry in alone if live.is_unreachable(entry.host)]
    if down and len(down) == len(alone):
        return f"no remaining host can be reached: {first_of(down)}; the same command tries again"
    for due, sentence in (
        (pace.next_opening, "all remaining hosts ask for a pause of"),
        (own_requests.due(pace.closed), "the remaining pages are deferred for"),
    ):
        if due < inf:
            minutes = max(0.0, due - steady()) / 60
            return f"{sentence} {minutes:.0f} minutes or more"
    if waiting != 0 and live.full_hosts():
        limit = "pages (--host-budget)" if options.host_budgets else ""
        limit = limit or f"{options.per_host:,} pages (--per-host)"
        return f"every remaining host has reached its limit of {limit}"
    return "there is nothing left to fetch"


def first_of(hosts: Sequence[str]) -> str:
    """Return the first hosts, and how many more there are."""
    more = f" and {len(hosts) - NAMED:,} more" if len(hosts) > NAMED else ""
    return ", ".join(hosts[:NAMED]) + more


def left_alone(live: Live, own_requests: OwnRequests) -> tuple[LeftAlone, ...]:
    """Return the hosts that ask for a long pause, the one that opens next first."""
    name, deferred = live.table.host_name, own_requests.deferred
    until = live.closed_for(LONG)
    pages = Counter(name(choice.host) for _, _, choice in deferred)
    for due, _, choice in sorted(deferred, key=lambda entry: -entry[0]):
        until[name(choice.host)] = max(due, live.free_at(name(choice.host)))
    entries = [LeftAlone(host, to_system(moment), pages[host]) for host, moment in until.items()]
    return tuple(sorted(entries, key=lambda entry: (entry.until, entry.host)))


def common_words(standing: Standing | None, known: set[str]) -> list[str]:
    """Return a line for each word of the topic that turns out to be common; add it to `known`."""
    common = standing.common if standing is not None else ()
    fresh = [word for word in common if word not in known]
    known.update(fresh)
    return [
        f"the topic's word “{word}” is on more than {COMMON:.0%} of the pages so far:"
        " add words that only relevant pages have"
        for word in fresh
    ]
