"""LAFC: a walk through the web in which every document learns which of its links pay off.

Akbari Torkestani (2012), the paper `automata`.  Each document has a learning automaton whose
actions are its links.  The automaton of the walk's current document chooses a link to a page that
was not visited, which is fetched.  The link is rewarded if the page is at least as similar
to the topic as the best page that the document has led to (τ), which then rises; else it is
penalised.  A page whose similarity reaches the control threshold C is pushed on a stack, and the
walk continues from there; else it continues from the top of the stack.

Within one crawl the order is random: a link is chosen at most once, and rewarding one
leaves the proportions of the others.  The effect of learning shows in the next crawl of the
same topic, which gets the automata as a `model`.

Where the paper leaves something open, or would stop without need, we do this.
- A resumed document stays on the stack until all its links are spent.  The paper removes it
  for good, and so loses its other links; that is `literal`.
- The paper goes on while any automaton has an action left, but fetches from the stack alone.
  When the stack is empty we resume the most similar document below C; without `beyond`
  the crawl ends there.
- The seed visit is a document too, whose links are the seeds.  A single seed below C is
  used at once, as in the paper; of several, the most similar.
- A page that cannot be fetched has no similarity, and its link is penalised.  So is the link to a
  page that is not kept (noindex), but its links are used when nothing better is left.  Lists of
  pages (sitemaps) are not chosen by an automaton, and teach none.
- Links to hosts that are closed just now are disabled for the moment, and a document that has only
  such links is skipped (with `literal`, waited for).  In a replay no host is closed.
- Several `walkers` share automata and visited pages; each has its own stack.  One whose stack
  is empty takes the oldest document of the longest other one.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import ClassVar, NamedTuple

import numpy as np

from foragers.core.models import Model
from foragers.core.types import (
    NO_PARENT,
    Addresses,
    Choice,
    HostId,
    Links,
    Page,
    Status,
    UrlId,
    Visit,
)
from foragers.errors import UsageError
from foragers.frontier.columns import UrlColumn
from foragers.strategies.automata.automaton import Flags, chosen, scaled
from foragers.strategies.automata.saved import KIND, Remembered
from foragers.strategies.automata.table import Automata


class WalkStep(NamedTuple):
    """A choice in progress: the walker, the document, the action, and the enabled actions."""

    walker: int
    document: int
    action: int
    enabled: Flags


@dataclass(slots=True)
class AutomataWalker:
    """One walk: its current document (-1: none), and a stack of those it can go back to.

    If all hosts of its links were closed, `needs` has these hosts: one of them must open.
    """

    stack: list[int] = field(default_factory=list)
    here: int = -1
    waiting: bool = False
    needs: tuple[HostId, ...] = ()

    def push(self, document: int) -> None:
        """Put a document on the stack."""
        self.stack.append(document)
        self.needs = ()


@dataclass(frozen=True)
class LafcSettings:
    """The number that no parameter of lafc sets."""

    max_walkers: int = 10_000  # more than any number of connections can use


DEFAULT_LAFC = LafcSettings()


@dataclass(slots=True)
class Lafc:
    """Walks with learning automata, which prefer links that paid off in earlier crawls.

    b = 0 is L_R-I, b = a is L_R-P, a small b is L_R-εP.
    """

    model_kind: ClassVar[tuple[str, int]] = KIND

    rng: np.random.Generator
    model: Model | None = None
    a: float = 0.09
    b: float = 0.0
    control: float = 0.8
    walkers: int = 1
    literal: bool = False
    beyond: bool = True
    settings: LafcSettings = field(default=DEFAULT_LAFC, repr=False)
    automata: Automata = field(default_factory=Automata, init=False, repr=False)
    _walks: list[AutomataWalker] = field(default_factory=list, init=False, repr=False)
    _pending: dict[UrlId, WalkStep] = field(default_factory=dict, init=False, repr=False)
    _sites: dict[int, tuple[HostId, ...]] = field(default_factory=dict, init=False, repr=False)
    _aside: list[tuple[float, int]] = field(default_factory=list, init=False, repr=False)
    _spent: UrlColumn[np.bool_] = field(
        default_factory=lambda: UrlColumn(np.bool_(False)), init=False, repr=False
    )
    _hosts: UrlColumn[np.int32] = field(
        default_factory=lambda: UrlColumn(np.int32(-1)), init=False, repr=False
    )

    def check(self) -> None:
        """Raise a UsageError for invalid parameters, or for a damaged model."""
        if not 0 < self.a <= 1:
            raise UsageError(f"lafc: a={self.a:g}: the reward must be above 0 and at most 1")
        for name, value in (("b", self.b), ("control", self.control)):
            if not 0 <= value <= 1:
                raise UsageError(f"lafc: {name}={value:g}: must be between 0 and 1")
        most = self.settings.max_walkers
        if not 1 <= self.walkers <= most:
            raise UsageError(f"lafc: walkers={self.walkers}: use 1 to {most:,}")
        if self.model is not None:
            Remembered.of(self.model)

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        """Let each walker that waits for no page choose a link, until there are n."""
        choices: list[Choice] = []
        for number, walker in enumerate(self._walks):
            if len(choices) >= n:
                break
            if not walker.waiting and (choice := self._choose(number, walker, closed)):
                choices.append(choice)
        return choices

    def tell(self, visits: Sequence[Visit]) -> None:
        """Reward or penalise the links that were followed, and move the walkers."""
        for visit in visits:
            page = visit.page
            if page.choice.url == NO_PARENT:
                self._begin(page.links)
            else:
                self._arrive(visit)

    def learned(self, addresses: Addresses) -> Model:
        """Return the automata for the next crawl, in which all links are enabled again."""
        return self.automata.as_model(addresses)

    def _begin(self, seeds: Links) -> None:
        """Give the seeds an automaton, and make the walkers."""
        if self.model is not None:
            self.automata.remembered = Remembered.of(self.model)
            self.model = None
        self._meet(seeds)
        self._walks = [AutomataWalker() for _ in range(self.walkers)]
        self._walks[0].here = self.automata.add(NO_PARENT, -1, seeds)
        self._walks[0].push(self._walks[0].here)

    def _meet(self, links: Links) -> None:
        """Record URLs and their hosts."""
        if len(links):
            last = int(links.targets.max())
            self._spent.reach(last)
            self._hosts.reach(last)[links.targets] = links.hosts

    def _arrive(self, visit: Visit) -> None:
        page, choice = visit.page, visit.page.choice
        # A crawl that is resumed from its ledger is told choices that this object never made.
        asked = self._pending.pop(choice.url, None)
        step = asked if asked and self._stands(asked, choice.url) else self._retrace(choice)
        for url in (choice.url, page.final):
            self._spent.reach(url)[url] = True
        there = page.status is Status.OK
        if step.document >= 0 and not choice.purpose.is_own:
            similarity = visit.relevance if there else None
            self.automata.update(
                step.document, step.enabled, step.action, similarity, self.a, self.b
            )
        walker = self._walks[step.walker]
        walker.waiting = walker.waiting and asked is None
        if (there or len(page.links)) and self._take_in(page, visit.relevance * there, walker):
            return
        if not walker.waiting and step.document >= 0:
            self._resume(walker)

    def _take_in(self, page: Page, similarity: float, walker: AutomataWalker) -> bool:
        """Give a new document an automaton; return whether the walk continues from it."""
        choice = page.choice
        self._meet(page.links)
        earlier = self.automata.find(page.final)
        if earlier >= 0:
            links = page.links
            if page.status is Status.SKIPPED:  # it was not fetched: these are more, not all
                targets = np.concatenate((self.automata.targets(earlier), links.targets))
                hosts = self._hosts.values[targets]
                links = Links(targets, hosts, links.addresses, page.content)
            if self.automata.revise(earlier, links):
                self._sites.pop(earlier, None)
                for walk in self._walks:
                    walk.needs = ()
                heappush(self._aside, (-similarity, earlier))
            return False
        document = self.automata.add(page.final, choice.depth, page.links)
        if similarity >= self.control or self._is_start(choice):
            walker.push(document)
            if not walker.waiting:
                walker.here = document
            return True
        if len(page.links):
            heappush(self._aside, (-similarity, document))
        return False

    def _stands(self, step: WalkStep, url: UrlId) -> bool:
        """Return whether a step's document still has the links that it was chosen from."""
        targets = self.automata.targets(step.document)
        return len(targets) == len(step.enabled) and int(targets[step.action]) == url

    def _is_start(self, choice: Choice) -> bool:
        """Return whether the walk continues from a page of any similarity: from a single seed."""
        if choice.parent != NO_PARENT:
            return False
        # Without `beyond` seeds below C would end the crawl before it began.
        return not self.beyond or len(self.automata.targets(self.automata.find(NO_PARENT))) == 1

    def _retrace(self, choice: Choice) -> WalkStep:
        """Return the step that a choice must have been."""
        walker = int(choice.agent[1:]) if choice.agent[1:].isdigit() else 0
        document = self.automata.find(choice.parent)
        if document >= 0:
            targets = self.automata.targets(document)
            actions = np.flatnonzero(targets == choice.url)
            if len(actions):
                enabled = ~self._spent.values[targets]
                enabled[actions[0]] = True
                return WalkStep(walker % len(self._walks), document, int(actions[0]), enabled)
        return WalkStep(walker % len(self._walks), -1, -1, np.empty(0, np.bool_))

    def _resume(self, walker: AutomataWalker) -> None:
        """Continue from the top of the stack; with `literal`, remove it from there."""
        stack = walker.stack
        if self.literal:
            walker.here = stack.pop() if stack else -1
        else:
            walker.here = stack[-1] if stack else -1

    def _choose(
        self, number: int, walker: AutomataWalker, closed: AbstractSet[HostId]
    ) -> Choice | None:
        """Let a walker make its next step; None if it has to wait or there is none."""
        if walker.needs and all(host in closed for host in walker.needs):
            return None
        while walker.here >= 0 or self._take_up(walker):
            if self._enabled(walker.here).any():
                return self._draw(number, walker, closed)
            if not self.literal:
                self._sites.pop(walker.stack.pop(), None)
            self._resume(walker)
        return None

    def _draw(
        self, number: int, walker: AutomataWalker, closed: AbstractSet[HostId]
    ) -> Choice | None:
        """Choose a link of the current document, or if its hosts are closed, of one below it."""
        stays = self.literal or not closed
        documents = [walker.here] if stays else walker.stack[::-1]
        for document in documents:
            enabled = self._open(document, closed)
            if enabled is not None:
                p = scaled(self.automata.probabilities(document), enabled)
                action = chosen(p, float(self.rng.random()))
                url = int(self.automata.targets(document)[action])
                walker.waiting = self._spent.values[url] = True
                walker.needs = ()
                self._pending[url] = WalkStep(number, document, action, enabled)
                return self._choice(url, float(p[action]), document, number)
        walker.needs = tuple({host for document in documents for host in self._sites[document]})
        return None

    def _open(self, document: int, closed: AbstractSet[HostId]) -> Flags | None:
        """Return which links of a document can be followed now, None if none can."""
        sites = self._sites.get(document)
        # Hosts are only removed from these, as links are spent; so a long stack is skipped fast.
        if sites is not None and all(host in closed for host in sites):
            return None
        enabled = self._enabled(document)
        if closed:
            hosts = self._hosts.values[self.automata.targets(document)]
            sites = self._sites[document] = tuple(np.unique(hosts[enabled]).tolist())
            enabled &= ~np.isin(hosts, [host for host in sites if host in closed])
        return enabled if enabled.any() else None

    def _choice(self, url: UrlId, promise: float, document: int, walker: int) -> Choice:
        return Choice(
            url,
            int(self._hosts.values[url]),
            promise,
            f"w{walker}" if len(self._walks) > 1 else "",
            self.automata.urls[document],
            self.automata.depths[document] + 1,
        )

    def _enabled(self, document: int) -> Flags:
        """Return which links of a document lead to pages that are not visited."""
        enabled: Flags = ~self._spent.values[self.automata.targets(document)]
        return enabled

    def _take_up(self, walker: AutomataWalker) -> bool:
        """Give a walker without documents one: a seed, another walker's, or one set aside."""
        beginning = self.automata.find(NO_PARENT)
        longest = max(self._walks, key=lambda walk: len(walk.stack))
        if self._enabled(beginning).any():
            walker.push(beginning)
        elif len(longest.stack) > 1:
            walker.push(longest.stack.pop(0))
        while self.beyond and self._aside and not walker.stack:
            document = heappop(self._aside)[1]
            if self._enabled(document).any():
                walker.push(document)
        self._resume(walker)
        return walker.here >= 0
