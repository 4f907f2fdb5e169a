"""Waiting in the loop: choices for their hosts, and all of a crawl for its first pages."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from math import inf

from foragers.core.loop import Crawl
from foragers.core.pace import TAKE_ANY, ClosedForLong, Pace, WaitRule
from foragers.core.types import NO_PARENT, Choice, HostId, Link, Visit
from foragers.frontier.frontier import Frontier
from foragers.judges.simple import Everything
from foragers.storage.ledger.memory import MemoryLedger
from foragers.strategies.baselines import BreadthFirst
from foragers.worlds.archive import Archive
from foragers.worlds.budget import Budget
from foragers.worlds.replay import Recorded
from support.worlds_by_hand import small_world

GOOD, POOR = "http://good.test/", "http://poor.test/"
HOME = "http://home.test/"
LINKS = [f"{GOOD}{n}" for n in range(4)] + [f"{POOR}{n}" for n in range(4)]
WEB = {HOME: LINKS, **{link: [] for link in LINKS}}


class InOrder:
    """Follows links in the order in which they came, those of closed hosts left out."""

    def __init__(self) -> None:
        self.waiting: list[Link] = []
        self.closed: list[set[HostId]] = []

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        self.closed.append(set(closed))
        chosen = [link for link in self.waiting if link.host not in closed][:n]
        for link in chosen:
            self.waiting.remove(link)
        return [Choice(link.url, link.host) for link in chosen]

    def tell(self, visits: Sequence[Visit]) -> None:
        for visit in visits:
            self.waiting += visit.links


def crawled(rule: WaitRule, budget: int = 5, pace: Pace | None = None) -> tuple[Crawl, list[str]]:
    """Crawl with four connections; return the crawl and the hosts of its downloads."""
    archive = small_world(WEB)
    world = Budget(Recorded(archive, connections=4), budget)
    ledger = MemoryLedger()
    crawl = Crawl(InOrder(), world, Everything(), ledger, pace or Pace(1.0), rule=rule)
    crawl.begin()
    crawl.run()
    return crawl, hosts(archive, ledger.visits)


def hosts(archive: Archive, visits: Sequence[Visit]) -> list[str]:
    return [
        archive.book.host_name(visit.page.choice.host).partition(".")[0]
        for visit in visits
        if visit.url != NO_PARENT
    ]


def test_the_first_choices_are_waited_for() -> None:
    assert crawled(WaitRule())[1] == ["home", "good", "good", "good", "good"]


def test_every_free_connection_is_used_where_time_is_scarce() -> None:
    assert crawled(TAKE_ANY)[1] == ["home", "good", "poor", "good", "poor"]


def test_no_more_choices_are_held_than_the_rule_says() -> None:
    # One is held, so the page after it is not asked for until it is sent.
    crawl, found = crawled(WaitRule(held=1), budget=9)
    assert found == ["home"] + ["good"] * 4 + ["poor"] * 4
    assert not crawl.held


def test_the_next_choice_is_asked_for_when_the_one_before_is_answered() -> None:
    crawl, found = crawled(WaitRule(), budget=9, pace=Pace(0.0))
    assert isinstance(crawl.strategy, InOrder)
    # No host is closed when the strategy is asked: nothing is under way.
    assert set(map(len, crawl.strategy.closed)) == {0}
    assert found == ["home"] + ["good"] * 4 + ["poor"] * 4


def test_a_page_that_takes_long_is_not_waited_for() -> None:
    pace = Pace(0.0)
    pace.advance(100.0)
    pace.start(1)
    pace.advance(103.0)
    pace.start(2)
    assert pace.under_way(5.0) == 2
    pace.advance(105.0)
    assert pace.under_way(5.0) == 1
    pace.finish(2, 105.0)
    assert pace.under_way(5.0) == 0


def test_no_more_choices_are_held_than_downloads_are_left() -> None:
    crawl, _ = crawled(WaitRule(), budget=3)
    assert isinstance(crawl.strategy, InOrder)
    assert len(crawl.strategy.waiting) == len(LINKS) - 2
    assert not crawl.held


def test_a_host_that_stays_closed_for_long_is_not_waited_for() -> None:
    assert crawled(WaitRule(longest=0.5, held=1))[1] == ["home", "good", "poor", "good", "poor"]


def test_the_hosts_that_are_not_waited_for_are_a_set() -> None:
    pace = Pace()
    pace.closed.prefer(WaitRule(longest=10.0), 5)
    pace.closed.close_until(1, 5.0)
    pace.closed.close_until(2, 50.0)
    away = ClosedForLong(pace.closed)
    assert set(away) == {2}
    assert len(away) == 1
    assert 2 in away
    assert 1 not in away
    assert 3 not in away


def test_a_crawl_that_waits_says_so() -> None:
    archive = small_world(WEB)
    crawl = Crawl(
        InOrder(),
        Budget(Recorded(archive, connections=4), 9),
        Everything(),
        MemoryLedger(),
        Pace(1.0),
        rule=WaitRule(held=3),  # one of them is under way
    )
    crawl.begin()
    crawl.step()
    assert awaited(crawl) == 0
    crawl.step()
    assert len(crawl.held) == 2
    assert awaited(crawl) == 2  # good.test, and home.test after its page


def awaited(crawl: Crawl) -> int:
    assert crawl.pace is not None
    return crawl.pace.closed.awaited


STARS = [f"http://host{n}.test/" for n in range(60)]


@dataclass
class Noted(Recorded):
    """Notes how many pages are under way at each start."""

    seen: list[int] = field(default_factory=list)

    def start(self, choice: Choice) -> None:
        Recorded.start(self, choice)
        self.seen.append(self.running)


def most_at_once(rule: WaitRule, longest: float = 3.0) -> list[int]:
    """Crawl a list of hosts, that answer after 3 seconds or more; return the pages under way."""
    archive = small_world({HOME: STARS, **{star: [] for star in STARS}})
    world = Noted(archive, connections=16, latency=(3.0, longest))
    crawl = Crawl(BreadthFirst(), world, Everything(), MemoryLedger(), Pace(0.0), rule=rule)
    crawl.begin()
    crawl.run()
    assert len(world.seen) == 61
    return world.seen


def test_the_first_pages_come_one_after_the_other_and_then_more_and_more_at_once() -> None:
    seen = most_at_once(WaitRule())
    assert seen[:20] == [1] * 20
    assert max(seen[20:40]) == 2
    assert max(seen[40:60]) == 3


def test_where_time_is_scarce_all_connections_are_used_from_the_start() -> None:
    assert most_at_once(TAKE_ANY)[:17] == [1, *range(1, 17)]


def test_at_the_start_a_page_that_takes_long_does_not_keep_others_waiting() -> None:
    seen = most_at_once(WaitRule(), longest=20.0)
    assert max(seen[:20]) > 1


class Chosen:
    """Has links that were chosen already in a frontier, in this order."""

    keeps_order = True

    def __init__(self) -> None:
        self.frontier = Frontier()

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        return self.frontier.pop(n, closed)

    def tell(self, visits: Sequence[Visit]) -> None:
        for visit in visits:
            self.frontier.fetched(visit.page)
            self.frontier.extend(visit.page.links, 0.0, visit.page.final, 0)


def test_links_that_agents_have_chosen_are_waited_for_in_their_order() -> None:
    archive, ledger = small_world(WEB), MemoryLedger()
    world = Budget(Recorded(archive, connections=4), 9)
    crawl = Crawl(Chosen(), world, Everything(), ledger, Pace(1.0), rule=WaitRule(ramp=inf))
    crawl.begin()
    crawl.run()
    assert hosts(archive, ledger.visits) == ["home"] + ["good"] * 4 + ["poor"] * 4
