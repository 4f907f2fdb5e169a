"""A frontier that waits for pages of closed hosts."""

from __future__ import annotations

import numpy as np

from foragers.core.pace import Closed, WaitRule
from foragers.frontier.frontier import Frontier


def popped(frontier: Frontier, closed: Closed, n: int = 100) -> list[int]:
    return [choice.url for choice in frontier.pop(n, closed)]


def waiting_for_host_one() -> tuple[Frontier, Closed]:
    """Return a frontier with pages on hosts 1, which is closed, and 2, which is open."""
    frontier, closed = Frontier(), Closed()
    closed.close(1)
    closed.prefer(WaitRule(), downloads_left=100)
    return frontier, closed


def test_page_that_promises_too_little_waits_for_a_better_one_on_a_closed_host() -> None:
    frontier, closed = waiting_for_host_one()
    frontier.push(10, 1, 0.9)
    frontier.push(20, 2, 0.71)
    assert popped(frontier, closed) == []
    assert closed.is_awaited
    assert closed.awaited == 1
    closed.open(1)
    closed.prefer(closed.rule, 100)
    assert popped(frontier, closed) == [10, 20]
    assert not closed.is_awaited


def test_page_that_promises_four_fifths_of_the_best_is_fetched() -> None:
    frontier, closed = waiting_for_host_one()
    frontier.push(10, 1, 0.9)
    frontier.push(20, 2, 0.73)
    assert popped(frontier, closed) == [20]
    assert len(frontier) == 1


def test_page_waits_while_a_tenth_of_the_downloads_left_could_go_to_better_ones() -> None:
    for waiting, expected in ((9, [20]), (10, [])):
        frontier, closed = waiting_for_host_one()
        for url in range(100, 100 + waiting):
            frontier.push(url, 1, 0.5)
        frontier.push(20, 2, 0.49)
        assert popped(frontier, closed) == expected


def test_of_pages_that_promise_the_same_those_that_came_first_are_counted() -> None:
    for before, after, expected in ((9, 50, [20]), (10, 0, [])):
        frontier, closed = waiting_for_host_one()
        for url in range(100, 100 + before):
            frontier.push(url, 1, 0.5)
        frontier.push(20, 2, 0.5)
        for url in range(200, 200 + after):
            frontier.push(url, 1, 0.5)
        assert popped(frontier, closed) == expected


def test_packed_pages_that_promise_the_same_are_counted_in_their_order() -> None:
    for before, after, expected in ((9, 50, [20]), (10, 20, [])):
        frontier, closed = waiting_for_host_one()
        for url in range(100, 100 + before):
            frontier.push(url, 1, 0.1)
        frontier.push(20, 2, 0.1)
        for url in range(200, 200 + after):
            frontier.push(url, 1, 0.1)
        urls = np.array([*range(100, 100 + before), 20, *range(200, 200 + after)], np.int32)
        frontier.rescore(urls, np.full(len(urls), 0.5))  # packs all but the best
        assert popped(frontier, closed) == expected


def test_at_first_a_page_waits_for_any_that_comes_before_it() -> None:
    for downloads, expected in ((0, []), (10, []), (20, [20])):
        frontier, closed = waiting_for_host_one()
        closed.prefer(closed.rule, 100, downloads)
        frontier.push(10, 1, 0.5)
        frontier.push(20, 2, 0.49)
        assert popped(frontier, closed) == expected


def test_packed_pages_of_a_closed_host_are_counted_too() -> None:
    for waiting, expected in ((9, [20]), (30, [])):
        frontier, closed = waiting_for_host_one()
        urls = np.arange(100, 100 + waiting, dtype=np.int32)
        for url in urls.tolist():
            frontier.push(url, 1, 0.1)
        frontier.push(20, 2, 0.49)
        frontier.rescore(urls, np.full(waiting, 0.5))  # packs all but the best
        assert popped(frontier, closed) == expected


def test_pages_that_were_taken_are_not_waited_for() -> None:
    frontier, closed = waiting_for_host_one()
    frontier.push(10, 1, 0.9)
    frontier.push(20, 2, 0.1)
    assert popped(frontier, closed) == []
    frontier.take(10)
    assert popped(frontier, closed) == [20]


def test_host_that_stays_closed_for_long_is_not_waited_for() -> None:
    frontier, closed = waiting_for_host_one()
    closed.close_until(1, 61.0)
    frontier.push(10, 1, 0.9)
    frontier.push(20, 2, 0.1)
    frontier.push(21, 2, 0.1)
    assert popped(frontier, closed, n=1) == [20]
    closed.now = 1.0  # it opens in a minute
    assert popped(frontier, closed) == []


def test_download_that_takes_long_is_not_waited_for() -> None:
    frontier, closed = waiting_for_host_one()
    frontier.push(10, 1, 0.9)
    frontier.push(20, 2, 0.1)
    closed.now = 60.0
    assert popped(frontier, closed) == []
    closed.now = 60.5
    assert popped(frontier, closed) == [20]


def test_promises_below_zero_are_not_compared_by_share() -> None:
    frontier, closed = waiting_for_host_one()
    frontier.push(10, 1, -1.0)
    frontier.push(20, 2, -3.0)
    assert popped(frontier, closed) == [20]


def test_asking_many_times_does_not_grow_what_is_remembered_of_parked_hosts() -> None:
    frontier, closed = Frontier(), Closed()
    closed.prefer(WaitRule(), 1000)
    for url in range(2000):
        frontier.push(url, url % 3, 1 / (1 + url))
    for turn in range(1500):
        closed.close(turn % 3)
        frontier.pop(1, closed)
        closed.open(turn % 3)
    assert len(frontier._parked_heads) < 200
