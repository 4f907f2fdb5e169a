"""The frontier against a model that sorts a list."""

from __future__ import annotations

import pickle
import time
from collections.abc import Set as AbstractSet
from contextlib import ExitStack
from math import inf
from types import ModuleType
from typing import ClassVar
from unittest import mock

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from foragers.core import pace
from foragers.core.content import MemoryContent
from foragers.core.pace import TAKE_ANY, Closed, WaitRule
from foragers.core.types import NO_PARENT, Choice, Document, Link
from foragers.frontier import frontier as frontier_module
from foragers.frontier import overflow as rescoring
from foragers.frontier import overflow as tail
from foragers.frontier import scores as promises_module
from foragers.frontier.frontier import Frontier

OPEN: frozenset[int] = frozenset()
HOSTS = 5
urls = st.integers(0, 40)
promises = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0, -1.0])
host_sets = st.frozensets(st.integers(0, HOSTS - 1))


class FrontierAgainstModel(RuleBasedStateMachine):
    """The same commands for a frontier and for a dictionary that is sorted at every pop."""

    sizes: ClassVar[list[tuple[ModuleType, str, int]]] = []

    def __init__(self) -> None:
        super().__init__()
        self.small = ExitStack()
        for part, name, value in self.sizes:
            self.small.enter_context(mock.patch.object(part, name, value))
        self.frontier = Frontier("me")
        self.waiting: dict[int, tuple[float, int, int, int]] = {}
        self.taken: set[int] = set()
        self.closed = Closed()
        self.pushes = 0
        # A log so short that what is parked is often further behind than it reaches.
        self.small.enter_context(mock.patch.object(pace, "LOG_LENGTH", 2))

    def teardown(self) -> None:
        self.small.close()

    @rule(url=urls, promise=promises, parent=urls, depth=st.integers(0, 9))
    def push(self, url: int, promise: float, parent: int, depth: int) -> None:
        self.frontier.push(url, url % HOSTS, promise, parent, depth)
        self.pushes += 1
        known = self.waiting.get(url)
        if url not in self.taken and (known is None or promise > -known[0]):
            self.waiting[url] = (-promise, self.pushes, parent, depth)

    @rule(some=st.lists(urls, max_size=6), promise=promises, parent=urls)
    def extend(self, some: list[int], promise: float, parent: int) -> None:
        links = tuple(Link(url, url % HOSTS, "") for url in some)
        self.frontier.extend(MemoryContent(Document(), links).columns(), promise, parent, 1)
        for url in some:
            self.pushes += 1
            if url not in self.taken and url not in self.waiting:
                self.waiting[url] = (-promise, self.pushes, parent, 1)

    @rule(scores=st.dictionaries(urls, promises, max_size=30))
    def rescore(self, scores: dict[int, float]) -> None:
        self.frontier.rescore(
            np.array(list(scores), np.int32), np.array(list(scores.values()), np.float64)
        )
        for url, promise in scores.items():
            if url in self.waiting:
                self.waiting[url] = (-promise, *self.waiting[url][1:])

    @rule(url=urls)
    def take(self, url: int) -> None:
        self.frontier.take(url)
        self.waiting.pop(url, None)
        self.taken.add(url)

    @rule(hosts=host_sets)
    def close(self, hosts: frozenset[int]) -> None:
        for host in hosts:
            self.closed.close(host)

    @rule(hosts=host_sets)
    def open(self, hosts: frozenset[int]) -> None:
        for host in sorted(hosts & set(self.closed)):
            self.closed.open(host)

    @rule()
    def another_pace(self) -> None:
        fresh = Closed()
        for host in self.closed:
            fresh.close(host)
        self.closed = fresh

    @rule(some=st.lists(urls, max_size=9))
    def ask_which_are_wanted(self, some: list[int]) -> None:
        wanted = self.frontier.wants_each(np.array(some, np.int32)).tolist()
        assert wanted == [self.frontier.wants(url) for url in some]

    @rule(n=st.integers(0, 6))
    def pop_by_the_log(self, n: int) -> None:
        self.compare(n, self.closed)

    @rule(n=st.integers(0, 6), closed=host_sets)
    def pop_by_a_plain_set(self, n: int, closed: frozenset[int]) -> None:
        self.compare(n, closed)

    @rule(n=st.integers(0, 6), share=st.sampled_from([0.4, 0.5, 0.9]))
    def pop_what_is_good_enough(self, n: int, share: float) -> None:
        self.closed.prefer(WaitRule(share, rank=inf), inf)
        parked = max(
            (-entry[0] for url, entry in self.waiting.items() if url % HOSTS in self.closed),
            default=-inf,
        )
        self.compare(n, self.closed, least=share * parked if parked > 0 else -inf)
        self.closed.prefer(TAKE_ANY, inf)

    @rule(host=st.integers(0, HOSTS - 1))
    def pop_from_one_host(self, host: int) -> None:
        ready = [(*told, url) for url, told in self.waiting.items() if url % HOSTS == host]
        best, chosen = self.frontier.best_of(host), self.frontier.pop_from(host)
        if not ready:
            assert (best, chosen) == (-inf, None)
            return
        negative, _, parent, depth, url = min(ready)
        assert best == -negative
        assert chosen == Choice(url, host, -negative, "me", parent, depth)
        del self.waiting[url]
        self.taken.add(url)

    @rule()
    def pack_and_unpack(self) -> None:
        self.frontier = pickle.loads(pickle.dumps(self.frontier))

    @rule()
    def pack_and_unpack_together(self) -> None:
        self.frontier, self.closed = pickle.loads(pickle.dumps((self.frontier, self.closed)))

    def compare(self, n: int, closed: AbstractSet[int], least: float = -inf) -> None:
        ready = sorted(
            (negative, order, url, parent, depth)
            for url, (negative, order, parent, depth) in self.waiting.items()
            if url % HOSTS not in closed and -negative >= least
        )[:n]
        expected = [
            Choice(url, url % HOSTS, -negative, "me", parent, depth)
            for negative, _, url, parent, depth in ready
        ]
        assert list(self.frontier.pop(n, closed)) == expected
        for choice in expected:
            del self.waiting[choice.url]
            self.taken.add(choice.url)

    @invariant()
    def knows_what_it_holds(self) -> None:
        assert len(self.frontier) == len(self.waiting)
        assert all(
            (url in self.frontier) == (url in self.waiting or url in self.taken)
            for url in range(41)
        )


