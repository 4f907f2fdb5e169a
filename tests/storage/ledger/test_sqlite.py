"""The SQLite ledger: killed, reopened, refused."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from random import Random

import msgspec
import numpy as np
import pytest
import zstandard

from foragers.core.content import ContentToStore
from foragers.core.links import ParsedLinks
from foragers.core.loop import Crawl
from foragers.core.packing import unpacked
from foragers.core.types import Choice, Document, Links, Page, Status, Visit
from foragers.errors import UsageError
from foragers.fetching.extractor import Extracted
from foragers.judges.simple import Everything
from foragers.storage.ledger.columns import Facts
from foragers.storage.ledger.sqlite import VERSION, SqliteLedger
from foragers.strategies.baselines import BreadthFirst
from foragers.testing import NumberedAddresses, sample_visits
from foragers.worlds.replay import Recorded
from support.random_worlds import random_world

ADDRESSES = NumberedAddresses()

WRITER = """
import sys
from foragers.storage.ledger.sqlite import SqliteLedger
from foragers.testing import NumberedAddresses
from foragers.testing.ledgers import sample
from foragers.core.types import Choice

ledger = SqliteLedger(sys.argv[1], NumberedAddresses(), batch=7)
print(len(ledger), flush=True)
while True:
    number = len(ledger)
    ledger.append([sample(Choice(n, 0, float(n)), time=float(n)) for n in (number, number + 1)])
