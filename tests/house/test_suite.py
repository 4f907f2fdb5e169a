"""What holds for the tests themselves, wherever they run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
PROGRAM = """
import signal, subprocess, sys
sleeping = "import time; print('here', flush=True); time.sleep(60)"


def test_a_program_hears_ctrl_c() -> None:
    with subprocess.Popen([sys.executable, "-c", sleeping], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as child:
        assert child.stdout.readline() == b"here\\n"
        child.send_signal(signal.SIGINT)
        assert child.wait() == -signal.SIGINT


def test_a_hanging_test_is_ended() -> None:
    while True:
        pass
"""


def pytest_without_ctrl_c(test: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a test with the settings of the project as a script's `make test &` would."""
    command = [sys.executable, "-m", "pytest", "-c", str(TESTS.parent / "pyproject.toml")]
    command += ["-p", "no:cacheprovider", "--confcutdir", str(test.parent), *options, str(test)]
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        # A process inherits what is ignored, but no handler.
        running = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={key: value for key, value in os.environ.items() if "PYTEST" not in key},
        )
    finally:
        signal.signal(signal.SIGINT, before)
    said, _ = running.communicate()
    return subprocess.CompletedProcess(command, running.returncode, said)


def test_the_suite_does_not_hang_where_ctrl_c_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_bytes((TESTS / "conftest.py").read_bytes())
    file = tmp_path / "test_it.py"
    file.write_text(PROGRAM)
    ran = pytest_without_ctrl_c(file, "-k", "hears", "--timeout", "30")
    assert ran.returncode == 0, ran.stdout


def test_every_test_has_a_time_limit(tmp_path: Path) -> None:
    file = tmp_path / "test_it.py"
    file.write_text(PROGRAM)
    ran = pytest_without_ctrl_c(file, "-k", "hanging", "-o", "timeout=1")
    assert ran.returncode == 1
    assert "Timeout" in ran.stdout
    settings = (TESTS.parent / "pyproject.toml").read_text(encoding="utf-8")
    assert "\ntimeout = " in settings


def test_the_type_checker_reads_all_code() -> None:
    settings = tomllib.loads((TESTS.parent / "pyproject.toml").read_text(encoding="utf-8"))
    mypy = settings["tool"]["mypy"]
    assert mypy["files"] == ["src", "tests", "benchmarks", "examples", "website", "packaging"]
    assert mypy["strict"]
    assert not [part for part in mypy["overrides"] if "ignore_errors" in part]


def test_no_test_asks_the_type_checker_to_look_away() -> None:
    mark = "type: " + "ignore"
    found = [
        f"{file.relative_to(TESTS)}, line {number}"
        for file in sorted(TESTS.rglob("*.py"))
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if mark in line
    ]
    assert not found, found


def test_no_two_test_files_have_one_name() -> None:
    often = Counter(file.name for file in TESTS.rglob("test_*.py"))
    shared = [name for name, count in often.items() if count > 1]
    assert not shared, f"pytest imports tests by their file names: {shared}"


OTHERS = {"house", "gates", "contracts", "support", "website"}
"""Folders of tests that belong to no one package."""
MOST_LINES = 500
PACKAGE = TESTS.parent / "src" / "foragers"


def begins_with(name: str, module: str) -> bool:
    """Say whether a name is that of a module, alone or followed by what is tested of it."""
    return name == module or name.startswith(f"{module}_")


def mirrors(file: Path) -> bool:
    """Say whether a test is named after a module of its package, or after the package itself.

    pytest wants names that are unique, so the name of the package may stand before the module.
    """
    folder = PACKAGE / file.parent.relative_to(TESTS)
    modules = {part.stem for part in folder.glob("[!_]*")} if folder.is_dir() else set()
    name = file.stem.removeprefix("test_")
    return any(begins_with(name, module) for module in (*modules, folder.name))


def test_tests_mirror_the_package() -> None:
    files = sorted(TESTS.rglob("test_*.py"))
    ours = [file for file in files if file.relative_to(TESTS).parts[0] not in OTHERS]
    assert len(ours) > 100, "the rule would hold for nothing"
    lost = [str(file.relative_to(TESTS)) for file in ours if not mirrors(file)]
    assert not lost, f"these tests are named after no module of their package: {lost}"


def test_names_of_tests_are_held_against_modules() -> None:
    for good in ("test_api.py", "core/test_loop.py", "core/test_files_locked.py"):
        assert mirrors(TESTS / good), good
    for bad in ("core/test_loops.py", "core/test_scope.py", "nowhere/test_loop.py"):
        assert not mirrors(TESTS / bad), bad


def test_files_of_tests_are_short() -> None:
    lines = {
        str(file.relative_to(TESTS)): len(file.read_text(encoding="utf-8").splitlines())
        for file in TESTS.rglob("*.py")
    }
    found = [f"{file} has {count} lines" for file, count in lines.items() if count > MOST_LINES]
    assert not found, f"split these: {found}"
