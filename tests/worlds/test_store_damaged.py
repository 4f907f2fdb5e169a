"""Crawl folders and worlds that are damaged, or made to do harm: one line, never a traceback."""

from __future__ import annotations

import gzip
import json
import os
import random
import shutil
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import msgspec
import pytest
import zstandard
from msgspec.structs import replace

from foragers.crawling.session import Session
from foragers.errors import UsageError
from foragers.reports.export import place
from foragers.storage.ledger.sqlite import SqliteLedger
from foragers.storage.warc.cdxj import Entry, entries
from foragers.testing import NumberedAddresses
from foragers.worlds.generated import generate
from foragers.worlds.rewired import rewire
from foragers.worlds.store import open_world, save
from support.crawl_folders import crawl_folder, refused, said
from support.crawling import crawl, order_of, serving
from support.hostile_server import page
from support.worlds_by_hand import address, small_world

TRIALS = 20
"""How many ways of damage are tried of each kind."""
BOMB = zstandard.ZstdCompressor(3).compress(bytes(1 << 28))
VALUES = (
    *(None, -5, 2**31, 2**62, 1e308, float("inf"), "text", "", b"blob", "x" * 100_000, BOMB),
    *(b"", zstandard.compress(b"\xc1"), zstandard.compress(b"\x91" * 5000)),
)

READING = (
    ("explain", "{}", address("t")),
    ("explain", "{}", "http://nowhere.test/"),
    ("report", "{}", "--out", "{}/../report.html"),
    ("export", "{}", "--out", "{}/../out"),
    ("export", "{}", "--format", "warc", "--out", "{}/../out.warc.gz"),
)
OF_WORLDS = (
    ("world", "info", "{}"),
    ("world", "export", "{}", "{}/../it.warc.gz"),
    ("world", "rewire", "{}", "{}/../it-rewired"),
    ("compare", "{}", "--topic", "robot", "--budget", "9", "--strategies", "random", "--jobs", "1"),
    ("train", "{}", "--topic", "robot", "--out", "{}/../it.model"),
)  # fmt: skip


