"""Simulations that are made once: read back they are the same, and damaged ones are made again."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from foragers.papers.evolution.paper import FLEETS
from foragers.papers.fleets import kept_runs
from foragers.papers.fleets.kept_runs import as_bytes, outcome_of, perform_all, perform_once
from foragers.papers.fleets.runs import FleetJob, FleetOutcome, perform
from foragers.papers.fleets.webs import Terrain
from foragers.papers.request import PaperRequest
from foragers.strategies.fleet.simulation.outcome import FleetRun
from foragers.worlds import states
from foragers.worlds.generated import generate
from foragers.worlds.store import save
from support.progress import silent


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> FleetJob:
    path = tmp_path_factory.mktemp("worlds") / "news"
    save(generate("news", seed=3, pages=700, days=1.5), path)
    kind, file = FLEETS["WLRL"], path.parent / "ledger.sqlite"
    lively = replace(kind, settings=tuple(replace(one, multiply_at=103.0) for one in kind.settings))
    return FleetJob(
        Terrain("news", path), lively, 1, 1.5, territory=4500.0, ledger=file, seconds_per_page=12.0
    )


@pytest.fixture(autouse=True)
def few_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "SAMPLE", 150)
    monkeypatch.setattr(states, "FEWEST", 100)


def assert_same(one: FleetRun, other: FleetRun) -> None:
    for field in fields(FleetRun):
        here, there = getattr(one, field.name), getattr(other, field.name)
        if field.name == "finds":
            assert here.times.tolist() == there.times.tolist()
            assert here.versions.tolist() == there.versions.tolist()
            assert here.foragers.tolist() == there.foragers.tolist()
        elif field.name == "windows":  # where nothing was found there is no freshness
            assert np.array_equal(np.array(here), np.array(there), equal_nan=True)
        elif isinstance(here, np.ndarray):
            assert here.tolist() == there.tolist()
        else:
            assert (type(here), here) == (type(there), there)


def test_a_simulation_read_back_is_the_same(job: FleetJob) -> None:
    outcome = perform(job)
    assert outcome.run.lives
    assert outcome.run.starts
    assert outcome.run.territory
    again = outcome_of(job, as_bytes(outcome))
    assert_same(outcome.run, again.run)
    assert replace(again, run=outcome.run) == outcome


def test_only_what_is_not_kept_or_has_lost_its_ledger_is_made(
    job: FleetJob, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []

    def noted(one: FleetJob) -> FleetOutcome:
        made.append(one.seed)
        return perform(one)

    monkeypatch.setattr(kept_runs, "perform", noted)
    request = PaperRequest(tmp_path)
    jobs = [job, replace(job, seed=2, ledger=None)]
    first = perform_all(jobs, request, silent)
    second = perform_all([*jobs, replace(job, seed=3, ledger=None)], request, silent)
    assert made == [1, 2, 3]
    for one, other in zip(first, second, strict=False):
        assert_same(one.run, other.run)
    assert job.ledger is not None
    job.ledger.unlink()
    (file,) = [
        one
        for one in (tmp_path / "runs").iterdir()
        if outcome_of(job, one.read_bytes()).run.sent == first[1].run.sent
    ]
    file.write_bytes(file.read_bytes()[:-9])
    perform_all(jobs, request, silent)
    assert made == [1, 2, 3, 1, 2]
    assert job.ledger.exists()


def test_another_setting_is_another_simulation(job: FleetJob, tmp_path: Path) -> None:
    perform_once(tmp_path, replace(job, ledger=None))
    dear = tuple(replace(one, score_sent=0.1) for one in job.kind.settings)
    perform_once(tmp_path, replace(job, ledger=None, kind=replace(job.kind, settings=dear)))
    assert len(list(tmp_path.iterdir())) == 2
