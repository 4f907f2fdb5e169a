"""The tables over which a crawl and its nodes work together, beside the ledger.

Orders and answers are only added; whole partitions of them are dropped when all is told.  They are
not logged: a crash of the database empties them, and ends the crawl, which gives its orders again
under new numbers.  Who adds some calls who reads them (`NOTIFY`).

A node is a row with a lease, which it renews.  A host, or an IP address (`at 192.0.2.1`), belongs
to the node that requests it.  All times are those of the database, so clocks of machines do not
matter.

A node whose lease has run out is declared dead by whoever sees it first, and stays dead: its
process must join again under another number.  Renewal and declaration lock the row of the node,
so one of them comes first.  The successor of a dead node waits until its lease has run out, and
for the delay of the host after that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from hmac import compare_digest, digest
from typing import Any, NamedTuple

from foragers.core.clock import steady
from foragers.errors import DatabaseError
from foragers.fetching.settings import ClusterSettings
from foragers.storage.ledger.postgres import Database, new_partition

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
CREATE UNLOGGED TABLE IF NOT EXISTS answers_late PARTITION OF answers DEFAULT;
CREATE TABLE IF NOT EXISTS runs (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY);
CREATE TABLE IF NOT EXISTS widened (url TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS tokens (proof BYTEA NOT NULL);
"""
LAST_ANSWERS = "SELECT node, max(number) FROM answers GROUP BY node"
RUN = "INSERT INTO runs DEFAULT VALUES RETURNING id"
CHANNEL = "'foragers_' || current_schema()::regnamespace::oid"
"""On which the crawl is called; nodes have their number behind it."""
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
GIVE = f"""
WITH given AS (
    INSERT INTO orders SELECT * FROM unnest(?::bigint[], ?::bigint[], ?::bytea[]) RETURNING node
) SELECT pg_notify({CHANNEL} || '_' || node, '') FROM given GROUP BY node
"""
ORDERS = """
SELECT number, body, (SELECT count(*) FROM widened)
FROM orders WHERE node = ? AND number > ? ORDER BY number LIMIT ?
"""
ANSWER = f"""
WITH told AS (
    INSERT INTO answers SELECT ?, * FROM unnest(?::bigint[], ?::bigint[], ?::bytea[])
    ON CONFLICT DO NOTHING RETURNING 1
) SELECT pg_notify({CHANNEL}, '') FROM told LIMIT 1
"""
ANSWERS = """
SELECT answers.node, answers.number, to_order, body
FROM unnest(?::bigint[], ?::bigint[]) AS read (node, number)
JOIN answers ON answers.node = read.node AND answers.number > read.number
ORDER BY answers.node, answers.number
"""
TAG = sha256().digest_size
"""Bytes of the seal before each message."""


class Token:
    """The secret that a crawl and its nodes share, which shows that their messages are theirs.

    Without a secret there is nothing to show, and messages have no seal.
    """

    def __init__(self, secret: str = "") -> None:
        self._key = secret.encode("utf-8", "surrogateescape")

    @property
    def proof(self) -> bytes:
        """What shows that another has the same secret."""
        return digest(self._key, b"token", "sha256")

    def sealed(self, body: bytes, *about: int) -> bytes:
        """Return a message with the proof that who has the secret wrote it about this."""
        if not self._key:
            return body
        told = b"".join(number.to_bytes(8) for number in about)
        return digest(self._key, told + body, "sha256") + body

    def opened(self, sealed: bytes, *about: int) -> bytes:
        """Return a message, or nothing if it is not by who has the secret."""
        if not self._key:
            return sealed
        body = sealed[TAG:]
        return body if compare_digest(self.sealed(body, *about), sealed) else b""


NO_TOKEN = Token()


