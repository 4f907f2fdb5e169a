"""Energy: a population of agents that multiplies where pages are relevant and dies where not.

The system of `population`.  Each agent walks the web link by link.  A page gives it energy or
costs it some; with more than one unit it multiplies, with less than none it dies.  Three
kinds of energy, to be compared:

    original   E += ρ·relevance − C; above 1 an agent becomes two, which share (Menczer)
    sigmoid    E += f(relevance, R), which balances gains and costs (`fleet.balance`)
    conserved  the same, but the energy of a page stays on the page while there is no room
               for more agents, and agents that are too few to die are moved to such pages

What the paper leaves open, and how it is done here:
- An agent with E > 1 becomes ⌊E⌋ agents of E/⌊E⌋ each, itself one of them: the reading of
  the paper's E ÷ ⌊E⌋ under which no energy is made.  As many as there is room for share.
- `most` and `least` bound the population strictly: with `most` agents energy is left on
  pages, and with `least` no agent dies.
- Agents follow links that nobody has followed.  Where there are none, an agent goes on, at no
  cost, from a page with energy left, or from any known page with such links.
- A page that could not be had costs C and is not counted among the pages collected.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from math import floor

import numpy as np
from msgspec.structs import replace

from foragers.errors import UsageError
from foragers.fleet.balance import Balance
from foragers.fleet.clearings import Clearings, Ways
from foragers.fleet.energy import EnergyBook, Walker
from foragers.fleet.population import Population
from foragers.frontier import Frontier
from foragers.id_set import IdSet
from foragers.text.link_context import nodes, window
from foragers.topics.topic import Topic
from foragers.types import NOWHERE, Choice, HostId, Page, Status, UrlId, Visit

KINDS = ("original", "sigmoid", "conserved")
CONTEXTS = ("window", "node")
UNBOUNDED = 100_000
"""How many agents there may be where the model sets no bound: memory does."""


@dataclass(slots=True)
class Energy:
    """A population under control.

    A link is judged by `beta` parts its context and for the rest the page it stands on, and
    chosen with `P ∝ exp(promise / temperature)`.  With the chance `jump` an agent goes to a
    page with energy left instead.
    """

    topic: Topic
    rng: np.random.Generator
    kind: str = "conserved"
    agents: int = 200
    most: int = 250
    least: int = 50
    cost: float = 0.5
    gain: float = 10.0
    rho: float = 4.0
    temperature: float = 0.1
    jump: float = 0.1
    beta: float = 0.25
    context: str = "window"
    frontier: Frontier = field(default_factory=Frontier)
    population: Population[Walker] = field(init=False, repr=False)
    balance: Balance = field(init=False, repr=False)
    book: EnergyBook = field(default_factory=EnergyBook, init=False, repr=False)
    _clearings: Clearings = field(default_factory=Clearings, init=False, repr=False)
    _errands: dict[UrlId, tuple[Walker, float]] = field(
        default_factory=dict, init=False, repr=False
    )
    _collected: IdSet = field(default_factory=IdSet, init=False, repr=False)
    _idle: deque[Walker] = field(default_factory=deque, init=False, repr=False)
    _unborn: int = field(default=0, init=False, repr=False)
    _seeds: int = field(default=0, init=False, repr=False)
    _born: int = field(default=0, init=False, repr=False)
    _now: float = field(default=0.0, init=False, repr=False)

    def __post_init__(self) -> None:
        self._check()
        bounds = (self.least, self.most) if self.kind == "conserved" else (0, UNBOUNDED)
        self.population = Population(*bounds)
        self.balance = Balance(self.cost, self.gain)

    def _check(self) -> None:
        """Refuse parameters that make no sense."""
        for name, value, known in (("kind", self.kind, KINDS), ("context", self.context, CONTEXTS)):
            if value not in known:
                raise UsageError(f"{name}={value}: must be one of {', '.join(known)}")
        for name in ("cost", "gain", "rho", "temperature", "agents", "most"):
            if not getattr(self, name) > 0:
                raise UsageError(f"{name}={getattr(self, name):g}: must be above 0")
        for name in ("jump", "beta"):
            if not 0 <= getattr(self, name) <= 1:
                raise UsageError(f"{name}={getattr(self, name):g}: must be from 0 to 1")
        if not 0 <= self.least <= self.most:
            raise UsageError(f"least={self.least}: must be from 0 to most={self.most}")

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        """Send off agents whose hosts are open, those first who made up their minds first."""
        chosen = self.frontier.pop(n, closed)
        return [self._signed(choice) for choice in chosen]

    def _signed(self, choice: Choice) -> Choice:
        errand = self._errands.get(choice.url)
        if errand is None:
            return choice
        walker, promise = errand
        return replace(choice, promise=promise, agent=walker.name)

    def tell(self, visits: Sequence[Visit]) -> None:
        """Let the agents whose pages came in take their energy, multiply or die, and go on."""
        for visit in visits:
            page = visit.page
            self._now = page.time
            self.frontier.fetched(page)
            if page.choice.url == NOWHERE:
                self._begin(page)
                continue
            arrived = page.status is Status.OK and page.final not in self._collected
            if arrived:
                self._collected.add(page.final)
                self._clear(visit)
            errand = self._errands.pop(page.choice.url, None)
            if errand is not None:
                self._arrive(errand[0], visit, arrived)
            elif page.choice.parent == NOWHERE:
                self._settle_first(page, arrived)
            self._wake()

    def _begin(self, page: Page) -> None:
        """Ask for the seeds; the first agents start from those that come in."""
        for link in page.links:
            self.frontier.push(link.url, link.host, 1.0)
        self._seeds = len(self.frontier)
        self._unborn = max(self.agents, 1)
        if self.kind == "conserved":
            self._unborn = min(self._unborn, self.population.most)

    def _settle_first(self, page: Page, arrived: bool) -> None:
        """Put on a seed its share of the first agents; the last seed takes all that are left."""
        if self._seeds <= 0:
            return
        share = -(-self._unborn // self._seeds) if arrived else 0
        self._seeds -= 1
        self._unborn -= share
        for _ in range(share):
            walker = self._bear(1.0, page.final)
            self.book.endow(walker)
            self._idle.append(walker)

    def _bear(self, energy: float, at: UrlId, parent: int = -1) -> Walker:
        walker = Walker(self._born, energy, at)
        self._born += 1
        self.population.add(walker, self._now, parent)
        return walker

    def _clear(self, visit: Visit) -> None:
        """Keep the links of a new page, each with its promise."""
        page = visit.page
        urls, hosts = page.links.targets.tolist(), page.links.hosts.tolist()
        fresh = [place for place, url in enumerate(urls) if url not in self.frontier]
        if not fresh:
            return
        links = list(page.links)
        texts = nodes(links) if self.context == "node" else [window(link) for link in links]
        promises = [
            self.beta * self.topic.likeness(texts[place]) + (1 - self.beta) * visit.relevance
            for place in fresh
        ]
        ways = Ways(
            [urls[place] for place in fresh],
            [hosts[place] for place in fresh],
            np.array(promises, np.float32),
            page.choice.depth + 1,
        )
        self._clearings.add(page.final, ways)

    def _arrive(self, walker: Walker, visit: Visit, arrived: bool) -> None:
        """Let an agent live on what it found."""
        page = visit.page
        if not arrived:
            self.book.pay(walker, self.cost)
        else:
            walker.at = page.final
            self.balance.add(visit.relevance)
            if self.kind == "original":
                self.book.give(walker, self.rho * visit.relevance - self.cost)
            elif self.kind == "conserved" and not self.population.may_grow:
                self.book.leave(page.final, self.balance.energy(visit.relevance))
                self.book.pay(walker, self.cost)
            else:
                self.book.give(walker, self.balance.energy(visit.relevance))
        self._live_on(walker)

    def _live_on(self, walker: Walker) -> None:
        """Let an agent multiply, die, or be moved to where there is energy."""
        if walker.energy > 1:
            self._multiply(walker)
        elif walker.energy < 0:
            if self.population.may_shrink:
                self.book.bury(walker)
                self.population.remove(walker, self._now)
                return
            self._teleport(walker)
        self._idle.append(walker)

    def _multiply(self, walker: Walker) -> None:
        """Share the energy of an agent with its clones."""
        many = 2 if self.kind == "original" else floor(walker.energy)
        many = min(many, 1 + self.population.most - len(self.population))
        walker.energy /= many
        for _ in range(many - 1):
            self._idle.append(self._bear(walker.energy, walker.at, walker.number))

    def _teleport(self, walker: Walker) -> None:
        """Move an agent, at no cost, to pages with energy until it owes nothing."""
        while walker.energy < 0 and (rich := self.book.draw(self.rng)) is not None:
            walker.at = rich
            self.book.take(walker, rich)

    def _wake(self) -> None:
        """Let the agents that have arrived, or found no way on before, make up their minds."""
        for _ in range(len(self._idle)):
            if not len(self._clearings):
                return
            walker = self._idle.popleft()
            if not self._choose(walker):
                self._idle.append(walker)
                return

    def _choose(self, walker: Walker) -> bool:
        """Choose a link nobody has followed; say whether there was one."""
        self._wander(walker)
        ways = self._clearings.ways(walker.at, self.frontier)
        if ways is None:
            elsewhere = self._clearings.draw(self.frontier, self.rng)
            if elsewhere is None:
                return False
            walker.at = elsewhere
            ways = self._clearings.ways(elsewhere, self.frontier)
            assert ways is not None
        place = ways.pick(self.temperature, self.rng)
        url, promise = ways.urls[place], float(ways.promises[place])
        self._errands[url] = walker, promise
        self.frontier.push(url, ways.hosts[place], 0.0, walker.at, ways.depth)
        return True

    def _wander(self, walker: Walker) -> None:
        """Go, now and then, to a page with energy left, and take it if there is room for more."""
        if not len(self.book.remnants) or self.rng.random() >= self.jump:
            return
        rich = self.book.draw(self.rng)
        if rich is not None:
            walker.at = rich
            if self.population.may_grow:
                self.book.take(walker, rich)
                if walker.energy > 1:
                    self._multiply(walker)
