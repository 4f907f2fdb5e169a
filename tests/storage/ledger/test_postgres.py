"""The ledger in PostgreSQL: what it refuses, what it locks, and that it only ever adds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

import psycopg
import pytest
from msgspec.structs import replace

from foragers.errors import DatabaseError, UsageError
from foragers.storage.ledger import postgres as module
from foragers.storage.ledger.postgres import (
    Database,
    PostgresLedger,
    connect,
    in_postgres,
    without_password,
)
from foragers.testing import NumberedAddresses
from foragers.testing.ledgers import sample_visits
from support.postgres import PostgresServer

ADDRESSES = NumberedAddresses()


@contextmanager
def prepared(url: str) -> Iterator[Database]:
    with closing(connect(url)) as database:
        database.lock()
        database.prepare()
        yield database


def refused(url: str) -> str:
    with pytest.raises(UsageError) as error, prepared(url):
        pass
    assert "\n" not in str(error.value)
    return str(error.value)


def test_one_crawl_at_a_time_writes_to_a_database(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RELEASE", 0.0)
    with prepared(database):
        assert "another crawl writes to it" in refused(database)
    with prepared(database):
        pass


def test_schemas_of_a_database_are_ledgers_of_their_own(
    database: str, postgres: PostgresServer
) -> None:
    with prepared(database) as one, prepared(postgres.new_schema()) as other:
        PostgresLedger(other, ADDRESSES).append(sample_visits())
        assert len(PostgresLedger(other, ADDRESSES)) == len(sample_visits())
        assert len(PostgresLedger(one, ADDRESSES)) == 0
    nowhere = f"{postgres.url('postgres')}?options=-csearch_path%3Dnone"
    assert "has no such schema" in refused(nowhere)


def test_wrong_databases_are_refused_in_one_line_and_left_as_they_are(
    database: str, postgres: PostgresServer
) -> None:
    assert "does not exist" in refused(postgres.url("nowhere"))
    assert "check the URL" in refused("postgresql://crawler@127.0.0.1:1/none")
    assert "invalid integer" in refused("postgresql://crawler@127.0.0.1:x/none")
    assert "not the URL of a database" in refused("postgresql://crawler@127.0.0.1/a?b=c")
    with closing(psycopg.connect(database, autocommit=True)) as connection:
        connection.execute("CREATE TABLE visits (person TEXT)")
        assert "database of another program" in refused(database)
        assert connection.execute("SELECT count(*) FROM pg_class WHERE relname = 'urls'").fetchone()
        connection.execute("DROP TABLE visits")
        with prepared(database):
            connection.execute("UPDATE crawl SET version = 99")
        assert "newer foragers" in refused(database)


def test_a_missing_driver_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    assert "pip install 'foragers[postgres]'" in refused("postgresql://nobody@127.0.0.1/none")


def test_passwords_are_in_no_message_and_no_file() -> None:
    for url, shown in (
        ("postgresql://me:secret@db.org/crawl", "postgresql://me@db.org/crawl"),
        ("postgresql://db.org/crawl?password=secret", "postgresql://db.org/crawl"),
        ("postgresql://me@/crawl?password=secret&sslmode=require",
         "postgresql://me@/crawl?sslmode=require"),
        ("postgresql://me:s%40cret@[::1]:5433/crawl", "postgresql://me@[::1]:5433/crawl"),
    ):  # fmt: skip
        assert without_password(url) == shown


def test_text_that_postgresql_cannot_hold_is_stored_without_nul(database: str) -> None:
    first, *_ = sample_visits()
    odd = replace(first, page=replace(first.page, reason="a\0b"))
    with prepared(database) as connected:
        ledger = PostgresLedger(connected, ADDRESSES)
        ledger.append([odd])
        assert ledger.reasons() == ["a\N{REPLACEMENT CHARACTER}b"]


def test_visits_beyond_a_partition_go_to_the_next(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PARTITION", 4)
    visits = sample_visits()
    with prepared(database) as connected:
        ledger = PostgresLedger(connected, ADDRESSES, batch=3)
        for visit in visits:
            ledger.append([visit])
        ledger.commit()
        again = PostgresLedger(connected, ADDRESSES)
        again.append(visits)
        assert len(list(again.read())) == 2 * len(visits)
        assert connected.execute("SELECT count(*) FROM visits_1").fetchone()[0] == 3
        assert connected.execute("SELECT count(*) FROM visits_2").fetchone()[0] == 4


def test_a_lost_connection_is_one_line_and_loses_nothing_committed(
    postgres: PostgresServer, database: str
) -> None:
    visits = sample_visits()
    with prepared(database) as connected:
        ledger = PostgresLedger(connected, ADDRESSES)
        ledger.append(visits)
        with closing(psycopg.connect(database, autocommit=True)) as other:
            pid = connected.connection.info.backend_pid
            other.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,))
        with pytest.raises(DatabaseError, match="start the same command again") as error:
            ledger.append(visits)
        assert "\n" not in str(error.value)
    with prepared(database) as connected:
        assert len(PostgresLedger(connected, ADDRESSES)) == len(visits)


def test_an_open_snapshot_leaves_no_dead_rows_in_the_way(database: str) -> None:
    with closing(psycopg.connect(database)) as reader, prepared(database) as connected:
        ledger = PostgresLedger(connected, ADDRESSES)
        reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        reader.execute("SELECT count(*) FROM visits")
        for _ in range(50):
            ledger.append(sample_visits())
        dead = connected.execute(
            "SELECT coalesce(sum(n_dead_tup), 0) FROM pg_stat_user_tables"
            " WHERE schemaname = current_schema()"
        )
        assert dead.fetchone()[0] == 0
        assert reader.execute("SELECT count(*) FROM visits").fetchone() == (0,)
        assert len(ledger) == 50 * len(sample_visits())


def test_types_of_sqlite_become_those_of_postgresql() -> None:
    assert in_postgres("a REAL, b BLOB, c INTEGER) WITHOUT ROWID") == (
        "a DOUBLE PRECISION, b BYTEA, c BIGINT)"
    )
