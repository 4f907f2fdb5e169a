"""When a host, and an address, may be asked again: worked out by hand."""

from __future__ import annotations

import pytest

from foragers.fetching.settings import ThrottleSettings
from foragers.fetching.throttle import Throttle

HERE, THERE = "192.0.2.1", "192.0.2.2"


def asked(
    manners: Throttle,
    host: str,
    now: float,
    address: str = HERE,
    *,
    seconds: float = 0.0,
    failed: bool = False,
    busy: bool = False,
    retry_after: float = 0.0,
) -> float:
    """Ask a host, be answered at once, and return how long it is to be left alone."""
    keys = manners.claim(host, manners.start(host), address, now)
    assert keys
    return manners.finish(
        host,
        keys,
        now,
        seconds=seconds,
        failed=failed,
        busy=busy,
        address=address,
        retry_after=retry_after,
    )


def test_two_names_of_one_address_are_not_asked_at_the_same_time() -> None:
    manners = Throttle(delay=1.0)
    first = manners.claim("a.test", manners.start("a.test"), HERE, 0.0)
    assert first == ("a.test", f"at {HERE}")
    second = manners.start("b.test")
    assert manners.claim("b.test", second, HERE, 0.0) == ()
    manners.release(second)
    # From now on it is known where b.test is: it waits for a.test.
    assert manners.wait("b.test", 0.0) is None
    manners.finish("a.test", first, 5.0, seconds=0.1, failed=False, address=HERE)
    assert manners.wait("b.test", 5.0) == 1.0


def test_two_names_of_one_address_are_not_asked_without_a_pause() -> None:
    manners = Throttle(delay=1.0)
    asked(manners, "a.test", 10.0)
    assert manners.claim("b.test", manners.start("b.test"), HERE, 10.9) == ()
    manners.release(("b.test",))
    assert manners.wait("b.test", 10.9) == pytest.approx(0.1)
    assert manners.claim("c.test", manners.start("c.test"), HERE, 11.0)


def test_names_of_different_addresses_do_not_wait_for_each_other() -> None:
    manners = Throttle(delay=1.0)
    asked(manners, "a.test", 10.0)
    assert manners.claim("b.test", manners.start("b.test"), THERE, 10.0)


def test_what_one_host_asks_for_is_not_for_others_at_its_address() -> None:
    manners = Throttle(delay=1.0)
    assert asked(manners, "a.test", 0.0, failed=True, busy=True, retry_after=50.0) == 50.0
    assert manners.wait("a.test", 0.0) == 50.0
    assert manners.claim("b.test", manners.start("b.test"), HERE, 1.0)


def test_a_host_that_was_busy_is_asked_more_slowly_and_then_quicker_again() -> None:
    manners = Throttle(delay=0.1, settings=ThrottleSettings(backoff=4.0))
    asked(manners, "a.test", 0.0, failed=True, busy=True)  # a quarter
    asked(manners, "a.test", 0.0, failed=True, busy=True)  # a half
    # No longer busy: 4 s · 0.5 · 0.95, and less each time.
    assert asked(manners, "a.test", 0.0) == pytest.approx(4 * 0.5 * 0.95)
    assert asked(manners, "a.test", 0.0) == pytest.approx(4 * 0.5 * 0.95**2)
    for _ in range(60):
        pause = asked(manners, "a.test", 0.0)
    assert pause == 0.1


def test_there_is_an_end_to_slowing_down() -> None:
    manners = Throttle(delay=0.0)
    for _ in range(20):
        asked(manners, "a.test", 0.0, failed=True, busy=True)
    assert asked(manners, "a.test", 0.0) == pytest.approx(0.95 * ThrottleSettings().max_extra)


def test_a_page_that_fails_does_not_slow_its_host_down() -> None:
    manners = Throttle(delay=0.1, settings=ThrottleSettings(backoff=4.0))
    asked(manners, "a.test", 0.0, failed=True)
    assert asked(manners, "a.test", 0.0) == 0.1


