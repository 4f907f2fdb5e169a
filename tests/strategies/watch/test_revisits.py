"""When known articles are looked at again."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np

from foragers.core.content import MemoryContent
from foragers.core.loop import Crawl
from foragers.core.types import Choice, Document, Link, Page, Purpose, Status
from foragers.judges.simple import Everything
from foragers.judges.topic import NoTopic
from foragers.storage.ledger.memory import MemoryLedger
from foragers.strategies.watch.revisits import (
    date_in,
    first_gap,
    name_modified,
    next_gap,
    overdue,
    prove,
    retry_gap,
    ripe_at,
)
from foragers.strategies.watch.sites import Site
from foragers.strategies.watch.sources import Kind, Sources
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


def shown(url: int, time: float, links: tuple[Link, ...] = ()) -> Page:
    content = MemoryContent(Document("A bridge"), links)
    purpose = Purpose.SITEMAP if links else Purpose.PAGE
    choice = Choice(url, 0, purpose=purpose)
    return Page(choice, Status.OK, "", url, time, time, 1, content.columns(), content)


def test_articles_that_a_sitemap_names_as_modified_are_looked_at_while_this_proves_right() -> None:
    sources, site = Sources(), Site(0, 60.0, 500, 0.0)
    places = np.array([sources.add(shown(url, 1000.0), 0, Kind.ARTICLE, "a") for url in range(3)])
    sources.rows["report"][places] = True
    dates = ("1970-01-01T00:30:00.000Z", "1970-01-01T00:10:00.000Z", "lately")
    named = tuple(Link(n, 0, f"http://a.test/{n}", around=dates[n]) for n in range(3))
    name_modified(sources, shown(9, 1500.0, named))
    site.all.fill(1500.0)
    assert (overdue(sources.rows, places, site) >= 1).tolist() == [True, False, False]
    assert ripe_at(sources.rows, places, site) == 1060.0, "at the soonest that is allowed"
    site.every = 900.0
    assert not (overdue(sources.rows, places, site) >= 1).any()
    for changed in (False, False, True):
        prove(site, sources, int(places[0]), 1000.0, changed)
        prove(site, sources, int(places[1]), 1000.0, False)
    assert site.outcomes.named == (1.0, 3.0)
    assert site.outcomes.dates_tell, "(1 + 1) / (3 + 1)"
    prove(site, sources, int(places[0]), 1000.0, False)
    site.every = 60.0
    assert not (overdue(sources.rows, places, site) >= 1).any()
    assert ripe_at(sources.rows, places, site) == 1000.0 + HOUR


def test_a_date_is_read_or_none() -> None:
    assert date_in("1970-01-01T00:30:00.000Z") == 1800.0
    assert date_in("") == date_in("words around a link") == 0.0
