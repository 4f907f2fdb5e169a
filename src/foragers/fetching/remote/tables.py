"""The tables over which a crawl and its nodes work together, beside the ledger.

Orders and answers are only added; whole partitions of them are dropped when all is told.  A node
is a row with a lease, which it renews.  A host, or an IP address (`at 192.0.2.1`), belongs to the
node that requests it.  All times are those of the database, so clocks of machines do not matter.

A node whose lease has run out is declared dead by whoever sees it first, and stays dead: its
process must join again under another number.  Renewal and declaration lock the row of the node,
so one of them comes first.  The successor of a dead node waits until its lease has run out, and
for the delay of the host after that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from hmac import compare_digest
from typing import Any, NamedTuple

from foragers.errors import DatabaseError
from foragers.fetching.settings import ClusterSettings
from foragers.storage.ledger.postgres import Database

SCHEMA = """
CREATE TABLE IF NOT EXISTS nodes (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name TEXT NOT NULL,
    capacity BIGINT NOT NULL, lease_until TIMESTAMPTZ NOT NULL, alive BOOLEAN NOT NULL DEFAULT true
);
CREATE TABLE IF NOT EXISTS leases (
    name TEXT PRIMARY KEY, node BIGINT NOT NULL, delay DOUBLE PRECISION NOT NULL,
    next_allowed TIMESTAMPTZ NOT NULL DEFAULT 'epoch'
) WITH (fillfactor = 50);
CREATE TABLE IF NOT EXISTS orders (
    number BIGINT NOT NULL, node BIGINT NOT NULL, body BYTEA NOT NULL, PRIMARY KEY (node, number)
) PARTITION BY RANGE (number);
CREATE TABLE IF NOT EXISTS answers (
    node BIGINT NOT NULL, number BIGINT NOT NULL, to_order BIGINT NOT NULL, body BYTEA NOT NULL,
    PRIMARY KEY (node, number, to_order)
) PARTITION BY RANGE (to_order);
CREATE TABLE IF NOT EXISTS answers_late PARTITION OF answers DEFAULT;
CREATE TABLE IF NOT EXISTS widened (url TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS tokens (proof BYTEA NOT NULL);
"""
DURABLY = "SET LOCAL synchronous_commit TO on"
LAST_ANSWERS = "SELECT node, max(number) FROM answers GROUP BY node"
LAST_ORDER = "SELECT coalesce(max(number), 0) FROM orders"
JOIN = """
INSERT INTO nodes (name, capacity, lease_until)
VALUES (?, ?, clock_timestamp() + ? * interval '1 second') RETURNING id
"""
RENEW = """
UPDATE nodes SET lease_until = clock_timestamp() + ? * interval '1 second', capacity = ?
WHERE id = ? AND alive AND lease_until > clock_timestamp() RETURNING id
"""
LEAVE = "UPDATE nodes SET alive = false, lease_until = clock_timestamp() WHERE id = ? AND alive"
BURY = "UPDATE nodes SET alive = false WHERE alive AND lease_until < clock_timestamp()"
ALIVE = "SELECT id, capacity FROM nodes WHERE alive ORDER BY id"
CLAIM = """
INSERT INTO leases AS held (name, node, delay) SELECT unnest(?::text[]), ?, ?
ON CONFLICT (name) DO UPDATE SET node = excluded.node, next_allowed = CASE
    WHEN held.node = excluded.node THEN held.next_allowed
    ELSE greatest(held.next_allowed, (SELECT lease_until FROM nodes WHERE id = held.node)
                  + held.delay * interval '1 second') END
WHERE held.node = excluded.node
   OR NOT coalesce((SELECT alive FROM nodes WHERE id = held.node), false)
RETURNING name, extract(epoch FROM next_allowed - clock_timestamp())::double precision
"""
HELD = "SELECT name, node FROM leases WHERE name = ANY(?) AND node <> ?"
NOTE = """
UPDATE leases SET delay = greatest(delay, ?),
    next_allowed = greatest(next_allowed, clock_timestamp() + ? * interval '1 second')
WHERE name = ? AND node = ?
"""
RELEASE = """
UPDATE leases SET node = 0,
    next_allowed = greatest(next_allowed, clock_timestamp() + ? * interval '1 second')
WHERE name = ? AND node = ?
"""
ORDERS = "SELECT number, body FROM orders WHERE node = ? AND number > ? ORDER BY number LIMIT ?"
ANSWERS = """
SELECT answers.node, answers.number, to_order, body
FROM unnest(?::bigint[], ?::bigint[]) AS read (node, number)
JOIN answers ON answers.node = read.node AND answers.number > read.number
ORDER BY answers.node, answers.number
"""
ANSWER_TYPES = ("bigint", "bigint", "bigint", "bytea")


TAG = blake2b().digest_size
"""Bytes of the seal before each message."""


class Token:
    """The secret that a crawl and its nodes share, which shows that their messages are theirs."""

    def __init__(self, secret: str = "") -> None:
        self._key = blake2b(secret.encode("utf-8", "surrogateescape")).digest()

    @property
    def proof(self) -> bytes:
        """What shows that another has the same secret."""
        return blake2b(b"token", key=self._key).digest()

    def sealed(self, body: bytes, *about: int) -> bytes:
        """Return a message with the proof that who has the secret wrote it about this."""
        told = b"".join(number.to_bytes(8) for number in about)
        return blake2b(told + body, key=self._key).digest() + body

    def opened(self, sealed: bytes, *about: int) -> bytes:
        """Return a message, or nothing if it is not by who has the secret."""
        body = sealed[TAG:]
        return body if compare_digest(self.sealed(body, *about), sealed) else b""


NO_TOKEN = Token()


class StaleError(Exception):
    """The lease of a node has run out, and others may have its hosts."""


class Report(NamedTuple):
    """What a node tells: numbered answers, pauses to remember, and leases to take and give up."""

    answers: Sequence[tuple[int, int, bytes]] = ()
    notes: Mapping[str, tuple[float, float]] = {}
    wanted: Sequence[str] = ()
    released: Mapping[str, float] = {}
    renewal: bool = False


class News(NamedTuple):
    """What a node hears: numbered orders, leases with the wait before their use, others' leases."""

    orders: Sequence[tuple[int, bytes]] = ()
    granted: Sequence[tuple[str, float]] = ()
    elsewhere: Sequence[tuple[str, int]] = ()
    widened: Sequence[str] = ()
    renewed: bool = False


class NodeTables:
    """The tables as a node uses them, over a connection of its own."""

    def __init__(
        self,
        database: Database,
        delay: float,
        settings: ClusterSettings,
        token: Token = NO_TOKEN,
    ) -> None:
        self.database = database
        self.delay = delay
        self.settings = settings
        self.token = token

    def open(self) -> None:
        """Let a node that was stopped hold up no others, and answers not wait for the disk."""
        limit = round(1000 * self.settings.lease)
        self.database.execute(f"SET idle_in_transaction_session_timeout = {limit}")
        # After a crash of the database the crawl orders again what was not told.
        self.database.execute("SET synchronous_commit TO off")

    def join(self, name: str, capacity: int) -> int:
        """Become a node, and return its number, which must outlive a crash of the database."""
        with self.database.transaction():
            self.database.execute(DURABLY)
            row = self.database.execute(JOIN, (name, capacity, self.settings.lease)).fetchone()
        return int(row[0])

    def written(self, node: int) -> int:
        """Return the number of the last answer that was written."""
        query = "SELECT coalesce(max(number), 0) FROM answers WHERE node = ?"
        return int(self.database.execute(query, (node,)).fetchone()[0])

    def exchange(self, node: int, capacity: int, last: int, report: Report) -> News:
        """Tell and hear everything; raise a StaleError without a lease.

        Answers and what they say about hosts are written in one transaction.  Most exchanges have
        nothing but answers and orders, and need none.
        """
        if report.renewal or report.wanted or report.notes or report.released:
            with self.database.transaction():
                self.database.execute(DURABLY)
                granted, elsewhere = self._tell(node, capacity, report)
        else:
            granted, elsewhere = (), ()
            self._answer(node, report)
        given = self.database.execute(ORDERS, (node, last, self.settings.orders), binary=True)
        orders = [(number, self.token.opened(body, number, node)) for number, body in given]
        seen = self.database.execute("SELECT url FROM widened") if orders else ()
        return News(orders, granted, elsewhere, [url for (url,) in seen], report.renewal)

    def _tell(self, node: int, capacity: int, report: Report) -> tuple[Any, Any]:
        """Write a report; return the leases that were taken, and who has the others."""
        database, settings = self.database, self.settings
        # First: a node that is stopped in the middle of a COPY must not have locked rows.
        self._answer(node, report)
        if report.renewal:
            renewed = database.execute(RENEW, (settings.lease, capacity, node))
            if renewed.fetchone() is None:
                raise StaleError
        for name, (delay, pause) in sorted(report.notes.items()):
            database.execute(NOTE, (delay, pause, name, node))
        for name, pause in sorted(report.released.items()):
            database.execute(RELEASE, (pause, name, node))
        return self._claim(node, sorted(report.wanted))

    def _answer(self, node: int, report: Report) -> None:
        sealed = self.token.sealed
        rows = [
            (node, number, order, sealed(body, node, number, order))
            for number, order, body in report.answers
        ]
        self.database.copy("answers", ANSWER_TYPES, rows)

    def _claim(self, node: int, wanted: Sequence[str]) -> tuple[Any, Any]:
        """Take leases that nobody living has; return those taken, and who has the others."""
        if not wanted:
            return (), ()
        self.database.execute(BURY)
        granted = self.database.execute(CLAIM, (list(wanted), node, self.delay)).fetchall()
        return granted, self.database.execute(HELD, (list(wanted), node)).fetchall()

    def leave(self, node: int) -> None:
        """Give up everything: the successor waits for the delay only."""
        self.database.execute(LEAVE, (node,))


class CrawlTables:
    """The tables as the crawl uses them, over the connection that holds the lock."""

    def __init__(
        self, database: Database, settings: ClusterSettings, token: Token = NO_TOKEN
    ) -> None:
        self.database = database
        self.settings = settings
        self.token = token
        self.last_order = 0
        self.read_before: dict[int, int] = {}
        self._partitions: set[int] = set()

    def prepare(self) -> None:
        """Create the tables, and begin after the orders of an earlier crawl process."""
        with self.database.transaction():
            self.database.execute(SCHEMA)
            self.database.execute("DELETE FROM tokens")
            self.database.execute("INSERT INTO tokens VALUES (?)", (self.token.proof,))
        self.last_order = int(self.database.execute(LAST_ORDER).fetchone()[0])
        self.read_before = dict(self.database.execute(LAST_ANSWERS).fetchall())
        query = "SELECT relname FROM pg_class WHERE relname ~ '^orders_[0-9]+$'"
        here = self.database.execute(f"{query} AND relnamespace = current_schema()::regnamespace")
        self._partitions = {int(name.rpartition("_")[2]) for (name,) in here}

    def nodes(self) -> dict[int, int]:
        """Return the number and the capacity of each living node."""
        self.database.execute(BURY)
        return dict(self.database.execute(ALIVE).fetchall())

    def give(self, orders: Sequence[tuple[int, int, bytes]]) -> None:
        """Write orders, each with its number and its node."""
        size = self.settings.partition
        for part in sorted({order[0] // size for order in orders} - self._partitions):
            with self.database.transaction():
                self._add_partition(part)
        sealed = self.token.sealed
        rows = [(number, node, sealed(body, number, node)) for number, node, body in orders]
        # An order that a node has seen must outlive a crash: else its number would be used again.
        self.database.copy("orders", ANSWER_TYPES[1:], rows)

    def _add_partition(self, part: int) -> None:
        first, size = part * self.settings.partition, self.settings.partition
        for table in ("orders", "answers"):
            self.database.execute(f"CREATE TABLE {table}_{part} (LIKE {table} INCLUDING ALL)")
            self.database.execute(
                f"ALTER TABLE {table} ATTACH PARTITION {table}_{part}"
                f" FOR VALUES FROM ({first}) TO ({first + size})"
            )
        self._partitions.add(part)

    def drop_before(self, order: int) -> None:
        """Drop the partitions whose orders are all answered, unless somebody reads them."""
        for part in sorted(self._partitions):
            if (part + 1) * self.settings.partition > order:
                return
            try:
                with self.database.transaction():
                    self.database.execute("SET LOCAL lock_timeout TO '200ms'")
                    self.database.execute(f"DROP TABLE orders_{part}, answers_{part}")
            except DatabaseError:
                if self.database.connection.closed:
                    raise
                return
            self._partitions.discard(part)

    def answers(self, read: Mapping[int, int]) -> Sequence[tuple[int, int, int, bytes]]:
        """Return the answers of nodes after the last that was read of each; b"" if not theirs."""
        parameters = (list(read), list(read.values()))
        rows = self.database.execute(ANSWERS, parameters, binary=True)
        return [(*about, self.token.opened(body, *about)) for *about, body in rows]

    def widen(self, url: str) -> None:
        """Let nodes know the target of a seed's redirect, which is in scope."""
        self.database.execute("INSERT INTO widened VALUES (?) ON CONFLICT DO NOTHING", (url,))
