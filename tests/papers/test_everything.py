"""All papers in one folder: made once, resumed, and shown on one page."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from foragers.cli.main import main
from foragers.errors import UsageError
from foragers.papers import everything
from foragers.papers.everything import DONE, finished, reproduce_all
from foragers.papers.request import PaperRequest
from foragers.storage.warc.writer import locked
from support.progress import silent


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> PaperRequest:
    """Make the exhibits of the paper that is quickest on a small scale, as if it were all."""
    request = PaperRequest(tmp_path_factory.mktemp("all"), runs=1, scale=0.004)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(everything, "PAPERS", {"population": ""})
        patch.setattr("foragers.papers.population.crawls.TOPICS", {"robotics": "robot sensor"})
        ((paper, exhibits, was_there),) = reproduce_all(request, silent)
    assert (paper, was_there) == ("population", False)
    assert exhibits.tables
    return request


def test_one_page_shows_every_exhibit_of_every_paper(made: PaperRequest) -> None:
    html = (made.out / "index.html").read_text()
    exhibits = finished(made.out / "population", made)
    assert exhibits is not None
    assert html.count("<svg") == len(exhibits.figures)
    for table in exhibits.tables:
        assert f"population/{table.name}.csv" in html
    for verdict in exhibits.verdicts:
        assert verdict.claim.split("(")[0] in html
    assert 'href="#population"' in html


def test_what_is_finished_is_not_made_again(
    made: PaperRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(everything, "PAPERS", {"population": ""})
    before = (made.out / "population" / "report.html").stat().st_mtime_ns
    page = (made.out / "index.html").read_bytes()
    ((_, _, was_there),) = reproduce_all(made, silent)
    assert was_there
    assert (made.out / "population" / "report.html").stat().st_mtime_ns == before
    assert (made.out / "index.html").read_bytes() == page


def test_another_request_or_a_damaged_folder_is_made_again(
    made: PaperRequest, tmp_path: Path
) -> None:
    folder = made.out / "population"
    assert finished(folder, replace(made, seed=7)) is None
    assert finished(folder, replace(made, scale=0.5)) is None
    (tmp_path / DONE).write_bytes((folder / DONE).read_bytes())
    assert finished(tmp_path, made) is None
    (tmp_path / "exhibits.json").write_text("{}")
    assert finished(tmp_path, made) is None


def test_a_folder_takes_one_reproduction_at_a_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = locked(tmp_path)
    try:
        for paper in ("all", "spider"):
            assert main(["reproduce", paper, "--scale", "0.004", "--out", str(tmp_path)]) == 2
            assert "being written by another reproduction" in capsys.readouterr().err
        assert list(tmp_path.iterdir()) == []
    finally:
        os.close(other)


def test_a_reproduction_that_cannot_begin_leaves_no_folder(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert main(["reproduce", "all", "--topic", "x", "--out", str(out)]) == 2
    assert not out.exists()


def test_worlds_are_for_one_paper_at_a_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UsageError, match="name the paper"):
        list(reproduce_all(PaperRequest(tmp_path, topic="x"), silent))
    assert main(["reproduce", "all", "--world", str(tmp_path), "--out", str(tmp_path / "o")]) == 2
    assert "name the paper" in capsys.readouterr().err
