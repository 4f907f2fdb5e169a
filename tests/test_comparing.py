"""Worlds, replays and comparisons from Python."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import foragers
from foragers.errors import UsageError
from foragers.strategies.baselines import BreadthFirst
from foragers.worlds.export import export_warc
from foragers.worlds.store import save
from support.worlds_by_hand import small_world

PAGES = {"home": ["a", "b", "c"], "a": [], "b": [], "c": ["t1", "t2"], "t1": [], "t2": []}


def test_all_names_are_shown_before_they_are_loaded() -> None:
    names = {"compare", "crawl", "generate", "import_warc", "open_world", "replay"}
    assert names <= set(dir(foragers))
    assert all(callable(getattr(foragers, name)) for name in names)


def test_a_replay_tells_every_download(tmp_path: Path) -> None:
    save(small_world(PAGES, seeds=["home"], labels={"x": ["t1", "t2"]}), tmp_path / "w")
    found = foragers.replay(tmp_path / "w", strategy="optimal", relevant="x", budget=10)
    assert [page["url"].rpartition("/")[2] for page in found] == ["home", "c", "t1", "t2"]
    assert (found.result.relevant, len(found)) == (2, 4)
    assert repr(found) == "<ReplayedCrawl optimal: 4 downloads, 2 relevant>"


def test_webs_in_memory_are_compared_and_known_by_their_names() -> None:
    webs = [foragers.generate("topics", pages=200, seed=seed) for seed in (1, 2)]
    found = foragers.compare(
        webs, ["robot sensor", "market price"], strategies=["best-first"], budget=40, threshold=0.5
    )
    assert [(task.world, task.topic) for task in found.tasks] == [
        ("topics-1", "topic “robot sensor”"), ("topics-1", "topic “market price”"),
        ("topics-2", "topic “robot sensor”"), ("topics-2", "topic “market price”"),
    ]  # fmt: skip
    assert found.overall is not None
    assert "2 worlds, 2 topics, 4 tasks; 40 downloads a run" in repr(found)


def test_one_web_and_one_label_give_the_table_of_one_comparison(tmp_path: Path) -> None:
    save(small_world(PAGES, seeds=["home"], labels={"x": ["t1", "t2"]}), tmp_path / "w")
    out = tmp_path / "out"
    found = foragers.compare(
        foragers.open_world(tmp_path / "w"), relevant="x", strategies="breadth-first,optimal",
        budget=6, out=out,
    )  # fmt: skip
    assert found.overall is None
    # home a b c t1 t2: found after 5 and 6 downloads, by optimal after 3 and 4.
    areas = {name: one.mean["area"] for name, one in found.tasks[0].strategies.items()}
    assert areas == {"breadth-first": pytest.approx(3 / 6), "optimal": pytest.approx(7 / 6)}
    assert {"report.html", "result.json", "harvest.svg", "ledgers"} <= {
        file.name for file in out.iterdir()
    }


def test_the_example_of_the_docs_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (Path(__file__).parents[1] / "docs" / "comparison.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    names: dict[str, object] = {"__name__": __name__}
    small = example.replace("pages=2000", "pages=200").replace("budget=500", "budget=40")
    assert small.count("pages=200,") == small.count("budget=40,") == 1
    exec(compile(small, "comparison.md", "exec"), names)
    assert {file.name for file in tmp_path.iterdir()} >= {"curves.svg", "runs.csv"}


def test_a_recording_is_imported(tmp_path: Path) -> None:
    export_warc(small_world(PAGES, seeds=["home"]), tmp_path / "w.warc.gz")
    archive = foragers.import_warc(tmp_path / "w", tmp_path / "w.warc.gz")
    assert archive.pages == len(PAGES)
    assert archive.path == tmp_path / "w"


def test_errors_name_python_arguments(tmp_path: Path) -> None:
    save(small_world(PAGES, seeds=["home"]), tmp_path / "w")
    with pytest.raises(UsageError, match=r"^budget=0: must be at least 1"):
        foragers.compare(tmp_path / "w", budget=0)
    compare: Callable[..., object] = foragers.compare
    with pytest.raises(UsageError, match="'bugdet' is not an option of compare"):
        compare(tmp_path / "w", bugdet=3)
    with pytest.raises(UsageError, match=r"missing\.warc: no such file"):
        foragers.import_warc(tmp_path / "v", tmp_path / "missing.warc")
    with pytest.raises(UsageError, match="no world"):
        foragers.compare([])


@pytest.mark.parametrize("jobs", [1, 2])
def test_strategies_and_judges_may_be_objects_here_and_in_worker_processes(
    tmp_path: Path, jobs: int
) -> None:
    save(small_world(PAGES, seeds=["home"]), tmp_path / "w")

    class Local(BreadthFirst):
        """Defined in a function, so that no other process can import it."""

    wanted = "t1"
    found = foragers.compare(
        tmp_path / "w", strategies=[Local, BreadthFirst(), "best-first"], budget=6,
        judge=lambda page: page.url.endswith(wanted), jobs=jobs, out=tmp_path / "out",
    )  # fmt: skip
    relevant = [one.runs[0].relevant for one in found.tasks[0].strategies.values()]
    assert relevant == [1, 1, 1]
    assert list(found.tasks[0].strategies)[2] == "best-first"


def test_a_replay_takes_a_class(tmp_path: Path) -> None:
    save(small_world(PAGES, seeds=["home"]), tmp_path / "w")
    found = foragers.replay(
        tmp_path / "w", strategy=BreadthFirst, judge=lambda _page: 1.0, budget=6
    )
    assert (found.result.downloads, found.result.relevant) == (6, 6)


class Mine(BreadthFirst):
    """A strategy of the user's, which fetches in the order of discovery."""


def test_a_class_is_compared_on_several_webs(tmp_path: Path) -> None:
    webs = [foragers.generate("topics", pages=200, seed=seed) for seed in (1, 2)]
    found = foragers.compare(
        webs, "robot sensor", strategies=[Mine, "best-first"], budget=40, threshold=0.5,
        out=tmp_path / "out",
    )  # fmt: skip
    assert found.overall is not None
    name = next(name for name in found.overall.strategies if "Mine" in name)
    for task in found.tasks:
        ours, theirs = task.strategies[name], task.references["breadth-first"]
        assert ours.runs[0].curve == theirs.runs[0].curve
    assert "Mine" in (tmp_path / "out" / "result.json").read_text()
