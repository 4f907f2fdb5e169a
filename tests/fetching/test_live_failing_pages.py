"""Pages that fail, on hosts that are well: one after the other they must not stop a crawl."""

from __future__ import annotations

from pathlib import Path

from foragers.fetching.settings import ThrottleSettings
from foragers.fetching.throttle import Throttle
from support.crawling import crawl, gaps, serving
from support.hostile_server import Connection, page, reply

BROKEN = reply(b"", "500 Broken")


def test_many_pages_that_fail_do_not_hold_up_those_that_do_not(tmp_path: Path) -> None:
    failing = {f"/bad/{n}": BROKEN for n in range(8)}
    good = {f"/good/{n}": page(words=f"good {n}") for n in range(8)}
    with serving({**failing, **good}) as server:
        outcome = crawl(tmp_path, server.url("/"), backoff=0.02)
        assert {outcome.status(path) for path in failing} == {"failed"}
        assert {outcome.status(path) for path in good} == {"ok"}
        pauses = gaps([asked for asked in server.log if asked.path in failing])
        assert min(pauses) >= 0.03


def test_a_host_that_fails_again_and_again_is_asked_for_each_page_once(tmp_path: Path) -> None:
    def lost(connection: Connection) -> None:
        connection.close()

    with serving({f"/{n}": lost for n in range(6)}) as server:
        crawl(tmp_path, *(server.url(f"/{n}") for n in range(6)), backoff=0.01)
        assert [server.paths.count(f"/{n}") for n in range(6)] == [3, 3, 1, 1, 1, 1]


def pauses_of(times: int, busy: bool) -> list[float]:
    """Return the pauses after failures in a row."""
    manners = Throttle(delay=0.5)
    return [
        manners.finish("a.test", ("a.test",), 0.0, seconds=0.1, failed=True, busy=busy)
        for _ in range(times)
    ]


def test_pauses_stay_short_where_pages_fail_and_grow_where_hosts_do() -> None:
    assert pauses_of(5, busy=False) == [2, 4, 4, 4, 4]
    busy = pauses_of(30, busy=True)
    assert busy[:6] == [2, 4, 8, 16, 16, 16]
    assert busy[16:20] == [32, 64, 128, 256]
    assert busy[-1] == ThrottleSettings().max_backoff


def test_one_page_that_takes_very_long_does_not_slow_down_its_host_for_long() -> None:
    manners, keys = Throttle(delay=0.5), ("a.test",)
    manners.finish("a.test", keys, 0.0, seconds=0.1, failed=False)
    assert manners.finish("a.test", keys, 0.0, seconds=60.0, failed=True) == 2
    assert manners.finish("a.test", keys, 0.0, seconds=0.1, failed=False) == 0.5
    slow = manners.finish("a.test", keys, 0.0, seconds=60.0, failed=False)
    assert 6 < slow < 6.5  # twice 0.7 · 0.1 + 0.3 · 10 seconds
