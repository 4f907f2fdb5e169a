"""Comparisons over several worlds and targets, worked out by hand."""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec
import pandas
import pytest

from foragers.cli.main import main
from foragers.core.options import ReplayOptions, Target
from foragers.errors import UsageError
from foragers.evaluation.comparison.comparison import Comparison
from foragers.evaluation.comparison.plan import Plan, compare_tasks
from foragers.evaluation.comparison.report import caption, per_100, shared_downloads
from foragers.evaluation.comparison.result import Result, RunResult, StrategyResult
from foragers.evaluation.comparison.several import SeveralResults, check_folder, task_folder
from foragers.evaluation.comparison.study import prepare
from foragers.worlds.generated import generate
from foragers.worlds.store import save
from support.worlds_by_hand import small_world

PAGES = {"home": ["a", "b", "c"], "a": [], "b": [], "c": ["t1", "t2"], "t1": [], "t2": []}


def strategy(area: float, closed: float | None, curve: tuple[int, ...] = (0, 1)) -> StrategyResult:
    points = list(enumerate(curve, 1))
    run = RunResult(0, len(curve), curve[-1], 0, points, 0.0, 0.0, 0, 0, area)
    return msgspec.structs.replace(StrategyResult.of([run]), closed=closed)


def task(world: str, topic: str, **closed: float) -> Result:
    """Return a task where breadth-first has the area 0 and optimal 10."""
    ends = {"breadth-first": strategy(0.0, 0.0), "optimal": strategy(10.0, 1.0)}
    mine = {name: strategy(10 * share, share) for name, share in closed.items()}
    return Result(1, world, topic, 10, 5, 2, "breadth-first", mine, ends)


def test_every_world_counts_the_same_whatever_the_number_of_its_topics() -> None:
    found = SeveralResults.of([task("u", "x", a=0.2), task("u", "y", a=0.4), task("v", "x", a=0.9)])
    closed = found.strategies["a"].closed
    assert closed is not None
    assert closed.mean == pytest.approx((0.3 + 0.9) / 2)
    # The lowest mean that can be drawn is that of 'u' twice with its lower topic.
    assert closed.low is not None
    assert closed.high is not None
    assert 0.2 <= closed.low < 0.6 < closed.high <= 0.9


def test_pairs_are_worlds_and_p_is_corrected_for_the_number_of_strategies() -> None:
    tasks = [
        task("u", "x", a=0.2, b=0.5),
        task("v", "x", a=0.4, b=0.5),
        task("w", "x", a=0.3, b=0.8),
    ]
    found = SeveralResults.of(tasks).strategies
    ours, other = found["a"].against, found["b"].against
    assert ours is not None
    assert other is not None
    assert (ours.runs, ours.mean) == pytest.approx((3, 0.3))
    # t = 0.3 / (0.1 / sqrt 3) with two degrees of freedom: p = 1 - t / sqrt(2 + t²).
    t = 0.3 / (0.1 / 3**0.5)
    assert ours.p == pytest.approx(1 - t / (2 + t * t) ** 0.5)
    assert ours.p is not None
    assert other.p is not None
    least, most = sorted((ours.p, other.p))
    corrected = sorted((found["a"].corrected or 0.0, found["b"].corrected or 0.0))
    assert corrected == [pytest.approx(2 * least), pytest.approx(max(2 * least, most))]


def test_topics_are_the_pairs_where_there_is_one_world() -> None:
    found = SeveralResults.of([task("u", "x", a=0.2), task("u", "y", a=0.4)]).strategies["a"]
    assert found.against is not None
    assert (found.against.runs, found.against.mean) == pytest.approx((2, 0.3))


def test_tasks_with_nothing_to_close_are_left_out_and_counted() -> None:
    near = msgspec.structs.replace(
        task("v", "x", a=5.0),
        references={"breadth-first": strategy(9.5, 0.0), "optimal": strategy(10.0, 1.0)},
    )
    found = SeveralResults.of([task("u", "x", a=0.2), task("w", "x", a=0.4), near])
    assert found.left_out == 1
    assert found.strategies["a"].closed is not None
    assert found.strategies["a"].closed.mean == pytest.approx(0.3)


