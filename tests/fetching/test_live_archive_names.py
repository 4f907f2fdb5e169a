"""What the WARC files of crawls are called, and that there are none where none are wanted."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from foragers.crawling.settings import SessionSettings
from support.crawl_folders import said
from support.crawling import crawl, serving
from support.hostile_server import page

SITE = {f"/{n}": page() for n in range(6)}


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "warc").glob("*.warc.gz"))


def test_files_of_two_crawls_fit_into_one_folder(tmp_path: Path) -> None:
    one, two, both = tmp_path / "a" / "it", tmp_path / "b" / "it", tmp_path / "both"
    both.mkdir()
    with serving(SITE) as server:
        for folder in (one, two):
            crawl(folder, server.url("/"), warc=True)
            for name in names(folder):
                assert not (both / name).exists()
                shutil.copy(folder / "warc" / name, both)
    urls = []
    for path in both.iterdir():
        with path.open("rb") as file:
            records = [one.rec_headers for one in ArchiveIterator(file)]
        assert records[0]["WARC-Filename"] == path.name
        urls += [one["WARC-Target-URI"] for one in records if one["WARC-Type"] == "response"]
    assert len(urls) == 14


def test_a_crawl_that_goes_on_numbers_its_files_on(tmp_path: Path) -> None:
    settings = SessionSettings(warc_bytes=1)
    with serving(SITE) as server:
        crawl(tmp_path / "my crawl", server.url("/"), settings=settings, warc=True, budget=3)
        crawl(tmp_path / "my crawl", server.url("/"), settings=settings, warc=True)
    found = names(tmp_path / "my crawl")
    begin = found[0].removesuffix("-00000.warc.gz")
    assert re.fullmatch(r"my-crawl-\d{14}-[0-9a-f]{8}", begin)
    assert found == [f"{begin}-{n:05d}.warc.gz" for n in range(len(found))]
    assert len(found) >= 7


def test_an_older_crawl_keeps_its_names(tmp_path: Path) -> None:
    with serving(SITE) as server:
        crawl(tmp_path, server.url("/"), warc=True, budget=3)
        (old,) = names(tmp_path)
        for file in (tmp_path / "warc").iterdir():
            data = file.read_bytes().replace(old.encode(), b"warc-00000.warc.gz")
            file.write_bytes(data)
        (tmp_path / "warc" / old).rename(tmp_path / "warc" / "warc-00000.warc.gz")
        crawl(tmp_path, server.url("/"), warc=True)
    assert names(tmp_path) == ["warc-00000.warc.gz"]


def test_without_an_archive_no_folder_is_made_nor_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "it"
    with serving(SITE) as server:
        url, private = server.url("/"), ("--allow-private", "127.0.0.0/8", "--delay", 0)
        code, out, _ = said(capsys, "crawl", url, *private, "--no-warc", "--out", folder)
        assert code == 0
        assert "ledger.sqlite" in out
        assert "warc" not in out
        assert not (folder / "warc").exists()
        code, out, _ = said(capsys, "crawl", url, *private, "--out", tmp_path / "kept")
        assert "warc/" in out
