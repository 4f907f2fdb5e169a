"""Energy: a population of agents that multiplies where pages are relevant and dies where not.

The system of the paper `population`.  Each agent walks the web link by link.  A page gives it
energy or costs energy; with more than one unit it multiplies, below zero it dies.  There are three
kinds of energy to compare:

    original   E += ρ·relevance − C; above 1 an agent becomes two, which share (Menczer)
    sigmoid    E += f(relevance, R), which balances gains and costs (`population.balance`)
    conserved  the same, but the energy of a page stays on the page while there is no room
               for more agents, and agents that may not die are moved to such pages

What the paper leaves open, and our choice:
- An agent with E > 1 becomes ⌊E⌋ agents of E/⌊E⌋ each, itself one of them: the reading of
  the paper's E ÷ ⌊E⌋ that creates no energy.  If there is room for fewer, these share.
- `most` and `least` bound the population strictly: with `most` agents energy is left on
  pages, and with `least` no agent dies.  There are at least `least` first agents, too.
- Agents follow links that no agent has followed.  If a page has none, an agent goes on, at no
  cost, from the most promising of a few random pages with such links.
- A page that could not be fetched, or that another agent fetched meanwhile, costs C and is not
  counted among the pages collected.  So does one that is not kept (noindex), whose links are
  followed nevertheless.  The links of sitemaps and feeds are open to all agents.
- The choices of agents are sent in the order in which they were made; where time is scarcer than
  downloads, side by side, else one after the other.

With `literal` it is Algorithm 2 to the letter: the curve is not shifted; an agent with E > 1 makes
⌊E⌋ clones *besides* itself, all with E/⌊E⌋, so that energy is made; the bounds are those of its
comparisons (an agent pays while there are more than `most` agents, and dies unless there are fewer
than `least`), so that the population may exceed them; agents also follow links to documents that
are known, at no cost, and take what energy, or debt, is left there; an agent that may not die goes
on to documents with energy until it owes nothing, and one on a document without links goes to one
with energy.  An agent on known documents alone goes on elsewhere after 50 of them, since it would
download nothing.  Seeds are known documents without energy.
"""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from math import floor
from typing import ClassVar

import numpy as np
from msgspec.structs import replace

from foragers.core.models import Model
from foragers.core.population import NOBODY, Census, Pulse, Scores
from foragers.core.types import NO_PARENT, Addresses, Choice, HostId, Page, Status, UrlId, Visit
from foragers.errors import UsageError
from foragers.frontier.frontier import Frontier
from foragers.judges.topic import Topic
from foragers.strategies.population.accounts import NAMED, EnergyBook, PopulationWalker
from foragers.strategies.population.balance import Balance
from foragers.strategies.population.policies import FixedPolicy, LinkPolicy
from foragers.strategies.population.population import Population
from foragers.strategies.population.restart_points import OpenLinks, RestartPoints, pick
from foragers.strategies.population.saved import KIND as BASE_KIND
from foragers.strategies.population.saved import KnownDocuments
from foragers.strategies.population.settings import DEFAULT_POPULATION, PopulationSettings
from foragers.text.link_text import CONTEXTS, contexts
from foragers.urls.id_set import IdSet