def test_where_the_clock_runs_areas_are_compared() -> None:
    tasks = [
        msgspec.structs.replace(
            task(world, "x", a=share), targets=None, references={"breadth-first": strategy(0, None)}
        )
        for world, share in (("u", 0.2), ("v", 0.4))
    ]
    found = SeveralResults.of(tasks)
    assert found.measure == "area"
    assert found.strategies["a"].closed is None
    assert found.strategies["a"].against is not None
    assert found.strategies["a"].against.mean == pytest.approx(3.0)
    assert "+3.0" in repr(Comparison(tasks))


def test_per_100_counts_the_same_downloads_for_every_strategy() -> None:
    result = msgspec.structs.replace(
        task("u", "x"),
        strategies={"short": strategy(1, 1, (0, 1)), "long": strategy(1, 1, (1, 1, 2, 3))},
        references={},
    )
    assert shared_downloads(result) == 2
    assert per_100(result.strategies["short"], 2) == 50
    assert per_100(result.strategies["long"], 2) == 50
    assert "among the first 2 downloads, which every run made" in " ".join(
        Comparison([result]).explanation().split()
    )


def test_the_caption_says_what_the_curves_show() -> None:
    told = caption(task("u", "x", a=0.5))
    assert "Each line is one run." in told
    assert "references, run only to be compared with: breadth-first, optimal" in told


def test_no_heading_is_cut_off_in_80_columns() -> None:
    long = "spider(model=a/very/long/path/to/a/model.npz, online=true)"
    tasks = [task(world, "x", **{long: 0.5}) for world in ("u", "v")]
    for shown, headings in (
        (Comparison(tasks[:1]), "strategy relevant per 100 closed gain p ms/page"),
        (Comparison(tasks), "strategy closed 95 % gain p relevant per 100 ms/page"),
    ):
        lines = repr(shown).splitlines()
        assert max(map(len, lines)) <= 80
        assert any(" ".join(line.split()) == headings for line in lines), lines


def test_a_comparison_becomes_csv_latex_html_and_rows() -> None:
    found = Comparison([task("u", "x", a_b=0.2), task("v", "x", a_b=0.4)])
    lines = (found.to_csv() or "").splitlines()
    assert lines[0].startswith("world,topic,budget,reachable,targets,strategy,seed,downloads")
    assert len(lines) == 1 + 2 * 3
    assert lines[1].startswith("u,x,10,5,2,a_b,0,")
    assert r"a\_b & 30 \% & 20 to 40 & +30 \%" in found.to_latex()
    assert "<td>a_b</td><td>30 %</td>" in found._repr_html_()
    assert found.to_dicts()[0]["closed"] == 0.2


def test_a_frame_has_a_row_for_each_run() -> None:
    frame = Comparison([task("u", "x", a=0.2), task("v", "x", a=0.4)]).to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame[frame.strategy == "a"].closed.mean() == pytest.approx(0.3)


@pytest.fixture
def worlds(tmp_path: Path) -> list[str]:
    for name, labels in (("one", ["t1", "t2"]), ("two", ["a", "t1"])):
        archive = small_world(PAGES, seeds=["home"], labels={"x": labels, "y": ["b"]})
        save(archive, tmp_path / name)
    return [str(tmp_path / "one"), str(tmp_path / "two")]


def test_processes_share_the_runs_of_all_tasks_and_change_nothing(tmp_path: Path) -> None:
    targets = [Target("robot sensor", threshold=0.5), Target("market price", threshold=0.5)]
    for seed in (1, 2):
        save(generate("topics", seed=seed, pages=200), tmp_path / f"w{seed}")
    bases = [
        ReplayOptions(str(tmp_path / f"w{seed}"), "", target, budget=60)
        for seed in (1, 2)
        for target in targets
    ]
    found = []
    for processes in (1, 2):
        plans = [
            Plan(base, ("random", "best-first"), 2, processes=processes, once=True)
            for base in bases
        ]
        studies = [prepare(base) for base in bases]
        for study in studies:
            study.score()
        found.append(compare_tasks(plans, studies))
    for one, two in zip(*found, strict=True):
        assert (one.world, one.topic) == (two.world, two.topic)
        for name in ("random", "best-first"):
            curves = [[run.curve for run in each.strategies[name].runs] for each in (one, two)]
            assert curves[0] == curves[1]
            # Best-first leaves nothing to chance: one run says it all.
            assert len(curves[0]) == (2 if name == "random" else 1)


