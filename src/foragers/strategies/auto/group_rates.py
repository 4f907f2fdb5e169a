"""Success rates of groups of links, each shrunk towards the rate of the group around it.

    p(g) = (s + m · p(parent)) / (n + m)

A group is a node of a tree: all links, those to a host, those of a host under one tag path,
those of one page under one tag path; or a directory in a directory.  A group
without observations has the rate of its parent.

Whether there is a page at all is counted in the same groups, but one around takes in only the
first few answers of each group inside it: what is to be expected of a new host is what
hosts were like, not what the many links within the best known ones were like.

Groups are known by digests of their names, and what is known of them stands in columns: some
55 bytes a group.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from foragers.compiled import compiled
from foragers.core import exact
from foragers.core.types import Ids
from foragers.strategies.auto.combiner import Floats, log_odds
from foragers.strategies.auto.settings import DEFAULTS, AutoSettings
from foragers.urls.digests import Digests, digest

Ints: TypeAlias = "array[int]"
Reals: TypeAlias = "array[float]"
Lineage: TypeAlias = Ints

LIBRARY: Any | None = compiled("foragers.strategies.auto._columns")
"""The same functions compiled, if they are, for the many arrays of a few links."""
ROOT = 0
ALL_LINKS = 0
"""The digest that stands for the group of all links."""


class Before(NamedTuple):
    """What earlier crawls have brought, by the digests of groups, which rise; 0 is all links."""

    groups: NDArray[np.uint64]
    followed: NDArray[np.int64]
    earned: Floats
    tried: NDArray[np.int64]
    answered: NDArray[np.int64]

    def find(self, key: int) -> int:
        """Return the place of a group, -1 if nothing is known of it."""
        place = int(np.searchsorted(self.groups, np.uint64(key)))
        known = place < len(self.groups) and int(self.groups[place]) == key
        return place if known else -1


@dataclass
class Rates:
    """Groups, and what following their links has brought: worth, and an answer at all.

    `odds` are the log-odds of their worth, beside those of all links (`usual`); `doubts` the
    logarithms of the chance of an answer, and what hosts of seeds gain that were hardly tried.
    """

    settings: AutoSettings = DEFAULTS
    usual: float = field(init=False)
    parents: Ints = field(default_factory=lambda: array("i", [ROOT]), repr=False)
    levels: Ints = field(default_factory=lambda: array("b", [0]), repr=False)
    followed: Ints = field(default_factory=lambda: array("i", [0]), repr=False)
    earned: Reals = field(default_factory=lambda: array("d", [0.0]), repr=False)
    tried: Ints = field(default_factory=lambda: array("i", [0]), repr=False)
    answered: Ints = field(default_factory=lambda: array("i", [0]), repr=False)
    odds: Reals = field(default_factory=lambda: array("f", [0.0]), repr=False)
    doubts: Reals = field(init=False, repr=False)
    _digests: Digests = field(default_factory=Digests, repr=False)
    _recent: dict[str, int] = field(default_factory=dict, repr=False)
    _before: Before | None = field(default=None, repr=False)
    _given: set[int] = field(default_factory=set, repr=False)

    def __post_init__(self) -> None:
        first = self.settings.first_worth
        self.usual = exact.log_of(first / (1 - first))
        self.doubts = array("d", [exact.log_of(self.settings.first_answer)])

    def __len__(self) -> int:
        return len(self._digests) + 1

    def group(self, name: str, parent: int = ROOT) -> int:
        """Return the number of a group, which is made if it is new."""
        number = self._recent.get(name)
        return self._recall(name, parent) if number is None else number

    def recent(self, name: str) -> int | None:
        """Return the number of a group that came up recently."""
        return self._recent.get(name)

    def _recall(self, name: str, parent: int) -> int:
        """Return the number of a group that did not come up recently."""
        number = self.once(name, parent)
        if number != parent:
            if len(self._recent) >= self.settings.recent_names:
                self._recent.clear()
            self._recent[name] = number
        return number

    def once(self, name: str, parent: int) -> int:
        """Return the number of a group that will hardly come up again, made if it is new."""
        key, is_full = digest(name), len(self.parents) >= self.settings.most_groups
        found = self._digests.find(key) if is_full else self._digests.number(key)
        if found is None:
            return parent
        if found + 1 == len(self.parents):
            self._add(parent)
            if self._before is not None:
                self._begin(found + 1, key)
        return found + 1

    def _add(self, parent: int) -> None:
        """Let a new group be like the one around it."""
        self.parents.append(parent)
        self.levels.append(self.levels[parent] + 1)
        self.followed.append(0)
        self.earned.append(0.0)
        self.tried.append(0)
        self.answered.append(0)
        self.odds.append(self.odds[parent])
        self.doubts.append(self.doubts[parent])

    @property
    def is_taught(self) -> bool:
        """Whether groups begin with what earlier crawls have brought."""
        return self._before is not None

    def columns(self, more: int) -> tuple[object, ...]:
        """Return the columns by which groups are found, with room for some more in the table."""
        slots = self._digests.reserve(min(more, max(0, self.settings.most_groups - len(self))))
        return slots, self._digests.known, self.levels, self.odds, self.doubts

    def extend(
        self, keys: bytes, parents: bytes, levels: bytes, odds: bytes, doubts: bytes
    ) -> None:
        """Take in groups that were found to be new, whose numbers stand in the table already."""
        self._digests.extend(keys)
        self.parents.frombytes(parents)
        self.levels.frombytes(levels)
        self.odds.frombytes(odds)
        self.doubts.frombytes(doubts)
        for column in (self.followed, self.tried, self.answered):
            column.frombytes(bytes(len(parents)))
        self.earned.frombytes(bytes(len(keys)))

    def begin(self, before: Before) -> None:
        """Let groups begin with what earlier crawls have brought."""
        self._before = before
        self._begin(ROOT, ALL_LINKS)
        self.refresh()

    def _begin(self, number: int, key: int) -> None:
        """Let a group begin with what is known of it, if something is."""
        place = -1 if self._before is None else self._before.find(key)
        if self._before is not None and place >= 0:
            self.followed[number] = int(self._before.followed[place])
            self.earned[number] = float(self._before.earned[place])
            self.tried[number] = int(self._before.tried[place])
            self.answered[number] = int(self._before.answered[place])
            # Known at once, not when all rates are worked out next.
            m = self.settings.shrinkage
            earned = self.earned[number] + m * self._worth(self.parents[number])
            worth = earned / (self.followed[number] + m)
            self.odds[number] = exact.log_of(worth / (1 - worth)) - self.usual

    def _worth(self, number: int) -> float:
        """Return the rate of a group."""
        return 1 / (1 + exact.exp_of(-min(max(self.odds[number] + self.usual, -9.0), 9.0)))

    def counted(
        self,
    ) -> tuple[NDArray[np.uint64], NDArray[Any], Floats, NDArray[Any], NDArray[Any]]:
        """Return all groups of which something is known, by digest, and their four counts."""
        keys = np.append(np.uint64(ALL_LINKS), self._digests.__getstate__())
        columns = [
            np.array(part) for part in (self.followed, self.earned, self.tried, self.answered)
        ]
        order = np.argsort(keys, kind="stable")
        kept = order[(columns[0] + columns[2])[order] > 0]
        return (keys[kept], *(column[kept] for column in columns))

    def teach(self, groups: Ids, worth: float, answered: bool) -> Lineage:
        """Take in what a followed link was worth, and whether there was a page.

        `groups` has a column for each link to the page.  Return these and all groups around them.
        """
        inner = groups.T.ravel().tolist()
        lineage = self.lineage(inner)
        self.count(lineage, worth)
        self.answer(inner, answered)
        return lineage

    def lineage(self, groups: Iterable[int]) -> Lineage:
        """Return some groups and all groups around them, each once."""
        found, parents = {ROOT}, self.parents
        for group in groups:
            here = group
            while here not in found:
                found.add(here)
                here = parents[here]
        return array("i", sorted(found))

    def count(self, lineage: Lineage, worth: float) -> None:
        """Take in that a link of some groups was followed."""
        followed = self.followed
        for group in lineage:
            followed[group] += 1
        self.correct(lineage, worth)

    def correct(self, lineage: Lineage, more: float) -> None:
        """Take in that a link was worth more than was known when it was followed."""
        earned = self.earned
        for group in lineage:
            earned[group] += more

    def answer(self, groups: Iterable[int], answered: bool) -> None:
        """Take in whether there was a page, in groups around only while the inner one is new."""
        counted: set[int] = set()
        tried, parents, answers = self.tried, self.parents, self.answered
        few = self.settings.few_answers
        for group in groups:
            here = group
            while here not in counted:
                counted.add(here)
                if tried[here] >= few:
                    break
                here = parents[here]
        for group in counted:
            tried[group] += 1
            answers[group] += answered

    def refresh(self) -> None:
        """Work out all rates anew."""
        odds = self._told(log_odds, self.earned, self.followed, self.settings.first_worth)
        self.usual = float(odds[ROOT])
        view(self.odds)[:] = odds - self.usual
        chance = self.settings.first_answer
        view(self.doubts)[:] = self._told(exact.log, self.answered, self.tried, chance)
        if len(self._given) > 1:
            view(self.doubts)[:] += self._gained()

    def give(self, hosts: Iterable[str]) -> None:
        """Take in the names of the groups of the hosts of seeds."""
        self._given.update(set(map(self.group, hosts)) - {ROOT})

    def _gained(self) -> Floats:
        """Return what all groups gain: those of hosts of seeds, if little was tried there.

        Whoever gives several hosts expects something of each, and the home of a host alone shows
        little.  So a host gains by the mean number of links followed on all of them:

            gain = c · ln(1 + mean / (1 + followed))
        """
        places = np.array(sorted(self._given))
        followed = view(self.followed)[places]
        fewer = followed.sum() / len(places) / (1 + followed)
        gains = np.append(0.0, self.settings.untried_host * exact.log(1 + fewer))
        known = np.zeros(len(self.parents), np.bool_)
        known[ROOT] = known[places] = True
        return self._spread(known, gains)

    def _spread(self, known: NDArray[np.bool_], told: Floats) -> Floats:
        """Return what is told of some groups, for all: the nearest one around a group speaks."""
        quick: Floats = np.empty(len(known))
        if LIBRARY is not None and LIBRARY.spread(self.parents, known, told, quick):
            return quick
        parents, rates = view(self.parents), np.zeros(len(known))
        rates[known] = told
        source = np.where(known, np.arange(len(parents)), parents)
        while len(far := np.flatnonzero(~known[source])):
            source[far] = parents[source[far]]
        found: Floats = rates[source]
        return found

    def _told(
        self, say: Callable[[Floats], Floats], good: Ints | Reals, cases: Ints, first: float
    ) -> Floats:
        """Return what is said of the rates of all groups; most are like the one around them."""
        if (
            LIBRARY is not None
            and (quick := self._told_quickly(say, good, cases, first)) is not None
        ):
            return quick
        parents, all_cases = view(self.parents), view(cases)
        known = all_cases > 0
        known[ROOT] = True
        # The groups around one with cases count as well, though earlier crawls may not know them.
        while not known[around := parents[known]].all():
            known[around] = True
        places = np.flatnonzero(known)
        rates = self._shrunk(places, view(good)[places], all_cases[places], first)
        return self._spread(known, say(rates))

    def _told_quickly(
        self, say: Callable[[Floats], Floats], good: Ints | Reals, cases: Ints, first: float
    ) -> Floats | None:
        """Return the same, compiled; None if the columns are damaged."""
        library, groups = LIBRARY, len(self.parents)
        assert library is not None
        rates, told, known = np.empty(groups), np.empty(groups), np.empty(groups, np.bool_)
        m, weight = self.settings.shrinkage, self.settings.first_weight
        columns = (self.parents, good, cases, rates, known, told)
        number: int = library.shrunk(*columns, m, first, weight)
        if number < 0:
            return None
        return told if library.spread(self.parents, known, say(rates[:number]), told) else None

    def _shrunk(
        self, places: NDArray[Any], good: NDArray[Any], cases: NDArray[Any], first: float
    ) -> Floats:
        """Return the rates of some groups, and of those around them, from the outside in."""
        levels = view(self.levels)[places]
        around = np.searchsorted(places, view(self.parents)[places])
        rates, m = np.empty(len(places)), self.settings.shrinkage
        weight = self.settings.first_weight
        rates[ROOT] = (good[ROOT] + weight * first) / (cases[ROOT] + weight)
        for level in range(1, int(levels.max()) + 1):
            here = np.flatnonzero(levels == level)
            rates[here] = (good[here] + m * rates[around[here]]) / (cases[here] + m)
        return rates

    def __getstate__(self) -> dict[str, object]:
        """Leave out what can be made again."""
        return {**self.__dict__, "_recent": {}}


@dataclass
class SeedRate:
    """How many of the seeds fetched so far are relevant, for those that wait.

    Seeds were given, and not found through links.  So a seed that passes the judge speaks for other
    seeds, and for nothing else: where homes pass and little else does, groups and weights would
    learn that pages far from a seed are bad.
    """

    shrinkage: float
    fetched: int = 0
    relevant: int = 0

    def count(self, relevant: bool) -> None:
        """Take in a fetched seed."""
        self.fetched += 1
        self.relevant += relevant

    def gain(self, usual: float) -> float:
        """Return how far the log-odds of seeds are above those of all links, which are `usual`."""
        chance = 1 / (1 + exact.exp_of(-usual))
        rate = (self.relevant + self.shrinkage * chance) / (self.fetched + self.shrinkage)
        return max(0.0, exact.log_of(rate / (1 - rate)) - usual) if self.relevant else 0.0


def view(column: Ints | Reals) -> NDArray[Any]:
    """Return a column for numpy; it must be let go of before the column grows."""
    return np.frombuffer(column, column.typecode)
