"""Watch: which pages are looked at, how often, and what is learned from them."""

from __future__ import annotations

import pickle
import sys
from collections import Counter
from types import FrameType

import numpy as np
import pytest

from foragers.core.loop import Crawl, seed_visit
from foragers.core.types import Status
from foragers.errors import UsageError
from foragers.judges.simple import Everything
from foragers.judges.topic import NoTopic
from foragers.storage.ledger.memory import MemoryLedger
from foragers.strategies.registry import StrategyInputs, build
from foragers.strategies.watch.forecast import forecast
from foragers.strategies.watch.links import LinkOrigin, waiting
from foragers.strategies.watch.settings import WatchSettings
from foragers.strategies.watch.sites import Site, Waiting, limits_of
from foragers.strategies.watch.sources import Kind, Sources
from foragers.strategies.watch.strategy import LOOK, NEW, Watch
from foragers.strategies.watch.timing import Profile
from foragers.worlds.archive import Archive
from foragers.worlds.budget import Period
from foragers.worlds.generated import generate
from foragers.worlds.replay import Recorded

DAY = 86400.0


@pytest.fixture(scope="module")
def news() -> Archive:
    return generate("news", seed=3, pages=600)


def watched(archive: Archive, spec: str, days: float = 3.0) -> tuple[Watch, MemoryLedger]:
    strategy = build(spec, StrategyInputs(NoTopic(), np.random.default_rng(0)))
    assert isinstance(strategy, Watch)
    ledger = MemoryLedger()
    end = archive.start + days * DAY
    crawl = Crawl(
        strategy, Period(Recorded(archive, archive.start, 1.0, 2), end), Everything(), ledger
    )
    crawl.begin()
    crawl.run()
    return strategy, ledger


@pytest.fixture(scope="module")
def day(news: Archive) -> tuple[Watch, MemoryLedger]:
    """A day's watch that several tests look at."""
    return watched(news, "watch(requests=1000)", 1.0)


def test_no_page_is_looked_at_more_often_than_every_so_many_seconds(news: Archive) -> None:
    _, ledger = watched(news, "watch(every=300, requests=2000)", 0.25)
    last: dict[int, float] = {}
    for visit in ledger.read():
        before = last.get(visit.url)
        # A download takes a second, and a new page that was missing is tried again after 600.
        assert before is None or visit.page.time - before >= 299, visit.page.choice
        last[visit.url] = visit.page.time


def test_no_day_has_more_requests_than_allowed(news: Archive) -> None:
    _, ledger = watched(news, "watch(requests=100)", 3.0)
    times = np.array([visit.page.time for visit in ledger.read()])
    assert len(times) > 150
    most = max(int(((times >= t) & (times < t + DAY)).sum()) for t in times)
    assert most <= 100 + 2  # those in progress at both ends


def test_the_home_page_is_seen_first_and_looked_at_all_the_time(
    news: Archive, day: tuple[Watch, MemoryLedger]
) -> None:
    visits = list(day[1].read())
    assert visits[0].url == news.seeds[0]
    looks = [v.page.time for v in visits if v.url == news.seeds[0]]
    assert max(np.diff(looks)) < 3 * 3600


def test_in_the_first_minutes_the_home_page_is_looked_at_as_often_as_is_allowed(
    news: Archive,
) -> None:
    _, ledger = watched(news, "watch", 0.02)
    looks = [v.page.time - news.start for v in ledger.read() if v.url == news.seeds[0]]
    probe = [time for time in looks if time < 900]
    assert len(probe) == 15, "every 61 s: a download takes one"
    assert max(np.diff(probe)) <= 62
    assert min(np.diff(looks[len(probe) + 1 :]), default=300.0) > 120, "then the plan decides"


def test_links_that_are_new_on_a_page_seen_before_are_fetched_at_once(
    news: Archive, day: tuple[Watch, MemoryLedger]
) -> None:
    new = [visit for visit in day[1].read() if visit.page.choice.agent == NEW][1:]
    there = [visit for visit in new if visit.page.status is Status.OK]
    assert len(there) > 5
    young = sum(visit.page.born > news.start for visit in there)
    assert young > 0.9 * len(there)


def test_more_requests_see_more_new_pages(news: Archive) -> None:
    def seen(requests: int) -> int:
        _, ledger = watched(news, f"watch(requests={requests})", 1.0)
        return len({v.url for v in ledger.read() if v.page.born > news.start})

    assert seen(50) < seen(1000)


def test_a_watch_told_its_ledger_again_knows_what_it_knew(
    news: Archive, day: tuple[Watch, MemoryLedger]
) -> None:
    strategy, ledger = day
    again = Watch(NoTopic(), requests=1000)
    again.tell([seed_visit(Recorded(news, news.start).seeds, news.start)])
    for visit in ledger.read():
        again.tell([visit])
    assert set(again.sources.places) == set(strategy.sources.places)
    for url, place in strategy.sources.places.items():
        one, other = strategy.sources.rows[place], again.sources.rows[again.sources.places[url]]
        for name in ("found", "looks", "brought", "seen", "kind"):
            assert one[name] == other[name], (url, name)


def test_a_watch_killed_before_its_first_checkpoint_began_when_it_did(
    news: Archive, day: tuple[Watch, MemoryLedger]
) -> None:
    strategy, ledger = day
    again = Watch(NoTopic(), requests=1000)
    again.tell([seed_visit(Recorded(news, news.start).seeds, strategy.now)])  # told of seeds now
    for visit in ledger.read():
        again.tell([visit])
    first = next(iter(ledger.read())).page.time
    assert again.sites[0].began == first
    assert again.sites[0].outcomes.shapes == strategy.sites[0].outcomes.shapes


