"""The loop; read this first.

    Pace says which hosts are closed -> Strategy.ask -> World.start ... World.finished
    -> Judge turns pages into visits -> Ledger.append -> Strategy.tell -> and again.

A crawl ends when the strategy has nothing more to ask and nothing is under way, or
when the world takes no more (a `Budget` around it is spent).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from math import inf

from foragers.core.content import MemoryContent
from foragers.core.pace import TAKE_ANY, ClosedForLong, Pace, WaitRule
from foragers.core.plugins.guard import StrategyGuard
from foragers.core.protocols import (
    FollowsWaitRule,
    HasFrontier,
    Judge,
    JudgesTogether,
    KeepsOrder,
    KeepsTime,
    Ledger,
    Strategy,
    World,
)
from foragers.core.types import NO_PARENT, Choice, Document, HostId, Link, Page, Status, Visit

OPEN: frozenset[HostId] = frozenset()
"""No host is closed."""


@dataclass(slots=True)
class Crawl:
    """One strategy at work in one world; in a replay no pace is needed.

    A crawl that has nothing to do but wait longer than its `patience` is over.  With a pace,
    `rule` says when a page is left waiting for a better one on a closed host.  Strategies with a
    `Frontier` follow it there, unless they keep their order.  The others are asked for a choice
    when the one before it is answered, and choices on closed hosts are `held` here, in their
    order, until the hosts open.  A `guard` checks what a strategy of the user's says.  A strategy
    that keeps time is told that of the dates of pages, which is `ahead` of the clock of the world.
    """

    strategy: Strategy
    world: World
    judge: Judge
    ledger: Ledger
    pace: Pace | None = None
    patience: float = inf
    rule: WaitRule = TAKE_ANY
    guard: StrategyGuard | None = None
    ahead: float = 0.0
    held: list[Choice] = field(init=False, default_factory=list)
    _timed: KeepsTime | None = field(init=False, default=None)
    _together: JudgesTogether | None = field(init=False, default=None)
    _waits_itself: bool = field(init=False, default=False)
    _wake: float = field(init=False, default=inf)

    def __post_init__(self) -> None:
        # Asking for a protocol takes as long as judging a missing page, so once is enough.
        self._timed = self.strategy if isinstance(self.strategy, KeepsTime) else None
        self._together = self.judge if isinstance(self.judge, JudgesTogether) else None
        self._waits_itself = self._timed is not None or (
            isinstance(self.strategy, HasFrontier)
            and isinstance(self.strategy.frontier, FollowsWaitRule)
            and not (isinstance(self.strategy, KeepsOrder) and self.strategy.keeps_order)
        )

    def begin(self) -> None:
        """Tell the strategy the seeds."""
        self.tell([seed_visit(self.world.seeds, self.world.now)])

    def run(self, watch: Callable[[Sequence[Visit]], None] | None = None) -> None:
        """Crawl to the end; `watch` sees every visit as it comes in."""
        while (visits := self.step()) is not None:
            if watch and visits:
                watch(visits)

    def step(self) -> Sequence[Visit] | None:
        """Start new downloads and process finished ones; None when the crawl is done."""
        self.start()
        until = self._wake
        if self.pace and self.world.free:
            until = min(until, self.pace.next_opening, self.pace.next_slow(self.rule.slow))
        running = self.world.running
        if not running and inf > until > self.world.now + self.patience:
            return None
        pages = self.world.finished(until)
        if not pages:
            return None if until == inf and not running else ()
        visits = self.visits(pages)
        self.ledger.append(visits)
        self.tell(visits)
        return visits

    def tell(self, visits: Sequence[Visit]) -> None:
        """Tell the strategy what came back."""
        if self.guard is None:
            self.strategy.tell(visits)
        else:
            self.guard.tell(self.strategy, visits)

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        """Ask the strategy for at most n choices."""
        if self.guard is None:
            return self.strategy.ask(n, closed)
        return self.guard.ask(self.strategy, n, closed)

    def start(self) -> None:
        """Ask for as many pages as the world can take, and start them."""
        world, pace = self.world, self.pace
        if pace:
            pace.advance(world.now)
            pace.closed.prefer(self.rule, world.left, pace.downloads)
        if self._timed:
            self._timed.wake(world.now + self.ahead)
        self._send_choices()
        # What became due and cannot be started yet waits for a host or a connection, not for time.
        self._wake = inf
        if self._timed and world.free > 0:
            self._wake = self._timed.wake(world.now + self.ahead) - self.ahead

    def _send_choices(self) -> None:
        """Ask for as many pages as the world can take."""
        world, pace = self.world, self.pace
        while (free := world.free) > 0:
            if pace and self._is_enough(pace):
                return
            # One at a time where each start closes a host: the next choice must know of it.
            choices = self._choose(pace) if pace else self.ask(free, OPEN)
            if not choices:
                return
            for choice in choices:
                self.send(choice)

    def _is_enough(self, pace: Pace) -> bool:
        """Say whether as many pages are under way as the rule allows by now."""
        if self._timed or not self._waits_itself:
            return False  # it has times of its own, or is asked for one page after the other
        return pace.under_way(self.rule.slow) >= self.rule.most_under_way(pace.downloads)

    def _choose(self, pace: Pace) -> Sequence[Choice]:
        """Return the next choice on an open host; none if it is better to wait."""
        for choice in self.held:
            if choice.host not in pace.closed:
                self.held.remove(choice)
                return [choice]
        if self._waits_itself or not self.rule.held:
            return self.ask(1, pace.closed)
        away, under_way = ClosedForLong(pace.closed), pace.under_way(self.rule.slow)
        while sum(choice.host not in away for choice in self.held) + under_way < self.rule.held:
            choices = self.ask(1, away) if len(self.held) < self.world.left else ()
            if not choices or choices[0].host not in pace.closed:
                return choices
            self.held += choices
        pace.closed.is_awaited = bool(self.held)
        return ()

    def send(self, choice: Choice) -> None:
        """Start one download."""
        if self.pace:
            self.pace.start(choice.host)
        self.world.start(choice)

    def visits(self, pages: Sequence[Page]) -> list[Visit]:
        """Judge the pages that came in."""
        if self.pace:
            for page in pages:
                self.pace.finish(page.choice.host, self.world.now, page.pause)
        judge = self.judge
        relevances: Iterable[float] = map(judge.relevance, pages)
        if self._together is not None:
            relevances = self._together.relevances(pages)
        return [
            Visit(page, relevance, relevance >= judge.threshold)
            for page, relevance in zip(pages, relevances, strict=True)
        ]

    def visit(self, page: Page) -> Visit:
        """Judge a page that came in."""
        return self.visits((page,))[0]


def seed_visit(seeds: Sequence[Link], now: float) -> Visit:
    """Return the visit that starts a crawl: a page without a URL that links to the seeds."""
    content = MemoryContent(Document(), tuple(seeds))
    choice = Choice(NO_PARENT, NO_PARENT, depth=-1)
    page = Page(choice, Status.OK, "", NO_PARENT, now, now, -1, content.columns(), content)
    return Visit(page, 0.0, False)
