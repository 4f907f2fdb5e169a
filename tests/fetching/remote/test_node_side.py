"""A node requests nothing without leases that last long enough."""

from __future__ import annotations

import pytest

from foragers.core.clock import steady
from foragers.fetching.remote.node_side import LeasedThrottle, Leases, lease_clock


def leased(*keys: str, seconds: float = 30.0) -> LeasedThrottle:
    return LeasedThrottle(1.0, leases=Leases(until=lease_clock() + seconds, held=set(keys)))


def test_a_host_without_a_lease_counts_as_busy_and_is_wanted() -> None:
    throttle = leased("a.test")
    assert throttle.wait("a.test", steady()) == 0.0
    assert throttle.wait("b.test", steady()) is None
    assert throttle.leases.wanted == {"b.test"}


@pytest.mark.parametrize("seconds", [-1.0, 0.0, 4.9])
def test_a_lease_that_ends_soon_starts_nothing(seconds: float) -> None:
    throttle = leased("a.test", seconds=seconds)
    assert throttle.wait("a.test", steady()) is None
    assert not throttle.leases.may_send()
    assert throttle.leases.wanted == set()


def test_an_address_needs_a_lease_too() -> None:
    throttle = leased("a.test")
    keys = throttle.start("a.test")
    assert throttle.claim("a.test", keys, "192.0.2.1", steady()) == ()
    assert throttle.leases.wanted == {"at 192.0.2.1"}
    throttle.release(keys)
    assert throttle.wait("a.test", steady()) is None, "its address is known now"
    throttle.leases.held.add("at 192.0.2.1")
    assert throttle.wait("a.test", steady()) == 0.0
    assert throttle.claim("a.test", throttle.start("a.test"), "192.0.2.1", steady())


def test_what_another_node_has_is_not_wanted_for_a_while() -> None:
    throttle = leased()
    throttle.leases.elsewhere["a.test"] = 7, steady() + 60
    assert throttle.wait("a.test", steady()) is None
    assert throttle.leases.holder("a.test") == 7
    assert throttle.leases.wanted == set()
    throttle.leases.elsewhere["a.test"] = 7, steady() - 1
    assert throttle.leases.holder("a.test") == 0
    assert throttle.wait("a.test", steady()) is None
    assert throttle.leases.wanted == {"a.test"}


def test_a_crawl_delay_is_noted_for_a_successor() -> None:
    throttle = leased("a.test", "b.test")
    throttle.obey("a.test", 0.5, steady())
    throttle.obey("b.test", 30.0, steady())
    assert throttle.leases.notes == {"b.test": (30.0, 0.0)}