KINDS = ("original", "sigmoid", "conserved")


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
    literal: bool = False
    before: Model | None = None
    frontier: Frontier = field(default_factory=Frontier)
    settings: PopulationSettings = field(default=DEFAULT_POPULATION, repr=False)
    population: Population[PopulationWalker] = field(
        default_factory=lambda: Population(0, DEFAULT_POPULATION.max_agents),
        init=False,
        repr=False,
    )
    balance: Balance = field(default_factory=Balance, init=False, repr=False)
    book: EnergyBook = field(default_factory=EnergyBook, init=False, repr=False)
    pulse: Pulse = field(default_factory=Pulse, init=False, repr=False)
    _scores: Scores = field(default_factory=Scores, init=False, repr=False)
    _told: int = field(default=0, init=False, repr=False)
    _restart_points: RestartPoints = field(default_factory=RestartPoints, init=False, repr=False)
    _choices: dict[UrlId, tuple[PopulationWalker, float]] = field(
        default_factory=dict, init=False, repr=False
    )
    _collected: IdSet = field(default_factory=IdSet, init=False, repr=False)
    _idle: deque[PopulationWalker] = field(default_factory=deque, init=False, repr=False)
    _seeds: set[UrlId] = field(default_factory=set, init=False, repr=False)
    _start: UrlId = field(default=NO_PARENT, init=False, repr=False)
    _unborn: int = field(default=0, init=False, repr=False)
    _born: int = field(default=0, init=False, repr=False)
    _now: float = field(default=0.0, init=False, repr=False)
    _documents: dict[UrlId, OpenLinks] = field(default_factory=dict, init=False, repr=False)
    _base: KnownDocuments | None = field(default=None, init=False, repr=False)

    keeps_order: ClassVar[bool] = True
    learned_kind: ClassVar[tuple[str, int]] = BASE_KIND
    learned_field: ClassVar[str] = "before"

    def check(self) -> None:
        """Raise a UsageError for invalid parameters."""
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
        if self.before is not None:
            KnownDocuments.of(self.before)

    def learned(self, addresses: Addresses) -> Model:
        """Return the base of documents: their energies, the history of relevance, the agents."""
        base = self._base or KnownDocuments.empty()
        return base.extended(
            self._collected, self.book.left, self.balance.relevances, self.population.members,
            addresses,
        ).as_model()  # fmt: skip

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        """Return the earliest choices of agents on open hosts."""
        return [self._with_agent(choice) for choice in self.frontier.pop(n, closed)]

    def _with_agent(self, choice: Choice) -> Choice:
        made = self._choices.get(choice.url)
        if made is None:
            return choice
        walker, promise = made
        return replace(choice, promise=promise, agent=walker.name)

    def tell(self, visits: Sequence[Visit]) -> None:
        """Give agents the energy of their pages; let them multiply or die, and choose links."""
        for visit in visits:
            page = visit.page
            self._told += page.choice.url != NO_PARENT
            self._now = self.book.now = page.time
            self.frontier.fetched(page)
            if page.choice.url == NO_PARENT:
                self._begin(page)
                continue
            arrived = page.status is Status.OK and page.final not in self._collected
            links = None
            if arrived:
                self._collected.add(page.final)
            if arrived or page.status is not Status.OK:
                links = self._open(visit)
            made = self._choices.pop(page.choice.url, None)
            if made is not None:
                self._arrive(made[0], visit, arrived, links)
            elif page.choice.url in self._seeds:
                self._settle_first(page, arrived or links is not None, links)
            self._choose_all()
            self._sample()

    def _begin(self, page: Page) -> None:
        """Queue the seeds; the first agents start from those that are fetched."""
        is_bounded = self.kind == "conserved" and not self.literal
        least, most = (self.least, self.most) if is_bounded else (0, self.settings.max_agents)
        self.population = Population(least, most)
        self._restart_points = RestartPoints(self.settings.restart)
        curve = self.settings.balance
        if self.literal:
            curve = dataclasses.replace(curve, shifted=False)
        self.balance = Balance(self.cost, self.gain, curve)
        if self.before is not None:
            self._base = KnownDocuments.of(self.before)
            self.before = None
            for relevance in self._base.relevances.tolist():
                self.balance.add(relevance)
        for link in page.links:
            self.frontier.push(link.url, link.host, 1.0)
            self._seeds.add(link.url)
        bounds = self.population
        agents = self.agents if self._base is None else len(self._base.energies) or self.agents
        self._unborn = min(max(agents, bounds.least), bounds.most)

    def _settle_first(self, page: Page, arrived: bool, links: OpenLinks | None) -> None:
        """Put its share of the first agents on a seed; the last seed gets all that are left."""
        share = -(-self._unborn // len(self._seeds)) if arrived else 0
        self._seeds.discard(page.choice.url)
        if arrived:
            self._start = page.final
        elif not self._seeds and self._start != NO_PARENT:
            # The last seed could not be fetched: its agents start on another.
            share, links = self._unborn, self._restart_points.links(self._start, self.frontier)
        self._unborn -= share
        # Agents of other seeds may have multiplied by now.
        share = min(share, self.population.most - len(self.population))
        for _ in range(share):
            energy = 1.0 if self._base is None else self._base.energy_of(self._born)
            walker = self._bear(energy, self._start, self._first_policy(links))
            self.book.endow(walker)
            self._idle.append(walker)

    def _first_policy(self, links: OpenLinks | None) -> LinkPolicy:  # noqa: ARG002 - a subclass uses it
        """Return the policy of one of the first agents."""
        return FixedPolicy(1 / self.temperature)

    def _bear(
        self, energy: float, at: UrlId, policy: LinkPolicy, parent: int = NOBODY
    ) -> PopulationWalker:
        walker = PopulationWalker(self._born, energy, at, policy)
        self._born += 1
        self.population.add(walker, self._now, parent)
        return walker

    def _open(self, visit: Visit) -> OpenLinks | None:
        """Add the links of a new page to the restart points, if no agent has followed them."""
        targets = visit.page.links.targets.tolist()
        if self.literal and targets and visit.page.status is Status.OK:
            places = {url: i for i, url in enumerate(targets)}
            self._documents[visit.page.final] = self._score(visit, list(places.values()))
        fresh = {url: i for i, url in enumerate(targets) if url not in self.frontier}
        if not fresh:
            return None
        links = self._score(visit, list(fresh.values()))
        before = None
        if visit.page.status is Status.SKIPPED:  # it was not fetched: these are more, not all
            before = self._restart_points.links(visit.page.final, self.frontier)
        if before is not None:
            links.prune(set(before.urls))
            links = before.and_more(links) if links.urls else before
        self._restart_points.add(visit.page.final, links)
        return links

    def _score(self, visit: Visit, indexes: list[int]) -> OpenLinks:
        """Compute the promises of the links of a page at some indexes."""
        page_links = visit.page.links
        is_kept = visit.page.status is Status.OK
        inherited = (1 - self.beta) * visit.relevance * is_kept
        texts = contexts(page_links, indexes, self.context)
        promises = [self.beta * self.topic.likeness(text) + inherited for text in texts]
        return OpenLinks(
            page_links.targets[indexes].tolist(),
            page_links.hosts[indexes].tolist(),
            np.array(promises, np.float32),
            visit.page.choice.depth + 1,
        )

    def _arrive(
        self, walker: PopulationWalker, visit: Visit, arrived: bool, links: OpenLinks | None
    ) -> None:
        """Give an agent the energy of its page, and let it learn from the page."""
        walker.policy.learn(visit.relevance if arrived else 0.0, links)
        if arrived:
            walker.at = visit.page.final
            self._feed(walker, visit)
        elif self._visits_known and visit.page.status is Status.OK:
            self._return_to(visit.page.final, walker)
        else:
            self.book.pay(walker, self.cost)
            if links is not None:
                walker.at = visit.page.final
        if self._live_on(walker):
            self._idle.append(walker)

    def _feed(self, walker: PopulationWalker, visit: Visit) -> None:
        """Give an agent the energy of a document that it is the first to reach in this crawl."""
        energy = None
        if self._base is not None:  # of an earlier crawl, it costs nothing and has what is left
            energy = self._base.take(walker.at, visit.page.links.addresses)
        if energy is None:
            self.balance.add(visit.relevance)
            energy = self.rho * visit.relevance - self.cost
            if self.kind != "original":
                energy = self.balance.energy(visit.relevance)
        if self._is_crowded:
            self.book.leave(walker.at, energy, debts=self.literal)
            self.book.pay(walker, self.cost)
        else:
            self.book.give(walker, energy)

    def _return_to(self, document: UrlId, walker: PopulationWalker) -> None:
        """Move an agent to a known document, at no cost, and give it what is left there."""
        walker.at = document
        if self._is_crowded:
            self.book.pay(walker, self.cost)
        elif document in self.book.left:
            self.book.take(walker, document)

    @property
    def _visits_known(self) -> bool:
        """Whether agents may come to known documents."""
        return self.literal and self.kind == "conserved"

    @property
    def _is_crowded(self) -> bool:
        """Whether there are too many agents for one to take energy."""
        if self.kind != "conserved":
            return False
        return len(self.population) > self.most if self.literal else not self.population.may_grow

    def _live_on(self, walker: PopulationWalker) -> bool:
        """Let an agent multiply, die, or move to a page with energy; return whether it lives."""
        if walker.energy > 1:
            self._multiply(walker)
        elif walker.energy < 0:
            if self._may_die:
                self._die(walker)
                return False
            if not self.literal:  # else it is forced to such a page when it chooses
                self.book.rescue(walker, self.rng)
        return True

    @property
    def _may_die(self) -> bool:
        """Whether there are agents enough for one to die."""
        if self.literal and self.kind == "conserved":
            return len(self.population) >= self.least
        return self.population.may_shrink

    def _die(self, walker: PopulationWalker) -> None:
        self.book.bury(walker)
        self.population.remove(walker, self._now)

    def _multiply(self, walker: PopulationWalker) -> None:
        """Share the energy of an agent with its clones."""
        if self.literal and self.kind != "original":
            self._multiply_literally(walker)
            return
        many = 2 if self.kind == "original" else floor(walker.energy)
        many = min(many, 1 + self.population.most - len(self.population))
        if many < 2:
            return
        walker.energy /= many
        links = self._restart_points.links(walker.at, self.frontier)
        for _ in range(many - 1):
            policy = walker.policy.child(links, self.rng)
            clone = self._bear(walker.energy, walker.at, policy, walker.number)
            self.book.share(clone, walker)
            self._idle.append(clone)

    def _multiply_literally(self, walker: PopulationWalker) -> None:
        """Make ⌊E⌋ clones of E/⌊E⌋ besides the agent, which keeps as much (Algorithm 2)."""
        many = floor(walker.energy)
        walker.energy /= many
        links = self._restart_points.links(walker.at, self.frontier)
        for number in range(min(many, self.population.most - len(self.population))):
            policy = walker.policy.child(links, self.rng)
            clone = self._bear(walker.energy, walker.at, policy, walker.number)
            # Of E, (⌊E⌋ - 1)/⌊E⌋ is shared; the last clone has its energy from nowhere.
            (self.book.share if number < many - 1 else self.book.make)(clone, walker)
            self._idle.append(clone)

    def _choose_all(self) -> None:
        """Let the agents choose that have arrived, or found no link before.

        Agents born meanwhile choose with the next page, unless none is on its way.
        """
        while self._idle:
            for _ in range(len(self._idle)):
                if not len(self._restart_points):
                    return
                walker = self._idle.popleft()
                if not self._choose(walker):
                    self._idle.append(walker)
                    return
            if self._choices:
                return

    def _choose(self, walker: PopulationWalker) -> bool:
        """Choose a link that no agent has followed; return whether there was one."""
        if not self._visits_known:
            self._jump(walker)
        elif self._walk_known(walker):
            return True
        links = self._restart_points.links(walker.at, self.frontier)
        if links is None:
            elsewhere = self._restart_points.draw(self.frontier, self.rng)
            if elsewhere is None:
                return False
            walker.at = elsewhere
            links = self._restart_points.links(elsewhere, self.frontier)
            assert links is not None
        policy, most = walker.policy, self.settings.restart.max_sharpness
        promises = policy.promises(links)
        index = pick(promises, policy.sharpness, self.rng, most)
        policy.follow(links, index)
        url = links.urls[index]
        self._choices[url] = walker, float(promises[index])
        self.frontier.push(url, links.hosts[index], 0.0, walker.at, links.depth)
        return True

    def _walk_known(self, walker: PopulationWalker) -> bool:
        """Walk over known documents to a link that is new; return whether that is settled.

        It is if the link is chosen, or if the agent has died on the way.
        """
        for _ in range(self.settings.known_hops):
            links, document = self._documents.get(walker.at), None
            if len(self.book.remnants) and (
                links is None or walker.energy < 0 or self.rng.random() < self.jump
            ):
                document = self.book.draw(self.rng)
            if document is None:
                if links is None:
                    return False
                promises = walker.policy.promises(links)
                index = pick(promises, walker.policy.sharpness, self.rng)
                url = links.urls[index]
                if url not in self._collected:
                    if url in self.frontier:  # another agent is on its way, or nothing is there
                        continue
                    walker.policy.follow(links, index)
                    self._choices[url] = walker, float(promises[index])
                    self.frontier.push(url, links.hosts[index], 0.0, walker.at, links.depth)
                    return True
                document = url
            self._return_to(document, walker)
            if not self._live_on(walker):
                return True
        return False

    def _jump(self, walker: PopulationWalker) -> None:
        """Jump, now and then, to a page with energy, and take it if there is room for agents."""
        if not len(self.book.remnants) or self.rng.random() >= self.jump:
            return
        rich = self.book.draw(self.rng)
        if rich is not None:
            walker.at = rich
            if self.population.may_grow:
                self.book.take(walker, rich)
                if walker.energy > 1:
                    self._multiply(walker)

    def _sample(self) -> None:
        pages, living, book = len(self._collected), len(self.population), self.book
        if self.pulse.is_due(pages):
            self.pulse.note(pages, self._now, living, book.held, book.available)
        if self._scores.is_due(self._told):
            walkers = self.population.members
            self._scores.note(self._told, [(one.number, one.energy) for one in walkers])

    def census(self) -> Census:
        """Return the births, the deaths and the transfers of energy."""
        lives, transfers = {NAMED: self.population.events}, {NAMED: self.book.transfers}
        return Census(lives, self.pulse, transfers, self._scores)
