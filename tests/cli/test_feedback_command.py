"""`foragers feedback`: what it writes, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from foragers.crawling.feedback import GIVEN, Remark, read_lines
from support.crawl_folders import crawl_folder, refused, said
from support.worlds_by_hand import address, small_world


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    texts = {"home": "robot arms", "a": "robot arms"}
    made = crawl_folder(tmp_path, small_world({"home": ["a", "gone"], "a": []}, texts=texts))
    told = json.loads((made / "crawl.json").read_text())
    told["aim"]["similarity"] = "words"
    (made / "crawl.json").write_text(json.dumps(told))
    return made


def test_what_a_user_says_is_written_down(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "feedback", folder, address("a"), "--more")
    assert code == 0
    assert f"more pages like {address('a')}" in out
    said(capsys, "feedback", folder, address("home"), "--not-this")
    (first, second) = read_lines(folder / GIVEN)
    assert (first.url, first.more) == (address("a"), True)
    assert second == Remark(address("home"), 1, False)


def test_pages_that_were_not_fetched_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("gone", "never"):
        assert "was not fetched by this crawl" in refused(
            capsys, "feedback", folder, address(name), "--more"
        )
    assert not (folder / GIVEN).exists()


def test_a_judge_that_does_not_learn_refuses_feedback(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = json.loads((folder / "crawl.json").read_text())
    told["aim"]["similarity"] = "keywords"
    (folder / "crawl.json").write_text(json.dumps(told))
    assert "does not learn" in refused(capsys, "feedback", folder, address("a"), "--more")
