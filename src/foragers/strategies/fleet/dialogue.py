"""The dialogue of a colony with a world: page by page, any number at once, in any order.

A *step* of a forager is the page it goes to, and the pages it looks at from there. In a world with
one connection one forager works at a time, as in the papers.  If a world takes more pages than one
forager can use, others take their turns beside it.  A step is over when all its pages are there.  A
step that many later answers have overtaken is not waited for if nothing else is left to do; its
pages are credited when they come.

A crawl that is resumed from its ledger tells of pages that were not chosen since.  They are then
chosen again, as they were the first time, so that the colony has the same state as before. Choices
that are made again and have no visit in the ledger are *owed*: they are returned first.
"""

from __future__ import annotations

from collections import Counter, deque
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
from foragers.strategies.fleet.settings import DEFAULT_TUNING, FleetTuning

Flags = NDArray[np.bool_]

LOOKS = " looks"
"""Suffix of the agent of a choice that is only looked at; that of a step is the forager's name."""


@dataclass(slots=True)
class Sight:
    """A download of a step: a page (-1 for none), and its properties."""

    page: int
    number: int
    time: float
    leads: bool = False
    young: bool = False
    wanted: bool = False


@dataclass(slots=True, eq=False)
class FleetStep:
    """A step: `waiting` are choices not returned yet, `asked` those without an answer.

    `indexes` has the index of every URL of the step, `sights` the downloads by index.
    """

    forager: Forager
    first: Choice
    waiting: deque[Choice] = field(default_factory=deque)
    asked: dict[UrlId, int] = field(default_factory=dict)
    indexes: dict[UrlId, int] = field(default_factory=dict)
    sights: dict[int, Sight] = field(default_factory=dict)
    links: Ids = field(default_factory=lambda: np.empty(0, np.int32))

    @property
    def is_done(self) -> bool:
        """Whether all choices are answered."""
        return not self.waiting and not self.asked

    def columns(self) -> tuple[Sights, Places, Flags]:
        """Return the downloads, the indexes of the young pages, each once, and which are wanted."""
        held = [(url, self.sights[at]) for url, at in self.indexes.items() if at in self.sights]
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


SHARED = -1
"""Stands for several foragers instead of one."""


@dataclass(slots=True)
class Ground:
    """The pages that foragers have stepped to: `owners` of pages, and `sharers` of shared ones."""

    owners: dict[UrlId, int] = field(default_factory=dict)
    sharers: set[tuple[int, UrlId]] = field(default_factory=set)

    def step(self, forager: int, url: UrlId) -> None:
        """Record a step of a forager."""
        owner = self.owners.setdefault(url, forager)
        if owner == forager:
            return
        if owner != SHARED:
            self.sharers.add((owner, url))
            self.owners[url] = SHARED
        self.sharers.add((forager, url))

    def areas(self) -> tuple[Counter[int], Counter[int]]:
        """Return how many pages each forager has stepped to, and how many of them alone."""
        own = Counter(owner for owner in self.owners.values() if owner != SHARED)
        return own + Counter(forager for forager, _ in self.sharers), own


Asked = tuple[str, UrlId]
"""The agent and the URL of a choice."""

NO_HOSTS: frozenset[HostId] = frozenset()


