"""A node hears of orders when the crawl calls, and says what it has to say once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from math import inf
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from foragers.core.clock import steady
from foragers.crawling.nodes.node import Membership, Node
from foragers.crawling.nodes.talk import DatabaseTalk, Reply
from foragers.fetching.remote.node_side import Leases, NodeDownloads, lease_clock
from foragers.fetching.remote.tables import CrawlTables, NodeTables, Report
from foragers.fetching.settings import ClusterSettings
from foragers.storage.ledger.postgres import Database, connect
from support.crawling import order_of
from support.waiting import until

ONLY_CALLED = ClusterSettings(look=3600.0, reconnect=0.05)


@pytest.fixture
def base(database: str) -> Iterator[Database]:
    with closing(connect(database)) as connected:
        connected.prepare()
        yield connected


@pytest.fixture
def crawl(base: Database) -> CrawlTables:
    tables = CrawlTables(base, ONLY_CALLED)
    tables.prepare()
    return tables


Talks = Callable[[ClusterSettings], tuple[DatabaseTalk, int]]


@pytest.fixture
def talks(database: str, crawl: CrawlTables) -> Iterator[Talks]:
    """Make nodes that speak with the database until the end of the test."""
    made: list[DatabaseTalk] = []

    def make(settings: ClusterSettings) -> tuple[DatabaseTalk, int]:
        number = NodeTables(crawl.database, 0.0, settings).join("played", 4)
        talk = DatabaseTalk(
            lambda: NodeTables(connect(database), 0.0, settings), number, 4, settings
        )
        talk.start()
        made.append(talk)
        return talk, number

    yield make
    for talk in made:
        talk.end(leave=True)


def awaited(talk: DatabaseTalk) -> Reply:
    """Return what is heard next."""
    (one,) = heard_by(talk)
    return one


def heard_by(talk: DatabaseTalk) -> list[Reply]:
    """Wait until something is heard."""
    heard: list[Reply] = []

    def is_any() -> bool:
        heard.extend(talk.heard())
        return bool(heard)

    until(is_any, "nothing was heard")
    return heard


def orders_in(heard: Reply) -> list[bytes]:
    assert heard.news is not None
    return [body for _, body in heard.news.orders]


def give(crawl: CrawlTables, node: int, *bodies: bytes) -> None:
    first = crawl.last_order + 1
    crawl.last_order += len(bodies)
    crawl.give([(first + i, node, body) for i, body in enumerate(bodies)])


def written(base: Database) -> list[bytes]:
    return [bytes(row[0]) for row in base.execute("SELECT body FROM answers ORDER BY number")]


def test_orders_are_heard_when_the_crawl_calls(talks: Talks, crawl: CrawlTables) -> None:
    talk, number = talks(ONLY_CALLED)
    for body in (b"one", b"two", b"three"):
        give(crawl, number, body)
        assert orders_in(awaited(talk)) == [body]


def test_orders_are_found_without_a_call_too(talks: Talks, base: Database) -> None:
    talk, number = talks(replace(ONLY_CALLED, look=0.1))
    base.execute("CREATE TABLE orders_x PARTITION OF orders FOR VALUES FROM (1) TO (9)")
    base.execute("INSERT INTO orders VALUES (1, ?, 'silent')", (number,))
    assert orders_in(awaited(talk)) == [b"silent"]


def test_more_orders_than_are_read_at_once_are_all_heard(talks: Talks, crawl: CrawlTables) -> None:
    talk, number = talks(replace(ONLY_CALLED, orders=2))
    give(crawl, number, b"1", b"2", b"3", b"4", b"5")
    heard: list[bytes] = []
    while len(heard) < 5:
        heard += orders_in(awaited_some(talk))
    assert heard == [b"1", b"2", b"3", b"4", b"5"]


def awaited_some(talk: DatabaseTalk) -> Reply:
    """Return all that is heard next as one."""
    heard = heard_by(talk)
    whole = [order for one in heard if one.news for order in one.news.orders]
    assert heard[0].news is not None
    return Reply(heard[0].report, heard[0].news._replace(orders=whole))


def test_a_report_is_told_once_though_the_connection_breaks(
    talks: Talks, base: Database, crawl: CrawlTables
) -> None:
    talk, number = talks(ONLY_CALLED)
    order = crawl.last_order + 1
    give(crawl, number, b"for the first", b"for the second")
    assert len(orders_in(awaited(talk))) == 2
    first = Report(answers=((1, order, b"first"),))
    talk.say(first)
    assert awaited(talk).report is first
    others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
    base.execute(f"{others} AND query LIKE '%answers%'")
    both = Report(answers=(*first.answers, (2, order + 1, b"second")))
    failed = 0
    while True:
        talk.say(both)
        heard = awaited(talk)
        if heard.news is not None:
            break
        assert heard.report is both
        failed += 1
        assert failed < 10
    assert written(base) == [b"first", b"second"]
    give(crawl, number, b"afterwards")
    assert orders_in(awaited(talk)) == [b"afterwards"], "it listens on the new connection too"


def test_a_node_that_leaves_tells_its_last_reports_first(
    talks: Talks, base: Database, crawl: CrawlTables
) -> None:
    talk, number = talks(ONLY_CALLED)
    talk.say(Report(answers=((1, crawl.last_order + 1, b"one"),)))
    talk.say(Report(answers=((2, crawl.last_order + 2, b"last"),)))
    talk.end(leave=True)
    assert written(base) == [b"one", b"last"]
    alive = base.execute("SELECT alive FROM nodes WHERE id = ?", (number,)).fetchone()[0]
    assert alive is False


def member_of(folder: Path, downloads: SimpleNamespace, leases: Leases) -> Membership:
    """Return a member of no crawl, whose downloads are played."""
    node = Node("postgresql://nobody@127.0.0.1:1/none", folder)
    return Membership(node, order_of("http://a.test/"), cast(NodeDownloads, downloads), leases)


def test_an_answer_waits_for_as_many_as_are_under_way_but_not_for_long(tmp_path: Path) -> None:
    settings = ClusterSettings()
    leases = Leases(settings, until=lease_clock() + settings.lease)
    downloads = SimpleNamespace(
        running=3, leaving={}, answers=[], throttle=SimpleNamespace(leave=lambda *_: None)
    )
    member = member_of(tmp_path, downloads, leases)
    said: list[Report] = []
    member._talk = cast(Any, SimpleNamespace(heard=list, say=said.append))
    assert member.speak()
    assert member.wakes_at > steady() + 5.0, "nothing to say before the renewal"
    downloads.answers = [(1, b"one"), (2, b"two")]
    assert member.speak()
    assert not said
    assert member.wakes_at <= steady() + settings.max_tick
    downloads.answers = [(3, b"three")]
    assert member.speak()
    assert [len(report.answers) for report in said] == [3]
    assert member.wakes_at > steady() + 5.0, "the report is under way"
    downloads.answers = [(4, b"four"), (5, b"five"), (6, b"six")]
    assert member.speak()
    assert len(said) == 1, "one report at a time"
    member._said, member._ready_since, member._spoke_at = None, -inf, -inf
    assert member.speak()
    assert [len(report.answers) for report in said] == [3, 6]
    leases.until = lease_clock() + settings.abort / 2
    assert not member.speak(), "nothing more is done in the last second of a lease"


def test_what_could_not_be_told_is_told_again_and_what_is_ready_at_the_end_too(
    tmp_path: Path,
) -> None:
    settings = ClusterSettings()
    leases = Leases(settings, until=lease_clock() + settings.lease)
    downloads = SimpleNamespace(running=1, leaving={}, answers=[(7, b"one")])
    member = member_of(tmp_path, downloads, leases)
    said: list[Report] = []
    heard: list[Reply] = []
    talk = SimpleNamespace(heard=lambda: heard, say=said.append, end=lambda leave: None)
    member._talk = cast(Any, talk)
    assert member.speak()
    heard.append(Reply(said[0]))
    assert member.speak()
    heard.clear()
    assert len(said) == 1, "not at once"
    assert member.wakes_at <= steady() + settings.reconnect
    member._again_at = member._spoke_at = -inf
    downloads.answers = [(8, b"two")]
    assert member.speak()
    assert said[0].answers[0] in said[1].answers
    downloads.answers = [(9, b"three")]
    member.leave(for_good=True)
    assert [order for _, order, _ in said[-1].answers] == [7, 8, 9]
    assert [number for number, _, _ in said[-1].answers] == [1, 2, 3]
