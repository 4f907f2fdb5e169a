"""A step of a forager under way: the page it goes to, and the pages it looks at from there.

A colony that asks a world page by page, however many at once, in whatever order they come.

In a world with one connection one forager works at a time, as in the papers.  Where more
is asked for than one forager can use, others take their turns beside it.  A step is over
when all its pages are there; one that many later ones have overtaken is not waited for
where nothing else is left to do, and what it brings is credited when it comes.

A crawl that is taken up from its ledger tells of pages that were not asked for since.  They
are asked for then, as they were the first time, so that the colony stands where it stood.
What turns out to have been asked for and is not in the ledger is *owed*: it is chosen first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from math import inf

import numpy as np
from numpy.typing import NDArray

from foragers.core.types import Choice, HostId, Ids, Page, UrlId, Visit
from foragers.frontier.columns import Places
from foragers.strategies.fleet.atlas import STAYED, Atlas
from foragers.strategies.fleet.colony import Colony, profit
from foragers.strategies.fleet.forager import Forager
from foragers.strategies.fleet.page_memory import Sights

Flags = NDArray[np.bool_]

LOOKS = " looks"
"""Ends the agent of a choice that is only looked at; that of a step is the forager's name."""


@dataclass(slots=True)
class Sight:
    """What one download of a step showed: a page (-1 for none) and all that matters of it."""

    page: int
    number: int
    time: float
    leads: bool = False
    young: bool = False
    wanted: bool = False


@dataclass(slots=True, eq=False)
class PathRequest:
    """One step: `waiting` are choices not yet made, `asked` those made and not answered.

    `places` has the place of every URL of the step, `sights` what came back, by place.
    """

    forager: Forager
    first: Choice
    waiting: deque[Choice] = field(default_factory=deque)
    asked: dict[UrlId, int] = field(default_factory=dict)
    places: dict[UrlId, int] = field(default_factory=dict)
    sights: dict[int, Sight] = field(default_factory=dict)
    links: Ids = field(default_factory=lambda: np.empty(0, np.int32))

    @property
    def is_done(self) -> bool:
        """Whether nothing is asked for or to be asked for."""
        return not self.waiting and not self.asked

    def columns(self) -> tuple[Sights, Places, Flags]:
        """Return what came back, the places of the young pages, each once, and which is wanted."""
        held = [(url, self.sights[at]) for url, at in self.places.items() if at in self.sights]
        seen = [sight for _, sight in held]
        sights = Sights(
            np.array([url for url, _ in held], np.int32),
            np.array([sight.page for sight in seen], np.int32),
            np.array([sight.number for sight in seen], np.int32),
            np.array([sight.time for sight in seen], np.float64),
            np.array([sight.leads for sight in seen], np.bool_),
        )
        young = np.flatnonzero([sight.young for sight in seen])
        if len(young) > 1:  # two URLs may lead to one page
            young = young[np.sort(np.unique(sights.pages[young], return_index=True)[1])]
        return sights, young, np.array([seen[at].wanted for at in young.tolist()], np.bool_)


Asked = tuple[str, UrlId]
"""Who asked, and for what."""

LARGEST = 1e300
MOST_RECALLED = 256
"""So many pages at most are asked for again to find the one that a ledger tells of."""
NO_HOSTS: frozenset[HostId] = frozenset()
OVERTAKEN = 8
"""After so many answers to later questions an answer counts as lost, if nothing else is to do."""


