"""Runs on Ray: the same ledgers as without, and nothing left behind."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import msgspec
import pytest

from foragers.cli.main import main
from foragers.core.options import ReplayOptions, Target
from foragers.errors import UsageError
from foragers.evaluation.comparison import ray_cluster as cluster
from foragers.evaluation.comparison.folder import fingerprint
from foragers.evaluation.comparison.ray_cluster import Luggage, carry_out, check, unpacked
from foragers.evaluation.comparison.run import perform
from foragers.evaluation.comparison.study import Study, prepare
from foragers.strategies.registry import named_model
from foragers.version import __version__
from foragers.worlds.generated import generate
from foragers.worlds.store import save
from support.waiting import until

with_ray = pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed")
COMMAND = (sys.executable, "-m", "foragers.cli.main", "compare")
WANTED = ("--relevant", "target:paper")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a world and a model."""
    folder = tmp_path_factory.mktemp("ray")
    save(generate("departments", pages=400, seed=2), folder / "world")
    options = ["--kind", "spider(validate=false)", *WANTED]
    assert main(["train", str(folder / "world"), "-o", str(folder / "a.model"), *options]) == 0
    return folder


@pytest.fixture
def short() -> Iterator[Path]:
    """A folder for temporary files; names of sockets must be short."""
    folder = Path(tempfile.mkdtemp(prefix="f"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def run_of(home: Path, spec: str = "random") -> ReplayOptions:
    return ReplayOptions(str(home / "world"), spec, Target(relevant="target:paper"), budget=60)


def study_of(home: Path) -> Study:
    study = prepare(run_of(home))
    study.score()
    return study


def luggage_of(study: Study, version: str = __version__) -> Luggage:
    return Luggage(pickle.dumps(study), fingerprint(study), version)


def test_a_node_needs_no_file_but_the_world(home: Path, tmp_path: Path) -> None:
    study = study_of(home)
    run = run_of(home, f"spider(model={home / 'a.model'})")
    here = perform(run, study, tmp_path / "here.sqlite")
    model = named_model(run.strategy)
    gone = run_of(home, "spider(model=nowhere.model)")
    there, ledger = carry_out(gone, luggage_of(study), model, keep=True)
    assert ledger == (tmp_path / "here.sqlite").read_bytes()
    same = msgspec.structs.replace(there, seconds=here.seconds, cpu_seconds=here.cpu_seconds)
    assert same == here


def test_a_node_without_the_world_says_so(home: Path, tmp_path: Path) -> None:
    shutil.copytree(home / "world", tmp_path / "world")
    luggage = luggage_of(study_of(tmp_path))
    shutil.rmtree(tmp_path / "world")
    with pytest.raises(UsageError, match=r"Ray node .* a path that all nodes share"):
        unpacked(luggage)


def test_a_node_with_another_world_says_so(home: Path, tmp_path: Path) -> None:
    shutil.copytree(home / "world", tmp_path / "world")
    luggage = luggage_of(study_of(tmp_path))
    shutil.rmtree(tmp_path / "world")
    save(generate("departments", pages=400, seed=3), tmp_path / "world")
    with pytest.raises(UsageError, match="is another world there"):
        unpacked(luggage)


def test_a_node_with_another_version_says_so(home: Path) -> None:
    with pytest.raises(UsageError, match=r"has foragers .*, not 0\.0\.0; install"):
        unpacked(luggage_of(study_of(home), "0.0.0"))


def test_a_world_is_found_from_any_folder(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    packed = pickle.dumps(prepare(ReplayOptions("world", "", Target(relevant="target:paper"))))
    monkeypatch.chdir("/")
    study: Study = pickle.loads(packed)
    assert study.archive.path == home / "world"


def test_without_ray_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"pip install 'foragers\[ray\]'"):
        check(cluster.LOCAL)


@with_ray
@pytest.mark.parametrize("address", ["", "garbage", "http://a.test", "a b:1", "127.0.0.1:99999"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(UsageError, match=r"--ray .* give HOST:PORT"):
        check(address)


@with_ray
def test_an_address_where_nobody_answers_is_refused_at_once() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, but not listening
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(UsageError, match="nothing answers there"):
            check(address)


def results(file: Path) -> object:
    """Return what a comparison found, but how long it took."""
    found = json.loads(file.read_text())
    told = {**found["strategies"], **found["references"]}
    for result in told.values():
        for part in (*result["runs"], result["mean"], result["std"]):
            del part["seconds"], part["cpu_seconds"]
    return found


@with_ray
def test_results_and_ledgers_are_the_same_on_ray(
    home: Path, short: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    specs = "spider(model=a.model),spider(online=true),energy"
    options = ["world", *WANTED, "--strategies", specs, "--budget", "80", "--jobs", "1"]
    assert main(["compare", *options, "--out", "here"]) == 0
    done = subprocess.run(
        [*COMMAND, *options, "--out", "there", "--ray"],
        env={**os.environ, "TMPDIR": str(short)},
        capture_output=True,
        text=True,
        check=False,
    )
    skip_if_too_slow(done.stderr)
    assert done.returncode == 0, done.stderr
    assert "ray" not in done.stdout.lower()
    names = sorted(file.name for file in (home / "here" / "ledgers").iterdir())
    assert len(names) == 5
    assert sorted(file.name for file in (home / "there" / "ledgers").iterdir()) == names
    for name in names:
        ledgers = [(home / out / "ledgers" / name).read_bytes() for out in ("here", "there")]
        assert ledgers[0] == ledgers[1], name
    assert results(home / "here" / "result.json") == results(home / "there" / "result.json")
    assert list(short.iterdir()) == []


@with_ray
@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
def test_an_interrupted_comparison_ends_its_ray(home: Path, short: Path) -> None:
    options = ("world", *WANTED, "--strategies", "random", "--runs", "500", "--jobs", "1")
    running = subprocess.Popen(
        [*COMMAND, *options, "--out", "stopped", "--ray"],
        cwd=home,
        env={**os.environ, "TMPDIR": str(short)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    until(lambda: any((home / "stopped" / "runs").glob("*.json")) or running.poll() is not None)
    running.send_signal(signal.SIGTERM)
    _, said = running.communicate()
    skip_if_too_slow(said)
    assert running.returncode == 130, said
    assert said.splitlines()[-1].startswith("foragers: interrupted")
    assert list(short.iterdir()) == []
    until(lambda: not processes_with(str(short)))
    runs = {file.stem for file in (home / "stopped" / "runs").iterdir()}
    ledgers = {file.stem for file in (home / "stopped" / "ledgers").iterdir()}
    assert runs <= ledgers
    assert not [name for name in ledgers if name.startswith(".")]


def skip_if_too_slow(said: str) -> None:
    """Skip where Ray gave up starting: it waits half a minute, however busy the machine is."""
    if "timed out during startup" in said:
        pytest.skip("this machine is too busy for Ray to start")


def processes_with(word: str) -> list[str]:
    """Return the processes whose environment has a word in it."""
    found = []
    for file in Path("/proc").glob("[0-9]*/environ"):
        try:
            if word.encode() in file.read_bytes():
                found.append(file.parent.name)
        except OSError:
            continue
    return found
