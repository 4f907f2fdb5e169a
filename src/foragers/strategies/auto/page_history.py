"""Pages that were visited: how often each changes, and what its changes have been worth.

How often pages of its group change at its age is known (`auto_hazards`); a page is livelier
or quieter than that:

    lively  = (k + changes) / (k + expected)       changes met, and expected of its group
    changes = lively · (changes to be expected since the last visit, or since news was young)

A visit may bring the change itself, if it is news, and the news behind links that are new.
What counts is not that chance but what is gained by going now and not a little later, with the
next visits put off likewise: for a reward R(t), t after the last visit, R − t·R′ (after Cho and
Garcia-Molina; where it is the same for all pages, no other division of visits finds more).

    worth = news share · (1 − (1 + t·rate) · exp(−changes)) + net · changes · news a change
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
        ("changes", np.float64),
        ("expected", np.float64),
        ("cases", np.float64, (3,)),
        ("good", np.float64, (3,)),
    ]
)


@dataclass
class Watched:
    """Columns, one row a page; `within` is how old news may be, in seconds."""

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
        """Return the row of a page, -1 if it was not visited yet."""
        return self._places.reach(url).item(url)

    def begin(self, page: Page, group: int) -> None:
        """Note a page that is visited for the first time."""
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
        """Compare a page with what it was at the last visit, and return whether it changed."""
        row, page = self._table[place], visit.page
        changed = bool(page.version >= 0 and page.version != row["version"])
        self._watch(row, page.time, changed)
        if changed:
            self.count(place, NEWS, 1.0, visit.relevance)
            row["version"], row["born"] = page.version, min(page.born, page.time)
        row["seen"], row["asked"] = max(float(row["seen"]), page.time), -inf
        if row["version"] < 0:
            row["misses"] += 1
        return changed

    def _watch(self, row: np.void, time: float, changed: bool) -> None:
        """Count what happened to a page since it was last seen, however often it changed."""
        group, born = int(row["group"]), float(row["born"])
        first, last = max(float(row["seen"]) - born, 0.0), max(time - born, 0.0)
        if not last > first:
            return
        usual = self.hazards.between(np.array([group]), np.array([first]), np.array([last])).item()
        settings = self.settings
        alike, fades = settings.alike, settings.fades
        lively = float((alike + row["changes"]) / (alike + row["expected"]))
        changes = expected_if_any(lively * usual, settings.most_changes) if changed else 0.0
        for name in ("changes", "expected", "cases", "good"):
            row[name] = fades * row[name]
        row["changes"] += changes
        row["expected"] += usual
        row["cases"][THROUGH] += changes
        self.hazards.watch(group, first, last, changes)
        self.hazards.count(group, THROUGH, changes, 0.0)

    def count(self, place: int, share: int, cases: float, good: float) -> None:
        """Count cases of a share, of the page and of its groups, and those that were good."""
        row = self._table[place]
        row["cases"][share] += cases
        row["good"][share] += good
        self.hazards.count(int(row["group"]), share, cases, good)

    def worth(self, places: Places, now: float, price: float) -> Floats:
        """Return what visits to pages are worth now, if other downloads find `price` news each."""
        pages, table = self._table[places], self.hazards.table
        alike, sure = self.settings.alike, self.settings.sure
        groups = pages["group"]
        ages = np.maximum(now - pages["born"], 0.0)
        since = np.maximum(pages["seen"], pages["asked"]) - pages["born"]
        since = np.clip(since, 0.0, ages)
        lively = (alike + pages["changes"]) / (alike + pages["expected"])
        young = np.maximum(since, ages - self.within)
        changes = lively * self.hazards.between(groups, young, ages)
        shares = (pages["good"] + sure * table["share"][groups]) / (pages["cases"] + sure)
        # What is older than news may be is lost at the rate at which there is more.
        soon = np.where(ages - since <= self.within, lively * self.hazards.rates(groups, ages), 0.0)
        missed = np.maximum(1.0 - (1.0 + (ages - since) * soon) * exact.exp(-changes), 0.0)
        net = np.maximum(0.0, 1.0 - price / np.maximum(shares[:, LINKS], 1e-9))
        found: Floats = shares[:, NEWS] * missed + net * shares[:, THROUGH] * changes
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
        """Return how many changes a second are expected of a page."""
        row = self._table[place]
        group, age = np.array([int(row["group"])]), np.array([max(now - float(row["born"]), 0.0)])
        alike = self.settings.alike
        lively = float((alike + row["changes"]) / (alike + row["expected"]))
        return lively * self.hazards.rates(group, age).item()


def expected_if_any(changes: float, most: float = REVISIT_DEFAULTS.most_changes) -> float:
    """Return how many changes there were, given that there was at least one."""
    return min(-changes / exact.expm1_of(-changes), most) if changes > 1e-6 else 1.0