def listen(database: Database, node: int = 0) -> None:
    """Let a node be called when it has orders, or the crawl when there are answers."""
    channel = database.execute(f"SELECT {CHANNEL}").fetchone()[0]
    database.listen(f"{channel}_{node}" if node else channel)


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
        self._widened = 0

    def open(self, node: int = 0) -> None:
        """Let a node that was stopped hold up no others; what it did outlives a crash."""
        limit = round(1000 * self.settings.lease)
        self.database.execute(f"SET idle_in_transaction_session_timeout = {limit}")
        self.database.execute("SET synchronous_commit TO on")
        if node:
            listen(self.database, node)

    def join(self, name: str, capacity: int) -> int:
        """Become a node, and return its number."""
        parameters = (name, capacity, self.settings.lease)
        return int(self.database.execute(JOIN, parameters).fetchone()[0])

    def exchange(self, node: int, capacity: int, last: int | None, report: Report) -> News:
        """Tell and hear everything; raise a StaleError without a lease.

        Orders are read after the `last` one that is known, if that is given.  Answers and what they
        say about hosts are written in one transaction.  Most exchanges have nothing but answers and
        orders, and need none.
        """
        if report.renewal or report.wanted or report.notes or report.released:
            with self.database.transaction():
                granted, elsewhere = self._tell(node, capacity, report)
        else:
            granted, elsewhere = (), ()
            self._answer(node, report)
        orders, widened = ((), ()) if last is None else self._orders(node, last)
        return News(orders, granted, elsewhere, widened, report.renewal)

    def _orders(self, node: int, last: int) -> tuple[Sequence[tuple[int, bytes]], Sequence[str]]:
        """Return new orders, and the targets of seeds' redirects if there are more than before."""
        parameters = (node, last, self.settings.orders)
        rows = self.database.execute(ORDERS, parameters, binary=True).fetchall()
        orders = [(number, self.token.opened(body, number, node)) for number, body, _ in rows]
        if not rows or rows[-1][2] == self._widened:
            return orders, []
        urls = [str(url) for (url,) in self.database.execute("SELECT url FROM widened")]
        self._widened = len(urls)
        return orders, urls

    def _tell(self, node: int, capacity: int, report: Report) -> tuple[Any, Any]:
        """Write a report; return the leases that were taken, and who has the others."""
        database, settings = self.database, self.settings
        # First: a node that is stopped while it sends them must not have locked rows.
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
        if report.answers:
            numbers = [answer[0] for answer in report.answers]
            orders = [answer[1] for answer in report.answers]
            sealed = [
                self.token.sealed(body, node, number, order)
                for number, order, body in report.answers
            ]
            self.database.execute(ANSWER, (node, numbers, orders, sealed), binary=True)

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
        self._drop_at = 0.0

    def prepare(self) -> None:
        """Create the tables, and begin after the orders of an earlier crawl process."""
        listen(self.database)
        with self.database.transaction():
            self.database.execute(SCHEMA)
            self.database.execute("DELETE FROM tokens")
            self.database.execute("INSERT INTO tokens VALUES (?)", (self.token.proof,))
        run = int(self.database.execute(RUN).fetchone()[0])
        self.last_order = run * self.settings.partitions * self.settings.partition
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
            self._add_partition(part)
        sealed = [self.token.sealed(body, number, node) for number, node, body in orders]
        numbers, nodes = [order[0] for order in orders], [order[1] for order in orders]
        self.database.execute(GIVE, (numbers, nodes, sealed), binary=True)

    def _add_partition(self, part: int) -> None:
        """Make room for orders and their answers.

        A long read of answers, such as a backup, would hold the second up.  Answers to these orders
        are then kept with the late ones.
        """
        with self.database.transaction():
            for statement in self._partition_of("orders", part):
                self.database.execute(statement)
        self._briefly(*self._partition_of("answers", part))
        self._partitions.add(part)

    def _partition_of(self, table: str, part: int) -> Sequence[str]:
        """Return the statements that add a partition to a table."""
        size = self.settings.partition
        make, attach = new_partition(table, part, part * size, size)
        unlogged = make.replace("CREATE TABLE", "CREATE UNLOGGED TABLE")
        # Bodies are compressed already.
        external = f"ALTER TABLE {table}_{part} ALTER COLUMN body SET STORAGE EXTERNAL"
        return unlogged, external, attach

    def _briefly(self, *statements: str) -> bool:
        """Change tables that nobody may read meanwhile; return False if a read takes long."""
        try:
            with self.database.transaction():
                self.database.execute("SET LOCAL lock_timeout TO '200ms'")
                for statement in statements:
                    self.database.execute(statement)
        except DatabaseError:
            if self.database.connection.closed:
                raise
            return False
        return True

    def drop_before(self, order: int) -> None:
        """Drop the partitions whose orders are all answered, unless somebody reads them."""
        for part in sorted(self._partitions):
            is_done = (part + 1) * self.settings.partition <= order
            if not is_done or steady() < self._drop_at:
                return
            if not self._briefly(
                f"DROP TABLE orders_{part}", f"DROP TABLE IF EXISTS answers_{part}"
            ):
                self._drop_at = steady() + self.settings.drop_again
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
