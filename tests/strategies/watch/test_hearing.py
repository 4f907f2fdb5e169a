"""Feeds that hubs tell of: looked at soon, never too often, trusted as far as hubs were right."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from foragers.core.loop import Crawl
from foragers.core.types import Visit
from foragers.judges.simple import Everything
from foragers.judges.topic import NoTopic
from foragers.storage.ledger.memory import MemoryLedger
from foragers.strategies.registry import StrategyInputs, build
from foragers.strategies.watch.hearing import HUB, left_to_polling
from foragers.strategies.watch.strategy import LOOK, Watch
from foragers.worlds.archive import Archive
from foragers.worlds.budget import Period
from foragers.worlds.generated import generate
from foragers.worlds.replay import Recorded

HOUR, DAY = 3600.0, 86400.0


@pytest.fixture(scope="module")
def news() -> Archive:
    return generate("news", seed=3, pages=600)


@dataclass
class HubWatch:
    """A watch whose home page has a hub that calls at some times."""

    archive: Archive
    calls: list[float]
    requests: int = 300
    strategy: Watch = field(init=False)
    visits: list[Visit] = field(init=False)

    def run(self, days: float) -> HubWatch:
        inputs = StrategyInputs(NoTopic(), np.random.default_rng(0))
        strategy = build(f"watch(requests={self.requests})", inputs)
        assert isinstance(strategy, Watch)
        self.strategy = strategy
        start, ledger, calls = self.archive.start, MemoryLedger(), sorted(self.calls)
        for at in [*calls, start + days * DAY]:
            world = Period(Recorded(self.archive, max(start, strategy.now), 1.0, 2), at)
            crawl = Crawl(strategy, world, Everything(), ledger)
            if not len(ledger):
                crawl.begin()
            crawl.run()
            if at in calls:
                strategy.wake(at)
                strategy.hear(self.home)
        self.visits = list(ledger.read())
        return self

    @property
    def home(self) -> int:
        return int(self.archive.seeds[0])

    def looks(self, agent: str) -> list[float]:
        return [
            visit.page.time
            for visit in self.visits
            if visit.url == self.home and visit.page.choice.agent == agent
        ]


def changes_of(archive: Archive, days: float) -> list[float]:
    """Return when the home page changes."""
    home = int(archive.seeds[0])
    times = archive.times[archive.version_starts[home] : archive.version_starts[home + 1]]
    return [float(t) + 1 for t in times if archive.start + HOUR < t < archive.start + days * DAY]


def test_a_page_that_a_hub_tells_of_is_looked_at_at_once(news: Archive) -> None:
    at = news.start + 5.5 * HOUR
    looks = HubWatch(news, [at]).run(0.3).looks(HUB)
    assert len(looks) == 1
    assert at <= looks[0] <= at + 120


def test_calls_make_no_page_be_looked_at_more_often_than_is_allowed(news: Archive) -> None:
    begin = news.start + 3 * HOUR
    seen = HubWatch(news, [begin + 10.0 * n for n in range(200)], 3000).run(0.2)
    times = sorted(seen.looks(HUB) + seen.looks(LOOK))
    assert min(np.diff(times)) >= 60
    assert len(seen.looks(HUB)) < 15, "33 minutes; a hub that calls in vain is heard less"
    place = seen.strategy.sources.places[seen.home]
    assert seen.strategy.sources.rows["calls"][place] > 3


def test_a_page_whose_hub_was_right_is_polled_less(news: Archive) -> None:
    seen = HubWatch(news, changes_of(news, 2.0), 2000).run(2.0)
    without = HubWatch(news, [], 2000).run(2.0)
    sources, place = seen.strategy.sources, seen.strategy.sources.places[seen.home]
    row = sources.rows[place]
    assert row["pushed"] > 0.5 * row["found"] > 1
    one = np.array([place])
    rates = sources.rates(one, seen.strategy.now)
    assert left_to_polling(sources, one, rates).item() < 0.6 * rates.item()
    assert len(seen.looks(LOOK)) < len(without.looks(LOOK))


def test_a_call_for_an_unknown_page_does_nothing(news: Archive) -> None:
    strategy = HubWatch(news, []).run(0.1).strategy
    strategy.hear(10**6)
    assert not strategy.heard.places


def test_a_watch_told_its_ledger_again_trusts_hubs_as_far(news: Archive) -> None:
    seen = HubWatch(news, changes_of(news, 1.0), 2000).run(1.0)
    inputs = StrategyInputs(NoTopic(), np.random.default_rng(0))
    again = build("watch(requests=2000)", inputs)
    assert isinstance(again, Watch)
    Crawl(again, Recorded(news, news.start), Everything(), MemoryLedger()).begin()
    for visit in seen.visits:
        again.tell([visit])
    for name in ("pushed", "calls"):
        place, same = (one.sources.places[seen.home] for one in (seen.strategy, again))
        assert seen.strategy.sources.rows[name][place] == again.sources.rows[name][same]
