"""`foragers export`: what other programs get of a crawl."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
import subprocess
import sys
import zlib
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet
from warcio.archiveiterator import ArchiveIterator

from foragers.reports.corpus.formats import FINEWEB
from foragers.reports.export import OF_TEXT, place
from foragers.worlds.generated import generate
from support.crawl_folders import FILE, crawl_folder, empty_folder, refused, said
from support.worlds_by_hand import address, small_world

FIELDS = [
    "url", "final_url", "status", "reason", "fetched", "title", "text", "text_source", "words",
    "language", "language_score", "published", "duplicate_of", "relevance", "relevant", "promise",
    "agent", "parent", "depth", "links", "warc", "offset",
]  # fmt: skip
HOSTILE = '=cmd()\x00, "<script>"\r\n\x1b[31m'

WRITER = """
import sys, time
from foragers.storage.ledger.sqlite import SqliteLedger
from foragers.testing import NumberedAddresses
from foragers.testing.ledgers import sample
from foragers.core.types import Choice

ledger = SqliteLedger(sys.argv[1], NumberedAddresses(), batch=5)
print("ready", flush=True)
while len(ledger) < 5000:
    number = len(ledger)
    ledger.append([sample(Choice(number, 0, float(number)), time=float(number))])
    time.sleep(0.002)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    world = small_world(
        {"home": ["a", "gone", "old"], "a": ["t", "home"], "t": []},
        redirects={"old": "t"},
        texts={"t": f"robot arms {HOSTILE}", "a": "robot"},
    )
    return crawl_folder(tmp_path, world)


def member(data: bytes) -> bytes:
    """Return the gzip member with which some bytes begin."""
    inflate = zlib.decompressobj(wbits=31)
    inflate.decompress(data)
    return data[: len(data) - len(inflate.unused_data)]


def exported(capsys: pytest.CaptureFixture[str], folder: Path, *words: str) -> list[dict[str, Any]]:
    code, out, _ = said(capsys, "export", folder, "--format", "jsonl", *words)
    assert code == 0
    return [json.loads(line) for line in out.splitlines()]


