"""A ledger in PostgreSQL, which several machines can read while one crawl writes it.

A crawl has a database, or a schema of one (`?options=-csearch_path%3DNAME`), to itself.  Visits are
only added, by COPY, to partitions of a million.  The crawl holds an advisory lock for as long as
its connection lives.  It writes over that connection alone, so a crawl that has lost the lock
cannot write any more.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from select import POLLIN, poll
from typing import TYPE_CHECKING, Any

from foragers.core.clock import steady
from foragers.core.population import Census
from foragers.core.types import Addresses
from foragers.errors import DatabaseError, UsageError
from foragers.storage.ledger.columns import COLUMNS, VisitRow
from foragers.storage.ledger.population import SCHEMA as POPULATION
from foragers.storage.ledger.population import add_census
from foragers.storage.ledger.sql import INDEX, PAGES, URLS, Name, Rows, SqlLedger

if TYPE_CHECKING:
    import psycopg

VERSION = 1
OLDEST_SERVER = 13
SCHEMES = ("postgresql://", "postgres://")
PARTITION = 1_000_000
"""Visits in a partition."""
TYPES = {"INTEGER": "BIGINT", "REAL": "DOUBLE PRECISION", "BLOB": "BYTEA", " WITHOUT ROWID": ""}
"""The types of SQLite in PostgreSQL."""
SILENCE = 30
"""Seconds after which a connection to a machine that has died ends, and with it its lock."""
KEEPALIVE = """
SET tcp_keepalives_idle = {0}; SET tcp_keepalives_interval = {0}; SET tcp_keepalives_count = 2;
SET tcp_user_timeout = {1}
"""
"""The same for the server, which would otherwise keep the lock of a dead machine for hours."""
LOCK = "pg_try_advisory_lock(1718579041, hashtext(current_schema()))"
RELEASE, TRY_AGAIN = 2.0, 0.2
"""How long the end of another crawl may take to be noticed, and the pause between two looks."""
KEPT = ("sslmode", "sslrootcert", "options", "target_session_attrs")
"""The parameters of a URL that are stored; a password is not."""
ROWS = "COPY {} FROM STDIN (FORMAT BINARY)"


def is_database(place: str) -> bool:
    """Return whether the value of `--ledger` is the URL of a database."""
    return place.startswith(SCHEMES)


def in_postgres(statements: str) -> str:
    """Return statements for SQLite with the types of PostgreSQL."""
    for theirs, ours in TYPES.items():
        statements = statements.replace(theirs, ours)
    return statements


DECLARED = {name: in_postgres(column.declared) for name, column in COLUMNS.items()}
DECLARED["relevant"] = "BOOLEAN NOT NULL"
VISIT_TYPES = [
    kind.replace("DOUBLE PRECISION", "float8").partition(" ")[0].lower()
    for kind in DECLARED.values()
]


def visits_table() -> str:
    """Return the statement that makes the table of visits."""
    declared = ", ".join(f"{name} {kind}" for name, kind in DECLARED.items())
    return f"CREATE TABLE visits ({declared}) PARTITION BY RANGE (number);"


SCHEMA = f"""
{in_postgres(URLS)}
{visits_table()}
{PAGES}
CREATE TABLE crawl (version INTEGER NOT NULL, options TEXT NOT NULL DEFAULT '');
INSERT INTO crawl VALUES ({VERSION});
"""


class Row(tuple[Any, ...]):
    """A row whose columns are found by number or name."""

    names: tuple[str, ...]

    def __getitem__(self, key: Any) -> Any:
        return tuple.__getitem__(self, self.names.index(key) if isinstance(key, str) else key)


def rows_of(cursor: psycopg.Cursor[Any]) -> Any:
    """Return what psycopg makes rows with."""
    names = tuple(column.name for column in cursor.description or ())
    return row_type(names)


@cache
def row_type(names: tuple[str, ...]) -> type[Row]:
    """Return the type of rows with these columns."""
    return type("Row", (Row,), {"names": names})


class Database:
    """A connection to PostgreSQL that is used like one to SQLite; `place` has no password."""

    def __init__(self, connection: psycopg.Connection[Any], place: str) -> None:
        self.connection = connection
        self.place = place
        self._is_called = False

    def execute(
        self, query: str, parameters: Sequence[Any] = (), /, *, binary: bool = False
    ) -> Rows:
        """Run a query whose parameters are question marks; large values go faster as `binary`."""
        with self.speaking():
            mark = "%b" if binary else "%s"
            written = query.replace("%", "%%").replace("?", mark) if parameters else query
            return self.connection.execute(written, parameters or None, binary=binary)

    def listen(self, channel: str) -> None:
        """Let other processes call this one, by `pg_notify` with the channel."""
        self.connection.add_notify_handler(self._note_call)
        self.execute(f'LISTEN "{channel}"')

    @property
    def descriptor(self) -> int:
        """What can be read from when another process has called."""
        return self.connection.fileno()

    def was_called(self, seconds: float = 0.0) -> bool:
        """Return whether another process has called since the last time; wait some seconds."""
        self._read_calls()
        if seconds > 0 and not self._is_called:
            waiting = poll()
            waiting.register(self.descriptor, POLLIN)
            waiting.poll(1000 * seconds)
            self._read_calls()
        called, self._is_called = self._is_called, False
        return called

    def _read_calls(self) -> None:
        """Read what has arrived, without waiting."""
        with self.speaking():
            self.connection.pgconn.consume_input()
            while self.connection.pgconn.notifies() is not None:
                self._is_called = True

    def _note_call(self, _: object) -> None:
        self._is_called = True  # it came with the result of a query

    def copy(self, table: str, types: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Add rows with values of some types to a table."""
        if not rows:
            return
        cursor = self.connection.cursor()
        with self.speaking(), cursor.copy(ROWS.format(table)) as copy:
            copy.set_types(types)
            for row in rows:
                copy.write_row(row)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Do all of a block or nothing of it."""
        with self.speaking(), self.connection.transaction():
            yield

    @contextmanager
    def speaking(self) -> Iterator[None]:
        """Turn errors of the database into one line."""
        import psycopg

        try:
            yield
        except psycopg.Error as error:
            raise DatabaseError(self.place, first_line(error)) from error

    def lock(self, wait: bool = False) -> None:
        """Become the one crawl that writes here; raise a UsageError if another does."""
        # PostgreSQL may notice only in a moment that a crawl before this one has ended.
        until = steady() + RELEASE
        while not self.execute(f"SELECT {LOCK}").fetchone()[0]:
            if steady() > until and not wait:
                raise UsageError(
                    f"--ledger {self.place}: another crawl writes to it; end that one first,"
                    " or give --standby to go on when it ends"
                )
            time.sleep(TRY_AGAIN)

    def prepare(self) -> None:
        """Create the tables in an empty schema; raise a UsageError if it has others."""
        check_tables(self, may_be_empty=True)
        if not tables_of(self):
            with self.transaction():
                self.execute(SCHEMA)

    def close(self) -> None:
        """Close the connection, which gives up the lock."""
        self.connection.close()


def first_line(error: Exception) -> str:
    """Return the first line of an error, without its prefixes."""
    line = str(error).strip().partition("\n")[0].rstrip(".")
    return line.rpartition("failed: ")[2] or type(error).__name__


def connect(url: str, option: str = "--ledger", silence: int | None = None) -> Database:
    """Connect to a database; a UsageError says what is wrong.

    Both sides give up a connection on which nothing arrives for `silence` seconds.
    """
    if find_spec("psycopg") is None:
        raise UsageError(f"{option} postgresql://… needs psycopg: pip install 'foragers[postgres]'")
    import psycopg

    silence = silence or SILENCE
    third, most = max(1, silence // 3), 1000 * silence
    try:
        place = without_password(url)
        connection = psycopg.connect(
            url,
            autocommit=True,
            row_factory=rows_of,
            application_name="foragers",
            connect_timeout=max(2, third),
            keepalives_idle=third,
            keepalives_interval=third,
            keepalives_count=2,
            tcp_user_timeout=most,
        )
        connection.execute(KEEPALIVE.format(third, most))
    except (psycopg.ProgrammingError, UnicodeError) as error:
        raise UsageError(
            f"{option}: not the URL of a database ({first_line(error)});"
            " write postgresql://USER@HOST/DATABASE"
        ) from error
    except psycopg.Error as error:
        raise UsageError(
            f"{option} {place}: {first_line(error)}; check the URL, the password (PGPASSWORD or"
            " ~/.pgpass), and that PostgreSQL runs"
        ) from error
    database = Database(connection, place)
    wrong = ""
    if connection.info.server_version < OLDEST_SERVER * 10_000:
        wrong = f"needs PostgreSQL {OLDEST_SERVER} or newer"
    elif database.execute("SELECT current_schema()").fetchone()[0] is None:
        wrong = "has no such schema; create it first"
    if wrong:
        connection.close()
        raise UsageError(f"{option} {place}: {wrong}")
    return database


def without_password(url: str) -> str:
    """Return the URL of a database for files and messages: without the password."""
    from psycopg.conninfo import conninfo_to_dict

    conninfo_to_dict(url)  # raises an error if it is none
    scheme, _, rest = url.partition("://")
    name, at, host = rest.rpartition("@")
    place, _, query = f"{name.partition(':')[0]}{at}{host}".partition("?")
    kept = "&".join(part for part in query.split("&") if part.partition("=")[0] in KEPT)
    return f"{scheme}://{place}?{kept}" if kept else f"{scheme}://{place}"


def tables_of(database: Database) -> set[str]:
    """Return the names of the tables of a schema."""
    query = "SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace"
    return {name for (name,) in database.execute(f"{query} AND relkind IN ('r', 'p')")}


def check_tables(
    database: Database, option: str = "--ledger", *, may_be_empty: bool = False
) -> None:
    """Raise a UsageError if a schema has no ledger that we understand."""
    tables = tables_of(database)
    if not tables and may_be_empty:
        return
    if not tables.issuperset(("urls", "visits", "crawl")):
        what = "is the database of another program" if tables else "has no ledger"
        raise UsageError(f"{option} {database.place}: {what}; choose another")
    if database.execute("SELECT version FROM crawl").fetchone()[0] > VERSION:
        raise UsageError(
            f"{option} {database.place}: was written by a newer foragers; upgrade to use it"
        )


class PostgresLedger(SqlLedger):
    """A crawl's visits in a database, which is prepared and locked."""

    _connection: Database

    def __init__(
        self, database: Database, addresses: Addresses, *, words: bool = True, batch: int = 1
    ) -> None:
        super().__init__(database, database.place, addresses, words=words, batch=batch)
        self._partitions = set(filter(None, map(number_of, tables_of(database))))

    def keep_census(self, census: Census) -> None:
        """Store the records of a population beside the visits."""
        self.commit()
        with self._connection.transaction():
            self._connection.execute(in_postgres(POPULATION))
            add_census(self._connection, census)

    def _write(self, names: Sequence[Name], rows: Sequence[VisitRow]) -> None:
        wanted = {row.number // PARTITION + 1 for row in rows} - self._partitions
        with self._connection.transaction():
            for number in wanted:
                make, attach = new_partition("visits", number, (number - 1) * PARTITION, PARTITION)
                self._connection.execute(make)
                self._connection.execute(attach)
            self._connection.copy("urls", ("bigint", "text"), names)
            storable_rows = [[storable(value) for value in row] for row in rows]
            self._connection.copy("visits", VISIT_TYPES, storable_rows)
        self._partitions |= wanted

    def _make_index(self) -> None:
        self._connection.execute(INDEX)


def new_partition(table: str, number: int, first: int, size: int) -> tuple[str, str]:
    """Return the statements that make a partition, and attach it.

    To create it as a partition would wait for all who read the table.
    """
    name = f"{table}_{number}"
    values = f"FOR VALUES FROM ({first}) TO ({first + size})"
    return (
        f"CREATE TABLE {name} (LIKE {table} INCLUDING ALL)",
        f"ALTER TABLE {table} ATTACH PARTITION {name} {values}",
    )


def number_of(table: str) -> int | None:
    """Return the number of a partition of visits, by its name."""
    name, _, number = table.rpartition("_")
    return int(number) if name == "visits" and number.isdigit() else None


def storable(value: object) -> object:
    """Return a value without NUL, which PostgreSQL has in no text."""
    return value.replace("\0", "\N{REPLACEMENT CHARACTER}") if isinstance(value, str) else value
