"""Where `--json` writes its summary: known to be possible before anything is fetched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from foragers.cli.main import main
from support.crawling import serving


def command(url: str, folder: Path, summary: Path) -> list[str]:
    private = ["--allow-private", "127.0.0.0/8", "--delay", "0"]
    return ["crawl", url, *private, "--out", str(folder), "--json", str(summary)]


def test_the_summary_may_be_in_the_folder_of_the_crawl(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    with serving({}) as server:
        assert main(command(server.url("/"), folder, folder / "summary.json")) == 0
    assert json.loads((folder / "summary.json").read_bytes())["downloads"] == 1


@pytest.mark.parametrize("summary", ["nowhere/summary.json", "."])
def test_a_summary_that_cannot_be_written_is_refused_before_the_crawl(
    summary: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving({}) as server:
        assert main(command(server.url("/"), tmp_path / "out", tmp_path / summary)) == 2
        assert not server.log
    said = capsys.readouterr().err.strip()
    assert "--json" in said
    assert "\n" not in said
