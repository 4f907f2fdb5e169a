"""Conformance suites and recorded webs, where they are at hand; tests are skipped where not."""

from __future__ import annotations

import importlib.util
import io
import os
from pathlib import Path
from types import ModuleType

import pytest

SHARED = Path(os.environ.get("FORAGERS_SHARED", Path(__file__).resolve().parents[3] / "shared"))


def recording(name: str) -> Path:
    """Return the WARC file of a recorded web, or skip."""
    file = SHARED / "worlds" / f"{name}.warc.gz"
    if not file.exists():
        pytest.skip(f"the recorded web {name} is not here")
    return file


def suite(name: str) -> ModuleType:
    """Load the runner of a suite, or skip."""
    runner = SHARED / "suites" / name / "run.py"
    if not runner.exists():
        pytest.skip(f"the suite {name} is not here")
    spec = importlib.util.spec_from_file_location(f"suite_{name}", runner)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    # The runners leave their files open, which is an error here.
    vars(module)["open"] = _read
    return module


def _read(path: str, encoding: str = "utf-8", newline: str | None = None) -> io.StringIO:
    with Path(path).open(encoding=encoding, newline=newline) as file:
        return io.StringIO(file.read(), newline="")