FrontierAgainstModel.TestCase.settings = settings(
    max_examples=150, stateful_step_count=40, deadline=None
)
TestFrontierAgainstModel = FrontierAgainstModel.TestCase


class PackedFrontierAgainstModel(FrontierAgainstModel):
    """The same, where what is large begins at a handful."""

    sizes: ClassVar[list[tuple[ModuleType, str, int]]] = [
        (frontier_module, "MANY", 3),
        (frontier_module, "REFILL", 1),
        (tail, "FEW", 1),
        (tail, "SPADEFUL", 2),
        (tail, "SHARE", 3),
        (tail, "RUNS", 2),
        (tail, "LARGE", 6),
        (promises_module, "FAR", 8),
        (rescoring, "FEW", 2),
    ]


PackedFrontierAgainstModel.TestCase.settings = settings(
    max_examples=120, stateful_step_count=40, deadline=None
)
TestPackedFrontierAgainstModel = PackedFrontierAgainstModel.TestCase


def popped(frontier: Frontier, n: int = 100, closed: AbstractSet[int] = OPEN) -> list[int]:
    return [choice.url for choice in frontier.pop(n, closed)]


def test_best_promise_leaves_first() -> None:
    frontier = Frontier()
    for url, promise in enumerate([0.1, 0.9, 0.5]):
        frontier.push(url, url, promise)
    assert popped(frontier) == [1, 2, 0]


def test_equal_promises_leave_in_the_order_they_came() -> None:
    frontier = Frontier()
    for url in (5, 3, 9, 1):
        frontier.push(url, url % 2, 0.5)
    assert popped(frontier) == [5, 3, 9, 1]


def test_raised_promise_moves_a_page_up_and_a_lower_one_does_nothing() -> None:
    frontier = Frontier()
    frontier.push(1, 0, 0.1, parent=7, depth=1)
    frontier.push(2, 0, 0.5)
    frontier.push(1, 0, 0.9, parent=8, depth=2)
    frontier.push(2, 0, 0.2)
    assert frontier.pop(2, OPEN) == [
        Choice(1, 0, 0.9, "", 8, 2),
        Choice(2, 0, 0.5, "", NO_PARENT, 0),
    ]


def test_taken_page_is_never_chosen_again() -> None:
    frontier = Frontier()
    frontier.push(1, 0, 0.1)
    frontier.push(2, 0, 0.2)
    frontier.take(1)
    frontier.take(3)
    frontier.push(1, 0, 0.9)
    frontier.push(3, 0, 0.9)
    assert popped(frontier) == [2]
    frontier.push(2, 0, 5.0)
    assert popped(frontier) == []
    assert len(frontier) == 0


def test_closed_host_waits_and_comes_back() -> None:
    frontier, closed = Frontier(), Closed()
    for url in range(4):
        frontier.push(url, url % 2, 1 - url / 10)
    closed.close(0)
    assert popped(frontier, 1, closed) == [1]
    closed.open(0)
    closed.close(1)
    assert popped(frontier, 9, closed) == [0, 2]
    closed.open(1)
    assert popped(frontier, 9, closed) == [3]


