"""The loop; read this first.

    Pace says which hosts are closed -> Strategy.ask -> World.start ... World.finished
    -> Judge turns pages into visits -> Ledger.append -> Strategy.tell -> and again.

A crawl ends when the strategy has nothing more to ask and nothing is under way, or
when the world takes no more (a `Budget` around it is spent).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf

from foragers.content import Kept
from foragers.pace import Pace
from foragers.protocols import Judge, Ledger, Strategy, World
from foragers.types import NOWHERE, Choice, Document, Link, Page, Status, Visit


@dataclass(slots=True)
class Crawl:
    """One strategy at work in one world."""

    strategy: Strategy
    world: World
    judge: Judge
    ledger: Ledger
    pace: Pace = field(default_factory=lambda: Pace(one_at_a_time=False))

    def begin(self) -> None:
        """Tell the strategy the seeds."""
        self.strategy.tell([beginning(self.world.seeds, self.world.now)])

    def run(self, watch: Callable[[Sequence[Visit]], None] | None = None) -> None:
        """Crawl to the end; `watch` sees every visit as it comes in."""
        while (visits := self.step()) is not None:
            if watch and visits:
                watch(visits)

    def step(self) -> Sequence[Visit] | None:
        """Start what can be started, take in what is finished; None when all is done."""
        world, pace = self.world, self.pace
        pace.advance(world.now)
        self.start()
        if not world.running and (not world.free or pace.next_opening == inf):
            return None
        pages = world.finished(pace.next_opening if world.free else inf)
        visits = [self.visit(page) for page in pages]
        if visits:
            self.ledger.append(visits)
            self.strategy.tell(visits)
        return visits

    def start(self) -> None:
        """Ask for as many pages as the world can take, and start them."""
        world, pace = self.world, self.pace
        while (free := world.free) > 0:
            # One at a time where each start closes a host: the next choice must know of it.
            choices = self.strategy.ask(1 if pace.one_at_a_time else free, pace.closed)
            if not choices:
                return
            for choice in choices:
                pace.start(choice.host)
                world.start(choice)

    def visit(self, page: Page) -> Visit:
        """Judge a page that came in."""
        self.pace.finish(page.choice.host, self.world.now)
        relevance = self.judge.relevance(page)
        return Visit(page, relevance, relevance >= self.judge.threshold)


def beginning(seeds: Sequence[Link], now: float) -> Visit:
    """Return the visit that stands for the start: a page that is nowhere and links to the seeds."""
    content = Kept(Document(), tuple(seeds))
    choice = Choice(NOWHERE, NOWHERE, depth=-1)
    page = Page(choice, Status.OK, "", NOWHERE, now, now, -1, content.columns(), content)
    return Visit(page, 0.0, False)
