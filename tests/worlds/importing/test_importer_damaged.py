"""WARC files that are broken, cut off, or no WARC files."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from foragers.core.types import Status
from foragers.worlds.archive import Archive
from foragers.worlds.importing.importer import ImportOptions
from support.warc_files import Warc, five_pages, html, imported, refusal, show
from support.worlds_by_hand import address


def test_captures_without_a_sound_address_are_counted_and_others_not(
    tmp_path: Path,
) -> None:
    with Warc(tmp_path / "a.warc.gz") as warc:
        warc.page("a", 0, html("one"))
        warc.page("dns://site.test", 0, b"dns")
        warc.page("urn://x", 0, b"meta")
        warc.page("http://[broken/", 0, html("bad"))
    archive, summary = imported(tmp_path, tmp_path / "a.warc.gz")
    assert (summary.captures, summary.bad_addresses, archive.pages) == (1, 1, 1)
    assert summary.broken == 0


def held(archive: Archive) -> set[str]:
    found = {f"p{n}" for n in range(5) if archive.book.find(address(f"p{n}")) is not None}
    return {name for name in found if show(archive, name).status is Status.OK}


@pytest.mark.parametrize("file", ["a.warc", "a.warc.gz"])
@pytest.mark.parametrize("where", ["head", "middle"])
def test_broken_record_in_the_middle_is_passed_over(file: str, where: str, tmp_path: Path) -> None:
    path = tmp_path / file
    warc = five_pages(path)
    data = bytearray(path.read_bytes())
    begin, end = warc.starts[2:4]
    if where == "head":
        data[begin : begin + 8] = b"\x00" * 8
    elif file.endswith("gz"):
        data[(begin + end) // 2 : (begin + end) // 2 + 20] = b"\xff" * 20
    else:
        header = bytes(data[begin:end])
        at = begin + header.index(b"Content-Length: ")
        data[at : at + 20] = b"Content-Length: x\r\n\r\n"[:20]
    path.write_bytes(data)
    archive, summary = imported(tmp_path, path)
    assert held(archive) >= {"p0", "p1", "p3", "p4"}
    assert summary.broken >= 1


@pytest.mark.parametrize("file", ["a.warc", "a.warc.gz"])
def test_several_broken_records_are_passed_over(file: str, tmp_path: Path) -> None:
    path = tmp_path / file
    warc = five_pages(path)
    data = bytearray(path.read_bytes())
    for number in (0, 2, 3):
        begin = warc.starts[number]
        data[begin : begin + 8] = b"\x00" * 8
    path.write_bytes(data)
    archive, _ = imported(tmp_path, path)
    assert held(archive) == {"p1", "p4"}


@pytest.mark.parametrize("file", ["a.warc", "a.warc.gz"])
def test_garbage_between_records_is_passed_over(file: str, tmp_path: Path) -> None:
    path = tmp_path / file
    warc = five_pages(path)
    data = path.read_bytes()
    at = warc.starts[2]
    path.write_bytes(data[:at] + b"garbage \x00\xff" * 300 + data[at:])
    archive, _ = imported(tmp_path, path)
    assert held(archive) == {"p0", "p1", "p2", "p3", "p4"}


@pytest.mark.parametrize("file", ["a.warc", "a.warc.gz"])
@pytest.mark.parametrize("share", [0.0002, 0.001, 0.003, 0.01, 0.02, 0.05, 0.1, 0.3, 0.6, 0.99])
def test_file_that_is_cut_off_is_refused_or_salvaged(
    file: str, share: float, tmp_path: Path
) -> None:
    path = tmp_path / file
    warc = five_pages(path)
    data = path.read_bytes()
    begin = warc.starts[4]
    path.write_bytes(data[: begin + 1 + int((len(data) - begin) * share)])
    message = refusal(tmp_path, [path])
    assert "--salvage" in message
    assert str(path) in message
    archive, summary = imported(tmp_path, path, options=ImportOptions(salvage=True))
    assert held(archive) == {"p0", "p1", "p2", "p3"}
    assert (summary.captures, summary.broken) == (4, 1)


@pytest.mark.parametrize("file", ["a.warc", "a.warc.gz"])
def test_file_that_ends_between_two_records_is_whole(file: str, tmp_path: Path) -> None:
    path = tmp_path / file
    warc = five_pages(path)
    path.write_bytes(path.read_bytes()[: warc.starts[4]])
    archive, summary = imported(tmp_path, path)
    assert held(archive) == {"p0", "p1", "p2", "p3"}
    assert summary.broken == 0


@pytest.mark.parametrize("file", ["a.warc", "a.warc.gz"])
@pytest.mark.parametrize(
    "data",
    [b"", b"\n\n", b"just some text\n" * 100, b"\x00" * 5000, gzip.compress(b"text\n" * 1000)],
    ids=["empty", "blank", "text", "zeros", "gzip"],
)
def test_file_that_is_no_warc_is_refused(data: bytes, file: str, tmp_path: Path) -> None:
    path = tmp_path / file
    path.write_bytes(data)
    message = refusal(tmp_path, [path])
    assert "is it a WARC file" in message
    assert str(path) in message


def test_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    assert "cannot read" in refusal(tmp_path, [tmp_path / "nowhere.warc"])
    (tmp_path / "folder.warc").mkdir()
    assert "cannot read" in refusal(tmp_path, [tmp_path / "folder.warc"])


def test_bad_file_after_a_good_one_leaves_nothing_behind(tmp_path: Path) -> None:
    five_pages(tmp_path / "good.warc.gz")
    (tmp_path / "bad.warc").write_text("no")
    assert "bad.warc" in refusal(tmp_path, [tmp_path / "good.warc.gz", tmp_path / "bad.warc"])


def test_file_without_answers_is_refused(tmp_path: Path) -> None:
    with Warc(tmp_path / "a.warc.gz") as warc:
        warc.info()
        warc.answer("a", 0, "GET / HTTP/1.1", kind="request")
    assert "nothing to import" in refusal(tmp_path, [tmp_path / "a.warc.gz"])


def test_file_with_errors_only_is_refused(tmp_path: Path) -> None:
    with Warc(tmp_path / "a.warc.gz") as warc:
        warc.answer("a", 0, "404 Not Found")
    assert "only errors and redirects" in refusal(tmp_path, [tmp_path / "a.warc.gz"])
