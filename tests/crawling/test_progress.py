"""Which hosts a crawl leaves alone, and until when."""

from __future__ import annotations

import time
from pathlib import Path

import msgspec
import pytest

from foragers.core.clock import steady
from foragers.core.loop import seed_visit
from foragers.core.types import Choice, Status, Visit
from foragers.crawling.own_requests import OwnRequests
from foragers.crawling.progress import MOST_IN_VAIN, InVain, left_alone
from foragers.crawling.session import Session
from support.crawling import order_of


def test_a_fleet_whose_seed_may_not_be_requested_ends(tmp_path: Path) -> None:
    session = Session.open(
        order_of("http://127.0.0.1:9/", strategy="wlrl", budget=5, allow_private=()), tmp_path
    )
    stopped = session.run()
    session.close()
    assert stopped == "the strategy goes back only to pages that may not be requested (see skipped)"


def test_a_download_in_between_lets_a_crawl_go_on() -> None:
    in_vain, page = InVain(), seed_visit([], 0.0).page
    skipped, fetched = (
        Visit(msgspec.structs.replace(page, status=status), 0.0, False)
        for status in (Status.SKIPPED, Status.OK)
    )
    in_vain.watch([skipped] * (MOST_IN_VAIN + 1))
    assert in_vain.count == MOST_IN_VAIN
    assert in_vain.reason
    in_vain.watch([fetched, skipped, skipped])
    assert (in_vain.count, in_vain.reason) == (1, "")


def test_hosts_that_ask_for_a_short_pause_are_not_named(tmp_path: Path) -> None:
    session, now = Session.open(order_of("http://deferred.test/"), tmp_path), steady()
    live, requests = session.live, OwnRequests()
    system = time.time()
    live.restore_delays({"soon.test": (system + 30, 1), "late.test": (system + 300, 1)})
    assert [one.host for one in left_alone(live, requests)] == ["late.test"]
    urls = [live.table.intern(f"http://deferred.test/{name}") for name in "ab"]
    for url, due in zip(urls, (now + 10, now + 20), strict=True):
        requests.defer(due, Choice(url, live.table.host(url)))
    first, last = left_alone(live, requests)
    assert (first.host, first.pages, last.host) == ("deferred.test", 2, "late.test")
    assert last.until - first.until == pytest.approx(290, abs=1)
    session.close()
