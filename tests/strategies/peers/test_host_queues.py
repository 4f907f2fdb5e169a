"""A frontier from which a strategy takes the best URL of a host of its choice."""

from __future__ import annotations

from math import inf

import numpy as np

from foragers.core.types import Choice
from foragers.strategies.peers.host_queues import HostQueues
from foragers.testing.ledgers import sample

OPEN: frozenset[int] = frozenset()


def queues(*links: tuple[int, int, float]) -> HostQueues:
    made = HostQueues()
    for url, host, promise in links:
        made.push(url, host, promise, -1, 0)
    return made


def test_hosts_with_waiting_urls_are_told_with_their_best_promise() -> None:
    made = queues((1, 3, 0.2), (2, 3, 0.6), (4, 0, 0.1))
    assert made.waiting(OPEN).tolist() == [0, 3]
    assert made.waiting({3, 9}).tolist() == [0]
    assert made.best(np.array([0, 3])).tolist() == [0.1, 0.6]
    assert (len(made), 2 in made, 5 in made) == (3, True, False)


def test_the_best_url_of_a_host_leaves_first() -> None:
    made = queues((1, 3, 0.2), (2, 3, 0.6), (4, 0, 0.9))
    assert made.pop(3) == Choice(2, 3, 0.6)
    assert made.best(np.array([3])).tolist() == [0.2]
    assert made.pop(3) == Choice(1, 3, 0.2)
    assert made.pop(3) is None
    assert made.waiting(OPEN).tolist() == [0]


def test_a_url_that_was_taken_no_longer_counts() -> None:
    made = queues((1, 3, 0.2), (2, 3, 0.6))
    made.take(2, 3)
    assert not made.wants(2)
    assert made.best(np.array([3])).tolist() == [0.2]


def test_a_url_that_a_redirect_led_to_is_noticed_when_its_host_is_chosen() -> None:
    made = queues((1, 0, 0.2), (2, 3, 0.6), (5, 3, 0.5))
    made.fetched(sample(Choice(1, 0), final=2).page)
    assert made.best(np.array([0, 3])).tolist() == [-inf, 0.6], "whose host is not told"
    assert made.pop(3) is None
    assert made.pop(3) == Choice(5, 3, 0.5)


def test_new_promises_may_be_better_or_worse() -> None:
    made = queues((1, 0, 0.2), (2, 3, 0.6), (5, 3, 0.5))
    made.rescore(np.array([1, 2], np.int32), np.array([0.9, 0.1]))
    assert made.best(np.array([0, 3])).tolist() == [0.9, 0.5]
