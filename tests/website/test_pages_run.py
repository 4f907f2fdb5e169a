"""Every command in the first pages and the tutorials runs, and gives the output that is shown."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.console import DATABASE, Session, Step, replaced_ports, same, session, steps

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*(ROOT / "docs/start").glob("*.md"), *(ROOT / "docs/tutorials").glob("*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_runs_as_it_is_written(
    page: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    text = page.read_text(encoding="utf-8")
    replaced = replaced_ports()
    if DATABASE in text:
        replaced[DATABASE] = request.getfixturevalue("database")
    done = list(steps(text))
    assert done, "a page without a command"
    with session(tmp_path, replaced) as opened:
        for step in done:
            came = opened.do(step)
            shown = step.shown if step.command else ""
            assert same(shown, came, step.varies), (
                f"{page.name}: $ {step.command}\n{came}\nthe page shows:\n{shown}\n"
                f"write it anew: PYTHONPATH=tests python -m support.console docs/…/{page.name}"
            )


NOTEBOOKS = sorted((ROOT / "docs").rglob("*.ipynb"))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
def test_a_notebook_runs_as_it_is_stored(notebook: Path, tmp_path: Path) -> None:
    pytest.importorskip(
        "nbclient", reason="nbclient is not installed: pip install 'foragers[docs]'"
    )
    stored = json.loads(notebook.read_text(encoding="utf-8"))
    copy = tmp_path / notebook.name
    shutil.copy(notebook, copy)
    command = [sys.executable, "-m", "website.notebooks", str(copy)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert ended.returncode == 0, ended.stderr
    again = json.loads(copy.read_text(encoding="utf-8"))
    shown, came = ([results(cell) for cell in cells["cells"]] for cells in (stored, again))
    assert any(shown)
    for before, after in zip(shown, came, strict=True):
        assert same(before, after, varies=True), after


def results(cell: dict[str, Any]) -> str:
    """Return the texts that a cell shows."""
    data = [output.get("data", {}) for output in cell.get("outputs", [])]
    texts = ["".join(one.get("text/html") or one.get("text/plain", "")) for one in data]
    return "\n".join(texts)


def test_commands_and_files_are_found_in_order() -> None:
    text = (
        '```python title="a.py"\nprint(1)\n```\n\n```console\n$ python \\\n  a.py\n1\n$ true\n```\n'
    )
    assert list(steps(text)) == [
        Step(file="a.py", shown="print(1)\n"),
        Step("python \\\n  a.py", "1\n"),
        Step("true", ""),
    ]


def test_an_output_must_be_the_one_shown() -> None:
    assert same("a 1  \n\nb\n", "a 1\nb\n")
    assert not same("a 1\n", "a 2\n")
    assert same("a …\n…\nz\n", "a 2\nb\nc\nz\n")
    assert not same("a …\n…\nz\n", "a 2\nb\nc\n")


def test_only_words_count_where_numbers_vary() -> None:
    assert same(" found   12 of 1,200 (4–9)", "found 7 of 13 (1–10)\n", varies=True)
    assert not same("found 12 pages", "lost 12 pages", varies=True)
    assert same("auto 3 +2.1\nrandom 2 -1", "random 5 +4\nauto 4 -2.0", varies=True)
    assert not same("auto 3 random 2", "auto 3", varies=True)
    assert same("found 12 … done", "found 3 pages in all\ndone", varies=True)
    assert same("in a-….gz at 3", "in a-26-4f1.gz at 14", varies=True)


def test_a_session_runs_what_the_reader_types(tmp_path: Path) -> None:
    opened = Session(tmp_path, {":8000": ":4711"})
    opened.do(Step(file="a.py", shown="print('http://127.0.0.1:8000/')"))
    assert (tmp_path / "a.py").read_text() == "print('http://127.0.0.1:4711/')"
    assert opened.do(Step("python a.py")) == "http://127.0.0.1:8000/\n"
