"""The canned queries of examples/datasette.yaml answer on a real ledger."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import pytest

from foragers.core.options import ReplayOptions, Target
from foragers.evaluation.comparison.run import crawl
from foragers.evaluation.comparison.study import prepare
from foragers.worlds.generated import generate
from foragers.worlds.store import save

FILE = Path(__file__).parents[3] / "examples" / "datasette.yaml"
QUERIES = dict(
    re.findall(
        r"^      (\w+):\n        title: .*\n        sql: \|-\n((?:          .*\n)+)",
        FILE.read_text(encoding="utf-8"),
        re.MULTILINE,
    )
)


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("web")
    save(generate("topics", pages=400, seed=1), folder / "world")
    run = ReplayOptions(str(folder / "world"), "best-first", Target("robot sensor"), 100)
    crawl(run, prepare(run), folder / "ledger.sqlite")
    return folder / "ledger.sqlite"


def answer(ledger: Path, name: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(ledger)) as connection:
        return connection.execute(QUERIES[name], {"word": "robot"}).fetchall()


def test_every_query_is_read() -> None:
    assert sorted(QUERIES) == ["harvest", "hosts", "outcomes", "parents", "relevant", "search"]


@pytest.mark.parametrize("name", sorted(QUERIES))
def test_a_query_answers(ledger: Path, name: str) -> None:
    assert answer(ledger, name) or name == "search"


def test_queries_agree_with_each_other(ledger: Path) -> None:
    relevant = len(answer(ledger, "relevant"))
    assert relevant > 5
    assert answer(ledger, "harvest")[-1] == (100, relevant)
    assert sum(int(str(row[2])) for row in answer(ledger, "hosts")) == relevant
    assert sum(int(str(row[2])) for row in answer(ledger, "outcomes")) == 100


@pytest.mark.skipif(find_spec("datasette") is None, reason="Datasette is not installed")
def test_datasette_shows_them(ledger: Path) -> None:
    command = [sys.executable, "-m", "datasette", str(ledger), "--metadata", str(FILE), "--get"]
    done = subprocess.run(
        [*command, "/ledger/relevant.json?_shape=array"], capture_output=True, text=True, check=True
    )
    assert len(json.loads(done.stdout)) == len(answer(ledger, "relevant"))
