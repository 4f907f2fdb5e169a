"""The package is built with its compiled modules, and without them where there is no compiler."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from foragers.compiled import PURE, compiled

ROOT = Path(__file__).resolve().parents[1]
WANTED = 77
"""The first version of setuptools that knows how we name our licence."""


def setuptools_version() -> int:
    """Return the major version of setuptools, or 0."""
    try:
        return int(version("setuptools").partition(".")[0])
    except PackageNotFoundError:
        return 0


needs_setuptools = pytest.mark.skipif(
    setuptools_version() < WANTED, reason=f"setuptools {WANTED} or later is not installed"
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a copy of the project without anything built."""
    copy = tmp_path / "project"
    ignored = shutil.ignore_patterns("*.so", "__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "src", copy / "src", ignore=ignored)
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    return copy


def built(project: Path, what: str, compiler: str) -> Path:
    """Build a wheel or an sdist with some compiler."""
    hook = f"from setuptools import build_meta as b; b.build_{what}('out')"
    environment = {**os.environ, "CC": compiler}
    subprocess.run(
        [sys.executable, "-c", hook],
        cwd=project,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    return next((project / "out").iterdir())


def headers_of(python: str) -> Path | None:
    """Return the folder of the headers of a Python, from the path or from pyenv."""
    candidates = [
        shutil.which(f"python{python}") or "",
        *map(str, sorted(Path.home().glob(f".pyenv/versions/{python}.*/bin/python"))),
    ]
    question = "import sysconfig as s; print(s.get_python_version(), s.get_path('include'))"
    for program in filter(None, candidates):
        told = subprocess.run([program, "-c", question], capture_output=True, text=True)
        version, _, folder = told.stdout.strip().partition(" ")
        if version == python and (Path(folder) / "Python.h").exists():
            return Path(folder)
    return None


def files_of_source() -> set[str]:
    """Return the files that a wheel must have."""
    listed = subprocess.run(
        ["git", "ls-files", "src"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    )
    names = {Path(line).relative_to("src").as_posix() for line in listed.stdout.splitlines()}
    return {name for name in names if not name.endswith((".c", ".h"))}


@needs_setuptools
def test_without_a_compiler_the_wheel_has_everything_but_compiled_modules(project: Path) -> None:
    with zipfile.ZipFile(built(project, "wheel", "/nowhere/cc")) as wheel:
        names = {name for name in wheel.namelist() if name.startswith("foragers/")}
    assert names == files_of_source()


@needs_setuptools
@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no compiler")
def test_with_a_compiler_the_wheel_has_each_compiled_module(project: Path) -> None:
    with zipfile.ZipFile(built(project, "wheel", "cc")) as wheel:
        modules = {name.partition(".")[0] for name in wheel.namelist() if name.endswith(".so")}
    sources = {
        path.relative_to(ROOT / "src").with_suffix("").as_posix()
        for path in (ROOT / "src").rglob("_*.c")
    }
    assert modules == sources


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no compiler")
@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13"])
def test_each_python_that_we_claim_compiles_the_modules(python: str) -> None:
    headers = headers_of(python)
    if headers is None:
        pytest.skip(f"there are no headers of Python {python}")
    sources = sorted(str(path) for path in (ROOT / "src").rglob("_*.c"))
    flags = ["-fsyntax-only", "-Werror", f"-I{headers}"]
    told = subprocess.run(["cc", *flags, *sources], capture_output=True, text=True)
    assert told.stderr == ""
    assert told.returncode == 0


@needs_setuptools
def test_the_sdist_has_what_a_build_needs(project: Path) -> None:
    with tarfile.open(built(project, "sdist", "cc")) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"setup.py", "pyproject.toml", "LICENSE", "README.md"} <= names
    assert {f"src/{name}" for name in files_of_source()} <= names
    needed = {path.relative_to(ROOT).as_posix() for path in (ROOT / "src").rglob("_*.[ch]")}
    assert any(name.endswith(".h") for name in needed)
    assert needed <= names


def test_a_module_that_is_older_than_its_source_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(PURE, raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    built, source = tmp_path / "_of_this_test.py", tmp_path / "_of_this_test.c"
    built.touch()
    assert compiled("_of_this_test") is not None
    source.touch()
    os.utime(source, (1, 1))
    assert compiled("_of_this_test") is not None
    os.utime(built, (0, 0))
    assert compiled("_of_this_test") is None
    header = tmp_path / "_of_these_tests.h"
    header.touch()
    source.write_text(f'#include "{header.name}"\n', encoding="utf-8")
    os.utime(built, (4e9, 4e9))
    assert compiled("_of_this_test") is not None
    os.utime(header, (5e9, 5e9))
    assert compiled("_of_this_test") is None
    source.unlink()
    monkeypatch.setenv(PURE, "1")
    assert compiled("_of_this_test") is None
    assert compiled("_of_no_test") is None