@dataclass(slots=True)
class Foraging:
    """The dialogue between a colony and a world."""

    colony: Colony
    atlas: Atlas
    abreast: int
    now: float = -inf
    errands: dict[str, PathRequest] = field(default_factory=dict)
    _owed: dict[Asked, Choice] = field(default_factory=dict)
    _late: set[Asked] = field(default_factory=set)
    _asked: int = 0
    _answered: int = 0

    def begin(self, beginning: Visit) -> None:
        """Take in the seeds."""
        self.now = beginning.page.time
        seeds = self.atlas.chart(beginning.page).tolist()
        if seeds:
            self.colony.begin(seeds, self.now)

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        """Choose at most n pages on open hosts."""
        choices: list[Choice] = []
        if n > 0 and not self.atlas.hosts <= closed:
            choices += self._pay(n, closed)
            while len(choices) < n and (some := self._some(n - len(choices), closed)):
                choices += some
        return choices

    def _pay(self, n: int, closed: AbstractSet[HostId]) -> list[Choice]:
        """Return what is owed."""
        open_ = [choice for choice in self._owed.values() if choice.host not in closed][:n]
        for choice in open_:
            del self._owed[choice.agent, choice.url]
        return open_

    def _recall(self, asked: Asked) -> None:
        """Ask again until a page is asked for that a ledger tells of."""
        for _ in range(MOST_RECALLED):
            some = self._some(1, NO_HOSTS)
            self._owed.update({(choice.agent, choice.url): choice for choice in some})
            if not some or asked in self._owed:
                break

    def _some(self, n: int, closed: AbstractSet[HostId]) -> list[Choice]:
        """Return some pages of the steps under way, or else begin a step."""
        for errand in self.errands.values():
            if found := self._from(errand, n, closed):
                return found
        for errand in list(self.errands.values()):
            if errand.is_done:
                return self._go_on(errand, n, closed)
        if len(self.errands) < self.abreast:
            forager = self.colony.start_turn(self.now)
            if forager is not None:
                return self._begin_step(forager, n, closed)
        for errand in list(self.errands.values()):
            if self._is_overtaken(errand):
                self._give_up(errand)
                return self._go_on(errand, n, closed)
        return []

    def _go_on(self, errand: PathRequest, n: int, closed: AbstractSet[HostId]) -> list[Choice]:
        """Begin the next step of a forager whose last one is over, or give its turn away."""
        forager = errand.forager
        del self.errands[forager.name]
        if self.now < forager.until:
            return self._begin_step(forager, n, closed)
        self.colony.end_turn(forager, self.now)
        return self._some(n, closed)

    def _begin_step(self, forager: Forager, n: int, closed: AbstractSet[HostId]) -> list[Choice]:
        while not self.now < forager.until:  # overshoot that was charged has used up the turn
            self.colony.end_turn(forager, self.now)
            another = self.colony.start_turn(self.now)
            if another is None:
                return []
            forager = another
        url, promise = self.colony.next_page(forager, self.now)
        choice = self.atlas.choice(url, bounded(promise), forager.name)
        errand = PathRequest(forager, choice)
        errand.waiting.append(choice)
        errand.places[url] = 0
        self.errands[forager.name] = errand
        return self._from(errand, n, closed) or self._some(n, closed)

    def _from(self, errand: PathRequest, n: int, closed: AbstractSet[HostId]) -> list[Choice]:
        """Take pages on open hosts from a step."""
        taken: list[Choice] = []
        waiting = errand.waiting
        for _ in range(len(waiting)):
            choice = waiting.popleft()
            if len(taken) < n and choice.host not in closed:
                self._asked += 1
                errand.asked[choice.url] = self._asked
                taken.append(choice)
            else:
                waiting.append(choice)
        return taken

    def _is_overtaken(self, errand: PathRequest) -> bool:
        """Whether a step waits for nothing but answers that are probably lost."""
        if errand.waiting or not errand.asked:
            return False
        return max(errand.asked.values()) + OVERTAKEN <= self._answered

    def _give_up(self, errand: PathRequest) -> None:
        """Wait no longer for the pages of a step."""
        name = errand.forager.name
        for url in errand.asked:
            self._late.add((name if errand.places[url] == 0 else name + LOOKS, url))
        errand.asked.clear()
        self._finish(errand)

    def tell(self, visit: Visit) -> None:
        """Take in what came back."""
        page = visit.page
        if page.choice.purpose.is_own:  # nobody here asked for it
            self.atlas.chart(page)
            return
        asked = page.choice.agent, page.choice.url
        name = page.choice.agent.removesuffix(LOOKS)
        if asked not in self._late and not self._waits_for(name, page.choice):
            self._recall(asked)
        errand = self.errands.get(name)
        if errand is None or not self._waits_for(name, page.choice):
            self._late.discard(asked)
            self._credit(name, visit)
            return
        self._owed.pop(asked, None)
        self.now = max(self.now, page.time)
        self._answered = max(self._answered, errand.asked.pop(page.choice.url))
        place = errand.places[page.choice.url]
        errand.sights[place] = self._sight(visit, errand.forager)
        if place == 0:
            self._look_round(errand, page)
        if errand.is_done:
            self._finish(errand)

    def _waits_for(self, name: str, choice: Choice) -> bool:
        """Whether a forager waits for the answer to a choice."""
        errand = self.errands.get(name)
        return errand is not None and choice.url in errand.asked

    def _sight(self, visit: Visit, forager: Forager) -> Sight:
        page = visit.page
        number = self.atlas.page(page)
        is_page = number >= 0 and page.status in STAYED
        young = is_page and page.time - page.born <= forager.settings.new_within
        leads = number >= 0 and len(page.links) > 0
        state = self.atlas.state(number)
        return Sight(number, state, page.time, leads, young, visit.relevant)

    def _look_round(self, errand: PathRequest, page: Page) -> None:
        """See which of the pages linked from where a forager stands it is to look at."""
        forager = errand.forager
        if errand.sights[0].page < 0:
            return
        if page.final != page.choice.url:
            forager.path.block(page.final)
        errand.links = self.atlas.chart(page)
        looked = self.colony.looks(forager, errand.links, page.time)
        agent = forager.name + LOOKS
        for place, url in enumerate(looked.tolist(), 1):
            errand.places[url] = place
            errand.waiting.append(self.atlas.look(url, page, errand.first.promise, agent))

    def _finish(self, errand: PathRequest) -> None:
        """End a step: learn from what it brought."""
        forager, states = errand.forager, self.atlas.table.states
        if 0 not in errand.sights:  # the page itself was lost
            errand.sights[0] = Sight(-1, 0, self.now)
        sights, young, wanted = errand.columns()
        self.colony.finish(forager, sights, errand.links, states, young, wanted)
        errand.waiting.clear()
        errand.sights.clear()
        errand.places.clear()

    def _credit(self, name: str, visit: Visit) -> None:
        """Reinforce a forager for a page that came too late for its step."""
        for forager in self.colony.foragers:
            if forager.name == name and forager.path.rewards:
                sight = self._sight(visit, forager)
                page = np.array([sight.page], np.int32)
                if sight.young and len(forager.select(page)):
                    wanted = np.array([sight.wanted])
                    found = len(self.colony.agent.receive(forager, page, wanted))
                    forager.path.rewards[-1] += profit(forager.settings, 1, found)


def bounded(promise: float) -> float:
    """Return a value that can be written down."""
    return min(max(promise, -LARGEST), LARGEST) if promise == promise else 0.0
