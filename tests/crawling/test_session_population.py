"""What a crawl writes down of its agents, and what the report makes of it."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from foragers.cli.main import main
from foragers.core.options import Target
from foragers.core.population import Populous
from foragers.crawling.session import Session
from foragers.reports.crawl_folder import opened
from foragers.reports.family_tree import sizes
from foragers.reports.population import agents_of, foragers_of, read
from support.crawling import LIMITS, order_of, serving
from support.hostile_server import page

SITE = {f"/p{number}": page(*(f"/p{number}{next}" for next in range(4))) for number in range(5)}


def crawl(folder: Path, seed: str, strategy: str, budget: int) -> Session:
    order = replace(order_of(seed, budget=budget), strategy=strategy, aim=Target("it works"))
    session = Session.open(order, folder, LIMITS)
    try:
        session.run()
    finally:
        session.close()
    return session


@pytest.mark.parametrize("strategy", ["energy(agents=4, least=2, most=6)", "infospiders", "wl"])
def test_agents_are_written_down_and_told_after_a_crawl_is_taken_up(
    tmp_path: Path, strategy: str
) -> None:
    with serving(SITE) as server:
        for budget in (9, 20):
            session = crawl(tmp_path, server.url("/"), strategy, budget)
    assert isinstance(session.crawl.strategy, Populous)
    census = session.crawl.strategy.census()
    kept = read(tmp_path / "agents.npz")
    assert census is not None
    assert kept is not None
    for name, column in census.columns().items():
        assert (kept[name] == column).all()
    with opened(tmp_path) as folder:
        agents = agents_of(folder)
        assert agents is not None
    connection = sqlite3.connect(tmp_path / "ledger.sqlite")
    signed = Counter(
        agent.split()[0]
        for (agent,) in connection.execute(
            "SELECT agent FROM visits WHERE agent != '' AND status != 'skipped'"
        )
    )
    connection.close()
    assert signed
    assert {life.name: life.downloads for life in agents.lives.values() if life.downloads} == signed
    descendants = sizes(agents.lives)
    roots = [one for one, life in agents.lives.items() if life.parent < 0]
    assert sum(int(descendants[one]) for one in roots) == len(agents.lives)
    assert main(["report", str(tmp_path)]) == 0
    told = (tmp_path / "report.html").read_text()
    assert "Family tree" in told
    assert next(iter(signed)) in told


def test_a_fleet_tells_its_scores_weblogs_and_territories(tmp_path: Path) -> None:
    out, file = tmp_path / "out", tmp_path / "told.json"
    with serving(SITE) as server:
        command = [
            "crawl",
            server.url("/"),
            "--topic",
            "it works",
            "--strategy",
            "wl(path_steps=2)",
        ]
        options = ["--budget", "20", "--delay", "0", "--allow-private", "127.0.0.1"]
        assert main([*command, *options, "--out", str(out), "--json", str(file)]) == 0
    told = json.loads(file.read_text())["foragers"]
    with opened(out) as folder:
        assert json.loads(msgspec.json.encode(foragers_of(folder))) == told
        steps = folder.connection.execute(
            "SELECT agent, count(DISTINCT url) FROM visits WHERE agent NOT LIKE '% looks'"
            " AND agent != '' AND status != 'skipped' GROUP BY agent"
        ).fetchall()
    assert {one["name"]: one["pages"] for one in told if one["pages"]} == dict(steps)
    assert all(0 <= one["own_pages"] <= one["pages"] for one in told)
    for one in told:
        values = [value for _, value in one["weblog"]]
        assert values == sorted(values, reverse=True)
        assert 0 < len(values) <= one["known"]
    assert main(["report", str(out)]) == 0
    html = (out / "report.html").read_text()
    assert "<h2>Foragers</h2>" in html
    assert told[0]["name"] in html
    columns = read(out / "agents.npz")
    assert columns is not None
    last = columns["score_pages"] == columns["score_pages"].max()
    shown = zip(columns["score_members"][last], columns["score_values"][last], strict=True)
    named = {one["name"].rpartition("-")[2]: one["score"] for one in told}
    assert named == {str(member): pytest.approx(value) for member, value in shown}


@pytest.mark.parametrize("text", ["", "[1]", '[{"name": 3}]', "\x00"])
def test_a_damaged_file_of_foragers_is_passed_over(tmp_path: Path, text: str) -> None:
    with serving(SITE) as server:
        crawl(tmp_path, server.url("/"), "wl", 3)
    (tmp_path / "foragers.json").write_text(text)
    assert main(["report", str(tmp_path)]) == 0
    assert "<h2>Foragers</h2>" not in (tmp_path / "report.html").read_text()


def test_a_crawl_without_a_population_writes_no_agents(tmp_path: Path) -> None:
    with serving(SITE) as server:
        crawl(tmp_path, server.url("/"), "breadth-first", 5)
    assert not (tmp_path / "agents.npz").exists()
    assert main(["report", str(tmp_path)]) == 0
    assert "Family tree" not in (tmp_path / "report.html").read_text()


@pytest.mark.parametrize("damage", ["empty", "text", "pickle", "lengths", "kind", "scores"])
def test_a_damaged_file_of_agents_is_passed_over(tmp_path: Path, damage: str) -> None:
    file = tmp_path / "agents.npz"
    columns: dict[str, NDArray[np.generic]] = {
        "times": np.zeros(2),
        "members": np.zeros(2, np.int32),
        "births": np.array([True, False]),
        "parents": np.full(2, -1, np.int32),
        "kind": np.zeros(2, np.int32),
        "kinds": np.array(["walker"]),
    }
    np.savez(file, allow_pickle=True, **columns)
    assert read(file) is not None
    if damage == "empty":
        file.write_bytes(b"")
    elif damage == "text":
        file.write_text("no agents here")
    elif damage == "pickle":
        np.savez(file, allow_pickle=True, **{**columns, "kinds": np.array([{}], object)})
    elif damage == "lengths":
        np.savez(file, allow_pickle=True, **{**columns, "times": np.zeros(3)})
    elif damage == "scores":
        uneven = {"score_pages": np.zeros(2), "score_members": np.zeros(1)}
        np.savez(file, allow_pickle=True, **{**columns, **uneven})
    else:
        np.savez(file, allow_pickle=True, **{**columns, "kind": np.array([0, 1], np.int32)})
    assert read(file) is None
