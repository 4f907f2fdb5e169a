"""The loop, on worlds small enough to know what must come out."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from math import inf

import numpy as np
import pytest

from foragers.core.loop import Crawl, seed_visit
from foragers.core.pace import Pace
from foragers.core.protocols import Strategy, World
from foragers.core.types import NO_PARENT, Choice, HostId, Page, Status, Visit
from foragers.judges.simple import Everything, LabelJudge
from foragers.storage.ledger.memory import MemoryLedger
from foragers.strategies.baselines import BreadthFirst, Random
from foragers.testing import Late, Lossy, Seedless, Shuffled
from foragers.worlds.archive import Archive
from foragers.worlds.budget import Budget, Period
from foragers.worlds.replay import Recorded
from support.random_worlds import random_world
from support.worlds_by_hand import small_world

TREE = {"a": ["b", "c"], "b": ["d", "gone"], "c": ["d", "a"], "d": []}


def crawled(
    world: World, pace: Pace | None = None, strategy: Strategy | None = None
) -> list[Visit]:
    """Crawl to the end and return the ledger's visits."""
    ledger = MemoryLedger()
    crawl = Crawl(strategy or BreadthFirst(), world, Everything(), ledger, pace)
    crawl.begin()
    crawl.run()
    return ledger.visits


def names(archive: Archive, visits: list[Visit]) -> list[str]:
    return [archive.book.href(visit.url).rpartition("/")[2] for visit in visits]


def found(visits: list[Visit]) -> set[int]:
    """Return the pages that came back; by which redirects depends on the order."""
    return {visit.page.final for visit in visits if visit.page.status is Status.OK}


def test_breadth_first_crawl_of_a_small_site() -> None:
    archive = small_world(TREE)
    visits = crawled(Recorded(archive))
    assert names(archive, visits) == ["a", "b", "c", "d", "gone"]
    assert [visit.page.time for visit in visits] == [1, 2, 3, 4, 5]
    assert [visit.page.choice.depth for visit in visits] == [0, 1, 1, 2, 2]
    assert [visit.page.choice.parent for visit in visits] == [NO_PARENT, 0, 0, 1, 1]
    assert [visit.relevance for visit in visits] == [1, 1, 1, 1, 0]
    assert [visit.relevant for visit in visits] == [True, True, True, True, False]
    assert visits[-1].page.status is Status.MISSING


def test_connections_run_side_by_side() -> None:
    archive = small_world(TREE)
    visits = crawled(Recorded(archive, connections=2))
    assert [visit.page.time for visit in visits] == [1, 2, 2, 3, 3]


def test_redirect_is_one_download_and_its_goal_is_not_fetched_again() -> None:
    archive = small_world({"a": ["old", "b"], "b": []}, redirects={"old": "b"})
    visits = crawled(Recorded(archive))
    assert names(archive, visits) == ["a", "old"]
    assert archive.book.href(visits[1].page.final).endswith("/b")


def test_threshold_of_the_judge_is_relevant() -> None:
    archive = small_world(TREE)
    ledger = MemoryLedger()
    judge = LabelJudge(frozenset({1}), threshold=1.0)
    crawl = Crawl(BreadthFirst(), Recorded(archive), judge, ledger)
    crawl.begin()
    crawl.run()
    assert [visit.relevant for visit in ledger.visits] == [False, True, False, False, False]


@pytest.mark.parametrize("connections", [1, 3, 50])
@pytest.mark.parametrize("downloads", [0, 1, 7, 40])
def test_budget_is_kept_exactly(downloads: int, connections: int) -> None:
    world = Budget(Recorded(random_world(1), connections=connections), downloads)
    assert len(crawled(world)) == downloads
    assert world.spent
    assert world.running == 0


def test_budget_larger_than_the_world_is_not_spent() -> None:
    world = Budget(Recorded(small_world(TREE)), 100)
    assert len(crawled(world)) == 5
    assert not world.spent


@pytest.mark.parametrize("delay", [0.0, 0.5, 3.0])
@pytest.mark.parametrize("connections", [1, 4, 20])
def test_polite_crawl_leaves_each_host_its_pause(delay: float, connections: int) -> None:
    archive = random_world(2, pages=80, hosts=5)
    world = Recorded(archive, connections=connections, seconds_per_page=0.7)
    pace = Pace(delay)
    visits = crawled(world, pace, Random(np.random.default_rng(1)))
    assert found(visits) == found(crawled(Recorded(archive, connections=connections)))
    for host in range(5):
        times = sorted(v.page.time for v in visits if v.page.choice.host == host)
        for earlier, later in pairwise(times):
            assert later - 0.7 >= earlier + delay - 1e-9


def test_crawl_of_one_host_waits_for_it_and_wastes_no_time() -> None:
    archive = small_world({"a": ["b", "c"], "b": [], "c": []})
    visits = crawled(Recorded(archive, connections=4), Pace(delay=10.0))
    assert [visit.page.time for visit in visits] == [1, 12, 23]


