"""Commands on a machine where matplotlib cannot be imported."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

from foragers.worlds.generated import generate
from foragers.worlds.store import save
from support.crawl_folders import crawl_folder

WITHOUT = """
import sys
sys.modules["matplotlib"] = None  # importing it fails
from foragers.cli.main import main
sys.exit(main())
"""
REMEDY = "pip install 'foragers[plots]'"


def foragers(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", WITHOUT, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    world = tmp_path_factory.mktemp("worlds") / "web"
    save(generate("topics", seed=1, pages=200), world)
    return world


def test_a_report_has_all_its_pictures(tmp_path: Path) -> None:
    folder = crawl_folder(tmp_path, generate("topics", seed=1, pages=200))
    told = foragers("report", folder)
    assert told.returncode == 0, told.stderr
    report = (folder / "report.html").read_text(encoding="utf-8")
    pictures = Counter(re.findall(r'<svg [^>]*aria-label="([^"]+)"', report))
    wide = ("harvest", "harvest by time")  # which are drawn again for phones
    assert pictures == {**dict.fromkeys(wide, 2), "relevance": 1, "promise": 1, "depth": 1}


def test_a_comparison_draws_its_curves_as_svg_and_says_so(tmp_path: Path, web: Path) -> None:
    out = tmp_path / "result"
    words = ("--strategies", "breadth-first,random", "--budget", "50", "--jobs", "1")
    told = foragers("compare", web, "--topic", "robot", *words, "--runs", "2", "--out", out)
    assert told.returncode == 0, told.stderr
    assert REMEDY in told.stdout
    picture = ElementTree.parse(out / "harvest.svg").getroot()
    assert {"breadth-first", "random", "downloads"} <= set(picture.itertext())
    assert "<svg" in (out / "report.html").read_text(encoding="utf-8")
    assert not (out / "harvest.png").exists()


def test_degrees_are_drawn_as_svg_and_not_as_png(tmp_path: Path, web: Path) -> None:
    assert foragers("world", "info", web, "--plot", tmp_path / "d.svg").returncode == 0
    assert (tmp_path / "d.svg").exists()
    told = foragers("world", "info", web, "--plot", tmp_path / "d.png")
    assert told.returncode == 2
    assert REMEDY in told.stderr
    assert len(told.stderr.splitlines()) == 1
