"""Strategies and judges that an installed package offers by entry points."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from foragers.worlds.generated import generate
from foragers.worlds.store import save
from support import own_code
from support.crawling import serving
from support.hostile_server import page


@pytest.fixture
def site(tmp_path: Path) -> Path:
    own_code.install(tmp_path / "site")
    return tmp_path / "site"


def foragers(site: Path, *words: str, code: int = 0) -> str:
    """Run a command where the package is installed; return what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "foragers.cli.main", *words],
        cwd=site.parent,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    return done.stderr if code else done.stdout


def test_what_a_package_offers_is_listed_with_its_origin(site: Path) -> None:
    listed = [line.split() for line in foragers(site, "strategies").splitlines()]
    assert ["offered", "package", "offering"] in listed
    assert ["long-read", "offering:long"] in listed
    about = foragers(site, "strategies", "offered")
    assert "Fetches in the order of discovery." in about
    assert "It comes from: package offering" in about
    assert "weight     1.0" in about


def test_what_a_package_offers_crawls(site: Path, tmp_path: Path) -> None:
    with serving({"/a": page("/b"), "/b": page(words="long " * 500)}) as server:
        options = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--out", "out"]
        words = ["crawl", server.url("/"), "--strategy", "offered(weight=2)", *options]
        foragers(site, *words, "--judge", "long-read", "--json", "told.json")
    told = json.loads((tmp_path / "told.json").read_text())
    assert (told["downloads"], told["relevant"]) == (3, 1)


def test_what_a_package_offers_is_compared_in_worker_processes(site: Path, tmp_path: Path) -> None:
    save(generate("topics", pages=200, seed=1), tmp_path / "world")
    words = ["compare", "world", "--strategies", "offered,random", "--judge", "long-read"]
    foragers(site, *words, "--budget", "40", "--jobs", "2", "--json", "told.json")
    found = json.loads((tmp_path / "told.json").read_text())
    (ours,) = found["strategies"]["offered"]["runs"]
    (theirs,) = found["references"]["breadth-first"]["runs"]
    assert ours["curve"] == theirs["curve"]


def test_a_package_that_cannot_be_imported_is_named(site: Path) -> None:
    (site / "offering.py").write_text("import nothing_like_it\n")
    words = ["crawl", "http://127.0.0.1:9/", "--strategy", "offered", "--out", "out"]
    (line,) = foragers(site, *words, code=2).splitlines()
    assert line == (
        "foragers: --strategy offered: offering offers offering:Mine, which cannot be loaded"
        " (ModuleNotFoundError: No module named 'nothing_like_it'); upgrade or remove it"
    )
