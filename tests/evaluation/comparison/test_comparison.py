"""Comparisons on worlds small enough to work out by hand."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from foragers.cli.main import main
from foragers.core.options import ReplayOptions, Target
from foragers.errors import UsageError
from foragers.evaluation.comparison.folder import identity
from foragers.evaluation.comparison.plan import Plan, compare
from foragers.evaluation.comparison.report import difference, ranked, summary
from foragers.evaluation.comparison.result import Result, RunResult, StrategyResult
from foragers.evaluation.comparison.run import perform
from foragers.evaluation.comparison.study import prepare
from foragers.evaluation.metrics.significance import Difference
from foragers.worlds.generated import generate
from foragers.worlds.store import save
from support.waiting import until
from support.worlds_by_hand import small_world

# home -> a, b, c; the targets t1 and t2 hang below c, the last page that breadth-first sees.
PAGES = {
    "home": ["a", "b", "c"],
    "a": ["a1"],
    "b": ["gone"],
    "c": ["t1", "t2"],
    "a1": [],
    "t1": [],
    "t2": [],
}


@pytest.fixture
def world(tmp_path: Path) -> Path:
    archive = small_world(PAGES, seeds=["home"], labels={"target": ["t1", "t2"]})
    save(archive, tmp_path / "world")
    return tmp_path / "world"


LABELLED = Target(relevant="target")


def run_of(
    world: Path, aim: Target = LABELLED, budget: int = 10, since: float | None = None
) -> ReplayOptions:
    return ReplayOptions(str(world), "", aim, budget=budget, since=since)


def result_of(
    world: Path,
    *strategies: str,
    runs: int = 1,
    aim: Target = LABELLED,
    since: float | None = None,
) -> Result:
    plan = Plan(run_of(world, aim, since=since), strategies, runs)
    study = prepare(plan.base)
    study.score()
    return compare(plan, study)


def test_breadth_first_and_optimal_have_the_curves_worked_out_by_hand(world: Path) -> None:
    found = result_of(world, "breadth-first", "optimal").strategies
    breadth, best = found["breadth-first"].runs[0], found["optimal"].runs[0]
    # home a b c | a1 gone t1 t2
    assert breadth.curve == [
        (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0), (7, 1), (8, 2)
    ]  # fmt: skip
    assert best.curve == [(1, 0), (2, 0), (3, 1), (4, 2)]
    assert (breadth.downloads, breadth.relevant, breadth.missing) == (8, 2, 1)
    assert (best.downloads, best.relevant, best.missing) == (4, 2, 0)


def test_area_is_the_mean_of_what_is_held_over_the_budget(world: Path) -> None:
    found = result_of(world, "breadth-first", "optimal").strategies
    assert found["breadth-first"].mean["area"] == pytest.approx((1 + 2 * 3) / 10)
    assert found["optimal"].mean["area"] == pytest.approx((1 + 2 * 7) / 10)


def test_the_references_close_nothing_and_everything(world: Path) -> None:
    result = result_of(world, "random")
    assert result.references["breadth-first"].closed == 0.0
    assert result.references["optimal"].closed == 1.0
    share = result.strategies["random"].closed
    assert share is not None
    assert share == pytest.approx((result.strategies["random"].mean["area"] - 0.7) / 0.8)


def test_links_followed_are_downloads_without_the_seeds(world: Path) -> None:
    run = result_of(world, "breadth-first").strategies["breadth-first"].runs[0]
    assert run.links_followed == run.downloads - 1


def test_reachable_pages_and_targets_are_counted(world: Path) -> None:
    result = result_of(world, "breadth-first")
    assert (result.reachable, result.targets) == (7, 2)


def test_a_label_on_an_address_that_redirects_is_the_pages(tmp_path: Path) -> None:
    archive = small_world(
        {"home": ["old"], "new": []},
        seeds=["home"],
        redirects={"old": "new"},
        labels={"target": ["old"]},
    )
    save(archive, tmp_path / "world")
    assert result_of(tmp_path / "world", "breadth-first").targets == 1
    assert result_of(tmp_path / "world", "optimal").strategies["optimal"].runs[0].relevant == 1


def test_the_same_seed_gives_the_same_ledger_byte_for_byte(world: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        plan = Plan(run_of(world), ("random",), 2, out=tmp_path / name)
        study = prepare(plan.base)
        study.score()
        compare(plan, study)
    for seed in (0, 1):
        one, two = (tmp_path / n / "ledgers" / f"random-{seed}.sqlite" for n in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()


def test_the_ledger_says_why_each_page_was_fetched(world: Path, tmp_path: Path) -> None:
    plan = Plan(run_of(world), ("optimal",), out=tmp_path / "out")
    study = prepare(plan.base)
    study.score()
    compare(plan, study)
    with sqlite3.connect(tmp_path / "out" / "ledgers" / "optimal-0.sqlite") as ledger:
        rows = ledger.execute("SELECT url, parent, depth, relevant FROM pages").fetchall()
    ledger.close()
    site = "http://site.test"
    assert rows == [
        (f"{site}/home", None, 0, 0),
        (f"{site}/c", f"{site}/home", 1, 0),
        (f"{site}/t1", f"{site}/c", 2, 1),
        (f"{site}/t2", f"{site}/c", 2, 1),
    ]


def test_processes_change_nothing(tmp_path: Path) -> None:
    save(generate("topics", seed=3, pages=400), tmp_path / "world")
    run = ReplayOptions(
        str(tmp_path / "world"), "", Target("robot sensor", threshold=0.5), budget=120
    )
    results = []
    for processes in (1, 2):
        plan = Plan(run, ("random", "best-first"), 2, processes=processes)
        study = prepare(run)
        study.score()
        results.append(compare(plan, study))
    one, two = results
    for name in one.strategies:
        curves = [[run.curve for run in found.strategies[name].runs] for found in (one, two)]
        assert curves[0] == curves[1]


def test_a_topic_and_labels_judge_by_the_topic_and_measure_by_the_labels(tmp_path: Path) -> None:
    archive = small_world(
        {"home": ["a", "b"], "a": [], "b": []},
        seeds=["home"],
        texts={"a": "robots robots", "b": "gardens"},
        labels={"target": ["b"]},
    )
    save(archive, tmp_path / "world")
    plan = Plan(
        ReplayOptions(str(tmp_path / "world"), "", Target("robots", relevant="target"), budget=5),
        ("best-first",),
        out=tmp_path / "out",
    )
    study = prepare(plan.base)
    study.score()
    result = compare(plan, study)
    with sqlite3.connect(tmp_path / "out" / "ledgers" / "best-first-0.sqlite") as ledger:
        judged = ledger.execute("SELECT url FROM pages WHERE relevant").fetchall()
    ledger.close()
    assert judged == [("http://site.test/a",)]
    assert (result.targets, result.strategies["best-first"].runs[0].relevant) == (1, 1)


def test_novelty_has_no_oracle(world: Path) -> None:
    result = result_of(world, "random", aim=Target(new_within="24h"), since=0.0)
    assert result.targets is None
    assert "optimal" not in result.references
    assert result.strategies["random"].closed is None


def test_what_can_be_reached_is_said_of_the_beginning_where_pages_come_later(world: Path) -> None:
    news = result_of(world, "random", aim=Target(new_within="24h"), since=0.0)
    assert summary(news).startswith("7 pages can be reached when it begins. ")
    labels = msgspec.structs.replace(news, reachable=1, targets=1)
    assert summary(labels).startswith("1 page can be reached, 1 of them relevant. ")


def test_seeds_without_a_page_are_refused(tmp_path: Path) -> None:
    save(small_world({"home": []}, seeds=["gone"]), tmp_path / "world")
    with pytest.raises(UsageError, match="no seed has a page"):
        prepare(run_of(tmp_path / "world", aim=Target()))


def test_a_seed_that_appears_later_is_refused_with_the_time_from_which_it_has_a_page(
    tmp_path: Path,
) -> None:
    world = small_world({"home": []}, seeds=["late"], later=[(86_400.5, "late", [])])
    save(world, tmp_path / "world")
    with pytest.raises(UsageError, match=r"--since 1970-01-02T00:00:01Z$"):
        prepare(run_of(tmp_path / "world", aim=Target(), since=0.0))
    prepare(run_of(tmp_path / "world", aim=Target(), since=86_401.0))


def test_a_folder_of_another_comparison_is_refused(world: Path, tmp_path: Path) -> None:
    study = prepare(run_of(world))
    compare(Plan(run_of(world), ("random",), out=tmp_path / "out"), study)
    with pytest.raises(UsageError, match="another comparison"):
        compare(Plan(run_of(world, budget=5), ("random",), out=tmp_path / "out"), study)


def test_more_strategies_can_be_added_later(world: Path, tmp_path: Path) -> None:
    study = prepare(run_of(world))
    out = tmp_path / "out"
    compare(Plan(run_of(world), ("random",), out=out), study)
    before = (out / "ledgers" / "random-0.sqlite").stat().st_mtime_ns
    result = compare(Plan(run_of(world), ("random", "best-first"), out=out), study)
    assert list(result.strategies) == ["random", "best-first"]
    assert (out / "ledgers" / "random-0.sqlite").stat().st_mtime_ns == before


ANY_WORLD = ReplayOptions("w", "")


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (Plan(ANY_WORLD, ("random", "random")), "twice"),
        (Plan(ANY_WORLD, ("random",), runs=0), "--runs 0"),
        (Plan(ANY_WORLD, ("best-fist",)), "did you mean 'best-first'"),
        (Plan(ANY_WORLD, ("random",), against="nobody"), "unknown strategy 'nobody'"),
    ],
)
def test_plans_that_cannot_be_run_are_refused(plan: Plan, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        plan.check()


@pytest.mark.parametrize(
    ("option", "value", "problem"),
    [
        ("--budget", "0", "must be at least 1"),
        ("--runs", "0", "must be at least 1"),
        ("--seed", "-1", "must be at least 0"),
        ("--jobs", "0", "must be at least 1"),
        ("--concurrency", "0", "must be at least 1"),
        ("--delay", "inf", "must be at most 10,000,000"),
        ("--seconds-per-page", "nan", "must be above 0"),
        ("--threshold", "2", "must be above 0 and at most 1"),
    ],
)
def test_options_of_a_comparison_out_of_range_are_refused(
    capsys: pytest.CaptureFixture[str], option: str, value: str, problem: str
) -> None:
    words = ["compare", "nowhere", "--topic", "tea", f"{option}={value}"]
    assert main(words) == 2
    assert f"{option} {value}: {problem}" in capsys.readouterr().err


def test_a_killed_comparison_goes_on_and_ends_as_one_left_alone(tmp_path: Path) -> None:
    save(generate("topics", seed=3, pages=3000), tmp_path / "world")

    def command(out: Path) -> list[str]:
        return [
            sys.executable, "-m", "foragers.cli.main", "compare", str(tmp_path / "world"),
            "--topic", "robot sensor actuator", "--threshold", "0.5", "--budget", "1500",
            "--runs", "4", "--strategies", "random,best-first", "--out", str(out),
        ]  # fmt: skip

    killed = tmp_path / "killed"
    process = subprocess.Popen(command(killed), start_new_session=True, stdout=subprocess.DEVNULL)
    until(lambda: list((killed / "runs").glob("*.json")))
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not (killed / "result.json").exists()
    subprocess.run(command(killed), check=True, stdout=subprocess.DEVNULL)
    subprocess.run(command(tmp_path / "alone"), check=True, stdout=subprocess.DEVNULL)
    ends = []
    for out in (killed, tmp_path / "alone"):
        result = msgspec.json.decode((out / "result.json").read_bytes(), type=Result)
        ends.append({name: [r.curve for r in s.runs] for name, s in result.strategies.items()})
        assert not list(out.rglob(".*"))
    assert ends[0] == ends[1]
    for ledger in (tmp_path / "alone" / "ledgers").iterdir():
        assert ledger.read_bytes() == (killed / "ledgers" / ledger.name).read_bytes()


def test_the_json_has_the_documented_keys(world: Path) -> None:
    told = json.loads(msgspec.json.encode(result_of(world, "random", runs=2)))
    assert {"world", "topic", "budget", "strategies"} <= set(told)
    strategy = told["strategies"]["random"]
    assert {"runs", "mean", "std"} <= set(strategy)
    assert {
        "seed", "downloads", "relevant", "links_followed", "curve", "seconds", "cpu_seconds"
    } <= set(strategy["runs"][0])  # fmt: skip
    assert [run["seed"] for run in strategy["runs"]] == [0, 1]


def test_a_page_that_is_missing_has_not_failed_besides(world: Path) -> None:
    run = result_of(world, "breadth-first").strategies["breadth-first"].runs[0]
    assert (run.missing, run.failed) == (1, 0)


def test_the_deviation_is_that_of_a_sample() -> None:
    one = RunResult(0, 10, 1, 9, [], 0.0, 0.0, 0, 0, 1.0)
    other = msgspec.structs.replace(one, seed=1, relevant=3)
    assert StrategyResult.of([one, other]).std["relevant"] == pytest.approx(2**0.5)
    assert StrategyResult.of([one]).std["relevant"] == 0.0


def test_a_small_chance_is_told_to_three_places_and_a_smaller_one_as_such() -> None:
    assert difference(Difference(1.25, 5, 0.5, 2.0, 0.0049)) == ("+1.2", "0.005")
    assert difference(Difference(-1.25, 5, -2.0, -0.5, 0.0001)) == ("-1.2", "<.001")
    assert difference(Difference(1.0, 5)) == ("+1.0", "exact")
    assert difference(Difference(1.0, 1)) == ("+1.0", "–")


def test_what_was_news_in_one_run_is_news_in_the_next(tmp_path: Path) -> None:
    archive = small_world(PAGES, seeds=["home"], born={"t1": 5.0})
    save(archive, tmp_path / "world")
    run = ReplayOptions(
        str(tmp_path / "world"), "breadth-first", Target(new_within="1d"), budget=10, since=6.0
    )
    study = prepare(run)
    first, second = perform(run, study), perform(run, study)
    assert first.relevant == second.relevant == 7


def test_comparisons_that_differ_in_strategy_and_seed_share_a_folder(world: Path) -> None:
    run = run_of(world)
    study = prepare(run)
    same = identity(run, study)
    assert identity(replace(run, strategy="random", seed=7), study) == same
    assert identity(replace(run, budget=11), study) != same


def test_the_strategy_with_the_largest_area_comes_first() -> None:
    def of(area: float) -> StrategyResult:
        return StrategyResult.of([RunResult(0, 10, 1, 9, [], 0.0, 0.0, 0, 0, area)])

    strategies, references = {"a": of(1.0), "b": of(3.0)}, {"c": of(2.0)}
    result = Result(1, "w", "", 10, 10, None, "c", strategies, references)
    assert [name for name, _ in ranked(result)] == ["b", "c", "a"]
