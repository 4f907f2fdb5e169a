"""How often pages are looked at: numbers worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from foragers.strategies.watch.looks import Looks
from foragers.strategies.watch.settings import WatchSettings
from foragers.strategies.watch.sites import Site

HOUR = 3600.0
SETTINGS = WatchSettings(ahead=1.0, sooner=0.1, least_gain=0.36)


def test_with_few_requests_the_best_pages_are_looked_at_once_an_hour() -> None:
    looks = Looks(60.0, SETTINGS)
    rates = np.array([5.0, 4.0, 3.0, 2.0, 1.0]) / HOUR
    left = looks.plan(rates, 3.0 / HOUR)
    assert looks.of(rates) * HOUR == pytest.approx([1, 1, 1, 0, 0])
    assert left == 0.0


def test_a_page_with_a_much_higher_rate_is_looked_at_more_often() -> None:
    looks = Looks(60.0, SETTINGS)
    rates = np.array([160.0, 1.0, 0.9]) / HOUR
    looks.plan(rates, 5.3 / HOUR)
    # The third page has the price: √(0.1 · 160 / 0.9) = 4.2 looks, and one of the second; then
    # a part of the 0.08 looks that are left.
    assert looks.of(rates) * HOUR == pytest.approx([np.sqrt(16 / 0.9), 1, 0], rel=0.02)


def test_looks_that_are_left_make_all_faster_and_none_faster_than_allowed() -> None:
    looks = Looks(600.0, SETTINGS)
    rates = np.array([0.9, 0.4, 0.1]) / HOUR  # the last is not worth a look
    left = looks.plan(rates, 20.0 / HOUR)
    often = looks.of(rates) * HOUR
    assert often[0] == pytest.approx(6.0)  # every 600 s
    assert 1.0 < often[1] <= 6.0
    assert often[2] == 0.0
    assert left == pytest.approx((20.0 - often.sum()) / HOUR)


def test_quiet_hours_save_requests_for_busy_ones() -> None:
    noon = 12 * HOUR
    site = Site(0, 60.0, 2400, 0.0)
    for day in range(20):  # all new pages appear at noon
        at = day * 24 * HOUR + noon
        site.profile.add(at, at + 60.0, 1.0)
    site.all.fill(20 * 24 * HOUR)
    site.all.level = site.all.most / 2
    site.all.at = 20 * 24 * HOUR + noon
    busy = site._affordable(20 * 24 * HOUR + noon)
    flow = site.looks_a_second(20 * 24 * HOUR + noon, site.all.rate)
    assert busy == pytest.approx(flow + 0.2 * site.all.most / HOUR)
    site.all.at = 21 * 24 * HOUR
    assert site._affordable(21 * 24 * HOUR) < flow / 1.5


def test_a_page_is_looked_at_before_what_is_new_has_left_it() -> None:
    rates, rooms = np.array([40.0, 4.0]) / HOUR, np.array([10.0, 10.0])
    looks = Looks(60.0, SETTINGS, price=3.0 / HOUR)
    # 1.25 · 40 / 10 = 5 looks an hour, where √(0.1 · 40 / 3) would be 1.2.
    assert looks.of(rates, rooms) * HOUR == pytest.approx([5, 1])
    looks.plan(rates, 4.0 / HOUR, rooms)
    # The first needs 4 more than one an hour, and gets 0.6 · 4 of them, and the second one; then
    # there is no look left.
    assert looks.of(rates, rooms) * HOUR == pytest.approx([3.4, 0], rel=0.2)
    assert looks.of(rates, rooms).sum() * HOUR <= 4.0 + 1e-9


def test_too_few_requests_for_one_page_an_hour_still_look_at_it() -> None:
    looks = Looks(60.0, SETTINGS)
    rates = np.array([3.0, 3.0]) / HOUR
    looks.plan(rates, 0.5 / HOUR)
    assert looks.of(rates) * HOUR == pytest.approx([0.25, 0.25])
