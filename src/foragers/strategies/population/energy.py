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
  pages, and with `least` no agent dies.  The first agents are at least `least`, too.
- Agents follow links that nobody has followed.  Where there are none, an agent goes on, at no
  cost, from the most promising of a few pages drawn among those that have such links.
- A page that could not be had, or that another agent brought meanwhile, costs C and is not
  counted among the pages collected.  So does one that is not kept (noindex), from which
  agents go on all the same.  The links of sitemaps and feeds are there for all.
- Agents are sent off in the order in which they made up their minds, and side by side.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from math import floor

import numpy as np
from msgspec.structs import replace

from foragers.core.population import NOBODY, Census, Pulse
from foragers.core.types import NO_PARENT, Choice, HostId, Page, Status, UrlId, Visit
from foragers.errors import UsageError
from foragers.frontier.frontier import Frontier
from foragers.judges.topic import Topic
from foragers.strategies.population.accounts import NAMED, EnergyBook, PopulationWalker
from foragers.strategies.population.balance import Balance
from foragers.strategies.population.policies import Mind, Plain
from foragers.strategies.population.population import Population
from foragers.strategies.population.restart_points import Clearings, Ways, pick
from foragers.text.link_text import CONTEXTS, contexts
from foragers.urls.id_set import IdSet

KINDS = ("original", "sigmoid", "conserved")
UNBOUNDED = 100_000
"""How many agents there may be where the model sets no bound: memory does."""


