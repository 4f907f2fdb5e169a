"""A crawl whose ledger is in PostgreSQL does what a crawl with a file does."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

import foragers
from foragers.cli.main import main
from foragers.errors import UsageError
from foragers.reports.crawl_folder import opened
from foragers.serve.page_index import PageIndex
from foragers.serve.settings import ServeSettings
from support.crawling import LOOPBACK, crawl, serving
from support.hostile_server import HostileServer, page

SITE = {f"/{i}": page(f"/{i + 1}", f"/{i + 2}") for i in range(12)}
COLUMNS = "number, url, final, status, reason, promise, parent, depth, relevance, title"


@pytest.fixture
def server() -> Iterator[HostileServer]:
    with serving(SITE) as running:
        yield running


def rows(url: str) -> list[tuple[object, ...]]:
    with closing(psycopg.connect(url)) as connection:
        return connection.execute(f"SELECT {COLUMNS} FROM pages ORDER BY number").fetchall()


def rows_in_file(folder: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as connection:
        return connection.execute(f"SELECT {COLUMNS} FROM pages ORDER BY number").fetchall()


def run(*arguments: object) -> int:
    return main(list(map(str, arguments)))


def order(server: HostileServer, out: Path, *more: object) -> list[object]:
    given = [server.url(), "--out", out, "--delay", 0, "--allow-private", LOOPBACK[0]]
    return ["crawl", *given, "--strategy", "breadth-first", "--no-traps", *more]


def test_the_ledger_is_the_same_as_in_a_file_and_so_is_what_is_read_from_it(
    server: HostileServer, tmp_path: Path, database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*order(server, tmp_path / "file")) == 0
    assert run(*order(server, tmp_path / "base", "--ledger", database)) == 0
    assert "base: postgresql://" in capsys.readouterr().out
    assert not (tmp_path / "base" / "ledger.sqlite").exists()
    assert rows(database) == rows_in_file(tmp_path / "file")
    exported, why = [], []
    for name in ("file", "base"):
        assert run("report", tmp_path / name) == 0
        assert run("export", tmp_path / name, "--out", tmp_path / f"{name}.jsonl") == 0
        text = (tmp_path / f"{name}.jsonl").read_text().splitlines()
        exported.append(
            [{**json.loads(line), "fetched": "", "warc": "", "offset": 0} for line in text]
        )
        capsys.readouterr()
        assert run("explain", tmp_path / name, server.url("/5")) == 0
        told = capsys.readouterr().out.splitlines()
        why.append([line for line in told if "fetched" not in line and "archived" not in line])
    assert exported[0] == exported[1]
    assert why[0] == why[1]


def test_the_pages_are_indexed_for_the_web_interface(
    server: HostileServer, tmp_path: Path, database: str
) -> None:
    assert run(*order(server, tmp_path, "--ledger", database)) == 0
    with closing(PageIndex(ServeSettings())) as index, opened(tmp_path) as folder:
        index.add(folder)
        assert index.last == 15


def test_the_same_command_resumes_it(
    server: HostileServer, tmp_path: Path, database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*order(server, tmp_path, "--ledger", database, "--budget", 5)) == 0
    assert len(rows(database)) == 5
    assert run(*order(server, tmp_path, "--ledger", database)) == 0
    assert "after 5 visits" in capsys.readouterr().out
    assert len(rows(database)) == 15
    paths = [path for path in server.paths if path != "/robots.txt"]
    assert len(paths) == len(set(paths)), "no page was fetched twice"


def test_another_folder_goes_on_without_a_checkpoint(
    server: HostileServer, tmp_path: Path, database: str
) -> None:
    assert run(*order(server, tmp_path / "one", "--ledger", database, "--budget", 5)) == 0
    assert run(*order(server, tmp_path / "two", "--ledger", database, "--standby")) == 0
    assert len(rows(database)) == 15
    assert len({row[1] for row in rows(database)}) == 15


def test_another_crawl_in_the_same_database_is_refused(
    server: HostileServer, tmp_path: Path, database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*order(server, tmp_path / "one", "--ledger", database, "--budget", 2)) == 0
    before = rows(database)
    for more in (("--seed", 3), ("--scope", "any"), ("--strategy", "random")):
        assert run(*order(server, tmp_path / "two", "--ledger", database, *more)) == 2
        said = capsys.readouterr().err
        assert "holds a crawl with another" in said
        assert str(more[0]) in said
    assert run(*order(server, tmp_path / "one")) == 2
    assert "use that" in capsys.readouterr().err
    assert rows(database) == before


def test_wrong_values_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for more in (("--ledger", "mysql://here"), ("--standby",), ("--ledger", "postgresql://h:x/d")):
        assert run("crawl", "http://127.0.0.1/", "--out", tmp_path / "out", *more) == 2
        assert capsys.readouterr().err.startswith(f"foragers: {more[0]}")
    assert not (tmp_path / "out" / "crawl.json").exists()


def test_python_reads_it_too(server: HostileServer, tmp_path: Path, database: str) -> None:
    found = foragers.crawl(
        server.url(), out=tmp_path, ledger=database, delay=0, allow_private=LOOPBACK, budget=4
    )
    for _ in found:
        pass
    assert found.summary.downloads == 4


def test_a_password_is_not_written_to_the_folder(
    server: HostileServer, tmp_path: Path, database: str
) -> None:
    url = database.replace("crawler@", "crawler:secret@")
    assert run(*order(server, tmp_path, "--ledger", url, "--budget", 2)) == 0
    kept = (tmp_path / "crawl.json").read_text()
    assert database in kept
    assert "secret" not in kept
    with closing(psycopg.connect(database)) as connection:
        told = connection.execute("SELECT options FROM crawl").fetchone()
        assert told is not None
        assert "secret" not in told[0]


def test_a_refused_crawl_leaves_the_database_unlocked(
    server: HostileServer, tmp_path: Path, database: str
) -> None:
    with pytest.raises(UsageError, match="nothing-like-this"):
        crawl(tmp_path, server.url(), ledger=database, strategy="nothing-like-this")
    assert run(*order(server, tmp_path / "next", "--ledger", database, "--budget", 1)) == 0