def test_an_object_a_page_has_exactly_the_fields_promised(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = exported(capsys, folder)
    assert [list(line) for line in lines] == [FIELDS] * len(lines)
    home = lines[0]
    assert home["url"] == home["final_url"] == address("home")
    assert home["links"] == [address("a"), address("gone"), address("old")]
    assert (home["parent"], home["depth"], home["published"]) == (None, 0, None)
    assert datetime.fromisoformat(home["fetched"]).utcoffset() == timedelta(0)
    assert (home["warc"], home["offset"]) == (FILE, 0)


def test_what_failed_is_there_with_its_reason(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = next(
        line for line in exported(capsys, folder, "--all") if line["url"] == address("gone")
    )
    assert (gone["status"], gone["reason"], gone["relevant"]) == ("missing", "404", False)
    assert (gone["warc"], gone["offset"], gone["links"], gone["text"]) == (None, None, [], "")
    assert gone["parent"] == address("home")


def test_a_redirect_says_where_it_ended(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = next(line for line in exported(capsys, folder) if line["url"] == address("old"))
    assert old["final_url"] == address("t")


def test_hostile_text_comes_through_unchanged(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (title,) = {line["title"] for line in exported(capsys, folder, "--relevant")}
    assert title == f"robot arms {HOSTILE}"


def test_only_relevant_pages_and_only_what_is_wanted_of_them(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = exported(capsys, folder, "--relevant", "--no-text", "--no-links")
    assert lines
    assert all(line["relevant"] for line in lines)
    left_out = (*OF_TEXT, "links")
    wanted = [name for name in FIELDS if name not in left_out]
    assert all(list(line) == wanted for line in lines)


def test_csv_has_a_row_a_page_and_counts_the_links(
    folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "pages.csv"
    assert said(capsys, "export", folder, "--format", "csv", "--out", out)[0] == 0
    rows = list(csv.DictReader(io.StringIO(out.read_bytes().decode(), newline="")))
    lines = exported(capsys, folder)
    assert list(rows[0]) == FIELDS
    assert [row["url"] for row in rows] == [line["url"] for line in lines]
    assert [int(row["links"]) for row in rows] == [len(line["links"]) for line in lines]
    assert [row["title"] for row in rows] == [line["title"].replace("\0", "") for line in lines]
    assert {row["relevant"] for row in rows} == {"true", "false"}


def test_csv_goes_to_standard_output_too(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "export", folder, "--format", "csv", "--no-text")
    assert code == 0
    assert out.startswith("url,final_url,status,reason,fetched,title,language")


def test_parquet_has_the_same_values(
    folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "pages.parquet"
    assert said(capsys, "export", folder, "--format", "parquet", "--out", out)[0] == 0
    table = parquet.read_table(out)
    lines = exported(capsys, folder)
    assert table.column_names == [*FIELDS, *FINEWEB]
    for name in FIELDS:
        if name not in ("fetched", "published"):
            assert table.column(name).to_pylist() == [line[name] for line in lines], name
    times = table.column("fetched").to_pylist()
    assert times == [datetime.fromisoformat(line["fetched"]) for line in lines]
    assert table.column("published").to_pylist() == [None] * len(lines)


def test_parquet_knows_the_types_of_its_columns(
    folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "pages.parquet"
    assert said(capsys, "export", folder, "--format", "parquet", "--out", out)[0] == 0
    schema = parquet.read_schema(out)
    times = {str(schema.field(name).type) for name in ("fetched", "published")}
    assert times == {"timestamp[ms, tz=UTC]"}
    kinds = [str(schema.field(name).type) for name in ("relevance", "relevant", "depth", "title")]
    assert kinds == ["double", "bool", "int32", "string"]
    assert str(schema.field("links").type).startswith("list<")


def test_parquet_of_many_pages_is_written_a_few_at_a_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = crawl_folder(tmp_path, generate("topics", seed=1, pages=200))
    monkeypatch.setattr("foragers.reports.export.ROW_GROUP", 7)
    out = tmp_path / "pages.parquet"
    words = ("export", folder, "--format", "parquet", "--no-text", "--no-links", "--out", out)
    assert said(capsys, *words)[0] == 0
    file = parquet.read_metadata(out)
    lines = exported(capsys, folder, "--no-text", "--no-links")
    assert file.num_row_groups == -(-len(lines) // 7) > 5
    table = parquet.read_table(out)
    assert table.column("url").to_pylist() == [line["url"] for line in lines]
    left_out = (*OF_TEXT, "links")
    assert table.column_names == [*[name for name in FIELDS if name not in left_out], *FINEWEB]


def test_parquet_without_its_extra_says_what_to_install(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("foragers.reports.export.find_spec", lambda name: None)
    words = ("export", folder, "--format", "parquet", "--out", tmp_path / "p")
    assert "pip install 'foragers[parquet]'" in refused(capsys, *words)
    assert "--out FILE" in refused(capsys, *words[:4])


def test_warc_holds_the_records_of_relevant_pages_byte_for_byte(
    folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "found.warc.gz"
    code, told, _ = said(capsys, "export", folder, "--relevant", "--format", "warc", "--out", out)
    assert code == 0
    assert ": 2 records" in told
    with out.open("rb") as file:
        found = [
            (one.rec_type, one.rec_headers["WARC-Target-URI"]) for one in ArchiveIterator(file)
        ]
    assert found == [("warcinfo", None), *[("response", address("t"))] * 2]
    source, copy = (folder / "warc" / FILE).read_bytes(), out.read_bytes()
    for line in exported(capsys, folder, "--relevant"):
        assert member(source[line["offset"] :]) in copy


def test_records_that_are_gone_are_counted_and_the_rest_is_copied(
    folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    warc = folder / "warc" / FILE
    warc.write_bytes(warc.read_bytes()[:-20])
    out = tmp_path / "found.warc.gz"
    code, told, err = said(capsys, "export", folder, "--relevant", "--format", "warc", "--out", out)
    assert code == 0
    assert ": 1 record\n" in told
    assert "1 record not found whole" in " ".join(err.split())


def test_a_record_outside_the_folder_is_not_read(
    folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "secret.warc.gz").write_bytes((folder / "warc" / FILE).read_bytes())
    connection = sqlite3.connect(folder / "ledger.sqlite")
    connection.execute("UPDATE visits SET record = '../../secret.warc.gz#0' WHERE relevant")
    connection.commit()
    connection.close()
    out = tmp_path / "found.warc.gz"
    assert (
        ": 0 records"
        in said(capsys, "export", folder, "--relevant", "--format", "warc", "--out", out)[1]
    )


def test_an_empty_ledger_gives_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = empty_folder(tmp_path, small_world({"home": []}))
    assert exported(capsys, folder) == []
    out = tmp_path / "p.csv"
    code, told, _ = said(capsys, "export", folder, "--format", "csv", "--out", out)
    assert (code, ": 0 pages" in told) == (0, True)


def test_bad_folders_and_files_are_refused(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "is not a folder" in refused(capsys, "export", tmp_path / "nowhere")
    assert "has no ledger.sqlite" in refused(capsys, "export", tmp_path)
    for own in ("ledger.sqlite", "crawl.json", "warc/more.warc.gz"):
        assert "part of the crawl" in refused(capsys, "export", folder, "--out", folder / own)
    assert "is a folder" in refused(capsys, "export", folder, "--out", tmp_path)
    assert "cannot be written" in refused(capsys, "export", folder, "--out", tmp_path / "no" / "x")
    (folder / "ledger.sqlite").write_text("not a database, though it is long enough " * 100)
    assert "cannot be read" in refused(capsys, "export", folder)


def test_a_failed_export_leaves_the_old_file(
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out = tmp_path / "pages.jsonl"
    out.write_text("old")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules["foragers.cli.export"].WRITERS, "jsonl", interrupted)
    assert said(capsys, "export", folder, "--out", out)[0] == 130
    assert out.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["crawl", "pages.jsonl"]


def test_a_crawl_that_goes_on_can_be_exported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "crawl"
    folder.mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, folder / "ledger.sqlite"],
        stdout=subprocess.PIPE,
        text=True,
    ) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        try:
            counts = [len(exported(capsys, folder)) for _ in range(10)]
        finally:
            writer.kill()
    assert counts == sorted(counts)
    assert counts[-1] > counts[0]


def test_all_of_a_larger_crawl_comes_out_in_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = crawl_folder(tmp_path, generate("topics", seed=1, pages=600))
    lines = exported(capsys, folder, "--no-text")
    times = [line["fetched"] for line in lines]
    assert len(lines) > 400
    assert times == sorted(times)
    known = {line["final_url"] for line in lines}
    assert all(line["parent"] in known for line in lines if line["depth"])


def test_places_are_read_from_the_end() -> None:
    assert place("a#b.warc.gz#12") == ("a#b.warc.gz", 12)
    assert place("") == place("a.warc.gz#x") == place("#5") == (None, None)


def test_a_page_that_did_not_come_is_not_exported_as_relevant(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger = sqlite3.connect(folder / "ledger.sqlite")
    with ledger:
        ledger.execute("UPDATE visits SET relevant = 1")
    statuses = [status for (status,) in ledger.execute("SELECT status FROM visits")]
    ledger.close()
    assert "missing" in statuses
    code, out, _ = said(capsys, "export", folder, "--relevant")
    assert code == 0
    assert {json.loads(line)["status"] for line in out.splitlines()} == {"ok"}
