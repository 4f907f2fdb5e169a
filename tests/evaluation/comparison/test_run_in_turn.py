"""Runs that take up what the runs before them learned."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from foragers.cli.main import main
from foragers.core.options import ReplayOptions, Target
from foragers.evaluation.comparison.run import crawl_and_learn, learned_before
from foragers.evaluation.comparison.study import prepare
from foragers.worlds.store import save
from support.worlds_by_hand import small_world

NAMES = [f"n{number}" for number in range(30)]


@pytest.fixture
def world(tmp_path: Path) -> Path:
    texts = dict.fromkeys(NAMES, "rain") | {"n17": "tea leaf cup"}
    pages = {"s": NAMES, **{name: [] for name in NAMES}}
    save(small_world(pages, texts=texts), tmp_path / "w")
    return tmp_path / "w"


def test_run_takes_up_what_all_before_it_learned(world: Path) -> None:
    run = ReplayOptions(
        str(world), "lafc(a=0.5)", Target("tea leaf cup"), budget=20, seed=5, learns_since=3
    )
    study = prepare(run)
    model = None
    for seed in (3, 4):
        _, model = crawl_and_learn(replace(run, seed=seed), study, ":memory:", model)
    found = learned_before(run, study)
    assert found is not None
    assert model is not None
    assert {name: array.tolist() for name, array in found.arrays.items()} == {
        name: array.tolist() for name, array in model.arrays.items()
    }
    assert learned_before(replace(run, seed=3), study) is None
    assert learned_before(replace(run, strategy="best-first"), study) is None
    assert learned_before(replace(run, learns_since=None), study) is None


def areas(file: Path) -> list[float]:
    return [
        run["area"] for run in json.loads(file.read_text())["strategies"]["lafc(a=0.7)"]["runs"]
    ]


def test_later_runs_find_sooner_what_earlier_ones_found(world: Path, tmp_path: Path) -> None:
    for name, more in (("anew", []), ("in-turn", ["--in-turn"])):
        arguments = [
            "compare", str(world), "--topic", "tea leaf cup", "--strategies", "lafc(a=0.7)",
            "--budget", "31", "--runs", "12", "--jobs", "1", "--json", str(tmp_path / name), *more,
        ]  # fmt: skip
        assert main(arguments) == 0
    anew, in_turn = (areas(tmp_path / name) for name in ("anew", "in-turn"))
    assert in_turn[0] == anew[0]
    assert sum(in_turn[6:]) > sum(anew[6:])