def test_other_hosts_go_on_while_one_is_closed() -> None:
    one, two = "http://one.test/", "http://two.test/"
    archive = small_world({one: [one + "b", two], one + "b": [], two: [two + "b"], two + "b": []})
    visits = crawled(Recorded(archive), Pace(delay=4.0))
    hosts = [archive.book.host_name(visit.page.choice.host) for visit in visits]
    assert hosts == ["one.test", "two.test", "one.test", "two.test"]
    assert [visit.page.time for visit in visits] == [1, 2, 6, 7]


def test_crawl_without_seeds_ends_at_once() -> None:
    assert crawled(Seedless(Recorded(small_world(TREE)))) == []
    assert crawled(Seedless(Recorded(small_world(TREE))), Pace(1.0)) == []


@pytest.mark.parametrize("pace", [None, Pace(0.0), Pace(2.0)])
def test_late_and_shuffled_answers_all_arrive(pace: Pace | None) -> None:
    archive = random_world(3)
    plain = found(crawled(Recorded(archive, connections=4)))
    for around in (Late, Shuffled):
        visits = crawled(around(Recorded(archive, connections=4), 1), pace)
        assert found(visits) == plain


def test_lost_answers_do_not_end_the_crawl() -> None:
    pages = [f"p{number}" for number in range(50)]
    world = Lossy(Recorded(small_world(dict.fromkeys(pages, ()), seeds=pages)), share=0.5)
    assert 10 < len(crawled(world)) < 40
    assert world.now == 50


def test_watch_sees_every_visit_in_order() -> None:
    ledger = MemoryLedger()
    seen: list[Visit] = []
    crawl = Crawl(BreadthFirst(), Recorded(small_world(TREE)), Everything(), ledger)
    crawl.begin()
    crawl.run(seen.extend)
    assert seen == ledger.visits


def test_visits_are_in_the_ledger_before_the_strategy_is_told() -> None:
    ledger = MemoryLedger()

    class Suspicious(BreadthFirst):
        def tell(self, visits: Sequence[Visit]) -> None:
            if visits[0].url != NO_PARENT:
                assert ledger.visits[-len(visits) :] == list(visits)
            BreadthFirst.tell(self, visits)

    crawl = Crawl(Suspicious(), Recorded(random_world(1), connections=3), Everything(), ledger)
    crawl.begin()
    crawl.run()
    assert len(ledger) > 50


def test_beginning_is_nowhere_and_links_to_the_seeds() -> None:
    world = Recorded(small_world(TREE, seeds=["c", "b"]))
    visit = seed_visit(world.seeds, world.now)
    assert visit.url == visit.page.final == NO_PARENT
    assert visit.page.choice.depth == -1
    assert list(visit.links) == list(world.seeds)
    assert not visit.relevant


def test_crawl_ends_when_the_world_takes_no_more() -> None:
    class Closing(Budget):
        def finished(self, until: float = inf) -> Sequence[Page]:
            self.downloads = self.started
            return self.world.finished(until)

    assert len(crawled(Closing(Recorded(random_world(1)), 30))) == 1


@pytest.mark.parametrize(("patience", "fetched"), [(10.0, 3), (2.0, 1)])
def test_a_crawl_waits_as_long_as_its_patience_and_no_longer(patience: float, fetched: int) -> None:
    world = Recorded(small_world({"a": ["b"], "b": ["c"], "c": []}, end=1000.0))
    ledger = MemoryLedger()
    crawl = Crawl(BreadthFirst(), world, Everything(), ledger, Pace(delay=5.0), patience)
    crawl.begin()
    crawl.run()
    assert len(ledger) == fetched


class Punctual:
    """Asks for the seed every 100 seconds."""

    def __init__(self) -> None:
        self.now, self.due, self.seed = -inf, -inf, NO_PARENT

    def wake(self, now: float) -> float:
        self.now = now
        return self.due if self.due > now else inf

    def ask(self, n: int, closed: AbstractSet[HostId]) -> Sequence[Choice]:
        if n < 1 or self.now < self.due:
            return ()
        self.due = self.now + 100.0
        return [Choice(self.seed, 0)]

    def tell(self, visits: Sequence[Visit]) -> None:
        for visit in visits:
            if visit.url == NO_PARENT:
                self.seed = visit.links[0].url


def test_a_strategy_that_keeps_time_is_asked_when_it_wants_until_the_period_ends() -> None:
    archive, ledger = small_world(TREE), MemoryLedger()
    world = Period(Recorded(archive, archive.start), archive.start + 1000.0)
    crawl = Crawl(Punctual(), world, Everything(), ledger)
    crawl.begin()
    crawl.run()
    times = [visit.page.time - archive.start for visit in ledger.read()]
    assert times == [1.0 + 100.0 * n for n in range(10)]
