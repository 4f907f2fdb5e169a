"""Comparisons of strategies with models: each is read once, and a run goes with its model."""

from __future__ import annotations

from pathlib import Path

import pytest

from foragers.cli.main import main
from foragers.worlds.generated import generate
from foragers.worlds.store import save

WANTED = ("--relevant", "target:paper")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    save(generate("departments", pages=400, seed=2), tmp_path / "world")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def train(kind: str) -> None:
    assert main(["train", "world", "-o", "a.model", "--kind", kind, *WANTED]) == 0


def compare(*strategies: str) -> int:
    options = ["--budget", "60", "--jobs", "1", "--out", "out"]
    return main(["compare", "world", *WANTED, *options, "--strategies", ",".join(strategies)])


def test_a_run_is_done_again_when_its_model_has_changed(home: Path) -> None:
    train("spider(validate=false)")
    assert compare("spider(model=a.model)", "random") == 0
    first = {file.name: file.stat().st_mtime_ns for file in (home / "out" / "runs").iterdir()}
    train("spider(validate=false, text=related)")
    assert compare("spider(model=a.model)", "random") == 0
    again = {file.name: file.stat().st_mtime_ns for file in (home / "out" / "runs").iterdir()}
    changed = {name for name in first if first[name] != again[name]}
    assert changed == {"spider_model=a.model_-0.json"}


def test_a_model_that_is_not_there_is_told_before_anything_is_run(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compare("random", "spider(model=b.model)") == 2
    assert "b.model: No such file" in capsys.readouterr().err
    assert not (home / "out" / "runs").exists()