"""


def test_killed_ledger_opens_and_has_no_gap(tmp_path: Path) -> None:
    path, rng, held = tmp_path / "ledger.sqlite", Random(1), 0
    for _ in range(6):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE, text=True
        ) as writer:
            assert writer.stdout is not None
            assert int(writer.stdout.readline()) == held
            time.sleep(rng.uniform(0.01, 0.15))
            writer.send_signal(signal.SIGKILL)
            writer.wait()
        ledger = SqliteLedger(path, ADDRESSES)
        visits = list(ledger.read())
        assert [visit.url for visit in visits] == list(range(len(visits)))
        assert [visit.page.time for visit in visits] == list(map(float, range(len(visits))))
        assert len(ledger) == len(visits) >= held
        held = len(ledger)
        ledger.close()
        assert not path.with_name("ledger.sqlite-wal").exists()
        with sqlite3.connect(path) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            named = connection.execute("SELECT count(*) FROM pages").fetchone()[0]
        connection.close()
        assert named == held
    assert held > 0


def crawl_into(path: Path, batch: int) -> None:
    archive = random_world(1)
    ledger = SqliteLedger(path, archive.book, batch=batch)
    crawl = Crawl(BreadthFirst(), Recorded(archive, connections=3), Everything(), ledger)
    crawl.begin()
    crawl.run()
    ledger.close()


@pytest.mark.parametrize("batch", [1, 10])
def test_same_crawl_twice_gives_the_same_file(batch: int, tmp_path: Path) -> None:
    for name in ("one", "two"):
        crawl_into(tmp_path / name, batch)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"]


def test_batch_is_on_disk_when_it_is_full_and_not_before(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    ledger = SqliteLedger(path, ADDRESSES, batch=4)

    def on_disk() -> int:
        connection = sqlite3.connect(path)
        (count,) = connection.execute("SELECT count(*) FROM visits").fetchone()
        connection.close()
        return int(count)

    visits = sample_visits()
    ledger.append(visits[:3])
    assert (on_disk(), len(ledger)) == (0, 3)
    ledger.append(visits[3:4])
    assert (on_disk(), len(ledger)) == (4, 4)
    ledger.append(visits[4:5])
    ledger.commit()
    assert on_disk() == 5
    ledger.append(visits[5:6])
    ledger.close()
    assert on_disk() == 6


def test_reading_does_not_hold_up_the_crawl(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    ledger = SqliteLedger(path, ADDRESSES)
    ledger._connection.execute("PRAGMA busy_timeout = 0")
    ledger.append(sample_visits())
    reader = sqlite3.connect(path)
    rows = reader.execute("SELECT number FROM visits")
    assert rows.fetchone() == (1,)
    ledger.append(sample_visits())
    assert len(rows.fetchall()) == len(sample_visits()) - 1
    reader.close()
    ledger.close()


def test_view_shows_addresses(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    ledger = SqliteLedger(path, ADDRESSES)
    ledger.append(sample_visits())
    ledger.close()
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT url, final, parent, relevant FROM pages").fetchall()
    connection.close()
    assert len(rows) == len(sample_visits())
    assert rows[0] == ("http://sample.test/0", "http://sample.test/0", None, 1)
    assert rows[4] == ("http://sample.test/4", "http://sample.test/7", "http://sample.test/1", 0)


def test_words_can_be_left_out(tmp_path: Path) -> None:
    sizes = {}
    for words in (True, False):
        ledger = SqliteLedger(tmp_path / str(words), ADDRESSES, words=words)
        for _ in range(100):
            ledger.append(sample_visits())
        sizes[words] = [len(list(visit.links)) for visit in ledger.read()]
        ledger.close()
    assert sum(sizes[True]) == 500
    assert sum(sizes[False]) == 0
    assert (tmp_path / "False").stat().st_size < (tmp_path / "True").stat().st_size


def test_links_written_one_by_one_as_the_first_ledgers_did_are_read(tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / "ledger", ADDRESSES)
    ledger.append(sample_visits())
    before = list(ledger.read())
    ledger.close()
    with sqlite3.connect(tmp_path / "ledger") as connection:
        for visit, number in zip(before, range(1, 1 + len(before)), strict=True):
            old = msgspec.msgpack.encode((visit.page.document, list(visit.links)))
            packed = zstandard.ZstdCompressor().compress(old)
            connection.execute("UPDATE visits SET words = ? WHERE number = ?", (packed, number))
    connection.close()
    after = SqliteLedger(tmp_path / "ledger", ADDRESSES)
    assert any(visit.links for visit in before)
    assert [list(visit.links) for visit in after.read()] == [list(one.links) for one in before]
    after.close()


def test_failed_commit_can_be_repeated(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    ledger = SqliteLedger(path, ADDRESSES, batch=100)
    ledger.append(sample_visits())
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    ledger._connection.execute("PRAGMA busy_timeout = 0")
    with pytest.raises(sqlite3.OperationalError):
        ledger.commit()
    other.execute("ROLLBACK")
    other.close()
    ledger.commit()
    shown = ledger._connection.execute("SELECT count(*) FROM pages").fetchone()
    assert shown == (len(sample_visits()),)
    ledger.close()


def test_facts_are_those_of_the_visits() -> None:
    ledger = SqliteLedger(":memory:", ADDRESSES)
    ledger.append(sample_visits())
    facts = ledger.facts()
    assert facts.ok.tolist() == Facts.of(sample_visits()).ok.tolist()
    assert facts.ok.tolist() == [n in (0, 1, 4, 7) for n in range(11)]
    ledger.close()


def refused(path: Path) -> str:
    with pytest.raises(UsageError) as caught:
        SqliteLedger(path, ADDRESSES)
    message = str(caught.value)
    assert "\n" not in message
    assert str(path) in message
    return message


def test_ledger_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    SqliteLedger(path, ADDRESSES).close()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    connection.close()
    assert "upgrade" in refused(path)


def test_file_that_is_no_database_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database, but long enough to be looked at\n" * 100)
    before = path.read_bytes()
    assert "choose another file" in refused(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("version", [0, VERSION])
def test_database_of_another_program_is_refused_and_left_as_it_is(
    version: int, tmp_path: Path
) -> None:
    path = tmp_path / "other.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE bookmarks (title TEXT)")
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    before = path.read_bytes()
    assert "choose another file" in refused(path)
    assert path.read_bytes() == before


def test_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    refused(tmp_path / "nowhere" / "ledger.sqlite")


def test_pages_that_bring_nothing_have_the_content_of_an_empty_page(tmp_path: Path) -> None:
    links = Links(np.empty(0, np.int32), np.empty(0, np.int32), ADDRESSES, Extracted(Status.OK))
    hidden = ParsedLinks("words of a page that is not to be kept")
    contents = [
        Extracted(Status.MISSING),
        Extracted(Status.UNWANTED, "noindex", links=hidden),
        Extracted(Status.UNWANTED, etag="x"),
        Extracted(Status.UNWANTED, modified="Mon, 06 Jan 2025 10:00:00 GMT"),
        Extracted(Status.OK, text=Document(title="a")),
    ]
    expected = []
    with closing(SqliteLedger(tmp_path / "ledger.sqlite", ADDRESSES)) as ledger:
        for number, content in enumerate(contents):
            page = Page(Choice(number, 0), content.status, "", number, 1.0, 1.0, -1, links, content)
            ledger.append([Visit(page, 0.0, False)])
            expected.append(ContentToStore.of(page, content.document()))
    with closing(sqlite3.connect(tmp_path / "ledger.sqlite")) as database:
        packed = [words for (words,) in database.execute("SELECT words FROM visits")]
    assert [unpacked(words) for words in packed] == list(map(msgspec.msgpack.encode, expected))
    assert len(set(packed)) == len(contents)
