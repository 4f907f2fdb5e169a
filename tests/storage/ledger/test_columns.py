"""The columns of a visit: one record type for schema, statements, rows and facts."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import msgspec
import pytest

from foragers.core.content import StoredContent
from foragers.core.links import ParsedLink, ParsedLinks
from foragers.core.types import Choice, Document, Purpose, Status
from foragers.errors import UsageError
from foragers.reports.crawl_folder import opened
from foragers.reports.retell import visit_row
from foragers.storage.ledger.columns import (
    COLUMNS,
    FACT_COLUMNS,
    FIRST_COLUMNS,
    INSERT,
    SELECT,
    TABLE,
    VisitRow,
    table_of,
)
from foragers.storage.ledger.sqlite import VERSION, SqliteLedger
from foragers.testing import NumberedAddresses, sample_visits
from foragers.testing.ledgers import sample


def test_a_table_has_the_columns_of_a_row_in_their_order() -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute(TABLE)
    names = [name for _, name, *_ in connection.execute("PRAGMA table_info(visits)")]
    connection.close()
    assert names == list(VisitRow._fields) == list(COLUMNS)
    assert set(FACT_COLUMNS) < set(names)


def test_a_row_comes_out_of_a_table_as_it_went_in_and_is_the_visit_again() -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute(TABLE)
    visits = sample_visits()
    rows = [
        VisitRow.of(number, visit, visit.page.document) for number, visit in enumerate(visits, 1)
    ]
    connection.executemany(INSERT, rows)
    found = [VisitRow._make(row) for row in connection.execute(f"{SELECT} ORDER BY number")]
    connection.close()
    assert found == rows
    for row, visit in zip(found, visits, strict=True):
        content = StoredContent.of(visit.page, visit.page.document)
        again = row.visit(content, NumberedAddresses())
        assert again.page.choice == visit.page.choice
        assert VisitRow.of(row.number, again, again.page.document) == row


def test_every_column_refuses_what_it_cannot_hold() -> None:
    connection = sqlite3.connect(":memory:")
    for name, column in COLUMNS.items():
        odd = "'odd'" if "TEXT" not in column.declared else "x'00'"
        sound = connection.execute(f"SELECT {column.sound.format('v')} FROM (SELECT {odd} AS v)")
        assert sound.fetchone() == (0,), name
    connection.close()


def of_version_1(path: Path) -> None:
    """Make a ledger as the first version did: without purposes and times of retry."""
    ledger = SqliteLedger(path, NumberedAddresses())
    later = "503; to be asked again"
    ledger.append([
        sample(Choice(1, 0), reason=later, status=Status.FAILED, retry_at=2e9),
        sample(Choice(2, 0), reason=later, status=Status.FAILED, retry_at=2e9),
        sample(Choice(3, 0, 0.0, "feed", 1, 0, Purpose.FEED), status=Status.UNWANTED),
        sample(Choice(1, 0)),
    ])  # fmt: skip
    ledger.close()
    connection = sqlite3.connect(path)
    names = ", ".join(FIRST_COLUMNS)
    connection.executescript(f"""
        CREATE TABLE kept AS SELECT {names} FROM visits;
        DROP TABLE visits;
        {table_of(FIRST_COLUMNS)}
        INSERT INTO visits SELECT {names} FROM kept;
        DROP TABLE kept;
        PRAGMA user_version = 1;
    """)
    connection.close()


def test_a_ledger_of_version_1_gets_its_new_columns_when_it_is_opened(tmp_path: Path) -> None:
    of_version_1(tmp_path / "old.sqlite")
    for _ in range(2):
        ledger = SqliteLedger(tmp_path / "old.sqlite", NumberedAddresses())
        assert ledger.deferred() == [Choice(2, 0)]
        assert ledger.lists() == [3]
        assert ledger.choice(3).purpose is Purpose.FEED
        assert [visit.page.retry_at for visit in ledger.read()] == [1e9, 1e9, None, None]
        ledger.close()
    connection = sqlite3.connect(tmp_path / "old.sqlite")
    assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
    connection.close()


def test_a_ledger_of_version_1_is_read_without_being_written(tmp_path: Path) -> None:
    path = tmp_path / "old.sqlite"
    of_version_1(path)
    before = path.read_bytes()
    with opened(path) as folder:
        assert visit_row(folder, 3).purpose == Purpose.FEED.value
        assert visit_row(folder, 2).retry_at == 1e9
        assert folder.facts().urls.tolist() == [1, 2, 3, 1]
    assert path.read_bytes() == before


def test_a_ledger_with_an_odd_new_column_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "odd.sqlite"
    of_version_1(path)
    SqliteLedger(path, NumberedAddresses()).close()
    connection = sqlite3.connect(path)
    connection.execute("UPDATE visits SET purpose = 'mischief' WHERE number = 1")
    connection.commit()
    connection.close()
    with pytest.raises(UsageError, match="damaged"):
        SqliteLedger(path, NumberedAddresses())


def test_numbers_before_the_urls_are_read_as_those_after_them() -> None:
    hrefs = ["http://a.test/1", "http://a.test/2"]
    told = ParsedLinks.of([ParsedLink(href) for href in hrefs]).columns()
    start: tuple[object, ...] = (Document("Title"), (), "tag", "date")
    before = (*start, [3, 4], [0, 0], hrefs, told)
    after = (*start, [], [], hrefs, told, [3, 4], [0, 0])
    read = [
        msgspec.msgpack.decode(msgspec.msgpack.encode(fields), type=StoredContent)
        for fields in (before, after)
    ]
    assert [content.columns().targets.tolist() for content in read] == [[3, 4], [3, 4]]
    assert [link.href for link in read[0].links] == hrefs
    wrong = (*start, [3], [0], hrefs, told)
    with pytest.raises(msgspec.ValidationError, match="columns of links"):
        msgspec.msgpack.decode(msgspec.msgpack.encode(wrong), type=StoredContent)