def damage(folder: Path, chance: random.Random) -> None:
    """Do something to one file of a folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size)
    file, how = chance.choice(files), chance.randrange(4)
    data = bytearray(file.read_bytes())
    place = chance.randrange(len(data))
    if how == 0:
        del data[place:]
    elif how == 1:
        for _ in range(4):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    elif how == 2:
        data[place : place + 30] = chance.randbytes(20)
    else:
        data[place : place + 20] = bytes([chance.choice((0, 127, 128, 255))]) * 20
    file.write_bytes(data)


def spoil(folder: Path, chance: random.Random) -> None:
    """Put something where it should not be in a ledger."""
    column, value = chance.choice(columns()), chance.choice(VALUES)
    where = chance.choice(("", "WHERE rowid = 2"))
    unbound(
        folder / "ledger.sqlite", f"UPDATE OR IGNORE {column[0]} SET {column[1]} = ? {where}", value
    )


def columns() -> list[tuple[str, str]]:
    with closing(sqlite3.connect(":memory:")) as empty:
        empty.executescript(made())
        return [
            (table, row[1])
            for table in ("visits", "urls")
            for row in empty.execute(f"PRAGMA table_info({table})")
        ]


def made() -> str:
    from foragers.storage.ledger.sqlite import SCHEMA

    return SCHEMA


def unbound(ledger: Path, change: str, *values: object) -> None:
    """Change a ledger without regard for what its columns may hold."""
    with closing(sqlite3.connect(ledger)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', '')")
        connection.commit()
    with closing(sqlite3.connect(ledger)) as connection:
        try:
            connection.execute(change, values)
        except sqlite3.IntegrityError:  # a row's number must be a number
            return
        connection.commit()


def is_told_in_lines(capsys: pytest.CaptureFixture[str], folder: Path, *command: str) -> None:
    """Run a command on a folder that is damaged: it ends as commands do."""
    code, _, err = said(capsys, *(word.format(folder) for word in command))
    assert code in (0, 1, 2)
    assert "Traceback" not in err
    if code:
        assert err.startswith("foragers: ")
        assert err.count("\n") == 1, err


def copied(source: Path, tmp_path: Path, name: str) -> Path:
    place = tmp_path / name
    place.mkdir()
    return Path(shutil.copytree(source, place / "it"))


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    world = small_world(
        {"home": ["a", "gone", "old"], "a": ["t", "home"], "t": []},
        redirects={"old": "t"},
        texts={"t": "robot arms", "a": "robot"},
    )
    return crawl_folder(tmp_path_factory.mktemp("crawl"), world)


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("worlds")
    small = small_world({"home": ["a", "b"], "a": ["b"], "b": []}, texts={"a": "robot"})
    made = generate("topics", 1, pages=200)
    save(small, folder / "stored")
    save(made, folder / "generated")
    save(rewire(open_world(folder / "generated"), 1), folder / "rewired")
    return {kind: folder / kind for kind in ("stored", "generated", "rewired")}


@pytest.mark.parametrize("harm", [damage, spoil])
def test_a_damaged_crawl_is_told_in_a_line(
    harm: Callable[[Path, random.Random], None],
    crawled: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for number in range(TRIALS):
        folder = copied(crawled, tmp_path, f"{number}")
        harm(folder, random.Random(f"{harm.__name__} {number}"))
        for command in READING:
            is_told_in_lines(capsys, folder, *command)


@pytest.mark.parametrize("kind", ["stored", "generated", "rewired"])
def test_a_damaged_world_is_told_in_a_line(
    kind: str, worlds: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(TRIALS // 2):
        folder = copied(worlds[kind], tmp_path, f"{number}")
        damage(folder, random.Random(f"{kind} {number}"))
        for command in OF_WORLDS:
            is_told_in_lines(capsys, folder, *command)


def test_a_damaged_crawl_goes_on_or_says_why_not(tmp_path: Path) -> None:
    site = {f"/{n}": page(*(f"/{m}" for m in range(5))) for n in range(5)}
    with serving(site) as server:
        url = server.url("/")
        crawl(tmp_path / "whole", url, warc=True)
    for number in range(2 * TRIALS):
        folder = copied(tmp_path / "whole", tmp_path, f"{number}")
        (spoil if number % 2 else damage)(folder, random.Random(f"crawl {number}"))
        with suppress(UsageError):
            Session.open(order_of(url, warc=True), folder).close()


def broken(folder: Path, what: str) -> None:
    """Make a ledger into something else."""
    ledger = folder / "ledger.sqlite"
    if what == "endless view":
        endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT"
        with closing(sqlite3.connect(ledger)) as connection:
            names = ", ".join(f"i AS {name}" for table, name in columns() if table == "visits")
            connection.executescript(
                "DROP VIEW pages; DROP TABLE visits;"
                f"CREATE VIEW visits AS {endless} {names} FROM n;"
            )
    elif what == "trigger":
        with closing(sqlite3.connect(ledger)) as connection:
            connection.executescript(
                "CREATE TRIGGER t AFTER INSERT ON visits BEGIN DELETE FROM urls; END"
            )
    elif what == "computed column":
        with closing(sqlite3.connect(ledger)) as connection:
            connection.execute("ALTER TABLE visits ADD x AS (hex(zeroblob(1000000000)))")
    else:
        ledger.unlink()
        makers: dict[str, Callable[[Path], None]]
        makers = {"pipe": os.mkfifo, "folder": Path.mkdir, "empty": Path.touch}
        makers[what](ledger)


@pytest.mark.parametrize(
    "what", ["pipe", "folder", "empty", "endless view", "trigger", "computed column"]
)
def test_what_is_no_ledger_is_refused_at_once(
    what: str, crawled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = copied(crawled, tmp_path, "it")
    broken(folder, what)
    for command in READING:
        line = refused(capsys, *(word.format(folder) for word in command))
        assert "ledger.sqlite" in line
    if what == "empty":  # which is one in which nothing is written yet
        return
    (folder / "crawl.json").unlink()
    for told in ("", "host"):  # a new crawl, and one that goes on in another scope
        if told:
            before = msgspec.json.encode(order_of("http://127.0.0.1:1/", within=told))
            (folder / "crawl.json").write_bytes(before)
        with pytest.raises(UsageError, match=r"ledger\.sqlite"):
            Session.open(order_of("http://127.0.0.1:1/"), folder)


def test_what_would_unpack_to_too_much_is_not_unpacked(
    crawled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = copied(crawled, tmp_path, "it")
    unbound(folder / "ledger.sqlite", "UPDATE visits SET words = ?", BOMB)
    line = refused(capsys, "export", folder)
    assert (
        "ledger.sqlite cannot be read: it is damaged (a piece of it would unpack to too much)"
        in line
    )
    ledger = SqliteLedger(folder / "ledger.sqlite", NumberedAddresses())
    with pytest.raises(UsageError, match="unpack to too much"):
        list(ledger.read())
    ledger.close()


def test_a_world_that_would_unpack_to_too_much_is_refused(
    worlds: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = copied(worlds["stored"], tmp_path, "it")
    blocks = (folder / "words.bin").stat().st_size
    (folder / "words.bin").write_bytes(BOMB[:blocks].ljust(blocks))
    line = refused(capsys, "train", folder, "--topic", "robot", "--out", tmp_path / "model")
    assert "words.bin is damaged" in line


@pytest.mark.parametrize("file", ["crawl.json", "world.json"])
def test_options_that_never_end_are_no_options(
    file: str,
    crawled: Path,
    worlds: dict[str, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for text in ("[" * 100_000, '{"aim":' * 100_000, '{"aim": {"topic": "' + "\\u001b[2J" + '"}}'):
        folder = copied(
            crawled if file == "crawl.json" else worlds["stored"], tmp_path, f"{len(text)}"
        )
        (folder / file).write_text(text)
        if file == "world.json":
            assert "world.json is damaged" in refused(capsys, "world", "info", folder)
            continue
        for command in READING:
            is_told_in_lines(capsys, folder, *command)
        with pytest.raises(UsageError, match=r"crawl\.json is damaged"):
            Session.open(order_of("http://127.0.0.1:1/"), folder)


def test_a_world_in_itself_is_refused(
    worlds: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = copied(worlds["rewired"], tmp_path, "it")
    shutil.rmtree(folder / "base")
    (folder / "base").symlink_to(".")
    assert "is damaged" in refused(capsys, "world", "info", folder)


@pytest.mark.parametrize("file", ["targets.npy", "words.bin", "world.json"])
def test_pipes_among_the_files_of_a_world_are_not_waited_for(
    file: str, worlds: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = copied(worlds["stored"], tmp_path, "it")
    (folder / file).unlink()
    os.mkfifo(folder / file)
    refused(capsys, "world", "info", folder)


def test_states_are_not_kept_through_a_link(worlds: dict[str, Path], tmp_path: Path) -> None:
    from foragers.worlds.states import states_of

    folder, mine = copied(worlds["generated"], tmp_path, "it"), tmp_path / "mine"
    mine.write_bytes(b"mine")
    (folder / "states-3.npz").symlink_to(mine)
    assert states_of(open_world(folder), 3).shape[1] == 3
    assert mine.read_bytes() == b"mine"


def test_an_error_cannot_drive_the_terminal(
    crawled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = copied(crawled, tmp_path, "it")
    told = json.loads((folder / "crawl.json").read_text())
    told["strategy"] = "\x1b]0;mine\x07\x1b[2J"
    (folder / "crawl.json").write_bytes(msgspec.json.encode(told))
    for command in READING:
        _, out, err = said(capsys, *(word.format(folder) for word in command))
        assert "\x1b" not in out + err


def test_archived_records_are_unpacked_within_bounds(
    crawled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = copied(crawled, tmp_path, "it")
    bomb = gzip.compress(b"WARC/1.1\r\n" + bytes(300_000_000), 1)
    for file in (folder / "warc").iterdir():
        file.write_bytes(bomb)
    unbound(folder / "ledger.sqlite", f"UPDATE visits SET record = '{file.name}#0', relevant = 1")
    code, _, err = said(capsys, "export", folder, "--format", "warc", "--out", tmp_path / "out")
    assert code == 0
    assert "not found whole" in err
    assert (tmp_path / "out").stat().st_size < 1000


@pytest.mark.parametrize("offset", ["9" * 5000, "9" * 19, "-1", "²", ""])
def test_places_that_no_file_has_are_none(offset: str) -> None:
    assert place(f"file#{offset}") == (None, None)


def test_agents_that_would_unpack_to_too_much_are_none(
    crawled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = copied(crawled, tmp_path, "it")
    with zipfile.ZipFile(folder / "agents.npz", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("times.npy", bytes(300_000_000))
    assert said(capsys, "report", folder)[0] == 0
    (folder / "agents.npz").unlink()
    os.mkfifo(folder / "agents.npz")
    assert said(capsys, "report", folder)[0] == 0


def test_lines_of_an_index_that_say_nothing_are_passed_over(tmp_path: Path) -> None:
    entry = Entry("http://a.test/", "text/html", "200", "-", "5", "0", "a-00000.warc.gz")
    wrong = [replace(entry, offset="x"), replace(entry, length="9" * 5000)]
    wrong += [replace(entry, date="never")]
    lines = [one.line() for one in (*wrong, entry)]
    (tmp_path / "index.cdxj").write_bytes(b"".join([*lines, b"a 1 {" + b'"a":[' * 9999 + b"\n"]))
    assert list(entries(tmp_path / "index.cdxj")) == [entry]