@dataclass(slots=True)
class Energy:
    """A population of agents: relevant pages feed them, the others cost energy.

    The promise of a link is `beta` parts the similarity of its context to the topic, and for the
    rest the relevance of its page.  Links are chosen with `P ∝ exp(promise / temperature)`.  With
    the probability `jump` an agent goes to a page with energy left instead.
    """

    topic: Topic
    rng: np.random.Generator
    kind: str = "conserved"
    agents: int = 20
    most: int = 50
    least: int = 5
    cost: float = 0.5
    gain: float = 10.0
    rho: float = 4.0
    temperature: float = 0.03
    jump: float = 0.2
    beta: float = 0.25
    context: str = "window"
    frontier: Frontier = field(default_factory=Frontier)
    population: Population[PopulationWalker] = field(
        default_factory=lambda: Population(0, UNBOUNDED), init=False, repr=False
    )
    balance: Balance = field(default_factory=Balance, init=False, repr=False)
    book: EnergyBook = field(default_factory=EnergyBook, init=False, repr=False)
    pulse: Pulse = field(default_factory=Pulse, init=False, repr=False)
    _clearings: Clearings = field(default_factory=Clearings, init=False, repr=False)
    _errands: dict[UrlId, tuple[PopulationWalker, float]] = field(
        default_factory=dict, init=False, repr=False
    )
    _collected: IdSet = field(default_factory=IdSet, init=False, repr=False)
    _idle: deque[PopulationWalker] = field(default_factory=deque, init=False, repr=False)
    _seeds: set[UrlId] = field(default_factory=set, init=False, repr=False)
    _start: UrlId = field(default=NO_PARENT, init=False, repr=False)
    _unborn: int = field(default=0, init=False, repr=False)
    _born: int = field(default=0, init=False, repr=False)
    _now: float = field(default=0.0, init=False, repr=False)

    def check(self) -> None:
        """Refuse parameters that make no sense."""
        for name, value, known in (("kind", self.kind, KINDS), ("context", self.context, CONTEXTS)):
            if value not in known:
                raise UsageError(f"{name}={value}: must be one of {', '.join(known)}")
        for name in ("cost", "gain", "rho", "temperature", "agents", "most"):
            if not 0 < getattr(self, name) < np.inf:
                raise UsageError(f"{name}={getattr(self, name):g}: must be above 0")
        for name in ("jump", "beta"):
            if not 0 <= getattr(self, name) <= 1:
                raise UsageError(f"{name}={getattr(self, name):g}: must be from 0 to 1")
        if not 0 <= self.least <= self.most:
            raise UsageError(f"least={self.least}: must be from 0 to most={self.most}")

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        """Send off agents whose hosts are open, those first who made up their minds first."""
        return [self._signed(choice) for choice in self.frontier.pop(n, closed)]

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
            self._now = self.book.now = page.time
            self.frontier.fetched(page)
            if page.choice.url == NO_PARENT:
                self._begin(page)
                continue
            arrived = page.status is Status.OK and page.final not in self._collected
            ways = None
            if arrived:
                self._collected.add(page.final)
            if arrived or page.status is not Status.OK:
                ways = self._clear(visit)
            errand = self._errands.pop(page.choice.url, None)
            if errand is not None:
                self._arrive(errand[0], visit, arrived, ways)
            elif page.choice.url in self._seeds:
                self._settle_first(page, arrived or ways is not None, ways)
            self._wake()
            if self.pulse.is_due(len(self._collected)):
                self._feel_pulse()

    def _begin(self, page: Page) -> None:
        """Ask for the seeds; the first agents start from those that come in."""
        if self.kind == "conserved":
            self.population = Population(self.least, self.most)
        self.balance = Balance(self.cost, self.gain)
        for link in page.links:
            self.frontier.push(link.url, link.host, 1.0)
            self._seeds.add(link.url)
        bounds = self.population
        self._unborn = min(max(self.agents, bounds.least), bounds.most)

    def _settle_first(self, page: Page, arrived: bool, ways: Ways | None) -> None:
        """Put on a seed its share of the first agents; the last seed takes all that are left."""
        share = -(-self._unborn // len(self._seeds)) if arrived else 0
        self._seeds.discard(page.choice.url)
        if arrived:
            self._start = page.final
        elif not self._seeds and self._start != NO_PARENT:
            # The last seed did not come: its agents start where others did.
            share, ways = self._unborn, self._clearings.ways(self._start, self.frontier)
        self._unborn -= share
        # Where others started before, some may have multiplied by now.
        share = min(share, self.population.most - len(self.population))
        for _ in range(share):
            walker = self._bear(1.0, self._start, self._first_mind(ways))
            self.book.endow(walker)
            self._idle.append(walker)

    def _first_mind(self, ways: Ways | None) -> Mind:  # noqa: ARG002 - others do ask
        """Return the mind of an agent that is there from the beginning."""
        return Plain(1 / self.temperature)

    def _bear(self, energy: float, at: UrlId, mind: Mind, parent: int = NOBODY) -> PopulationWalker:
        walker = PopulationWalker(self._born, energy, at, mind)
        self._born += 1
        self.population.add(walker, self._now, parent)
        return walker

    def _clear(self, visit: Visit) -> Ways | None:
        """Keep the links of a new page, if there are any that nobody has followed."""
        targets = visit.page.links.targets.tolist()
        fresh = {url: place for place, url in enumerate(targets) if url not in self.frontier}
        if not fresh:
            return None
        ways = self._read(visit, list(fresh.values()))
        before = None
        if visit.page.status is Status.SKIPPED:  # it was not fetched: these are more, not all
            before = self._clearings.ways(visit.page.final, self.frontier)
        if before is not None:
            ways.prune(set(before.urls))
            ways = before.and_more(ways) if ways.urls else before
        self._clearings.add(visit.page.final, ways)
        return ways

    def _read(self, visit: Visit, places: list[int]) -> Ways:
        """Judge the links of a page that stand at some places."""
        links = visit.page.links
        is_kept = visit.page.status is Status.OK
        inherited = (1 - self.beta) * visit.relevance * is_kept
        texts = contexts(links, places, self.context)
        promises = [self.beta * self.topic.likeness(text) + inherited for text in texts]
        return Ways(
            links.targets[places].tolist(),
            links.hosts[places].tolist(),
            np.array(promises, np.float32),
            visit.page.choice.depth + 1,
        )

    def _arrive(
        self, walker: PopulationWalker, visit: Visit, arrived: bool, ways: Ways | None
    ) -> None:
        """Let an agent live on what it found, and learn from it."""
        walker.mind.learn(visit.relevance if arrived else 0.0, ways)
        if not arrived:
            self.book.pay(walker, self.cost)
            if ways is not None:
                walker.at = visit.page.final
        else:
            walker.at = visit.page.final
            self.balance.add(visit.relevance)
            if self.kind == "original":
                self.book.give(walker, self.rho * visit.relevance - self.cost)
            elif self.kind == "conserved" and not self.population.may_grow:
                self.book.leave(walker.at, self.balance.energy(visit.relevance))
                self.book.pay(walker, self.cost)
            else:
                self.book.give(walker, self.balance.energy(visit.relevance))
        self._live_on(walker)

    def _live_on(self, walker: PopulationWalker) -> None:
        """Let an agent multiply, die, or be moved to where there is energy."""
        if walker.energy > 1:
            self._multiply(walker)
        elif walker.energy < 0:
            if self.population.may_shrink:
                self._die(walker)
                return
            self.book.rescue(walker, self.rng)
        self._idle.append(walker)

    def _die(self, walker: PopulationWalker) -> None:
        self.book.bury(walker)
        self.population.remove(walker, self._now)

    def _multiply(self, walker: PopulationWalker) -> None:
        """Share the energy of an agent with its clones."""
        many = 2 if self.kind == "original" else floor(walker.energy)
        many = min(many, 1 + self.population.most - len(self.population))
        if many < 2:
            return
        walker.energy /= many
        ways = self._clearings.ways(walker.at, self.frontier)
        for _ in range(many - 1):
            mind = walker.mind.child(ways, self.rng)
            clone = self._bear(walker.energy, walker.at, mind, walker.number)
            self.book.share(clone, walker)
            self._idle.append(clone)

    def _wake(self) -> None:
        """Let the agents that have arrived, or found no way on before, make up their minds."""
        for _ in range(len(self._idle)):
            if not len(self._clearings):
                return
            walker = self._idle.popleft()
            if not self._choose(walker):
                self._idle.append(walker)
                return

    def _choose(self, walker: PopulationWalker) -> bool:
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
        mind = walker.mind
        promises = mind.promises(ways)
        place = pick(promises, mind.sharpness, self.rng)
        mind.follow(ways, place)
        url = ways.urls[place]
        self._errands[url] = walker, float(promises[place])
        self.frontier.push(url, ways.hosts[place], 0.0, walker.at, ways.depth)
        return True

    def _wander(self, walker: PopulationWalker) -> None:
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

    def _feel_pulse(self) -> None:
        pages, living, book = len(self._collected), len(self.population), self.book
        self.pulse.note(pages, self._now, living, book.held, book.to_be_had)

    def census(self) -> Census:
        """Return who was born of whom, who died, and how energy went."""
        return Census({NAMED: self.population.events}, self.pulse, {NAMED: self.book.transfers})
