"""When a crawl has found enough."""

from __future__ import annotations

from array import array

import pytest

from foragers.crawling.stopping import Rate, RecallMonitor, StopRules


@pytest.mark.parametrize(
    ("downloads", "found_at", "stops"),
    [
        (4, [], False),  # fewer than the window
        (5, [], True),
        (5, [1], True),  # one is fewer than two
        (6, [2, 3], False),
        (7, [2, 3], True),  # the window has gone past the first of them
    ],
)
def test_a_crawl_stops_when_the_last_downloads_found_too_little(
    downloads: int, found_at: list[int], stops: bool
) -> None:
    lookout = RecallMonitor()
    lookout.sightings.downloads = downloads
    lookout.sightings.found_at = array("q", found_at)
    reason = StopRules(rate=Rate(2, 5)).reason(lookout)
    assert bool(reason) == stops
    assert not stops or "fewer than 2" in reason
