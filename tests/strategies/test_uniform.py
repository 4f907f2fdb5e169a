"""The control that visits all pages equally often."""

from __future__ import annotations

from collections import Counter

from foragers.core.loop import Crawl
from foragers.core.types import Status, Visit
from foragers.judges.novelty import DAY, Novelty
from foragers.storage.ledger.memory import MemoryLedger
from foragers.strategies.uniform import Uniform
from foragers.worlds.budget import Budget
from foragers.worlds.replay import Recorded
from support.worlds_by_hand import small_world

WEB = small_world(
    {"": ["a", "b", "gone"], "a": ["c"], "b": [], "c": ["late"], "late": []}, born={"late": 9.5}
)


def visits_of(downloads: int) -> list[Visit]:
    ledger = MemoryLedger()
    crawl = Crawl(Uniform(), Budget(Recorded(WEB, 0.0), downloads), Novelty(DAY), ledger)
    crawl.begin()
    crawl.run()
    return list(ledger.read())


def test_uniform_visits_every_page_as_often_as_every_other() -> None:
    visits = visits_of(60)
    counts = Counter(visit.url for visit in visits if visit.page.status is Status.OK)
    assert len(counts) == 4
    assert max(counts.values()) - min(counts.values()) <= 1


def test_uniform_does_not_come_back_to_where_nothing_was() -> None:
    counts = Counter(visit.url for visit in visits_of(60))
    missing = [visit.url for visit in visits_of(60) if visit.page.status is Status.MISSING]
    assert len(missing) == 2
    assert all(counts[url] == 1 for url in missing)


def test_uniform_told_again_of_what_it_did_not_ask_for_visits_it_once_a_round() -> None:
    uniform, visits = Uniform(), visits_of(30)
    for visit in visits:
        uniform.tell([visit])
    first = [choice.url for choice in uniform.ask(10, set())]
    assert len(first) == len(set(first))
