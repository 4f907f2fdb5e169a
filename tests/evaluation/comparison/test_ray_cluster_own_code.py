"""Strategies and judges of the user's on Ray: their code goes to nodes that do not have it."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from foragers.core.options import ReplayOptions, Target
from foragers.core.plugins.loading import with_code
from foragers.core.protocols import Judge
from foragers.evaluation.comparison.ray_cluster import code_in, luggage_of, with_function
from foragers.evaluation.comparison.study import prepare
from foragers.evaluation.comparison.workers import ComparisonJob
from foragers.judges.function import FunctionJudge
from foragers.judges.novelty import Novelty
from foragers.strategies.registry import with_class
from foragers.worlds.generated import generate
from foragers.worlds.store import save
from support import own_code

MINE = own_code.MINE.replace("@dataclass", "import beside\n\n\n@dataclass", 1).replace(
    "len(page.text)", "beside.length(page)"
)
BESIDE = "def length(page):\n    return len(page.text)\n"
NODE = """
import pickle, sys
from foragers.evaluation.comparison.ray_cluster import carry_out
run, luggage = pickle.loads(open(sys.argv[1], "rb").read())
print(carry_out(run, luggage, None, False)[0].downloads)
"""
PYTHON = """
import json, sys
import foragers
import mine


class Here(mine.Mine):
    pass


if __name__ == "__main__":
    def local():
        class Local(mine.Mine):
            pass
        return Local

    foragers.register_strategy("registered", type("Registered", (mine.Mine,), {}))
    strategies = [
        mine.Mine, mine.Mine(2.0), Here, local(), "mine:Mine(weight=3)", "mine.py:Mine",
        "registered", "offered", "best-first",
    ]
    least = 1000
    found = foragers.compare(
        "world", strategies=strategies, judge=lambda page: len(page.text) > least, budget=60,
        **json.loads(sys.argv[1]),
    )
    told = {name: one.runs[0].curve for name, one in found.tasks[0].strategies.items()}
    print(json.dumps(told))
"""

with_ray = pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder with code of the user's, a world, and a package that offers a strategy."""
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "beside.py").write_text(BESIDE)
    save(generate("topics", pages=300, seed=1), tmp_path / "world")
    (tmp_path / "else").mkdir()
    (tmp_path / "else" / "other.py").write_text(
        "from near import Near\n\n\nclass Other(Near): ...\n"
    )
    (tmp_path / "else" / "near.py").write_text(f"{MINE}\n\nclass Near(Mine): ...\n")
    own_code.install(tmp_path / "site")
    return tmp_path


@pytest.fixture
def short() -> Iterator[Path]:
    """A folder for temporary files; names of sockets must be short."""
    folder = Path(tempfile.mkdtemp(prefix="f"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def told_by(here: Path, short: Path, *command: str, code: int = 0) -> str:
    """Run a program beside the user's code, with the package installed; return what it says."""
    done = subprocess.run(
        [sys.executable, *command],
        cwd=here,
        env={**os.environ, "TMPDIR": str(short), "PYTHONPATH": str(here / "site")},
        capture_output=True,
        text=True,
        check=False,
    )
    if "timed out during startup" in done.stderr:
        pytest.skip("this machine is too busy for Ray to start")
    assert done.returncode == code, done.stderr
    return done.stderr if code else done.stdout


@pytest.mark.parametrize("spec", ["mine.py:Mine(weight=2)", "mine:Mine", "else/other.py:Other"])
@pytest.mark.parametrize("news", [False, True])
def test_a_node_without_the_users_files_runs_their_code(
    here: Path, spec: str, news: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    node = tmp_path_factory.mktemp("node")
    pack = f"""
import pickle, sys
sys.path += [{str(Path(__file__).parent)!r}, {str(Path(__file__).parents[2])!r}]
from {Path(__file__).stem} import packed
open({str(node / "job")!r}, "wb").write(packed({str(here / "world")!r}, {spec!r}, {news}))
"""
    subprocess.run([sys.executable, "-c", pack], cwd=here, check=True)
    command = [sys.executable, "-c", NODE, str(node / "job")]
    done = subprocess.run(command, cwd=node, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "60\n"), done.stderr


@with_ray
def test_a_strategy_that_breaks_on_a_node_ends_the_comparison_with_one_line(
    here: Path, short: Path
) -> None:
    (here / "broken.py").write_text(MINE.replace("page = visit.page", "1 / 0"))
    command = ["-m", "foragers.cli.main", "compare", "world", "--topic", "robot", "--ray"]
    command += ["--strategies", "random,broken.py:Mine", "--budget", "60", "--jobs", "2"]
    said = told_by(here, short, *command, code=2)
    (line,) = [line for line in said.splitlines() if line.startswith("foragers: ")]
    assert "tell() failed (ZeroDivisionError: division by zero; " in line
    assert f"{here / 'broken.py'}, line 21" in line


def packed(world: str, spec: str, news: bool) -> bytes:
    """Return what a node is sent, with a judge that is named by its place and has yet to judge."""
    study = prepare(ReplayOptions(world, "", Target(judge="mine.py:long")))
    judge: Judge = FunctionJudge("mine.py:long")
    study = replace(study, judge=with_function(Novelty(1e9, judge) if news else judge))
    run = ReplayOptions(world, with_class(spec), budget=60)
    with with_code(code_in([ComparisonJob(run)], [study])):
        return pickle.dumps((run, luggage_of(study)))


@with_ray
def test_own_strategies_in_every_form_find_the_same_on_ray_and_in_workers(
    here: Path, short: Path
) -> None:
    (here / "script.py").write_text(PYTHON)
    found = [
        json.loads(told_by(here, short, "script.py", json.dumps(options)).splitlines()[-1])
        for options in ({"jobs": 1}, {"jobs": 2}, {"ray": "local", "jobs": 2})
    ]
    names = [name.rpartition(":")[2] for name in found[0]]
    assert names == [
        "Mine", "Mine(weight=2.0)", "Here", "local.<locals>.Local", "Mine(weight=3)", "Mine",
        "registered", "offered", "best-first",
    ]  # fmt: skip
    assert found[0] == found[1] == found[2]
    curves = list(found[0].values())
    assert all(curve == curves[0] for curve in curves[:-1]), "all fetch in the same order"


@with_ray
def test_the_command_line_takes_own_strategies_and_judges_to_ray(here: Path, short: Path) -> None:
    command = ["-m", "foragers.cli.main", "compare", "world", "--judge", "mine.py:long"]
    command += ["--strategies", "mine.py:Mine(weight=2),mine:Mine,offered", "--budget", "60"]
    for name, options in (("here", ["--jobs", "1"]), ("there", ["--ray", "--jobs", "2"])):
        told_by(here, short, *command, *options, "--json", f"{name}.json")
    results = [json.loads((here / f"{name}.json").read_text()) for name in ("here", "there")]
    curves = [
        {spec: one["runs"][0]["curve"] for spec, one in result["strategies"].items()}
        for result in results
    ]
    assert list(curves[0]) == ["mine.py:Mine(weight=2)", "mine:Mine", "offered"]
    assert curves[0] == curves[1]
    assert all(curve == next(iter(curves[0].values())) for curve in curves[0].values())
    listed = told_by(here, short, "-m", "foragers.cli.main", "strategies")
    assert "offered" in listed
    assert "package offering" in listed
