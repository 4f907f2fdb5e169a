"""The pages that a watch looks at again: how many new pages are found through each.

A page is a *hub* if it consists of links.  Pages of one site whose URLs have the same shape form a
group, hubs and others apart, and each group has a rate for each age of a page: a report that is an
hour old gains more links than one of last week.  The rate of a group is shrunk towards that of all
such pages of the site, and a page may show more or fewer new pages than its group:

    rate of a group = (1 + found) / (1 / rate of the site + watched)
    rate of a page  = rate of its group · (1 + found) / (1 / liveliness + expected of its group)
    liveliness      = (½ + changes) / (½ + changes expected of its group)

`found` are the new pages found there first, and `watched` the seconds over which pages were
watched.  All fade, so that a page that falls silent is looked at less often.  A page must change to
show a new link, so a page that changes more often than its group is expected to show more.  The
time since the last change before a page was first seen counts too, as far as the page tells it.  A
page looked at rarely shows at most one change a look, and no more are expected of it.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from enum import IntEnum
from math import inf

import numpy as np
from numpy.typing import NDArray

from foragers.core.display import counted, duration
from foragers.core.exact import exp_of, expm1_of
from foragers.core.protocols import Part, Reasons
from foragers.core.types import Page, UrlId
from foragers.frontier.columns import Places, grown
from foragers.strategies.watch.settings import DEFAULT_WATCH, WatchSettings
from foragers.urls.shapes import path_shape

Floats = NDArray[np.float64]


class Kind(IntEnum):
    """What a page is to a watch; a dropped row may be used for another page."""

    DROPPED = 0
    ARTICLE = 1
    HUB = 2
    LIST = 3
    SEED = 4


AGES = len(DEFAULT_WATCH.ages) + 1
ROW = np.dtype(
    [
        *[(name, np.int32) for name in ("url", "host", "parent", "depth", "site", "group")],
        *[(name, np.int32) for name in ("looks", "changes", "misses", "brought")],
        *[(name, np.float64) for name in ("seen", "asked", "due", "found", "expected", "gap")],
        *[(name, np.float64) for name in ("first", "born", "changed", "aged", "turns")],
        *[(name, np.float64) for name in ("room", "pushed", "calls", "named")],
        ("version", np.int64),
        ("kind", np.int8),
        ("report", np.bool_),
    ]
)
GROUP = np.dtype(
    [
        *[(name, np.float64, AGES) for name in ("found", "watched", "at")],
        *[(name, np.float64) for name in ("first", "pages", "changed", "held", "even")],
        ("above", np.int32),
    ]
)


@dataclass
class Sources:
    """Rows of pages and of their groups."""

    settings: WatchSettings = DEFAULT_WATCH
    rows: NDArray[np.void] = field(default_factory=lambda: np.zeros(64, ROW))
    groups: NDArray[np.void] = field(default_factory=lambda: np.zeros(64, GROUP))
    places: dict[UrlId, int] = field(default_factory=dict)
    _names: dict[tuple[int, int, str], int] = field(default_factory=dict)
    _count: int = 0
    _free: list[int] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.places)

    def add(self, page: Page, site: int, kind: Kind, shape: str) -> int:
        """Add a page that was seen for the first time, and return its place."""
        place = self._free.pop() if self._free else self._count
        self._count = max(self._count, place + 1)
        self.rows = grown(self.rows, self._count, 0)
        choice, row = page.choice, self.rows[place]
        row["url"], row["host"], row["parent"] = choice.url, choice.host, choice.parent
        row["depth"], row["site"], row["kind"] = choice.depth, site, kind
        row["looks"] = row["changes"] = row["misses"] = row["brought"] = 0
        row["found"] = row["expected"] = row["pushed"] = row["calls"] = row["named"] = 0.0
        row["born"] = page.born
        row["seen"] = row["first"] = page.time
        row["asked"], row["due"], row["version"] = -np.inf, np.inf, page.version
        row["gap"], row["report"], row["room"] = self.settings.first_gap, False, inf
        row["group"] = group = self.group(site, kind, shape)
        self.groups[group]["pages"] += 1
        row["changed"] = row["aged"] = row["turns"] = 0.0
        age = page.time - page.born
        if age > self.settings.dated:
            row["changed"], row["aged"] = 1.0, min(age, self.settings.most_aged)
            self._hold(group, 1.0, float(row["aged"]))
        self.places[choice.url] = place
        return place

    def is_used(self, place: int) -> bool:
        """Return whether a row is that of a page."""
        return bool(self.rows["kind"][place] != Kind.DROPPED)

    def reports(self) -> list[UrlId]:
        """Return the URLs of the pages that are articles, by their links too."""
        rows = self.rows[: self._count]
        urls: list[UrlId] = rows["url"][rows["report"] & (rows["kind"] != Kind.DROPPED)].tolist()
        return urls

    def free(self, places: Places, now: float) -> NDArray[np.bool_]:
        """Return which pages have no request in progress, or one that seems lost."""
        asked, seen = self.rows["asked"][places], self.rows["seen"][places]
        free: NDArray[np.bool_] = (asked <= seen) | (asked < now - self.settings.lost)
        return free

    def turn_back(self, now: float) -> None:
        """Survive a clock that jumped back: nothing was seen later than now."""
        for name in ("seen", "asked", "first"):
            self.rows[name] = np.minimum(self.rows[name], now)

    def drop(self, place: int) -> None:
        """Forget a page."""
        row = self.rows[place]
        self.places.pop(int(row["url"]), None)
        row["kind"], row["due"] = Kind.DROPPED, np.inf
        self._free.append(place)

    def group(self, site: int, kind: Kind, shape: str) -> int:
        """Return the group of the pages of a site with a shape; "" stands for all of a kind."""
        name = (site, int(kind), shape)
        known = self._names.get(name)
        if known is not None:
            return known
        if len(self._names) >= self.settings.most_groups and shape:
            return self.group(site, kind, "")
        above = self.group(site, kind, "") if shape else -1
        known = self._names[name] = len(self._names)
        self.groups = grown(self.groups, known + 1, 0)
        self.groups[known]["first"] = self.first_rate(kind)
        self.groups[known]["above"] = above
        self.groups[known]["even"] = self.settings.sure_page
        return known

    def first_rate(self, kind: Kind) -> float:
        """Return the rate of a kind of page before anything was learned."""
        settings = self.settings
        return {
            Kind.LIST: settings.list_rate,
            Kind.SEED: settings.seed_rate,
            Kind.HUB: settings.hub_rate,
        }.get(kind, settings.page_rate)

    def looked(self, place: int, page: Page) -> bool:
        """Learn from another look at a page that was there; return whether it has changed."""
        row = self.rows[place]
        passed = max(0.0, page.time - float(row["seen"]))
        fade = exp_of(-passed / self.settings.memory)
        age, group = self.age(page.time - float(row["born"])), int(row["group"])
        expected = passed * float(self.group_rates(np.array([group]), np.array([age]))[0])
        for name in ("found", "pushed", "calls"):
            row[name] *= fade
        row["expected"] = row["expected"] * fade + expected
        self._watch(group, age, page.time, passed)
        if (above := int(self.groups[group]["above"])) >= 0:
            self._watch(above, age, page.time, passed)
        changed = page.version >= 0 and page.version != int(row["version"])
        self._turn(row, group, passed, fade, changed)
        row["seen"], row["misses"] = page.time, 0
        row["looks"] += 1
        row["changes"] += changed
        if page.version >= 0:
            row["version"] = page.version
        return changed

    def _turn(self, row: np.void, group: int, passed: float, fade: float, changed: bool) -> None:
        """Learn how often a page changes, and pages of its group."""
        pace = float(self.change_rate(self.groups[group]))
        expected = -expm1_of(-passed * pace)
        row["changed"] = row["changed"] * fade + changed
        row["aged"] *= fade
        row["turns"] = row["turns"] * fade + expected
        held = passed
        if changed:  # the mean time of the first change within the time that has passed
            held = 1.0 / pace - passed * (1.0 - expected) / expected if expected > 0 else 0.0
        self._hold(group, float(changed), max(0.0, held))

    def _hold(self, group: int, changed: float, held: float) -> None:
        self.groups[group]["changed"] += changed
        self.groups[group]["held"] += held

    def change_rate(self, groups: NDArray[np.void] | np.void) -> Floats:
        """Return the changes a second of a page of some groups."""
        first = self.settings.change_rate
        rates: Floats = (1.0 + groups["changed"]) / (1.0 / first + groups["held"])
        return rates

    def liveliness(self, rows: NDArray[np.void]) -> Floats:
        """Return how much more often pages change than their groups."""
        sure = self.settings.sure_change
        expected = self.change_rate(self.groups[rows["group"]]) * rows["aged"] + rows["turns"]
        lively: Floats = (sure + rows["changed"]) / (sure + expected)
        return lively

    def missed(self, place: int, time: float) -> None:
        """Note that a page was not there."""
        self.rows[place]["seen"] = time
        self.rows[place]["misses"] += 1

    def credit(self, place: int, amount: float, found: float, brought: bool = True) -> None:
        """Note that a new page was found through a page at a time; `brought` if it was fetched."""
        row = self.rows[place]
        row["found"] += amount
        row["brought"] += brought
        age, group = self.age(found - float(row["born"])), int(row["group"])
        self.groups[group]["found"][age] += amount
        if (above := int(self.groups[group]["above"])) >= 0:
            self.groups[above]["found"][age] += amount

    def age(self, seconds: float) -> int:
        """Return the class of an age."""
        return bisect_right(self.settings.ages, seconds)

    def _watch(self, group: int, age: int, now: float, passed: float) -> None:
        row = self.groups[group]
        if row["at"][age]:
            fade = exp_of(-max(0.0, now - float(row["at"][age])) / self.settings.memory)
            row["found"][age] *= fade
            row["watched"][age] *= fade
        row["at"][age] = now
        row["watched"][age] += passed

    def compare(self, places: Places) -> None:
        """Learn how much the pages of a group differ in the new pages found there.

        If the rates of pages have a gamma distribution of shape k around that of their group, the
        variance of what is found is that of chance plus expected² / k.
        """
        rows, settings = self.rows[places], self.settings
        groups, found, expected = rows["group"], rows["found"], rows["expected"]
        apart = found - expected
        beyond = np.bincount(groups, apart * apart - found, len(self.groups))
        square = np.bincount(groups, expected * expected, len(self.groups))
        prior = settings.sure_spread
        spread = (prior / settings.sure_page + beyond) / (prior + square)
        even = 1.0 / np.clip(spread, 1.0 / settings.most_even, 1.0 / settings.least_even)
        self.groups["even"] = np.where(square > 0, even, self.groups["even"])

    def rates(self, places: Places, now: float) -> Floats:
        """Return the rates of pages, in new pages a second."""
        rows = self.rows[places]
        sure = self.groups["even"][rows["group"]]
        ages = np.searchsorted(self.settings.ages, now - rows["born"], "right")
        shown = (sure + rows["found"]) / (sure / self.liveliness(rows) + rows["expected"])
        rates: Floats = self.group_rates(rows["group"], ages) * shown
        return rates

    def unseen_rate(self, site: int, shape: str) -> float:
        """Return the rate to be expected of an unseen page, by the pages of its shape."""
        pages, total, oldest = 1.0, self.settings.hub_rate, np.array([AGES - 1])
        for kind in (Kind.HUB, Kind.ARTICLE, Kind.DROPPED):  # dropped are those never there
            group = self.group(site, kind, shape)
            seen = float(self.groups[group]["pages"])
            pages += seen
            if kind is not Kind.DROPPED:
                total += seen * float(self.group_rates(np.array([group]), oldest)[0])
        return total / pages

    def group_rates(self, groups: NDArray[np.int_], ages: NDArray[np.int_]) -> Floats:
        """Return the rates of groups at ages."""
        table, sure = self.groups, self.settings.sure_group
        above = table["above"][groups]
        over = np.where(above >= 0, above, groups)
        first = table["first"][groups]
        wide = (sure + table["found"][over, ages]) / (sure / first + table["watched"][over, ages])
        narrow = (sure + table["found"][groups, ages]) / (
            sure / wide + table["watched"][groups, ages]
        )
        rates: Floats = np.where(above >= 0, narrow, wide)
        return rates


def shape_in(page: Page) -> str:
    """Return the shape of the URL of a page."""
    return path_shape(page.links.addresses.href(page.choice.url))


def why(sources: Sources, place: int, now: float) -> Reasons:
    """Explain why a page is looked at."""
    row, day = sources.rows[place], sources.settings.day
    rate = sources.rates(np.array([place]), now).item() * day
    brought, looks = int(row["brought"]), counted(int(row["looks"]), "look")
    due = max(0.0, float(row["due"]) - now)
    parts = (
        Part("new pages a day to be expected here", (rate,)),
        Part("hours since the last look", ((now - float(row["seen"])) / sources.settings.hour,)),
        Part("looks at which it had changed", (float(row["changes"]),)),
    )
    ahead = f"the next look is in {duration(due)}" if due < inf else "it is left to sweeps"
    said = f"{counted(brought, 'new page')} found here first, in {looks}"
    return Reasons(said, ("is",), parts, ahead)