def test_the_command_line_compares_worlds_and_labels_and_resumes(
    worlds: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    words = [
        "compare", *worlds, "--relevant", "x", "--relevant", "y", "--budget", "6", "--jobs", "1",
        "--strategies", "breadth-first,optimal", "--out", str(out),
    ]  # fmt: skip
    assert main(words) == 0
    assert "2 worlds, 2 topics, 4 tasks; 6 downloads a run" in capsys.readouterr().out
    result = json.loads((out / "result.json").read_text())
    assert [(Path(one["world"]).name, one["topic"]) for one in result["tasks"]] == [
        ("one", "labelled x"), ("one", "labelled y"), ("two", "labelled x"), ("two", "labelled y")
    ]  # fmt: skip
    # home a b c t1 t2: breadth-first has found x after 5 and 6, optimal after 3 and 4.
    first = result["tasks"][0]["strategies"]
    assert first["breadth-first"]["mean"]["area"] == pytest.approx((1 + 2) / 6)
    assert first["optimal"]["mean"]["area"] == pytest.approx((1 + 2 * 3) / 6)
    assert result["strategies"]["optimal"]["closed"]["mean"] == 1.0
    ledgers = {file: file.stat().st_mtime_ns for file in out.rglob("*.sqlite")}
    assert len(ledgers) == 4 * 2
    assert main(words) == 0
    assert {file: file.stat().st_mtime_ns for file in out.rglob("*.sqlite")} == ledgers
    report = (out / "report.html").read_text()
    assert report.count('report.html">') == 4
    for file in (out / "report.html", *out.glob("tasks/*/report.html")):
        html = file.read_text()
        assert re.search(r'class="on-narrow"><svg[^>]* viewBox="0 0 400 ', html), (
            "legible at 390 px"
        )
        assert re.search(r'class="on-wide"><svg[^>]* viewBox="0 0 920 ', html)
        assert ".on-wide { display: none; }" in html


def test_bad_tasks_are_refused_in_one_line(
    worlds: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words, message in (
        ((worlds[0], worlds[0]), "a world is named twice"),
        ((worlds[0], "--relevant", "x", "--relevant", "x"), "names a target twice"),
        (
            (worlds[0], "--topic", "a", "--topic", "b", "--relevant", "x"),
            "--topic is given 2 times",
        ),
    ):
        assert main(["compare", *words]) == 2
        said = capsys.readouterr().err
        assert message in said
        assert said.count("\n") == 1
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").touch()
    with pytest.raises(UsageError, match="holds something else"):
        check_folder(tmp_path / "other")


def test_topics_of_the_command_line_replace_those_of_a_settings_file(
    worlds: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "options.toml"
    file.write_text('topic = ["robots", "gardens"]\nbudget = 3\nstrategies = "breadth-first"\n')
    assert main(["compare", worlds[0], "--config", str(file), "--jobs", "1"]) == 0
    assert "1 world, 2 topics, 2 tasks" in capsys.readouterr().out
    assert main(["compare", worlds[0], "--config", str(file), "--topic", "robots"]) == 0
    assert "topic “robots”; 3 downloads a run" in " ".join(capsys.readouterr().out.split())


def test_tasks_have_folders_of_their_own() -> None:
    one = task_folder(Path("out"), ReplayOptions("w", "", Target("a b")))
    assert one.name.startswith("w-topic-a-b-")
    assert one != task_folder(Path("out"), ReplayOptions("v/w", "", Target("a b")))