def test_host_that_opened_and_closed_again_unseen_stays_closed() -> None:
    frontier, closed = Frontier(), Closed()
    frontier.push(1, 0, 1.0)
    closed.close(0)
    assert popped(frontier, 1, closed) == []
    closed.open(0)
    closed.close(0)
    assert popped(frontier, 1, closed) == []
    closed.open(0)
    assert popped(frontier, 1, closed) == [1]


def test_host_parked_for_one_pace_is_not_lost_under_another() -> None:
    frontier, old, new = Frontier(), Closed(), Closed()
    frontier.push(1, 0, 1.0)
    old.close(0)
    assert popped(frontier, 1, old) == []
    assert popped(frontier, 1, new) == [1]


@pytest.mark.parametrize("openings", [1, pace.LOG_LENGTH, 3 * pace.LOG_LENGTH])
def test_host_opened_long_ago_comes_back_even_if_the_log_forgot(openings: int) -> None:
    frontier, closed = Frontier(), Closed()
    frontier.push(1, 0, 1.0)
    closed.close(0)
    assert popped(frontier, 1, closed) == []
    closed.open(0)
    for _ in range(openings):
        closed.close(1)
        closed.open(1)
    assert popped(frontier, 1, closed) == [1]


def seconds_to_pop(parked: int, pages: int = 4000) -> float:
    """Return how long it takes to empty one open host while others are parked and stay so."""
    frontier, closed = Frontier(), Closed()
    for host in range(1, parked + 1):
        closed.close(host)
        frontier.push(-1 - host, host, 2.0)
    for url in range(pages):
        frontier.push(url, 0, 1.0)
    assert len(frontier.pop(1, closed)) == 1
    start = time.process_time()
    for _ in range(pages - 1):
        # As in a polite crawl: the host closes and opens around every download.
        closed.close(0)
        closed.open(0)
        assert frontier.pop(1, closed)
    return time.process_time() - start


def test_a_hundred_thousand_closed_hosts_do_not_slow_down_the_choice() -> None:
    alone = min(seconds_to_pop(0) for _ in range(5))
    crowded = min(seconds_to_pop(100_000) for _ in range(3))
    assert crowded < 20 * alone


def test_very_many_waiting_urls_leave_in_order_and_take_few_bytes() -> None:
    count, hosts = 150_000, 300
    chance = np.random.default_rng(1)
    lots = chance.integers(0, 1000, count).tolist()
    frontier = Frontier()
    for url, lot in enumerate(lots):
        frontier.push(url, url % hosts, lot / 1000)
    assert len(pickle.dumps(frontier)) < 60 * count
    expected = sorted(range(count), key=lambda url: (-lots[url], url))[:3000]
    assert popped(frontier, 3000) == expected
    assert len(frontier) == count - 3000


def test_new_promises_may_be_better_or_worse_and_leave_what_was_taken_alone() -> None:
    frontier = Frontier()
    for url in range(6):
        frontier.push(url, url % 2, 0.5, parent=9, depth=url)
    frontier.take(1)
    frontier.rescore(np.array([0, 1, 4, 77], np.int32), np.array([0.1, 0.9, 0.7, 1.0]))
    assert len(frontier) == 5
    assert 77 not in frontier
    assert frontier.pop(9, OPEN) == [
        Choice(4, 0, 0.7, "", 9, 4),
        Choice(2, 0, 0.5, "", 9, 2),
        Choice(3, 1, 0.5, "", 9, 3),
        Choice(5, 1, 0.5, "", 9, 5),
        Choice(0, 0, 0.1, "", 9, 0),
    ]


@pytest.mark.parametrize("packed", [False, True])
def test_links_to_pages_that_were_taken_are_not_wanted(packed: bool) -> None:
    frontier = Frontier()
    frontier.push(3, 0, 0.5)
    frontier.push(5, 0, 0.9)
    frontier.pop(1, OPEN)
    frontier.take(7)
    if packed:
        frontier.rescore(np.array([3], np.int32), np.array([0.7]))
    links = MemoryContent(
        Document(), tuple(Link(url, 0, str(url)) for url in (3, 4, 5, 7, 3, 9))
    ).columns()
    assert frontier.wanted(links) == [0, 1, 4, 5]


def test_one_host_gives_its_best_page_whatever_others_promise() -> None:
    frontier = Frontier()
    for url, host, promise in ((1, 0, 0.9), (2, 1, 0.2), (3, 1, 0.4), (4, 1, 0.3)):
        frontier.push(url, host, promise)
    frontier.take(3)
    assert frontier.best_of(1) == 0.3
    chosen = frontier.pop_from(1)
    assert chosen is not None
    assert (chosen.url, chosen.promise) == (4, 0.3)
    assert popped(frontier) == [1, 2]
    assert frontier.best_of(1) == -inf
    assert frontier.pop_from(7) is None
