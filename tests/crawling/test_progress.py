"""Which hosts a crawl leaves alone, and until when."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from foragers.core.clock import steady
from foragers.core.types import Choice
from foragers.crawling.own_requests import OwnRequests
from foragers.crawling.progress import left_alone
from foragers.crawling.session import Session
from support.crawling import order_of


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
