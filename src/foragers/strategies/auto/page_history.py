"""Pages that were visited: how often each changes, and how much news its changes brought.

The group of a page has a rate of change for each age (`change_rates`).  A page may change more
or less often than its group:

    lively  = (k + changes) / (k + expected)       observed changes, and those expected of its group
    changes = lively · (expected changes since the last visit, or within the age limit for news)

A visit brings the changed page, if it is news, and the news behind links that are new.  The value
of a visit is the gain of visiting now instead of a little later, with all following visits delayed
as well: R − t·R′ for a reward R(t), t seconds after the last visit (after Cho and Garcia-Molina;
where it is equal for all pages, no other distribution of visits finds more).

    own   = news share · (1 − (1 + t·rate) · exp(−changes))
    worth = trust · (own + net · changes · news a change)

`trust` compares the visits to pages of the group with what was expected of them (`change_rates`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

import numpy as np
from numpy.typing import NDArray

from foragers.core import exact
from foragers.core.types import Page, UrlId, Visit
from foragers.frontier.columns import UrlColumn
from foragers.strategies.auto.change_rates import Floats, Hazards, Places
from foragers.strategies.auto.settings import REVISIT_DEFAULTS, RevisitSettings

NEWS, THROUGH, LINKS = range(3)
"""Shares: changes that are news; news through links a change; new links that led to news."""

PAGE = np.dtype(
    [
        ("url", np.int64),
        ("host", np.int64),
        ("parent", np.int64),
        ("depth", np.int64),
        ("group", np.int64),
        ("version", np.int64),
        ("seen", np.float64),
        ("born", np.float64),
        ("asked", np.float64),
        ("turn", np.int64),
        ("misses", np.int64),
        ("visits", np.int32),
        ("changed", np.int32),
        ("led_to", np.int32),
        ("changes", np.float64),
        ("expected", np.float64),
        ("cases", np.float64, (3,)),
        ("good", np.float64, (3,)),
    ]
)


@dataclass
class Watched:
    """A table with a row per page; `within` is the age limit for news, in seconds.

    `visits` counts visits after the first, `changed` those that found a change, and `led_to` the
    news found through links that were new on the page.  Unlike the other counts they do not fade:
    they are shown to people.
    """

    within: float
    settings: RevisitSettings = REVISIT_DEFAULTS
    hazards: Hazards = field(init=False)
    _table: NDArray[np.void] = field(default_factory=lambda: np.zeros(64, PAGE), repr=False)
    _count: int = 0
    _places: UrlColumn[np.int32] = field(
        default_factory=lambda: UrlColumn(np.int32(-1)), repr=False
    )

    def __post_init__(self) -> None:
        self.hazards = Hazards(self.settings)

    def __len__(self) -> int:
        return self._count

    @property
    def all(self) -> NDArray[np.void]:
        """All pages, in the order of their first visits."""
        return self._table[: self._count]

    def place(self, url: UrlId) -> int:
        """Return the row of a page, or -1 if it was not visited yet."""
        return self._places.reach(url).item(url)

    def begin(self, page: Page, group: int) -> None:
        """Add a page that was visited for the first time."""
        if self._count == len(self._table):
            self._table = np.concatenate([self._table, np.zeros_like(self._table)])
        choice, row = page.choice, self._table[self._count]
        row["url"], row["host"] = choice.url, choice.host
        row["parent"], row["depth"] = choice.parent, choice.depth
        row["group"], row["version"] = group, page.version
        row["seen"], row["asked"], row["born"] = page.time, -inf, min(page.born, page.time)
        row["misses"] = page.version < 0
        self._places.reach(choice.url)[choice.url] = self._count
        self._count += 1

    def learn(self, place: int, visit: Visit) -> bool:
        """Compare a page with its last version, and return whether it changed."""
        row, page = self._table[place], visit.page
        changed = bool(page.version >= 0 and page.version != row["version"])
        self.hazards.compare(
            int(row["group"]), self.expected_news(place, page.time), visit.relevance
        )
        self._watch(row, page.time, changed)
        row["visits"] += 1
        if changed:
            row["changed"] += 1
            self.count(place, NEWS, 1.0, visit.relevance)
            row["version"], row["born"] = page.version, min(page.born, page.time)
        row["seen"], row["asked"] = max(float(row["seen"]), page.time), -inf
        if row["version"] < 0:
            row["misses"] += 1
        return changed

    def _watch(self, row: np.void, time: float, changed: bool) -> None:
        """Add what happened to a page since the last visit; it may have changed several times."""
        group, born = int(row["group"]), float(row["born"])
        first, last = max(float(row["seen"]) - born, 0.0), max(time - born, 0.0)
        if not last > first:
            return
        usual = self.hazards.between_ages(group, first, last)
        settings = self.settings
        changes = 0.0
        if changed:
            changes = expected_if_any(self._lively(row) * usual, settings.most_changes)
        for name in ("changes", "expected", "cases", "good"):
            row[name] = settings.fades * row[name]
        row["changes"] += changes
        row["expected"] += usual
        row["cases"][THROUGH] += changes
        self.hazards.watch(group, first, last, changes)
        self.hazards.count(group, THROUGH, changes, 0.0)

    def _lively(self, row: np.void) -> float:
        """Return how many times as often as its group a page changes."""
        alike = self.settings.alike
        return float((alike + row["changes"]) / (alike + row["expected"]))

    def expected_news(self, place: int, now: float) -> float:
        """Return the probability that a page is news now, before trust is applied."""
        row = self._table[place]
        age = max(now - float(row["born"]), 0.0)
        young = min(max(float(row["seen"]) - float(row["born"]), age - self.within, 0.0), age)
        usual = self.hazards.between_ages(int(row["group"]), young, age)
        return -exact.expm1_of(-self._lively(row) * usual) * self.share(place, NEWS)

    def credit(self, place: int, relevance: float) -> None:
        """Add a page that was reached by a link that was new on this page."""
        self.count(place, LINKS, 1.0, relevance)
        self.count(place, THROUGH, 0.0, relevance)
        self._table[place]["led_to"] += relevance > 0

    def count(self, place: int, share: int, cases: float, good: float) -> None:
        """Add cases to a share of a page and of its groups, and how many of them were good."""
        row = self._table[place]
        row["cases"][share] += cases
        row["good"][share] += good
        self.hazards.count(int(row["group"]), share, cases, good)

    def worth(self, places: Places, now: float, price: float) -> Floats:
        """Return the value of visits to pages now, if other downloads find `price` news each."""
        pages, table = self._table[places], self.hazards.table
        alike, sure = self.settings.alike, self.settings.sure
        groups = pages["group"]
        ages = np.maximum(now - pages["born"], 0.0)
        since = np.maximum(pages["seen"], pages["asked"]) - pages["born"]
        since = np.minimum(np.maximum(since, 0.0), ages)
        lively = (alike + pages["changes"]) / (alike + pages["expected"])
        young = np.maximum(since, ages - self.within)
        changes = lively * self.hazards.between(groups, young, ages)
        shares = (pages["good"] + sure * table["share"][groups]) / (pages["cases"] + sure)
        # Beyond the age limit, old changes are lost as fast as new ones come: waiting is no gain.
        soon = np.where(ages - since <= self.within, lively * self.hazards.rates(groups, ages), 0.0)
        missed = np.maximum(1.0 - (1.0 + (ages - since) * soon) * exact.exp(-changes), 0.0)
        net = np.maximum(0.0, 1.0 - price / np.maximum(shares[:, LINKS], 1e-9))
        found: Floats = shares[:, NEWS] * missed + net * shares[:, THROUGH] * changes
        found *= table["trust"][groups]
        found[(pages["version"] < 0) & (pages["misses"] >= self.settings.given_up)] = 0.0
        return found

    def promise(self, place: int) -> float:
        """Return how likely a link that was new on a page leads to news."""
        return self.share(place, LINKS)

    def share(self, place: int, share: int) -> float:
        """Return a share of a page."""
        row, sure = self._table[place], self.settings.sure
        usual = self.hazards.table["share"][int(row["group"]), share]
        return float((row["good"][share] + sure * usual) / (row["cases"][share] + sure))

    def rate(self, place: int, now: float) -> float:
        """Return the expected changes of a page per second."""
        row = self._table[place]
        group, age = np.array([int(row["group"])]), np.array([max(now - float(row["born"]), 0.0)])
        return self._lively(row) * self.hazards.rates(group, age).item()


def expected_if_any(changes: float, most: float = REVISIT_DEFAULTS.most_changes) -> float:
    """Return the expected number of changes, given that there was at least one."""
    return min(-changes / exact.expm1_of(-changes), most) if changes > 1e-6 else 1.0
