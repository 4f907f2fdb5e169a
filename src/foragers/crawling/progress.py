"""Why a crawl stopped, and which hosts it left alone because they asked for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import inf

import msgspec

from foragers.core.clock import steady, to_system
from foragers.core.pace import Pace
from foragers.crawling.options import CrawlOptions
from foragers.crawling.own_requests import OwnRequests
from foragers.fetching.live import Live
from foragers.worlds.budget import Budget

NAMED = 3
"""How many hosts are named in a line."""
LONG = 60.0
"""Seconds from which on a pause is worth telling of."""


class LeftAlone(msgspec.Struct, frozen=True):
    """A host that is not to be asked until a time, and how many pages were put off for it."""

    host: str
    until: float
    pages: int = 0


def why_stopped(
    order: CrawlOptions,
    budget: Budget,
    live: Live,
    pace: Pace,
    extras: OwnRequests,
    waiting: int | None,
) -> str:
    """Return why a crawl has stopped, other than by its deadline."""
    if budget.spent:
        return f"the budget of {order.budget:,} downloads is spent"
    alone = left_alone(live, extras)
    down = [one.host for one in alone if live.is_down(one.host)]
    if down and len(down) == len(alone):
        return f"no remaining host can be reached: {some(down)}; the same command tries again"
    for due, said in (
        (pace.next_opening, "all remaining hosts ask for a pause of"),
        (extras.due(pace.closed), "the remaining pages are deferred for"),
    ):
        if due < inf:
            minutes = max(0.0, due - steady()) / 60
            return f"{said} {minutes:.0f} minutes or more"
    if waiting != 0 and live.full_hosts():
        return (
            f"every remaining host has reached its limit of {order.per_host:,} pages (--per-host)"
        )
    return "there is nothing left to fetch"


def some(hosts: Sequence[str]) -> str:
    """Return the first of some hosts, and how many more there are."""
    more = f" and {len(hosts) - NAMED:,} more" if len(hosts) > NAMED else ""
    return ", ".join(hosts[:NAMED]) + more


def left_alone(live: Live, extras: OwnRequests) -> tuple[LeftAlone, ...]:
    """Return the hosts that want to be left alone for a while, the first to be asked first."""
    name = live.table.host_name
    until = live.closed_for(LONG)
    pages = Counter(name(choice.host) for _, _, choice in extras.later)
    for due, _, choice in sorted(extras.later, key=lambda entry: -entry[0]):
        until[name(choice.host)] = max(due, live.free_at(name(choice.host)))
    found = [LeftAlone(host, to_system(moment), pages[host]) for host, moment in until.items()]
    return tuple(sorted(found, key=lambda one: (one.until, one.host)))
