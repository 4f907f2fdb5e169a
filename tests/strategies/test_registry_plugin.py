"""The package in examples/plugin is built, installed and used."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

PLUGIN = Path(__file__).parents[2] / "examples" / "plugin"


@pytest.mark.skipif(find_spec("hatchling") is None, reason="hatchling is not installed")
def test_the_example_of_a_package_is_installed_listed_and_passes_its_tests(tmp_path: Path) -> None:
    site = tmp_path / "site"
    install = ["pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    run("-m", *install, "--target", str(site), str(PLUGIN))
    listed = run("-m", "foragers.cli.main", "strategies", site=site)
    assert "fewest-links" in listed
    assert "package foragers-example" in listed
    assert "2 passed" in run("-m", "pytest", "-p", "no:cacheprovider", str(PLUGIN), site=site)


def run(*command: str, site: Path | None = None) -> str:
    """Run Python with a folder of packages; return what it prints."""
    environment = {**os.environ, "COLUMNS": "200", **({"PYTHONPATH": str(site)} if site else {})}
    done = subprocess.run(
        [sys.executable, *command], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
