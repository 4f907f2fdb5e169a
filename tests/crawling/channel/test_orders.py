"""A running crawl does what users tell it, and a resumed one numbers its URLs as before."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from foragers.crawling.channel.now import read_now
from foragers.crawling.channel.orders import OBEYED, ORDERS, CrawlOrder, Do, give_order, read_orders
from foragers.crawling.session import Session
from foragers.crawling.settings import DEFAULT_SETTINGS, NowSettings
from foragers.errors import UsageError
from support.crawling import LIMITS, end_as_if_killed, order_of, serving
from support.hostile_server import Answer, page

SITE = {
    **{f"/p{number}": page(words=f"page {number}") for number in range(30)},
    "/": page(*(f"/p{number}" for number in range(30))),
    "/hidden": page("/deeper", words="nobody links to it"),
    "/deeper": page(words="only the hidden page does"),
}
SETTINGS = replace(DEFAULT_SETTINGS, now=NowSettings(every=0.0, cost=1.0), max_sleep=0.01)
Act = Callable[[Session], None]


def crawled(
    folder: Path, seed: str, budget: int, acts: dict[int, Act], killed: bool = False
) -> Session:
    """Crawl with one connection, and act when the ledger has some lengths."""
    order = order_of(seed, budget=budget, concurrency=1)
    session = Session.open(order, folder, LIMITS, SETTINGS)
    for _ in session.steps():
        act = acts.pop(len(session.ledger), None)
        if act is not None:
            act(session)
    if killed:
        session.ledger.commit()
        end_as_if_killed(session)
    else:
        session.close()
    return session


def fetched(folder: Path) -> list[str]:
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as ledger:
        return [str(url).rpartition("/")[2] for (url,) in ledger.execute("SELECT url FROM pages")]


def test_a_crawl_that_is_told_to_stop_ends_and_can_go_on(tmp_path: Path) -> None:
    with serving(SITE) as server:
        stop = {5: lambda _: give_order(tmp_path, CrawlOrder(Do.STOP))}
        session = crawled(tmp_path, server.url("/"), 31, stop)
        assert "user stopped it" in session.stopped
        assert 5 <= len(fetched(tmp_path)) <= 7
        again = crawled(tmp_path, server.url("/"), 31, {})
    assert "budget" in again.stopped  # the old order does not stop it again
    assert len(set(fetched(tmp_path))) == 31


def test_a_paused_crawl_fetches_nothing_until_it_goes_on(tmp_path: Path) -> None:
    steps: list[int] = []
    with serving(SITE) as server:
        order = order_of(server.url("/"), budget=12, concurrency=1)
        session = Session.open(order, tmp_path, LIMITS, SETTINGS)
        for _ in session.steps():
            if len(session.ledger) == 5 and not steps:
                give_order(tmp_path, CrawlOrder(Do.PAUSE))
            if session.world.paused:
                steps.append(len(session.ledger))
                now = read_now(tmp_path)
                if len(steps) > 5:
                    assert now is not None
                    assert now.paused
                    assert "paused" in now.condition
                if len(steps) == 10:
                    give_order(tmp_path, CrawlOrder(Do.GO_ON))
        session.close()
    assert len(steps) >= 10
    assert len(set(steps[2:])) == 1  # what was under way may still come in
    assert len(fetched(tmp_path)) == 12


def test_the_budget_of_a_running_crawl_changes(tmp_path: Path) -> None:
    with serving(SITE) as server:
        more = {5: lambda _: give_order(tmp_path, CrawlOrder(Do.BUDGET, budget=9))}
        session = crawled(tmp_path, server.url("/"), 8, more)
    assert session.stopped == "the budget of 9 downloads is spent"
    assert json.loads((tmp_path / "crawl.json").read_text())["budget"] == 9


@pytest.mark.parametrize("killed", [False, True])
@pytest.mark.parametrize("checkpoint", [False, True])
def test_added_seeds_are_fetched_and_numbered_the_same_when_resumed(
    tmp_path: Path, killed: bool, checkpoint: bool
) -> None:
    with serving(SITE) as server:

        def add(session: Session) -> None:
            give_order(tmp_path, CrawlOrder(Do.SEEDS, seeds=(server.url("/hidden"),)))

        crawled(tmp_path, server.url("/"), 12, {5: add}, killed)
        assert "hidden" in fetched(tmp_path)
        if not checkpoint:
            (tmp_path / "checkpoint").unlink(missing_ok=True)
        crawled(tmp_path, server.url("/"), 40, {})
    found = fetched(tmp_path)
    assert found.count("hidden") == found.count("deeper") == 1
    assert len(found) == len(set(found)) == 33
    (obeyed,) = read_orders(tmp_path / OBEYED)
    assert obeyed.after == 5


def test_seeds_ordered_between_two_runs_are_added_by_the_next(tmp_path: Path) -> None:
    with serving(SITE) as server:
        crawled(tmp_path, server.url("/"), 5, {})
        give_order(tmp_path, CrawlOrder(Do.STOP))
        give_order(tmp_path, CrawlOrder(Do.SEEDS, seeds=(server.url("/hidden"),)))
        crawled(tmp_path, server.url("/"), 12, {})
        crawled(tmp_path, server.url("/"), 14, {})
    assert fetched(tmp_path).count("hidden") == 1
    assert len(fetched(tmp_path)) == 14


def test_seeds_whose_fetching_was_lost_are_requested_again(tmp_path: Path) -> None:
    with serving(SITE) as server:
        crawled(tmp_path, server.url("/"), 5, {})
        (tmp_path / "checkpoint").unlink()
        told = CrawlOrder(Do.SEEDS, seeds=(server.url("/hidden"),), after=9)
        (tmp_path / OBEYED).write_bytes(
            b'{"do":"seeds","seeds":["%s"],"after":9}\n' % told.seeds[0].encode()
        )
        crawled(tmp_path, server.url("/"), 12, {})
        (tmp_path / "checkpoint").unlink()
        crawled(tmp_path, server.url("/"), 14, {})
    assert fetched(tmp_path).count("hidden") == 1
    assert read_orders(tmp_path / OBEYED)[0].after == 5


@pytest.mark.parametrize(
    "order",
    [
        CrawlOrder(Do.BUDGET),
        CrawlOrder(Do.BUDGET, budget=-1),
        CrawlOrder(Do.SEEDS),
        CrawlOrder(Do.SEEDS, seeds=("ftp://a.test/",)),
        CrawlOrder(Do.SEEDS, seeds=("https://",)),
    ],
)
def test_wrong_orders_are_refused_and_ignored(order: CrawlOrder, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        give_order(tmp_path, order)
    (tmp_path / ORDERS).write_bytes(
        b'{"do":"fly"}\nnonsense\n{"do":"budget"}\n{"do":"stop"}\n{"do":'
    )
    assert [one.do for one in read_orders(tmp_path / ORDERS)] == [Do.STOP]


def test_what_the_crawl_does_is_written_down(tmp_path: Path) -> None:
    slow: dict[str, Answer] = {
        **SITE,
        "/p5": lambda asked: asked.trickle(page(words="slow"), 0.02),
    }
    with serving(slow) as server:
        order = order_of(server.url("/"), budget=12, concurrency=1, delay=0.01)
        session = Session.open(order, tmp_path, LIMITS, SETTINGS)
        seen = [read_now(tmp_path) for _ in session.steps()]
        session.close()
    told = [now for now in seen if now is not None]
    assert all(now.running and now.is_alive(now.updated + 1) for now in told)
    assert any(now.requests == (server.url("/p5"),) for now in told)
    assert any(host.why == "pause between two requests" for now in told for host in now.waiting)
    last = read_now(tmp_path)
    assert last is not None
    assert (last.running, last.downloads, last.in_progress) == (False, 12, 0)
    assert last.lessons == () or all("promise" in one for one in last.lessons)
