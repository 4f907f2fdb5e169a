"""Texts of exported pages: from the WARC files, else from the ledger."""

from __future__ import annotations

import json
import sqlite3
import sys
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from pyarrow import parquet

from foragers.core.options import Target
from support.crawl_folders import refused, said
from support.crawling import crawl, serving
from support.hostile_server import page, reply

ENGLISH = (
    "The tide rises twice a day on most coasts, and the difference between high and low water"
    " depends on the shape of the bay, on the wind, and on the moon above it. "
)
GERMAN = (
    "Die Flut kommt an den meisten Küsten zweimal am Tag, und der Unterschied zwischen Hochwasser"
    " und Niedrigwasser hängt von der Form der Bucht und vom Mond ab. "
)


def article(title: str, text: str, *links: str) -> bytes:
    shown = "".join(f'<li><a href="{link}">{link}</a></li>' for link in links)
    html = (
        f"<html><head><meta charset=utf-8><title>{title}</title></head><body><nav><ul>{shown}</ul>"
        f"</nav><article><h1>{title}</h1><h2>Part of {title}</h2><p>{text}</p><ul><li>{text}</li>"
        f"<li>{text}</li></ul></article><footer>All rights reserved</footer></body></html>"
    )
    return reply(html.encode(), kind="text/html; charset=utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    links = ("/one", "/two", "/copy", "/short", "/gone")
    site = {
        "/": article("Coast", ENGLISH * 2, *links),
        "/one": article("Tides", f"Neap and spring. {ENGLISH * 3}"),
        "/two": article("Gezeiten", GERMAN * 3),
        "/copy": article("Tides", f"Neap and spring. {ENGLISH * 3} Printed."),
        "/short": page(words="Few words."),
    }
    path = tmp_path_factory.mktemp("corpus") / "crawl"
    with serving(site) as server:
        crawl(path, server.url("/"), strategy="breadth-first", traps=False, warc=True)
    return path


def lines(capsys: pytest.CaptureFixture[str], folder: Path, *words: object) -> list[dict[str, Any]]:
    code, out, _ = said(capsys, "export", folder, *words)
    assert code == 0
    return [json.loads(line) for line in out.splitlines()]


def paths(found: list[dict[str, Any]]) -> list[str]:
    return [line["url"].rpartition("/")[2] for line in found]


def test_text_is_main_text_with_paragraphs(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (one,) = (line for line in lines(capsys, folder) if line["url"].endswith("/one"))
    assert one["text"].startswith("Tides\n\nPart of Tides\n\nNeap and spring. The tide")
    assert "\n- Neap and spring." in one["text"]
    assert "All rights" not in one["text"]
    assert (one["text_source"], one["language"], one["words"]) == (
        "main", "en", len(one["text"].split()),
    )  # fmt: skip


def test_only_kept_pages_are_exported_unless_all_are_asked_for(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "gone" not in paths(lines(capsys, folder))
    assert "gone" in paths(lines(capsys, folder, "--all"))


def test_pages_are_selected_by_language_and_length(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert paths(lines(capsys, folder, "--language", "de")) == ["two"]
    code, out, err = said(capsys, "export", folder, "--min-words", 20, "--no-text", "--no-links")
    assert code == 0
    assert "short" not in out
    assert "1 page left out: fewer words than --min-words" in err
    assert lines(capsys, folder, "--since", "2999-01-01") == []


def test_near_duplicates_are_marked_or_dropped(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    marked = {line["url"]: line["duplicate_of"] for line in lines(capsys, folder)}
    first, copy = (next(url for url in marked if url.endswith(end)) for end in ("/one", "/copy"))
    assert (marked[first], marked[copy]) == (None, first)
    assert "copy" not in paths(lines(capsys, folder, "--duplicates", "drop"))


def test_markdown_is_one_file_a_page_or_json_lines(
    folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "files"
    assert said(capsys, "export", folder, "--format", "markdown", "--out", out)[0] == 0
    (one,) = out.rglob("one.md")
    text = one.read_text("utf-8")
    assert text.startswith('---\nurl: "http://127.0.0.1')
    assert "\n---\n\n# Tides\n\n## Part of Tides\n\nNeap" in text
    found = lines(capsys, folder, "--format", "markdown")
    assert any(line["markdown"].startswith("# Tides\n\n## Part") for line in found)
    assert "text" not in found[0]


def test_chunks_are_rows_with_their_headings(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [line for line in lines(capsys, folder, "--chunks", 50) if line["url"].endswith("one")]
    assert [line["chunk"] for line in found] == list(range(len(found)))
    assert len(found) > 2
    assert found[-1]["headings"] == ["Tides", "Part of Tides"]
    assert all(line["words"] <= 50 for line in found)


def test_parquet_has_the_columns_of_fineweb(
    folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "pages.parquet"
    assert said(capsys, "export", folder, "--format", "parquet", "--out", out)[0] == 0
    table = parquet.read_table(out)
    fineweb = [
        "text", "id", "dump", "url", "date", "file_path", "language", "language_score",
        "token_count",
    ]  # fmt: skip
    assert set(fineweb) <= set(table.column_names)
    rows = table.select(fineweb).to_pylist()
    assert len({row["id"] for row in rows}) == len(rows)
    assert all(row["token_count"] >= len(row["text"].split()) / 2 for row in rows)
    assert {row["dump"] for row in rows} == {"crawl"}


def test_dolma_has_its_six_fields(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = lines(capsys, folder, "--format", "dolma")
    assert {tuple(line) for line in found} == {
        ("id", "text", "source", "added", "created", "metadata")
    }
    assert found[0]["metadata"]["url"].startswith("http://127.0.0.1")


def test_a_page_without_an_archived_response_has_the_text_of_the_ledger(
    folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    copy = tmp_path / "crawl"
    copy.mkdir()
    (copy / "ledger.sqlite").write_bytes((folder / "ledger.sqlite").read_bytes())
    code, out, err = said(capsys, "export", copy)
    assert code == 0
    assert {json.loads(line)["text_source"] for line in out.splitlines()} == {"ledger"}
    assert "5 pages without an archived response" in err


def test_a_record_that_leads_out_of_the_folder_is_not_read(
    folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    copy = tmp_path / "crawl"
    (copy / "warc").mkdir(parents=True)
    (copy / "ledger.sqlite").write_bytes((folder / "ledger.sqlite").read_bytes())
    (warc,) = (folder / "warc").glob("*.warc.gz")
    (tmp_path / "secret.warc.gz").write_bytes(warc.read_bytes())
    connection = sqlite3.connect(copy / "ledger.sqlite")
    places = f"replace(record, '{warc.name}', '../../secret.warc.gz')"
    connection.execute(f"UPDATE visits SET record = {places}")
    connection.commit()
    connection.close()
    assert {line["text_source"] for line in lines(capsys, copy)} == {"ledger"}


def test_wacz_has_the_records_an_index_and_the_pages(
    folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "crawl.wacz"
    assert said(capsys, "export", folder, "--format", "wacz", "--out", out)[0] == 0
    with ZipFile(out) as zipped:
        package = json.loads(zipped.read("datapackage.json"))
        paths = {entry["path"] for entry in package["resources"]}
        assert paths == {"archive/data.warc.gz", "indexes/index.cdx", "pages/pages.jsonl"}
        assert len(zipped.read("indexes/index.cdx").splitlines()) == 5
        assert len(zipped.read("pages/pages.jsonl").splitlines()) == 6
    validation = pytest.importorskip("wacz.validate", reason="py-wacz is not installed")
    checked = validation.Validation(str(out))
    assert checked.check_required_contents() == 0
    assert checked.frictionless_validate() == 0


def test_trafilatura_is_an_extractor_if_it_is_installed(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("trafilatura", reason="trafilatura is an extra")
    found = lines(capsys, folder, "--text", "trafilatura")
    assert {line["text_source"] for line in found} == {"trafilatura"}
    assert any("Neap and spring" in line["text"] for line in found)


def test_a_missing_extra_is_one_line_with_the_remedy(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "trafilatura", None)
    monkeypatch.setattr("foragers.reports.corpus.page_texts.find_spec", lambda _: None)
    told = refused(capsys, "export", folder, "--text", "trafilatura")
    assert told == "foragers: --text trafilatura needs trafilatura: pip install 'foragers[text]'\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--language", "xx"), "--language xx: not a language"),
        (("--format", "wacz"), "--format wacz cannot be streamed; give --out FILE"),
        (("--format", "warc", "--min-words", 9), "--format warc copies records and reads no texts"),
        (("--chunks", 3), "--chunks 3: must be at least 10"),
        (("--min-words", -1), "--min-words -1: must be at least 0"),
        (("--since", "tomorrow"), "--since tomorrow: not a time"),
    ],
)
def test_wrong_options_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], words: tuple[object, ...], told: str
) -> None:
    assert refused(capsys, "export", folder, *words).startswith(f"foragers: {told}")


def test_documents_of_a_kind_are_the_relevant_pages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site = {
        "/": page("/a.csv", "/b.pdf", "/c"),
        "/c": page("/data?id=7"),
        "/a.csv": reply(b"port,range\nBrest,6.1\n", kind="text/csv"),
        "/b.pdf": reply(b"%PDF-1.4 damaged", kind="application/pdf"),
        "/data?id=7": reply(b"port,range\nDover,5.9\n", kind="text/csv"),
    }
    with serving(site) as server:
        outcome = crawl(tmp_path, server.url("/"), aim=Target(want=("csv",)), budget=20, warc=True)
        assert outcome.status("/b.pdf") == "unwanted"
    found = lines(capsys, tmp_path, "--relevant")
    assert sorted(paths(found)) == ["a.csv", "data?id=7"]
    assert {line["text"] for line in found} == {"port,range\nBrest,6.1", "port,range\nDover,5.9"}
