"""What auto visits again where news is wanted, with the numbers worked out by hand."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import exp, inf
from random import Random

import msgspec
import numpy as np
import pytest

from foragers.core.loop import Crawl, seed_visit
from foragers.core.protocols import Part, Strategy
from foragers.core.types import Choice, Link, Status, Visit
from foragers.frontier.frontier import Frontier
from foragers.judges.novelty import DAY, Novelty
from foragers.judges.topic import NoTopic
from foragers.storage.ledger.memory import MemoryLedger
from foragers.strategies.auto.change_rates import EDGES, ROOT, Hazards
from foragers.strategies.auto.new_links import FRESH, Source, worth_of
from foragers.strategies.auto.page_history import Watched, expected_if_any
from foragers.strategies.auto.revisit import AGAIN, ON_SEED, Trust
from foragers.strategies.auto.settings import AutoSettings, RevisitSettings
from foragers.strategies.auto.strategy import Auto
from foragers.strategies.registry import StrategyInputs, build
from foragers.testing import check_strategy
from foragers.worlds.archive import Archive
from foragers.worlds.budget import Budget
from foragers.worlds.replay import Recorded
from support.random_worlds import random_world
from support.worlds_by_hand import small_world, url_id

HOUR = 3600.0
SETTINGS = RevisitSettings()


def crawled(archive: Archive, strategy: Auto, downloads: int, pace: float) -> MemoryLedger:
    """Let a strategy look for news, one page after the other."""
    ledger = MemoryLedger()
    world = Budget(Recorded(archive, archive.start, pace), downloads)
    crawl = Crawl(strategy, world, Novelty(DAY), ledger)
    crawl.begin()
    crawl.run()
    return ledger


def newspaper(days: int = 10) -> Archive:
    """Return a front page with a new link every three hours, and pages that stand still."""
    still = [f"s/{number}" for number in range(12)]
    stories = [f"n/{number}" for number in range(8 * days)]
    born = {story: 3 * HOUR * (number + 1) for number, story in enumerate(stories)}
    later = [(born[story], "", [*still, story]) for story in stories]
    pages = {"": still, **{name: [""] for name in (*still, *stories)}}
    return small_world(pages, born=born, later=later, end=days * DAY)


def test_rates_of_change_are_shrunk_towards_those_of_the_group_around() -> None:
    hazards = Hazards()
    host = hazards.group("host")
    hazards.watch(host, 0.0, 900.0, 2.0)
    hazards.refresh()
    # Up to the age of 600 s it was watched for 600 s, then for 300 s; both had the same rate.
    first = SETTINGS.first_changes
    root = (2 * 600 / 900 + first) / (600 + first / SETTINGS.first_rate)
    assert hazards.table["rate"][ROOT, 0] == pytest.approx(root)
    at_host = (2 * 600 / 900 + SETTINGS.alike) / (600 + SETTINGS.alike / root)
    assert hazards.table["rate"][host, 0] == pytest.approx(at_host)
    later = hazards.table["rate"][host, 1]
    between = hazards.between(np.array([host]), np.array([300.0]), np.array([700.0]))
    assert between[0] == pytest.approx(300 * at_host + 100 * later)
    assert EDGES[1] == 600


def test_the_changes_of_one_page_are_those_it_has_among_many() -> None:
    hazards, rng = Hazards(), np.random.default_rng(4)
    host = hazards.group("host")
    hazards.watch(host, 0.0, 90_000.0, 7.3)
    hazards.refresh()
    first = np.array([*EDGES, *rng.random(50) * 5e6])
    last = first + rng.random(len(first)) * 1e6
    together = hazards.between(np.full(len(first), host), first, last).tolist()
    ages = zip(first.tolist(), last.tolist(), strict=True)
    assert [hazards.between_ages(host, *some) for some in ages] == together


def test_a_new_group_has_the_rates_and_shares_of_the_group_around() -> None:
    hazards = Hazards()
    host = hazards.group("host")
    hazards.count(host, 0, 2.0, 2.0)
    hazards.refresh()
    new = hazards.group("new", host)
    sure = SETTINGS.sure
    root = (2 + sure * SETTINGS.first_shares[0]) / (2 + sure)
    assert hazards.table["share"][host, 0] == pytest.approx((2 + sure * root) / (2 + sure))
    assert hazards.table["share"][new].tolist() == hazards.table["share"][host].tolist()


def test_visits_that_bring_less_than_expected_lower_the_trust_in_a_group() -> None:
    hazards = Hazards()
    host = hazards.group("host")
    articles, lists = hazards.group("articles", host), hazards.group("lists", host)
    for _ in range(20):
        hazards.compare(articles, 0.5, 0.0)
        hazards.compare(lists, 0.5, 1.0)
    hazards.refresh()
    # Of 20 expected in all 20 were found: the host and the root are trusted fully.
    sure = SETTINGS.sure_visits
    assert hazards.table["trust"][[ROOT, host, lists]].tolist() == [1.0, 1.0, 1.0]
    assert hazards.table["trust"][articles] == pytest.approx(sure / (10 + sure))


def test_the_worth_of_a_visit_is_multiplied_by_the_trust_in_its_group() -> None:
    watched = Watched(DAY)
    archive = small_world({"": ["one"], "one": []}, end=10 * DAY)
    watched.begin(Recorded(archive, 0.0).answer(Choice(url_id(archive, "one"), 0, 1.0)), ROOT)
    before = watched.worth(np.arange(1), DAY, 0.1).item()
    # Half of the changes are thought to be news, and one change a day is expected at first.
    assert watched.expected_news(0, DAY) == pytest.approx(0.5 * (1 - exp(-1)))
    assert watched.expected_news(0, 0.0) == 0
    watched.hazards.compare(ROOT, SETTINGS.sure_visits, 0.0)
    watched.hazards.refresh()
    assert watched.hazards.table["trust"][ROOT] == 0.5
    assert watched.worth(np.arange(1), DAY, 0.1).item() == pytest.approx(0.5 * before)


def test_a_page_that_changed_may_have_changed_more_than_once() -> None:
    assert expected_if_any(1.0) == pytest.approx(1 / (1 - exp(-1)))
    assert expected_if_any(0.0) == 1
    assert expected_if_any(50.0) == SETTINGS.most_changes


def test_the_promise_of_a_new_link_sinks_until_it_is_no_news_any_more() -> None:
    watched = Watched(DAY)
    archive = small_world({"": []})
    page = Recorded(archive).answer(seed_visit(Recorded(archive).seeds, 0).page.choice)
    watched.begin(page, ROOT)
    source = Source(0, 0.0, 0, 0, 1)
    first = SETTINGS.first_shares[2]
    assert worth_of(source, 0.0, watched) == pytest.approx(first)
    assert worth_of(source, DAY / 4, watched) == pytest.approx(0.75 * first)
    assert worth_of(source, DAY, watched) == 0


def test_promises_that_are_not_kept_are_trusted_less() -> None:
    trust = Trust()
    assert trust.share == 1
    for _ in range(500):
        trust.learn(0.8, 0.2)
    assert trust.share == pytest.approx(0.25, abs=0.01)


def test_auto_comes_back_to_what_changes_and_leaves_alone_what_does_not() -> None:
    archive = newspaper()
    visits = list(crawled(archive, Auto(NoTopic(), new_within=DAY), 300, 2880.0).read())
    front = archive.seeds[0]
    again = Counter(visit.url for visit in visits if visit.page.choice.agent == AGAIN)
    others = [count for url, count in again.items() if url != front]
    assert again[front] > 3 * max(others, default=0)
    found = sum(visit.relevant for visit in visits)
    # All stories, the front page after each of them, and what was new at the beginning.
    assert found > 0.8 * 2 * 80


def test_a_link_that_was_not_there_before_is_followed_at_once() -> None:
    visits = list(crawled(newspaper(), Auto(NoTopic(), new_within=DAY), 300, 2880.0).read())
    links = [visit for visit in visits if visit.page.choice.agent == FRESH]
    assert len(links) > 40
    assert np.median([visit.page.time - visit.page.born for visit in links]) < 3 * HOUR


def test_a_seed_is_visited_again_although_other_pages_never_change() -> None:
    still = [f"s/{number}" for number in range(200)]
    later = [(6 * HOUR * (number + 1), "", [*still, f"n/{number}"]) for number in range(40)]
    born = {f"n/{number}": 6 * HOUR * (number + 1) for number in range(40)}
    pages = {"": still, **{name: [*still[:30], ""] for name in (*still, *born)}}
    archive = small_world(pages, born=born, later=later, end=10 * DAY)
    visits = list(crawled(archive, Auto(NoTopic(), new_within=DAY), 300, 2880.0).read())
    front = [visit.page.time for visit in visits if visit.url == archive.seeds[0]]
    assert len(front) > 20
    # After a quarter of a day, but for the ten downloads between two such visits.
    assert max(np.diff(front)) <= 11 * 2880


def test_a_seed_whose_answer_was_lost_is_asked_for_again() -> None:
    archive, settings = newspaper(), AutoSettings(revisits=RevisitSettings(lost=20))
    auto = Auto(NoTopic(), new_within=DAY, settings=settings)
    front, times = archive.seeds[0], []
    auto.tell([seed_visit(Recorded(archive).seeds, archive.start)])
    for number in range(150):
        chosen = auto.ask(1, frozenset())[0]
        if chosen.url == front:
            times.append(number)
            if len(times) > 1:
                continue  # all answers but the first are lost
        page = Recorded(archive, archive.start + 2880.0 * number).answer(chosen)
        auto.tell([Visit(page, 0.0, False)])
    assert len(times) > 3
    assert min(np.diff(times[1:])) > 20


def test_links_of_a_seed_are_followed_although_they_promise_little() -> None:
    # The home page lists streams; stories turn up on the last of them alone.
    streams = [f"stream/{number}" for number in range(20)]
    stories = [f"n/{number}" for number in range(40)]
    born = {story: 6 * HOUR * (number + 1) for number, story in enumerate(stories)}
    later = [(born[story], streams[-1], [story]) for story in stories]
    deep = {stream: [f"{stream}/{number}" for number in range(30)] for stream in streams[:-1]}
    old = {name: [""] for names in deep.values() for name in names}
    pages = {"": streams, **deep, **old, streams[-1]: [], **{story: [] for story in stories}}
    archive = small_world(pages, born=born, later=later, end=10 * DAY)
    visits = list(crawled(archive, Auto(NoTopic(), new_within=DAY), 300, 2880.0).read())
    asked = {visit.url: place for place, visit in reversed(list(enumerate(visits)))}
    hrefs = {archive.book.href(url): place for url, place in asked.items()}
    last = max(hrefs[f"http://site.test/{stream}"] for stream in streams)
    assert last <= 1 + SETTINGS.link_rest * len(streams)
    links = [visit for visit in visits if visit.page.choice.agent == ON_SEED]
    assert 0 < len(links) <= len(streams)


def test_of_very_many_links_of_a_seed_only_some_are_followed_unasked() -> None:
    names = [f"s/{number}" for number in range(3 * SETTINGS.most_seed_links)]
    archive = small_world({"": names, **{name: [] for name in names}}, end=10 * DAY)
    auto = Auto(NoTopic(), new_within=DAY)
    visits = list(crawled(archive, auto, 600, 1440.0).read())
    links = [visit.url for visit in visits if visit.page.choice.agent == ON_SEED]
    assert len(links) == len(set(links)) <= SETTINGS.most_seed_links


def test_what_never_answered_is_given_up_and_what_did_is_not() -> None:
    watched = Watched(DAY)
    archive = small_world({"": ["gone"], "late": []}, born={"late": 1.5 * DAY}, end=10 * DAY)
    urls = [url_id(archive, name) for name in ("gone", "late")]
    for url in urls:
        page = Recorded(archive, 0.0).answer(Choice(url, 0, 1.0))
        assert page.version < 0
        watched.begin(page, ROOT)
    for day in range(1, SETTINGS.given_up):
        assert (watched.worth(np.arange(2), day * DAY, 0.1) > 0).all()
        for place, url in enumerate(urls):
            page = Recorded(archive, day * DAY).answer(Choice(url, 0, 1.0))
            watched.learn(place, Visit(page, 0.0, False))
    gone, late = watched.worth(np.arange(2), (SETTINGS.given_up + 1) * DAY, 0.1).tolist()
    assert gone == 0 < late


def test_auto_visits_nothing_twice_where_no_news_is_wanted() -> None:
    auto = Auto(NoTopic())
    visits = list(crawled(newspaper(), auto, 300, 2880.0).read())
    assert (
        max(Counter(visit.page.final for visit in visits if visit.page.version >= 0).values()) == 1
    )
    assert not auto.revisits


def test_auto_does_not_come_back_to_what_is_not_wanted_or_not_allowed() -> None:
    archive, auto = newspaper(), Auto(NoTopic(), new_within=DAY)
    world = Recorded(archive, archive.start, HOUR)
    auto.tell([seed_visit(world.seeds, world.now)])
    page = world.answer(auto.ask(1, set())[0])
    for status in (Status.SKIPPED, Status.UNWANTED, Status.REFUSED):
        auto.tell([Visit(msgspec.structs.replace(page, status=status, version=-1), 0.0, False)])
    assert archive.seeds[0] not in {choice.url for choice in auto.ask(50, set())}


def test_auto_told_its_ledger_again_chooses_the_same() -> None:
    archive, auto = newspaper(), Auto(NoTopic(), new_within=DAY)
    ledger = crawled(archive, auto, 150, 2880.0)
    again = Auto(NoTopic(), new_within=DAY)
    again.tell([seed_visit(Recorded(archive, archive.start).seeds, archive.start)])
    for visit in ledger.read():
        again.tell([visit])
    assert list(again.ask(5, set())) == list(auto.ask(5, set()))


def test_auto_says_why_it_visits_a_page_again_or_follows_a_new_link() -> None:
    archive, auto = newspaper(), Auto(NoTopic(), new_within=DAY)
    visits = list(crawled(archive, auto, 150, 2880.0).read())
    front = next(visit for visit in visits if visit.url == archive.seeds[0])
    link = Link(archive.seeds[0], 0, "")
    why = auto.explain(front.page, link)
    assert why is not None
    assert "another visit" in why.says
    again = [visit for visit in visits if visit.url == archive.seeds[0]]
    versions = [visit.page.version for visit in again]
    changed = sum(one != other for one, other in pairwise(versions))
    followed = sum(visit.relevant and visit.page.choice.agent == FRESH for visit in visits)
    others = sum(
        visit.relevant
        and visit.page.choice.agent != FRESH
        and archive.book.href(visit.url).startswith("http://site.test/n/")
        for visit in visits
    )
    assert f"this page changed in {changed} of {len(again) - 1} visits" in why.says
    assert f"its new links led to {followed + others} new pages" in why.says
    seen = max(visit.page.time for visit in visits if visit.url == archive.seeds[0])
    since = (visits[-1].page.time - seen) / HOUR
    assert why.parts[0] == Part("hours since it was last seen", (since,))
    new = next(visit for visit in visits if visit.page.choice.agent == FRESH)
    young = Auto(NoTopic(), new_within=DAY)
    young.tell([seed_visit(Recorded(archive, archive.start).seeds, archive.start)])
    for visit in visits[: visits.index(new)]:
        young.tell([visit])
    why = young.explain(front.page, Link(new.url, 0, ""))
    assert why is not None
    assert "is new on its page" in why.says
    assert why.says.endswith("led to news") == (round(why.parts[0].adds[0]) > 0)


def test_a_seed_that_is_due_and_a_link_of_a_seed_are_explained_by_their_rules() -> None:
    archive, auto = newspaper(), Auto(NoTopic(), new_within=DAY)
    visits = list(crawled(archive, auto, 1, 2880.0).read())
    front, seed = visits[0].page, Link(archive.seeds[0], 0, "")
    assert auto._again is not None
    why = auto.explain(front, seed)
    assert why is not None
    assert "in any case" not in why.says
    auto._again.now += 7 * HOUR  # a quarter of a day is six hours
    why = auto.explain(front, seed)
    assert why is not None
    assert why.says.startswith(
        "it is a seed that was last seen 7.0 hours before, and a seed is visited again after"
        " 6 hours in any case; another visit was expected"
    )
    link = next(link for link in front.links if link.url in auto._again._seed_links)
    why = auto.explain(front, link)
    assert why is not None
    assert why.says.startswith(
        "it is among the first 40 links of the seeds, each of which is followed once; by itself"
        " it had a probability of "
    )
    del auto._again._seed_links[link.url]
    why = auto.explain(front, link)
    assert why is not None
    assert why.says.startswith("it had a probability of ")


def test_a_page_visited_once_is_explained_by_similar_pages() -> None:
    archive, auto = newspaper(), Auto(NoTopic(), new_within=DAY)
    crawled(archive, auto, 1, 2880.0)
    why = auto.explain(Recorded(archive).answer(Choice(0, 0, 1.0)), Link(archive.seeds[0], 0, ""))
    assert why is not None
    assert why.says.endswith("judged by similar pages of its host, since it was visited only once")


@pytest.mark.parametrize("spec", ["auto", "uniform"])
def test_strategies_that_visit_again_keep_their_promises(spec: str) -> None:
    archive = random_world(2, changes=30)

    def make() -> Strategy:
        return build(spec, StrategyInputs(NoTopic(), np.random.default_rng(3), new_within=20.0))

    check_strategy(make, lambda: Recorded(archive, 0.5, 0.5, 3), Novelty(20.0), downloads=90)


def test_the_best_of_a_frontier_is_what_it_gives_next() -> None:
    rng, frontier = Random(1), Frontier()
    for step in range(2000):
        url = rng.randrange(400)
        frontier.push(url, url % 7, rng.random())
        closed = {host for host in range(7) if rng.random() < 0.4}
        if step % 3 == 0:
            best = frontier.best(closed)
            choices = frontier.pop(1, closed)
            assert best == (choices[0].promise if choices else -inf)
    assert frontier.best({*range(7)}) == -inf
