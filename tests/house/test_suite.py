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


MOST_UNTYPED = 111
"""Test modules that mypy does not check yet; lower this when the list gets shorter."""


def test_the_type_checker_reads_all_code_but_a_list_that_gets_shorter() -> None:
    mypy = tomllib.loads((TESTS.parent / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
        "mypy"
    ]
    assert mypy["files"] == ["src", "tests", "benchmarks", "examples"]
    assert mypy["strict"]
    skipped = [
        name for part in mypy["overrides"] if "ignore_errors" in part for name in part["module"]
    ]
    assert len(skipped) <= MOST_UNTYPED
    missing = [name for name in skipped if not (TESTS / f"{name.replace('.', '/')}.py").is_file()]
    assert not missing, missing


def test_no_two_test_files_have_one_name() -> None:
    often = Counter(file.name for file in TESTS.rglob("test_*.py"))
    shared = [name for name, count in often.items() if count > 1]
    assert not shared, f"pytest imports tests by their file names: {shared}"


def test_folders_of_tests_are_folders_of_the_package() -> None:
    others = {"house", "gates", "contracts", "support"}
    folders = {file.parent.relative_to(TESTS) for file in TESTS.rglob("test_*.py")}
    package = TESTS.parent / "src" / "foragers"
    missing = [
        str(folder)
        for folder in folders
        if folder.parts and folder.parts[0] not in others and not (package / folder).is_dir()
    ]
    assert not missing, f"these folders of tests have no package: {missing}"
