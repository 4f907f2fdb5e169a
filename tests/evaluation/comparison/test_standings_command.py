"""The standings of strategies on many webs, worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from foragers.cli.main import main
from foragers.core.options import ReplayOptions
from foragers.evaluation.comparison.comparison import Comparison
from foragers.evaluation.comparison.result import Result, RunResult, StrategyResult
from foragers.evaluation.comparison.standings import (
    COLUMNS,
    area,
    best_elsewhere,
    by_web,
    closed,
    downloads_of,
    labels_of,
    markdown,
    standings,
    words_of,
)
from foragers.evaluation.comparison.study import prepare
from foragers.worlds.generated import generate
from foragers.worlds.store import save


def crawl(*found_at: int) -> StrategyResult:
    """Return a crawl of four downloads that finds pages at some of them."""
    curve = [(at, sum(one <= at for one in found_at)) for at in range(1, 5)]
    return StrategyResult.of([RunResult(0, 4, len(found_at), 3, curve, 0.0, 0.0, 0, 0, 0.0)])


def task(world: str, **strategies: StrategyResult) -> Result:
    ends = {"breadth-first": crawl(3, 4), "optimal": crawl(1, 2)}
    return Result(1, world, "x", 4, 4, 2, "breadth-first", strategies, ends)


def test_the_area_is_the_mean_number_of_pages_held() -> None:
    assert area(crawl(1, 3), 4) == pytest.approx((1 + 1 + 2 + 2) / 4)
    assert area(crawl(3), 2) == 0


def test_a_strategy_as_good_as_an_end_closes_all_or_nothing() -> None:
    found = task("u", a=crawl(2, 3))
    assert closed(found, "optimal", "100 %") == 1
    assert closed(found, "breadth-first", "100 %") == 0
    # Areas to 4 downloads are 3/4, 7/4 and, with pages found at 2 and 3, 5/4.
    assert closed(found, "a", "100 %") == pytest.approx(0.5)
    # One download is 25 % of the reachable pages: optimal has a page then, a has none.
    assert closed(found, "a", "25 %") == 0


def test_where_there_is_nothing_to_close_nothing_is_said() -> None:
    same = Result(1, "u", "x", 4, 4, 2, "breadth-first", {"a": crawl(3)}, {
        "breadth-first": crawl(1, 2), "optimal": crawl(1, 2)
    })  # fmt: skip
    assert closed(same, "a", "100 %") is None
    assert standings([same])["a"] == dict.fromkeys(COLUMNS)


def test_webs_count_the_same_and_the_best_comes_first() -> None:
    tasks = [
        task("u", a=crawl(2, 3), b=crawl(1, 2)),
        task("u", a=crawl(1, 2), b=crawl(1, 2)),
        task("v", a=crawl(3, 4), b=crawl(1, 2)),
    ]
    found = standings(tasks)
    assert list(found) == ["b", "a"]
    last = found["a"]["100 %"]
    assert last is not None
    assert last.mean == pytest.approx((0.75 + 0.0) / 2)
    # A mean of 1 is drawn with a chance of 1/64, too rarely for the interval; 0.875 with 1/16.
    assert last.low == 0.0
    assert last.high == pytest.approx(0.875)


def test_recorded_and_generated_webs_stand_apart() -> None:
    told = markdown([task("u", a=crawl(1, 2)), task("v", a=crawl(3, 4))], {"v"})
    assert (
        "**Recorded webs**\n\n| strategy | 10 % | 25 % | 100 % | at 1,000 | ms a page |\n"
        "|---|---|---|---|---|--:|\n| a | 1.00" in told
    )
    assert "**Generated webs**" in told
    assert "| a | 0.00 | 0.00 | 0.00 | 0.00 | 0.00 |" in told
    assert "| 100 % | u | v |\n|---|--:|--:|\n| a | 1.00 | 0.00 |" in told


def test_the_best_elsewhere_is_chosen_without_the_web_itself() -> None:
    good, bad = crawl(1, 2), crawl(3, 4)
    shares = by_web(
        [task("u", a=good, b=bad), task("v", a=good, b=bad), task("w", a=bad, b=good)], "100 %"
    )
    assert best_elsewhere(shares, "w") == "a"
    assert "| *the best on the other webs* | " in markdown(
        [task("u", a=good), task("v", a=bad)], ()
    )
    assert best_elsewhere(by_web([task("u", a=good)], "100 %"), "u") == ""


def test_a_crawl_has_a_thousand_downloads_if_there_are_as_many_pages() -> None:
    assert downloads_of(20_000, 0.1) == 2000
    assert downloads_of(5000, 0.1) == 1000
    assert downloads_of(300, 1.0) == 300


def test_standings_fit_80_columns_and_are_the_result_in_python() -> None:
    wide = {"spider(model=a/long/path/to/a/model.npz)": crawl(1, 3), "a": crawl(4)}
    tasks = [task(world, **wide) for world in ("u", "v")] + [
        task("v", **{k: crawl(4) for k in wide})
    ]
    lines = repr(Comparison(tasks, generated=())).splitlines()
    assert max(map(len, lines)) <= 80
    assert any(
        line.split() == ["strategy", "10", "%", "25", "%", "100", "%", "at", "1,000"]
        for line in lines
    ), lines


def test_labels_are_neither_rare_nor_common(tmp_path: Path) -> None:
    save(generate("topics", seed=1, pages=400), tmp_path / "w")
    study = prepare(ReplayOptions(str(tmp_path / "w"), ""))
    chosen = labels_of(study, 3)
    sizes = [len(study.archive.labels.urls[name]) for name in chosen]
    assert len(chosen) == 3
    assert sizes == sorted(sizes)
    assert sizes[0] >= 10
    assert sizes[-1] <= 100
    assert words_of("topic:machine-learning") == "machine learning"


def test_the_command_crawls_webs_to_their_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save(generate("topics", seed=1, pages=200), tmp_path / "w")
    words = ["compare", str(tmp_path / "w"), "--standings", "--strategies", "best-first"]
    assert main([*words, "--words", "--jobs", "1", "--out", str(tmp_path / "out")]) == 0
    assert "1 generated web, 4 tasks: share closed at" in capsys.readouterr().out
    assert "| best-first | " in (tmp_path / "out" / "standings.md").read_text()
    assert main([*words[:2], "--until", "0.5"]) == 2
    assert "--until goes with --standings" in capsys.readouterr().err
    assert main([*words, "--new-within", "1d"]) == 2
    assert "--standings needs webs that stand still" in capsys.readouterr().err
