"""A crawl gives orders, and tells each page once whatever nodes answer; nodes are played here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from foragers.core.packing import compressor
from foragers.core.types import Document, ParsedLink, Status
from foragers.crawling.session import Session
from foragers.fetching.extractor import Extracted
from foragers.fetching.remote.crawl_side import ClusterWorld
from foragers.fetching.remote.messages import Answer, FoundContent, Order, pack_answer, unpack_order
from foragers.fetching.remote.tables import NodeTables, Report
from foragers.storage.ledger.postgres import connect
from support.clusters import SETTINGS, SHORT
from support.crawling import order_of

HOME = "http://home.test/"
PATIENT = replace(SHORT, lease=3600.0, watch=0.0)
"""Leases that do not run out while a test thinks."""


class PlayedNode:
    """A node that answers what the test says."""

    def __init__(self, database: Any) -> None:
        self.tables = NodeTables(database, 0.0, PATIENT)
        self.number = self.tables.join("played", 10)
        self.last, self.count = 0, 0

    def orders(self) -> list[tuple[int, Order]]:
        news = self.tables.exchange(self.number, 10, self.last, Report())
        self.last = max([self.last, *(number for number, _ in news.orders)])
        return [(number, unpack_order(body)) for number, body in news.orders]

    def say(self, order: int, body: bytes) -> None:
        self.count += 1
        self.tables.exchange(
            self.number, 10, self.last, Report(answers=[(self.count, order, body)])
        )

    def answer(self, order: int, answer: Answer) -> None:
        self.say(order, pack_answer(answer))


class Played:
    """A crawl that goes on by steps, and its nodes."""

    def __init__(self, session: Session, nodes: list[PlayedNode]) -> None:
        self.session, self.nodes, self._steps = session, nodes, session.steps()

    def given(self) -> tuple[PlayedNode, int, Order]:
        """Return the next order, and the node that has it."""
        for _ in range(100):
            for node in self.nodes:
                for number, order in node.orders():
                    return node, number, order
            next(self._steps)
        raise AssertionError("there is no order")

    def visits(self, many: int) -> list[tuple[str, str]]:
        for _ in range(100):
            if len(self.session.ledger) >= many:
                break
            next(self._steps)
        return [(visit.page.status, visit.page.reason) for visit in self.session.ledger.read()]

    @property
    def late(self) -> int:
        assert isinstance(self.session.live, ClusterWorld)
        return self.session.live.ordered.late


@pytest.fixture
def played(database: str, tmp_path: Path) -> Iterator[Played]:
    fetching = replace(SETTINGS.fetching, cluster=PATIENT, turn=0.05)
    settings = replace(SETTINGS, fetching=fetching)
    order = order_of(HOME, ledger=database, cluster="nodes", traps=True)
    session = Session.open(order, tmp_path / "out", settings=settings)
    with closing(session), closing(connect(database)) as one, closing(connect(database)) as two:
        yield Played(session, [PlayedNode(one), PlayedNode(two)])


def ok(url: str, *links: str, text: str = "some words", hops: int = 0) -> Answer:
    outlinks = tuple(ParsedLink(link) for link in links)
    extracted = Extracted(Status.OK, "", Document("title", (), text), outlinks, 5)
    return Answer(url, hops, 0.0, Status.OK, found=FoundContent.of(extracted, 0.0, compressor()))


def test_a_page_is_told_once_however_often_it_is_answered(played: Played) -> None:
    node, number, order = played.given()
    assert (order.url, order.at, order.is_seed) == (HOME, HOME, True)
    for _ in range(2):
        node.answer(number, ok(HOME, f"{HOME}next"))
    assert played.visits(1) == [("ok", "")]
    played.given()
    assert played.late == 1


def test_links_lead_to_orders_with_their_depth(played: Played) -> None:
    node, number, _ = played.given()
    node.answer(number, ok(HOME, f"{HOME}next"))
    _, _, order = played.given()
    assert (order.url, order.depth, order.is_seed) == (f"{HOME}next", 1, False)


def test_an_answer_that_makes_no_sense_is_a_failed_page(played: Played) -> None:
    node, number, _ = played.given()
    node.say(number, b"no answer at all")
    ((status, reason),) = played.visits(1)
    assert status == "failed"
    assert reason.startswith("cannot be read")


def test_the_orders_of_a_dead_node_go_to_another(played: Played) -> None:
    first, _, order = played.given()
    first.tables.leave(first.number)
    second, again, same = played.given()
    assert second is not first
    assert same == order
    second.answer(again, ok(HOME))
    assert played.visits(1) == [("ok", "")]


def test_what_a_node_wrote_before_it_died_counts(played: Played) -> None:
    node, number, _ = played.given()
    node.answer(number, ok(HOME))
    node.tables.leave(node.number)
    assert played.visits(1) == [("ok", "")]


def test_an_order_follows_the_lease_that_it_needs(played: Played) -> None:
    first, number, _ = played.given()
    (second,) = (node for node in played.nodes if node is not first)
    at = "http://other.test/there"
    first.answer(number, Answer(at, 1, 0.0, wait=0.0, holder=second.number))
    node, number, order = played.given()
    assert node is second
    assert (order.url, order.at, order.hops) == (HOME, at, 1)
    node.answer(number, ok(at, hops=1))
    assert played.visits(1) == [("ok", "")]


def test_an_order_that_is_put_off_comes_again(played: Played) -> None:
    node, number, order = played.given()
    node.answer(number, Answer(HOME, 0, 0.0, wait=0.0))
    _, again, same = played.given()
    assert (again > number, same) == (True, order)
    assert played.visits(0) == []


def test_the_trap_detector_sees_the_pages_of_all_nodes(played: Played) -> None:
    text = " ".join(f"word{i}" for i in range(100))
    node, number, _ = played.given()
    node.answer(number, ok(HOME, f"{HOME}a", text="home"))
    node, number, _ = played.given()
    node.answer(number, ok(f"{HOME}a", f"{HOME}b", text=text))
    node, number, _ = played.given()
    node.answer(number, ok(f"{HOME}b", text=text))
    reasons = [reason for _, reason in played.visits(3)]
    assert reasons == ["", "", f"copy of {HOME}a"]


def test_the_scope_is_checked_before_an_order_is_given(database: str, tmp_path: Path) -> None:
    order = order_of(HOME, ledger=database, cluster="nodes", exclude=("no$",))
    session = Session.open(order, tmp_path / "out", settings=SETTINGS)
    with closing(session), closing(connect(database)) as one:
        played = Played(session, [PlayedNode(one)])
        node, number, _ = played.given()
        node.answer(number, ok(HOME, f"{HOME}no"))
        assert [status for status, _ in played.visits(2)] == ["ok", "skipped"]
        assert node.orders() == []
