"""Leases in a real database: who gets a host, when, and who does not."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import psycopg
import pytest

from foragers.fetching.remote.tables import CrawlTables, NodeTables, Report, StaleError
from foragers.fetching.settings import ClusterSettings
from foragers.storage.ledger.postgres import Database, connect
from support.waiting import until

SETTINGS = ClusterSettings(partition=10, drop_again=0.0)
DELAY = 200.0


@pytest.fixture
def base(database: str) -> Iterator[Database]:
    with closing(connect(database)) as connected:
        connected.lock()
        connected.prepare()
        CrawlTables(connected, SETTINGS).prepare()
        yield connected


def node(base: Database, name: str = "one") -> tuple[NodeTables, int]:
    tables = NodeTables(base, DELAY, SETTINGS)
    return tables, tables.join(name, 4)


def want(tables: NodeTables, number: int, *names: str) -> tuple[dict[str, float], dict[str, int]]:
    news = tables.exchange(number, 4, 0, Report(wanted=names))
    return dict(news.granted), dict(news.elsewhere)


def expire(base: Database, number: int, ago: float = 0.0) -> None:
    """Let the lease of a node run out some seconds ago."""
    lease = "lease_until = clock_timestamp() - ? * interval '1 second'"
    base.execute(f"UPDATE nodes SET {lease} WHERE id = ?", (ago, number))


def test_a_host_has_one_node(base: Database) -> None:
    (one, first), (two, second) = node(base), node(base)
    granted, _ = want(one, first, "b.test", "a.test")
    assert granted.keys() == {"a.test", "b.test"}
    assert max(granted.values()) < 0, "a new host may be requested at once"
    assert want(two, second, "a.test", "c.test")[1] == {"a.test": first}
    assert want(one, first, "a.test")[0].keys() == {"a.test"}, "who has it may ask again"


def test_a_successor_waits_until_the_lease_has_run_out_and_for_the_delay(base: Database) -> None:
    (one, first), (two, second) = node(base), node(base)
    want(one, first, "a.test")
    expire(base, first, ago=50.0)
    granted, _ = want(two, second, "a.test")
    assert DELAY - 100 < granted["a.test"] <= DELAY - 50


def test_a_successor_knows_the_crawl_delay_and_a_long_pause(base: Database) -> None:
    (one, first), (two, second) = node(base), node(base)
    want(one, first, "slow.test", "tired.test")
    notes = {"slow.test": (600.0, 0.0), "tired.test": (0.0, 3600.0)}
    one.exchange(first, 4, 0, Report(notes=notes))
    expire(base, first)
    granted, _ = want(two, second, "slow.test", "tired.test")
    assert 500 < granted["slow.test"] <= 600
    assert 3500 < granted["tired.test"] <= 3600


def test_a_lease_that_is_given_up_is_free_after_its_pause(base: Database) -> None:
    (one, first), (two, second) = node(base), node(base)
    want(one, first, "a.test")
    one.exchange(first, 4, 0, Report(released={"a.test": 500.0}))
    granted, _ = want(two, second, "a.test")
    assert 400 < granted["a.test"] <= 500


def test_a_node_that_leaves_is_followed_after_the_delay(base: Database) -> None:
    (one, first), (two, second) = node(base), node(base)
    want(one, first, "a.test")
    one.leave(first)
    assert DELAY - 100 < want(two, second, "a.test")[0]["a.test"] <= DELAY
    assert CrawlTables(base, SETTINGS).nodes() == {second: 4}


def test_a_node_whose_lease_ran_out_stays_dead(base: Database) -> None:
    one, first = node(base)
    one.exchange(first, 4, 0, Report(renewal=True))
    expire(base, first)
    with pytest.raises(StaleError):
        one.exchange(first, 4, 0, Report(renewal=True))
    assert CrawlTables(base, SETTINGS).nodes() == {}
    base.execute("UPDATE nodes SET lease_until = clock_timestamp() + interval '1 hour'")
    with pytest.raises(StaleError):
        one.exchange(first, 4, 0, Report(renewal=True))


def test_a_renewal_in_progress_goes_before_a_declaration_of_death(
    base: Database, database: str
) -> None:
    one, first = node(base)
    want(one, first, "a.test")
    expire(base, first)
    with closing(psycopg.connect(database)) as slow, closing(connect(database)) as other:
        # A renewal that began in time, and whose transaction is not over.
        slow.execute("UPDATE nodes SET lease_until = clock_timestamp() + interval '1 hour'")
        other.execute("SET lock_timeout TO '100ms'")
        with pytest.raises(Exception, match="lock timeout"):
            CrawlTables(other, SETTINGS).nodes()
        slow.commit()
        assert CrawlTables(other, SETTINGS).nodes() == {first: 4}


def test_a_node_that_is_stopped_in_the_middle_holds_nobody_up(
    base: Database, database: str
) -> None:
    short = ClusterSettings(lease=0.3)
    with closing(connect(database)) as stopped:
        tables = NodeTables(stopped, DELAY, short)
        tables.open()
        number = tables.join("stopped", 4)
        stopped.execute("BEGIN")
        stopped.execute("UPDATE nodes SET capacity = 5 WHERE id = ?", (number,))
        time.sleep(0.4)  # its lease has run out, and its transaction is open
        base.execute("SET lock_timeout TO '20s'")
        assert CrawlTables(base, short).nodes() == {}


def test_orders_and_answers_arrive_once_and_in_order(base: Database) -> None:
    crawl = CrawlTables(base, SETTINGS)
    crawl.prepare()
    (one, first), (two, second) = node(base), node(base)
    crawl.give([(number, first if number % 2 else second, b"%d" % number) for number in range(9)])
    news = one.exchange(first, 4, 0, Report())
    assert news.orders == [(1, b"1"), (3, b"3"), (5, b"5"), (7, b"7")]
    assert one.exchange(first, 4, 5, Report()).orders == [(7, b"7")]
    one.exchange(first, 4, 7, Report(answers=[(1, 1, b"a"), (2, 3, b"b")]))
    two.exchange(second, 4, 8, Report(answers=[(1, 2, b"c")]))
    assert crawl.answers({first: 1, second: 0}) == [(first, 2, 3, b"b"), (second, 1, 2, b"c")]


def test_answered_orders_are_dropped_and_late_answers_are_taken(
    base: Database, database: str
) -> None:
    crawl = CrawlTables(base, SETTINGS)
    crawl.prepare()
    one, first = node(base)
    for start in (0, 10, 20):
        crawl.give([(start + number, first, b"x") for number in range(10)])
    with closing(psycopg.connect(database)) as reader:
        reader.execute("SELECT count(*) FROM orders")
        crawl.drop_before(15)  # which waits for nobody
        assert base.execute("SELECT min(number) FROM orders").fetchone()[0] == 0
    crawl.drop_before(15)
    assert base.execute("SELECT min(number) FROM orders").fetchone()[0] == 10
    one.exchange(first, 4, 0, Report(answers=[(1, 3, b"late"), (2, 12, b"in time")]))
    assert [row[3] for row in crawl.answers({first: 0})] == [b"late", b"in time"]
    again = CrawlTables(base, SETTINGS)
    again.prepare()
    assert again.last_order >= crawl.last_order + 1000, "no number is used twice"
    assert again.read_before == {first: 2}
    again.give([(30, first, b"x")])


def test_targets_of_seeds_redirects_come_with_the_next_orders(base: Database) -> None:
    crawl = CrawlTables(base, SETTINGS)
    crawl.prepare()
    one, first = node(base)
    for _ in range(2):
        crawl.widen("http://elsewhere.test/")
    assert one.exchange(first, 4, 0, Report()).widened == []
    crawl.give([(1, first, b"x")])
    assert one.exchange(first, 4, 0, Report()).widened == ["http://elsewhere.test/"]


def test_who_adds_orders_or_answers_calls_who_reads_them(base: Database, database: str) -> None:
    crawl = CrawlTables(base, SETTINGS)
    crawl.prepare()
    with closing(connect(database)) as own, closing(connect(database)) as others:
        tables, other = NodeTables(own, DELAY, SETTINGS), NodeTables(others, DELAY, SETTINGS)
        first, second = tables.join("one", 4), other.join("two", 4)
        tables.open(first)
        other.open(second)
        crawl.give([(crawl.last_order + 1, first, b"x")])
        assert is_called(own)
        assert not own.was_called(), "once"
        assert not others.was_called()
        assert not base.was_called()
        tables.exchange(first, 4, 0, Report())
        assert not base.was_called(0.1), "a look is no news"
        tables.exchange(first, 4, 0, Report(answers=[(1, crawl.last_order + 1, b"y")]))
        assert base.was_called(10.0)
        assert not base.was_called()


def is_called(database: Database) -> bool:
    """Return whether a call comes within some seconds."""
    until(database.was_called, "nobody calls")
    return True


def test_a_call_in_the_middle_of_a_query_is_not_missed(base: Database, database: str) -> None:
    crawl = CrawlTables(base, SETTINGS)
    crawl.prepare()
    with closing(connect(database)) as own:
        tables = NodeTables(own, DELAY, SETTINGS)
        first = tables.join("one", 4)
        tables.exchange(first, 4, 0, Report(answers=[(1, crawl.last_order + 1, b"y")]))
    base.execute("SELECT pg_sleep(0.2)")  # with whose result the call arrives
    assert base.was_called()


def test_orders_and_answers_are_not_logged_and_leases_are(base: Database) -> None:
    crawl = CrawlTables(base, SETTINGS)
    crawl.prepare()
    crawl.give([(crawl.last_order + 1, node(base)[1], b"x")])
    query = "SELECT relname, relpersistence FROM pg_class WHERE relkind = 'r'"
    here = base.execute(f"{query} AND relnamespace = current_schema()::regnamespace").fetchall()
    kept = {name.partition("_")[0]: str(kept) for name, kept in here}
    assert kept["orders"] == kept["answers"] == "u"
    assert {
        kept[name] for name in ("nodes", "leases", "runs", "visits", "urls") if name in kept
    } == {"p"}


def test_who_reads_everything_for_long_holds_nobody_up(base: Database, database: str) -> None:
    base.execute("SET statement_timeout TO '20s'")
    crawl = CrawlTables(base, replace(SETTINGS, drop_again=3600.0))
    crawl.prepare()
    one, first = node(base)
    begin, count = crawl.last_order + 1, 25
    with closing(psycopg.connect(database)) as reader:
        reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        reader.execute("SELECT count(*) FROM answers, orders, leases, nodes, widened")
        for number in range(begin, begin + count):
            crawl.give([(number, first, b"x")])
        orders = [number for number, _ in one.exchange(first, 4, 0, Report()).orders]
        assert orders == list(range(begin, begin + count))
        answers = [(1 + i, number, b"y") for i, number in enumerate(orders)]
        one.exchange(first, 4, 0, Report(answers=answers, wanted=["a.test"], renewal=True))
        assert [row[2] for row in crawl.answers({first: 0})] == orders
        began = time.monotonic()
        for _ in range(100):
            crawl.drop_before(begin + count)  # which is tried once, and not again soon
        assert time.monotonic() - began < 10.0
    again = CrawlTables(base, SETTINGS)
    again.prepare()
    again.drop_before(again.last_order)
    assert base.execute("SELECT count(*) FROM orders").fetchone()[0] == 0
    one.exchange(first, 4, 0, Report(answers=[(99, begin, b"late")]))
    assert crawl.answers({first: 98})[0][3] == b"late"