def test_a_watch_goes_on_unpickled(news: Archive) -> None:
    strategy, _ = watched(news, "watch(requests=300)", 0.2)
    copy = pickle.loads(pickle.dumps(strategy))
    now = strategy.now + 3600
    assert copy.wake(now) == strategy.wake(now)
    assert list(copy.ask(5, set())) == list(strategy.ask(5, set()))


def test_a_clock_that_jumps_back_does_not_end_a_watch(news: Archive) -> None:
    strategy, _ = watched(news, "watch(requests=300)", 0.2)
    back = strategy.now - 7 * DAY
    strategy.wake(back)
    due = strategy.wake(back)
    for _ in range(200):
        if strategy.ask(1, set()):
            return
        due = strategy.wake(due)
    raise AssertionError("nothing was due after the clock was put back")


def test_seeds_of_several_hosts_have_limits_of_their_own() -> None:
    assert limits_of("1=30/1000 4=600/50") == {1: (30.0, 1000), 4: (600.0, 50)}
    with pytest.raises(UsageError, match="apart"):
        limits_of("1=x")
    with pytest.raises(UsageError, match="above 0"):
        Watch(NoTopic(), requests=0).check()


def test_a_look_is_explained(news: Archive, day: tuple[Watch, MemoryLedger]) -> None:
    strategy, ledger = day
    looks = Counter(v.url for v in ledger.read() if v.page.choice.agent == LOOK)
    url, _ = looks.most_common(1)[0]
    link = next(v for v in Recorded(news, news.start).seeds if v.url == news.seeds[0])
    page = next(v.page for v in ledger.read() if v.url == url)
    reasons = strategy.explain(page, link)
    assert reasons is not None
    assert "found here first" in reasons.says


def test_a_promise_counts_what_was_found_late_and_what_is_never_found() -> None:
    site = Site(0, 60.0, 500, 0.0)
    strategy = build("watch", StrategyInputs(NoTopic(), np.random.default_rng(0)))
    assert isinstance(strategy, Watch)
    strategy.sites.append(site)
    site.delays.in_time, site.delays.dated = 99.0, 199.0
    sure = forecast(strategy, 0, 500)
    assert sure.share > 0.95
    assert 0.75 < sure.low < sure.share <= sure.high
    site.delays.late = 100.0
    half = forecast(strategy, 0, 500)
    assert 0.45 < half.share < 0.55
    site.delays.very_late = 10.0  # of those that were late; there are others like these
    tail = forecast(strategy, 0, 500)
    assert tail.share < half.share
    assert tail.low < half.low
    site.delays.dated = 0.0  # it is not known how late pages were
    assert forecast(strategy, 0, 500).low < tail.low


def test_links_that_wait_are_pickled_without_a_python_call_for_each() -> None:
    waiting = [Waiting(n, 0, 0, 1) for n in range(100)]
    calls: list[str] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            calls.append(frame.f_code.co_name)

    sys.setprofile(note)
    try:
        data = pickle.dumps([waiting, waiting[0]])
    finally:
        sys.setprofile(None)
    assert len(calls) < 10, "a watch of many sites would end slowly"
    several, one = pickle.loads(data)
    assert several == waiting
    assert several[0] is one, "the book of links tells by identity what was fetched"


def test_a_page_that_changes_more_often_than_its_group_is_expected_to_show_more() -> None:
    sources = Sources()
    group = sources.group(0, Kind.ARTICLE, "a.html")
    rows = np.zeros(2, sources.rows.dtype)
    rows["group"] = group
    sources.groups[group]["changed"], sources.groups[group]["held"] = 9.0, 90 * DAY
    pace = 10 / (100 * DAY)  # with one change in ten days, which is expected at first
    rows["changed"], rows["aged"] = (1.0, 1.0), (DAY, 50 * DAY)
    lively = sources.liveliness(rows)
    assert lively == pytest.approx([1.5 / (0.5 + DAY * pace), 1.5 / (0.5 + 50 * DAY * pace)])
    assert lively[0] > 2 > 1 > lively[1]


def test_new_pages_behind_a_new_page_count_for_the_page_that_led_there(
    day: tuple[Watch, MemoryLedger],
) -> None:
    page = next(iter(day[1].read())).page
    link = ("http://a.example/b", "a title of four words")
    behind = waiting(page, 1, 0, *link, LinkOrigin(-1, through=7), NoTopic(), 0.0)
    assert (behind.source, behind.through) == (-1, 7)
    direct = waiting(page, 1, 0, *link, LinkOrigin(3), NoTopic(), 0.0)
    assert (direct.source, direct.through) == (3, 3)


def test_hours_that_were_not_watched_are_not_taken_for_silent() -> None:
    profile, settings = Profile(), WatchSettings()
    for _ in range(40):
        profile.add(0.0, 60.0, 1.0)  # all in the first hour, the only one that was watched
    assert profile.by_hour(0.0, 1800.0) == pytest.approx(np.ones(24))
    assert profile.by_day(0.0, 1800.0) == pytest.approx(np.ones(7))
    day = profile.by_hour(0.0, DAY - 1)
    even = settings.sure_hours / 24
    assert day[0] == pytest.approx((40 + even) / (40 / 24 + even))
    assert day[1] == pytest.approx(even / (40 / 24 + even))