@dataclass(slots=True)
class FleetDialogue:
    """The dialogue between a colony and a world."""

    colony: Colony
    atlas: Atlas
    abreast: int
    tuning: FleetTuning = DEFAULT_TUNING
    now: float = -inf
    steps: dict[str, FleetStep] = field(default_factory=dict)
    ground: Ground = field(default_factory=Ground)
    _owed: dict[Asked, Choice] = field(default_factory=dict)
    _late: set[Asked] = field(default_factory=set)
    _asked: int = 0
    _answered: int = 0

    def begin(self, beginning: Visit) -> None:
        """Start with the seeds."""
        self.now = beginning.page.time
        self.atlas.waits = self.colony.saved is not None
        seeds = self.atlas.chart(beginning.page).tolist()
        if seeds:
            self.colony.begin(seeds, self.now)
        self._meet(beginning.page)

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        """Choose at most n pages on open hosts."""
        choices: list[Choice] = []
        if n > 0 and not self.atlas.hosts <= closed:
            choices += self._take_owed(n, closed)
            while len(choices) < n and (more := self._next(n - len(choices), closed)):
                choices += more
        return choices

    def _take_owed(self, n: int, closed: AbstractSet[HostId]) -> list[Choice]:
        """Remove and return choices that are owed."""
        open_ = [choice for choice in self._owed.values() if choice.host not in closed][:n]
        for choice in open_:
            del self._owed[choice.agent, choice.url]
        return open_

    def _repeat(self, asked: Asked) -> None:
        """Make choices again until the one is made that a ledger has."""
        for _ in range(self.tuning.max_repeated):
            choices = self._next(1, NO_HOSTS)
            self._owed.update({(choice.agent, choice.url): choice for choice in choices})
            if not choices or asked in self._owed:
                break

    def _next(self, n: int, closed: AbstractSet[HostId]) -> list[Choice]:
        """Return choices of the steps in progress, or else begin a step."""
        for step in self.steps.values():
            if choices := self._from(step, n, closed):
                return choices
        for step in list(self.steps.values()):
            if step.is_done:
                return self._go_on(step, n, closed)
        if len(self.steps) < self.abreast:
            forager = self.colony.start_turn(self.now)
            if forager is not None:
                return self._begin_step(forager, n, closed)
        for step in list(self.steps.values()):
            if self._is_overtaken(step):
                self._give_up(step)
                return self._go_on(step, n, closed)
        return []

    def _go_on(self, step: FleetStep, n: int, closed: AbstractSet[HostId]) -> list[Choice]:
        """Begin the next step of a forager, or end its turn."""
        forager = step.forager
        del self.steps[forager.name]
        if self.now < forager.until:
            return self._begin_step(forager, n, closed)
        self.colony.end_turn(forager, self.now)
        return self._next(n, closed)

    def _begin_step(self, forager: Forager, n: int, closed: AbstractSet[HostId]) -> list[Choice]:
        while not self.now < forager.until:  # the overshoot of its last turn has used up this one
            self.colony.end_turn(forager, self.now)
            another = self.colony.start_turn(self.now)
            if another is None:
                return []
            forager = another
        url, promise = self.colony.next_page(forager, self.now)
        choice = self.atlas.choice(url, self._bounded(promise), forager.name)
        step = FleetStep(forager, choice)
        step.waiting.append(choice)
        step.indexes[url] = 0
        self.steps[forager.name] = step
        return self._from(step, n, closed) or self._next(n, closed)

    def _from(self, step: FleetStep, n: int, closed: AbstractSet[HostId]) -> list[Choice]:
        """Remove and return choices of a step on open hosts."""
        taken: list[Choice] = []
        waiting = step.waiting
        for _ in range(len(waiting)):
            choice = waiting.popleft()
            if len(taken) < n and choice.host not in closed:
                self._asked += 1
                step.asked[choice.url] = self._asked
                taken.append(choice)
            else:
                waiting.append(choice)
        return taken

    def _is_overtaken(self, step: FleetStep) -> bool:
        """Return whether a step waits only for answers that are probably lost."""
        if step.waiting or not step.asked:
            return False
        return max(step.asked.values()) + self.tuning.overtaken <= self._answered

    def _give_up(self, step: FleetStep) -> None:
        """End a step without its missing pages."""
        name = step.forager.name
        for url in step.asked:
            self._late.add((name if step.indexes[url] == 0 else name + LOOKS, url))
        step.asked.clear()
        self._finish(step)

    def tell(self, visit: Visit) -> None:
        """Pass a page to the forager that chose it."""
        page = visit.page
        if page.choice.purpose.is_own:  # no forager chose it
            self.atlas.chart(page)
            self._meet(page)
            return
        asked = page.choice.agent, page.choice.url
        name = page.choice.agent.removesuffix(LOOKS)
        if asked not in self._late and not self._waits_for(name, page.choice):
            self._repeat(asked)
        step = self.steps.get(name)
        if step is None or not self._waits_for(name, page.choice):
            self._late.discard(asked)
            self._credit(name, visit)
            return
        self._owed.pop(asked, None)
        self.now = max(self.now, page.time)
        self._answered = max(self._answered, step.asked.pop(page.choice.url))
        index = step.indexes[page.choice.url]
        step.sights[index] = self._sight(visit, step.forager)
        if index == 0:
            self.ground.step(step.forager.number, page.choice.url)
            self._look_around(step, page)
        if step.is_done:
            self._finish(step)

    def _waits_for(self, name: str, choice: Choice) -> bool:
        """Return whether a forager waits for the page of a choice."""
        step = self.steps.get(name)
        return step is not None and choice.url in step.asked

    def _sight(self, visit: Visit, forager: Forager) -> Sight:
        page = visit.page
        number = self.atlas.page(page)
        is_page = number >= 0 and page.status in STAYED
        young = is_page and page.time - page.born <= forager.settings.new_within
        leads = number >= 0 and len(page.links) > 0
        state = self.atlas.state(number)
        return Sight(number, state, page.time, leads, young, visit.relevant)

    def _look_around(self, step: FleetStep, page: Page) -> None:
        """Choose the links of the page stepped to that are to be downloaded."""
        forager = step.forager
        if step.sights[0].page < 0:
            return
        if page.final != page.choice.url:
            forager.path.block(page.final)
        step.links = self.atlas.chart(page)
        self._meet(page)
        looked = self.colony.looks(forager, step.links, page.time)
        agent = forager.name + LOOKS
        for index, url in enumerate(looked.tolist(), 1):
            step.indexes[url] = index
            step.waiting.append(self.atlas.look(url, page, step.first.promise, agent))

    def _meet(self, page: Page) -> None:
        """Give URLs that a page is the first to link to back to the weblogs that had them."""
        atlas, inheritance = self.atlas, self.colony.inheritance
        for url in atlas.met:
            inheritance.meet(url, page.links.addresses)
        atlas.met.clear()
        atlas.waits = bool(inheritance.waiting)

    def _finish(self, step: FleetStep) -> None:
        """End a step: learn from its pages."""
        forager, states = step.forager, self.atlas.table.states
        if 0 not in step.sights:  # the page itself was lost
            step.sights[0] = Sight(-1, 0, self.now)
        sights, young, wanted = step.columns()
        self.colony.finish(forager, sights, step.links, states, young, wanted)
        step.waiting.clear()
        step.sights.clear()
        step.indexes.clear()

    def _credit(self, name: str, visit: Visit) -> None:
        """Reinforce a forager for a page that came too late for its step."""
        for forager in self.colony.foragers:
            if forager.name == name and forager.path.rewards:
                sight = self._sight(visit, forager)
                page = np.array([sight.page], np.int32)
                if sight.young and len(forager.select(page)):
                    wanted = np.array([sight.wanted])
                    relevant = len(self.colony.agent.receive(forager, page, wanted))
                    forager.path.rewards[-1] += profit(forager.settings, 1, relevant)

    def _bounded(self, promise: float) -> float:
        """Return a promise that the ledger can store."""
        most = self.tuning.max_promise
        return min(max(promise, -most), most) if promise == promise else 0.0
