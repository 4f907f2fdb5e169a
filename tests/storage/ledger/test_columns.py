"""The columns of a visit: one record type for schema, statements, rows and facts."""

from __future__ import annotations

import sqlite3

from foragers.core.content import StoredContent
from foragers.storage.ledger.columns import COLUMNS, FACT_COLUMNS, INSERT, SELECT, TABLE, VisitRow
from foragers.testing import NumberedAddresses, sample_visits


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
        odd = "x'00'" if name != "words" else "'text'"
        sound = connection.execute(f"SELECT {column.sound.format('v')} FROM (SELECT {odd} AS v)")
        assert sound.fetchone() == (0,), name
    connection.close()
