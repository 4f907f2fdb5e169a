"""What a resumed crawl knows of the pages it fetched before."""

from __future__ import annotations

from types import SimpleNamespace

from foragers.fetching.history import FetchHistory, HostLimits
from foragers.storage.ledger.columns import Facts


def test_what_a_ledger_tells_of_pages_is_known_when_the_crawl_goes_on() -> None:
    rows = [
        (1, 2, "ok", 0.0, 0.0, 5, 0.0, "", -1, 0, 0.0, False),
        (3, 3, "missing", 0.0, 0.0, -1, 0.0, "", -1, 0, 0.0, False),
        (4, 4, "unwanted", 0.0, 0.0, -1, 0.0, "sitemap", -1, 0, 0.0, False),
        (5, 5, "skipped", 0.0, 0.0, -1, 0.0, "", -1, 0, 0.0, False),
    ]
    visited = FetchHistory(HostLimits(3))
    visited.load(Facts.from_rows(rows), SimpleNamespace(host=lambda url: 0), [4])
    assert visited.moved == {1: 2}
    assert [visited.is_known(url) for url in range(1, 6)] == [True, True, False, False, False]
    assert visited.lists == {4}
    assert visited.counts == {0: 3}
    assert visited.is_full(0)
