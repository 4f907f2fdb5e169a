"""The table of standings, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("benchmarks.standings_table", reason="the benchmarks lie beside the package")

from benchmarks.standings_runs import BEST, WORST, Aim, Extent, Kept, Task
from benchmarks.standings_table import Standings, area, closed


def kept(strategy: str, found_at: list[int], world: str = "w", seed: int = 0) -> Kept:
    task = Task(world, "", "topic:x", Aim.LABEL, "x")
    return Kept(task, strategy, seed, 4, 4, 2, 4, found_at, 0.0)


def test_the_area_is_the_mean_number_of_pages_held() -> None:
    assert area(kept("a", [1, 3]), 4) == pytest.approx((1 + 1 + 2 + 2) / 4)
    assert area(kept("a", [3]), 2) == 0


def test_a_strategy_as_good_as_an_end_closes_all_or_nothing() -> None:
    worst, best = kept(WORST, [3, 4]), kept(BEST, [1, 2])
    assert closed(best, worst, best)[2] == 1
    assert closed(worst, worst, best)[2] == 0
    # Areas to 4 downloads are 3/4, 7/4 and, with pages found at 2 and 3, 5/4.
    assert closed(kept("a", [2, 3]), worst, best)[2] == pytest.approx(0.5)


def test_where_there_is_nothing_to_close_nothing_is_said() -> None:
    same = kept(WORST, [1, 2])
    assert np.isnan(closed(kept("a", [3]), same, kept(BEST, [1, 2]))[2])


def test_the_best_elsewhere_is_chosen_without_the_web_itself() -> None:
    crawls = []
    for world, good in (("u", "a"), ("v", "a"), ("w", "b")):
        crawls += [kept(WORST, [3, 4], world), kept(BEST, [1, 2], world)]
        crawls += [kept(name, [1, 2] if name == good else [3, 4], world) for name in "ab"]
    standings = Standings.of(crawls)
    assert standings.mean("a")[2] == pytest.approx(2 / 3)
    assert standings.chosen()["w"][2] == "a"
    low, high = standings.interval("a")
    assert 0 <= low[2] < 2 / 3 < high[2] <= 1  # other webs might have been like any of these


def test_a_crawl_has_a_thousand_downloads_where_there_are_as_many_pages() -> None:
    assert Extent(0.1).limit(20_000) == 2000
    assert Extent(0.1).limit(5000) == 1000
    assert Extent(1.0, most=3000).limit(5000) == 3000
    assert Extent(1.0).limit(300) == 300
