"""Politeness as data."""

from __future__ import annotations

import pickle
from math import inf
from unittest import mock

from hypothesis import given, settings
from hypothesis import strategies as st

from foragers.core import pace as pace_module
from foragers.core.pace import Closed, Pace


def test_host_is_closed_while_a_download_is_under_way() -> None:
    pace = Pace()
    pace.start(3)
    assert set(pace.closed) == {3}
    pace.finish(3, 10.0)
    assert set(pace.closed) == set()
    assert pace.next_opening == inf


def test_host_stays_closed_for_the_delay_and_no_longer() -> None:
    pace = Pace(delay=2.0)
    pace.start(3)
    pace.advance(100.0)
    assert 3 in pace.closed
    pace.finish(3, 10.0)
    assert pace.next_opening == 12.0
    pace.advance(11.999)
    assert 3 in pace.closed
    pace.advance(12.0)
    assert 3 not in pace.closed
    assert pace.next_opening == inf


def test_hosts_open_in_the_order_of_their_pauses() -> None:
    pace = Pace(delay=1.0)
    for host in (1, 2, 3):
        pace.start(host)
        pace.finish(host, float(host), 5.0 if host == 1 else 0.0)
    assert pace.next_opening == 3.0
    pace.advance(3.5)
    assert set(pace.closed) == {1, 3}
    pace.advance(5.0)
    assert set(pace.closed) == {1}
    pace.advance(6.0)
    assert not pace.closed


def test_pickled_pace_goes_on_like_the_original() -> None:
    pace = Pace(delay=2.0)
    for host in (1, 2):
        pace.start(host)
    pace.finish(1, 0.0)
    again = pickle.loads(pickle.dumps(pace))
    for one in (pace, again):
        one.advance(2.0)
        assert set(one.closed) == {2}
        assert one.closed.openings == 1


@settings(deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), max_size=60), st.data())
def test_log_of_openings_tells_all_or_says_that_it_forgot(
    events: list[tuple[bool, int]], data: st.DataObject
) -> None:
    with mock.patch.object(pace_module, "LOG_LENGTH", 4):
        closed, opened, model = Closed(), [], set()
        for opens, host in events:
            if opens:
                closed.open(host)
                opened.append(host)
                model.discard(host)
            else:
                closed.close(host)
                model.add(host)
        assert set(closed) == model
        assert len(closed) == len(model)
        assert closed.openings == len(opened)
        since = data.draw(st.integers(0, len(opened)))
        told = closed.opened_since(since)
        assert told is None or list(told) == opened[since:]
        if len(opened) - since <= 4:
            assert told is not None
        assert closed.opened_since(len(opened) + 1) is None