def test_the_longest_of_all_pauses_that_are_asked_for_is_kept() -> None:
    manners = Throttle(delay=2.0)
    assert asked(manners, "a.test", 0.0) == 2.0
    manners.obey("a.test", 5.0, 0.0)
    assert asked(manners, "a.test", 0.0) == 5.0
    assert asked(manners, "a.test", 0.0, retry_after=3.0) == 5.0
    assert asked(manners, "a.test", 0.0, retry_after=9.0) == 9.0
    manners.obey("b.test", 1.0, 0.0)
    assert asked(manners, "b.test", 0.0, THERE) == 2.0


def test_a_crawl_delay_counts_from_the_moment_it_is_read() -> None:
    manners = Throttle(delay=1.0)
    manners.obey("a.test", 5.0, 100.0)
    assert manners.wait("a.test", 101.0) == 4.0


def test_there_is_an_end_to_what_hosts_may_ask_for() -> None:
    manners = Throttle()
    manners.obey("a.test", 1e9, 0.0)
    assert asked(manners, "a.test", 0.0) == ThrottleSettings().max_crawl_delay
    assert asked(manners, "a.test", 0.0, retry_after=1e9) == ThrottleSettings().max_retry_after


def test_a_slow_host_is_left_alone_twice_as_long_as_it_takes_to_answer() -> None:
    manners = Throttle(delay=0.5)
    assert asked(manners, "a.test", 0.0, seconds=2.0) == 4.0
    # 0.7 · 2 + 0.3 · 1 seconds, twice.
    assert asked(manners, "a.test", 0.0, seconds=1.0) == pytest.approx(3.4)
    # Who wants no delay wants none of this kind either.
    assert asked(Throttle(delay=0.0), "a.test", 0.0, seconds=2.0) == 0.0


def test_what_hosts_wanted_is_still_wanted_when_the_crawl_goes_on() -> None:
    before = Throttle(delay=1.0)
    asked(before, "a.test", 0.0, failed=True, busy=True, retry_after=100.0)
    asked(before, "b.test", 0.0, THERE)
    after = Throttle(delay=1.0)
    after.restore(before.delays(50.0))
    assert after.wait("a.test", 50.0) == 50.0
    assert after.state("a.test").busy == 1
    assert after.wait("b.test", 50.0) == 0.0


def test_a_pause_that_is_not_over_is_wished_for_and_one_that_is_over_is_not() -> None:
    manners = Throttle(delay=1.0)
    manners.obey("a.test", 100.0, 0.0)
    asked(manners, "b.test", 0.0, THERE)
    assert manners.delays(50.0) == {"a.test": (100.0, 0)}
    assert manners.delays(100.0) == {}


def test_of_very_many_hosts_those_are_remembered_that_asked_for_something_or_failed() -> None:
    manners = Throttle(delay=1.0, settings=ThrottleSettings(max_hosts=3))
    manners.obey("asks.test", 5.0, 0.0)
    asked(manners, "asks.test", 0.0, "192.0.2.10")
    asked(manners, "fails.test", 0.0, "192.0.2.11", failed=True)
    asked(manners, "plain.test", 0.0, "192.0.2.12")
    asked(manners, "late.test", 1e6, "192.0.2.13")
    assert set(manners.hosts) == {"asks.test", "fails.test", "late.test"}
    assert asked(manners, "asks.test", 1e6, "192.0.2.10") == 5.0


def test_hosts_left_alone_long_enough_are_forgotten_unless_they_asked_for_something() -> None:
    manners = Throttle(delay=1.0, settings=ThrottleSettings(max_hosts=50))
    for number in range(1000):
        host, now = f"host-{number}", 1000.0 * number
        if number == 3:
            manners.obey(host, 9.0, now)
        keys = manners.start(host)
        failed = number == 5
        manners.finish(host, keys, now, seconds=0.1, failed=failed, address=f"10.0.0.{number}")
    assert len(manners.hosts) <= 110
    assert len(manners._free_at) <= 220
    assert manners.state("host-3").crawl_delay == 9.0
    assert manners.state("host-5").failures == 1
    assert manners.wait("host-999", 999_000.5) == 0.5
