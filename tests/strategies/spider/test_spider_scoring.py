"""Long texts count less, seeds come first, and what is remembered changes nothing."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from foragers.core.loop import Crawl
from foragers.core.models import Model
from foragers.core.types import Link, Visit
from foragers.errors import UsageError
from foragers.judges.simple import LabelJudge
from foragers.judges.topic import NoTopic
from foragers.storage.ledger.memory import MemoryLedger
from foragers.strategies.spider.features import Lexicon, Said
from foragers.strategies.spider.scoring import LinkMemory, Scorer, WordLimits, scorer_of
from foragers.strategies.spider.strategy import RlFuture, Spider
from foragers.text.link_counts import LinkCounts
from foragers.text.link_text import TEXTS
from foragers.worlds.archive import Archive
from foragers.worlds.replay import Recorded
from support.worlds_by_hand import small_world

WORDS = {"head": ["board", "news"], "link": ["team", "jobs"], "url": ["a", "b"], "near": ["x"]}


def model() -> Model:
    """Return a model in which board and team speak for the first bin, news and jobs against it."""
    counts = {bag: np.zeros((5, len(words)), np.int64) for bag, words in WORDS.items()}
    counts["head"][:, 0], counts["head"][:, 1] = [30, 0, 0, 0, 10], [10, 0, 0, 0, 30]
    counts["link"][:, 0], counts["link"][:, 1] = [9, 0, 0, 0, 1], [1, 0, 0, 0, 9]
    links = np.array([10, 0, 0, 0, 10])
    return LinkCounts(WORDS, counts, links, np.array([10.0, 0, 0, 0, 0])).model({})


def crawl(spider: Spider, world: Archive) -> list[Visit]:
    ledger = MemoryLedger()
    work = Crawl(spider, Recorded(world), LabelJudge(frozenset()), ledger)
    work.begin()
    work.run()
    return ledger.visits


def promises(spider: Spider, title: str) -> dict[str, float]:
    """Return what is expected of two links under a title."""
    world = small_world({"home": ["team", "jobs"]}, texts={"home": title})
    visits = crawl(spider, world)
    return {world.book.href(one.url)[-4:]: one.page.choice.promise for one in visits[1:]}


def test_a_long_heading_does_not_outweigh_what_links_say() -> None:
    long = " ".join(["board"] * 200)
    heard_all = promises(RlFuture(NoTopic(), model()), long)
    assert heard_all["jobs"] == pytest.approx(1.0)
    limited = promises(Spider(NoTopic(), model(), page_words=1, link_words=10), long)
    # One board of 200: odds 30+1 to 10+1; one link word: odds 9+1 to 1+1, the other way round.
    odds = 31 / 11 * 2 / 10
    assert limited["jobs"] == pytest.approx(odds / (1 + odds), rel=1e-6)
    odds = 31 / 11 * 10 / 2
    assert limited["team"] == pytest.approx(odds / (1 + odds), rel=1e-6)


def test_short_texts_count_in_full() -> None:
    assert promises(Spider(NoTopic(), model()), "board news") == pytest.approx(
        promises(RlFuture(NoTopic(), model()), "board news")
    )


def test_the_words_of_a_limited_spider_add_up_to_its_promise() -> None:
    world = small_world({"home": ["team"]}, texts={"home": "board " * 50})
    spider = Spider(NoTopic(), model())
    first, second = crawl(spider, world)
    found = spider.explain(first.page, next(iter(first.page.links)))
    assert found is not None
    assert f"{second.page.choice.promise:.3f}" in found.says


@pytest.mark.parametrize("online", [False, True])
def test_seeds_are_fetched_before_anything_they_lead_to(online: bool) -> None:
    graph = {"a": ["team", "team-2"], "b": ["team-3"], "c": [], "team": [], "team-2": []}
    world = small_world(graph, seeds=["a", "b", "c"])
    visits = crawl(Spider(NoTopic(), model(), online=online), world)
    assert [world.book.href(one.url)[-1] for one in visits[:3]] == ["a", "b", "c"]
    assert {one.page.choice.promise for one in visits[:3]} == {2.0}


def scorer() -> tuple[Lexicon, Scorer]:
    tally = LinkCounts.of(model())
    lexicon = Lexicon.of(TEXTS["related"], tally)
    return lexicon, scorer_of(lexicon, tally, 4)


@pytest.mark.parametrize("limits", [WordLimits(), WordLimits(1.0, 1.5)])
def test_what_is_remembered_of_a_link_is_what_would_be_read(limits: WordLimits) -> None:
    lexicon, plain = scorer()
    limited = Scorer(plain.names, plain.priors, plain.weights, plain.values, limits)
    memory = LinkMemory(lexicon, limited)
    links = [
        Link(number, 0, f"http://a.test/{path}", anchor, around)
        for number, (path, anchor, around) in enumerate(
            [("a", "team jobs", "x"), ("b/a", "team", ""), ("", "", "x x"), ("b", "team", "x")]
        )
    ]
    shared = np.array([0, 1, 2, 1], np.int32)
    for some in (links[:2], links, links[::-1], links[1:3]):
        said, urls = Said.of(some), [link.url for link in some]
        read = limited.scores(shared, lexicon.of_links(said))
        assert memory.scores(shared, urls, said) == pytest.approx(read)
    assert len(memory._rows) == 4
    assert len(pickle.loads(pickle.dumps(memory))._rows) == 0


def test_a_limit_below_zero_is_refused() -> None:
    with pytest.raises(UsageError, match="page_words=-1: must be 0"):
        Spider(NoTopic(), model(), page_words=-1).check()
