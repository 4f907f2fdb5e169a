"""What is promised: numbers worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from foragers.core.content import MemoryContent
from foragers.core.types import Choice, Document, Page, Status
from foragers.judges.topic import NoTopic
from foragers.strategies.watch.forecast import Outlook, enough, forecast, rounded
from foragers.strategies.watch.settings import DEFAULT_WATCH
from foragers.strategies.watch.sites import Delays, Site, Waiting
from foragers.strategies.watch.sources import Sources
from foragers.strategies.watch.strategy import Watch

DAY = 86400.0


class KnownSite(Site):
    """A site whose rates are given."""

    def rates_of(self, sources: Sources, now: float) -> None:
        """Leave them as they are."""


def busy_site(a_day: float, room: float) -> Site:
    """Return a site that was watched for half a day, with one page that shows all that is new."""
    site = KnownSite(0, 60.0, 500, 0.0)
    site.news = a_day / 2
    site.rates, site.rooms = np.array([a_day / DAY]), np.array([room])
    return site


def test_requests_that_do_not_suffice_fetch_the_share_that_looks_leave() -> None:
    # 450 requests a day after the first burst, of which 15 % explore and 30 % are looks, which the
    # floor of 60 s does not limit: 247.5 are left for 5,760 new pages.
    model = Outlook.of(busy_site(5760, 1000), 500, DAY / 2)
    assert model.fetched == pytest.approx(247.5 / 5760, rel=0.01)
    assert Outlook.of(busy_site(100, 1000), 500, DAY / 2).fetched == 1.0


def test_a_page_without_room_for_all_that_is_new_loses_the_rest() -> None:
    # 135 looks a day are left, and 360 would be needed; each shows 20 links.
    model = Outlook.of(busy_site(5760, 20), 500, DAY / 2)
    assert model.share == 1.0
    assert model.kept == pytest.approx(135 * 20 / 5760, rel=0.01)
    assert Outlook.of(busy_site(5760, 50), 500, DAY / 2).kept == 1.0


def test_it_is_said_how_many_requests_would_be_enough() -> None:
    # 85 % of 90 % of the requests are 1,440 looks, one a minute, and 0.95 · 5,760 pages: 9,035, in
    # steps of a tenth.
    site = busy_site(5760, 1000)
    found = enough(site, 500, DAY / 2)
    assert 9_035 <= found <= 1.1 * 9_035 + 100
    assert Outlook.of(site, found, DAY / 2).fetched >= DEFAULT_WATCH.all_fetched
    assert enough(busy_site(10, 1000), 500, DAY / 2) == 500
    assert (rounded(5432.1), rounded(99.0), rounded(7.0)) == (5500, 99, 7)


def busy_watch(room: float, in_time: float = 20.0) -> Watch:
    strategy = Watch(NoTopic())
    site = busy_site(5760, room)
    site.delays.in_time = site.delays.dated = in_time
    strategy.sites.append(site)
    strategy.now = DAY / 2
    return strategy


def test_a_promise_counts_the_requests_that_new_pages_need() -> None:
    told = forecast(busy_watch(1000), 0, 500, tells=True)
    assert told.share > 0.9
    assert told.fetched < 0.05
    assert "about 5,800 pages a day" in told.lack
    assert "can fetch 4%; --requests 9600/day" in told.lack
    read = forecast(busy_watch(1000), 0, 500, tells=False)
    assert read.share == pytest.approx(read.fetched)
    assert read.low < read.share < read.high
    short = forecast(busy_watch(20), 0, 500, tells=True)
    assert short.share == pytest.approx(0.46, abs=0.03)


def test_articles_that_wait_for_long_are_in_time_only_if_they_were_told() -> None:
    site = Site(0, 60.0, 500, 0.0)
    site.hosts.add(0)
    site.outcomes.hosts[0] = (99.0, 99.0)
    site.outcomes.titles = (3.0, 3.0)
    title = Waiting(1, 0, 0, 1, 0, 0.0, 600.0, title="A bridge is open")
    late = Waiting(2, 0, 0, 1, 0, -9000.0, 600.0, title="Another bridge")
    bare = Waiting(3, 0, 0, 1, 0, 0.0, 600.0)
    for link in (title, late, bare):
        site.push_fresh(link)
    chance = 100 / 100.5
    assert site.left_waiting(3 * 3600.0, tells=True) == pytest.approx((3 * chance, chance))
    assert site.left_waiting(3 * 3600.0, tells=False) == pytest.approx((3 * chance, 0.0))
    assert site.left_waiting(1800.0, tells=True) == pytest.approx((2 * chance, chance))
    assert site.left_waiting(1800.0, tells=False) == (0.0, 0.0)
    assert site.left_waiting(2 * DAY, tells=True) == (0.0, 0.0)


def article(born: float, time: float) -> Page:
    content = MemoryContent(Document("A bridge", (), "It is open"), ())
    choice = Choice(7, 0)
    return Page(choice, Status.OK, "", 7, time, born, 1, content.columns(), content)


@pytest.mark.parametrize(
    ("born", "absent", "early", "very_late"),
    [
        (99_000.0, None, 1, 0),  # by its date, 1,000 s ago
        (90_000.0, None, 0, 0),
        (90_000.0, 98_000.0, 1, 0),  # its link was not there 2,000 s ago
        (90_000.0, 80_000.0, 0, 0),  # its date is later than that
        (10_000.0, 98_000.0, 1, 1),  # linked now, and dated a day ago
        (100_000.0, 98_000.0, 1, 0),  # without a date
        (100_000.0, 90_000.0, 0, 0),
    ],
)
def test_delays_count_from_the_date_or_from_the_last_look_without_the_link(
    born: float, absent: float | None, early: int, very_late: int
) -> None:
    link = None if absent is None else Waiting(7, 0, 1, 1, 3, absent, 100_000.0)
    delays = Delays()
    delays.add(article(born, 100_000.0), link, 100_000.0)
    assert (delays.in_time, delays.late, delays.very_late) == (early, 1 - early, very_late)
