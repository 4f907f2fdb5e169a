"""When known articles are looked at again."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np

from foragers.core.loop import Crawl
from foragers.judges.simple import Everything
from foragers.judges.topic import NoTopic
from foragers.storage.ledger.memory import MemoryLedger
from foragers.strategies.watch.revisits import first_gap, next_gap, retry_gap
from foragers.strategies.watch.strategy import AGAIN, UNSEEN, Watch
from foragers.worlds.budget import Period
from foragers.worlds.generated import generate
from foragers.worlds.replay import Recorded

HOUR, DAY = 3600.0, 86_400.0


def test_gaps_follow_the_time_between_looks_that_is_allowed_and_the_age() -> None:
    assert (first_gap(3.0, 0.0), retry_gap(3.0)) == (60.0, 30.0)
    assert (first_gap(60.0, 0.0), retry_gap(60.0)) == (1200.0, 600.0)
    assert (first_gap(600.0, 0.0), retry_gap(600.0)) == (HOUR, 600.0)
    assert first_gap(2 * HOUR, 0.0) == retry_gap(2 * HOUR) == 2 * HOUR
    assert first_gap(3.0, 50 * DAY) == DAY


def test_a_gap_grows_until_a_page_changes() -> None:
    assert next_gap(60.0, False, 3.0, 0.0) == 120.0
    assert next_gap(120.0, True, 3.0, 0.0) == 60.0
    assert next_gap(30.0, True, 3.0, 0.0) == 30.0
    assert next_gap(9 * DAY, True, 3.0, 400 * DAY) == 4.5 * DAY, "of an old page not much less"


def test_articles_are_looked_at_for_changes_and_pages_still_explored() -> None:
    news = generate("news", seed=3, pages=600)
    strategy, ledger = Watch(NoTopic(), every=3.0, requests=20_000, changes=True), MemoryLedger()
    period = Period(Recorded(news, news.start, 1.0, 2), news.start + HOUR)
    crawl = Crawl(strategy, period, Everything(), ledger)
    crawl.begin()
    crawl.run()
    visits = [visit.page for visit in ledger.read()]
    agents = [page.choice.agent for page in visits]
    again = {page.choice.url for page in visits if page.choice.agent == AGAIN}
    rows, counts = strategy.sources.rows, Counter(page.choice.url for page in visits)
    reports = [url for url in strategy.sources.reports() if counts[url] > 1]
    assert len(again) > 20
    assert len(reports) > 60, "looks by the plan show changes too"
    assert agents.count(UNSEEN) > 50
    assert all(rows["report"][strategy.sources.places[url]] for url in again)
    for url in again:
        times = [page.time for page in visits if page.choice.url == url]
        assert min(np.subtract(b, a) for a, b in pairwise(times)) >= 3.0
