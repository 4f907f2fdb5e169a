"""The demo: learning shows, the commands it prints run, and a dead loopback is told."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from foragers.cli import demo
from foragers.cli.main import main

NETWORK_OF_ITS_OWN = ("unshare", "--user", "--map-root-user", "--net")
"""A new network namespace, whose loopback interface is down."""


def isolated() -> bool:
    """Say whether this machine lets us make such a namespace."""
    if not shutil.which("unshare"):
        return False
    return subprocess.run([*NETWORK_OF_ITS_OWN, "true"], capture_output=True).returncode == 0


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "PAGES", 600)
    monkeypatch.setattr(demo, "BUDGET", 40)
    monkeypatch.setattr(demo, "OTHER_SITES", range(2, 4))


def number_in(pattern: str, text: str) -> int:
    found = re.search(pattern, text)
    assert found, text
    return int(found[1])


def test_the_demo_shows_that_learning_pays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", "--out", str(tmp_path / "demo")]) == 0
    out = capsys.readouterr().out
    found = {name: number_in(rf"{name} +400 +(\d+)", out) for name in demo.STRATEGIES}
    assert found["auto"] > found["best-first"] > found["breadth-first"]
    assert number_in(r"auto found more than best-first (\d+) times", out) >= 7
    assert (tmp_path / "demo" / "harvest.png").exists()
    assert list((tmp_path / "demo" / "best-first" / "warc").glob("*.warc.gz"))


@pytest.mark.usefixtures("small")
def test_commands_that_the_demo_prints_run_as_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", "--out", str(tmp_path / "demo")]) == 0
    steps = capsys.readouterr().out.partition("Run:\n")[2].splitlines()
    assert len(steps) == 2
    for step in steps:
        assert main(shlex.split(step)[1:]) == 0, step
    assert (tmp_path / "demo" / "auto" / "report.html").exists()


@pytest.mark.usefixtures("small")
def test_without_matplotlib_the_demo_draws_its_curves_as_svg(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["demo", "--out", str(tmp_path / "demo")]) == 0
    assert f"{tmp_path / 'demo' / 'harvest.svg'}: relevant pages" in capsys.readouterr().out
    assert "<svg" in (tmp_path / "demo" / "harvest.svg").read_text(encoding="utf-8")
    assert not (tmp_path / "demo" / "harvest.png").exists()


@pytest.mark.skipif(not isolated(), reason="no network namespaces to be had")
def test_with_loopback_down_the_demo_says_so_and_fails(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "foragers.cli.main", "demo", "--out", str(tmp_path / "demo")]
    told = subprocess.run([*NETWORK_OF_ITS_OWN, *command], capture_output=True, text=True)
    assert told.returncode == 1
    assert "loopback interface is down" in told.stderr
    assert len(told.stderr.splitlines()) == 1
    assert not (tmp_path / "demo").exists()
