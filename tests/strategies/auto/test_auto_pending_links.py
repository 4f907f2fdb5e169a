"""The links that wait: columns against a list, and promises against sums worked out one by one."""

from __future__ import annotations

import pickle
from unittest import mock

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from foragers.core.content import MemoryContent
from foragers.core.loop import seed_visit
from foragers.core.types import Choice, Document, Link, Page, Status, Visit
from foragers.judges.keywords import Keywords
from foragers.judges.topic import NoTopic
from foragers.strategies.auto.combiner import FIRST_WEIGHTS, sigmoid
from foragers.strategies.auto.group_rates import Rates
from foragers.strategies.auto.learning import Learners
from foragers.strategies.auto.pending_links import (
    GROUPED,
    STORED,
    LinkFeatures,
    PendingLinks,
    doubt_of,
    feature_matrix,
    weighted_sum,
)
from foragers.strategies.auto.settings import AutoSettings
from foragers.strategies.auto.strategy import Auto
from foragers.strategies.auto.word_weights import LINK_WORDS, NO_WORD, WordWeights


def known(urls: list[int], first: int = 0) -> LinkFeatures:
    """Return links that are told apart by a number."""
    links = LinkFeatures.room(len(urls))
    links.urls[:] = urls
    links.stored[:] = np.arange(first, first + len(urls))
    return links


pages = st.lists(st.lists(st.integers(0, 9), max_size=6), max_size=12)


@given(pages, st.integers(0, 99))
def test_clues_are_found_by_page_in_the_order_they_came_whatever_was_dropped(
    pages: list[list[int]], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    clues = PendingLinks(AutoSettings(first_room=2))
    model: list[tuple[int, int]] = []
    for number, urls in enumerate(pages):
        first = 100 * number
        clues.add(known(urls, first))
        model += list(zip(urls, range(first, first + len(urls)), strict=True))
        if number % 3 == 2:
            which = rng.random(len(model)) < 0.6
            clues.keep(which)
            model = [link for link, stays in zip(model, which.tolist(), strict=True) if stays]
            clues = pickle.loads(pickle.dumps(clues))  # as in a checkpoint
        assert clues.urls.tolist() == [url for url, _ in model]
        for url in range(10):
            expected = [name for one, name in model if one == url]
            assert clues.of(url).stored[0].tolist() == expected


def test_a_checkpoint_holds_the_links_that_wait_and_no_room() -> None:
    clues = PendingLinks()
    empty = len(pickle.dumps(clues))
    clues.add(filled(known(list(range(10)))))
    packed = pickle.dumps(clues)
    assert len(packed) - empty < 10 * 120
    again = pickle.loads(packed)
    again.add(known([3], 50))
    assert again.of(3).stored[0].tolist() == [3.0, 50.0]


def filled(links: LinkFeatures) -> LinkFeatures:
    """Return links of which all is known."""
    links.groups[:], links.words[:] = 0, NO_WORD
    return links


def test_what_is_forgotten_is_not_found_and_others_are() -> None:
    clues = PendingLinks()
    clues.add(known([3, 4, 3]))
    clues.forget([3])
    assert len(clues.of(3).urls) == 0
    assert clues.of(4).stored[0].tolist() == [1.0]
    clues.keep(clues.urls != 3)
    assert clues.of(4).stored[0].tolist() == [1.0]


def random_links(count: int, groups: int) -> LinkFeatures:
    rng = np.random.default_rng(1)
    words = rng.integers(0, 1000, (LINK_WORDS, count)).astype(np.int32)
    words[rng.integers(0, LINK_WORDS, count) <= np.arange(LINK_WORDS)[:, np.newaxis]] = NO_WORD
    return LinkFeatures(
        np.arange(count, dtype=np.int32),
        rng.integers(0, groups, (len(GROUPED), count)).astype(np.int32),
        words,
        rng.random((len(STORED), count)).astype(np.float32),
    )


def test_links_are_promised_the_same_wherever_they_stand() -> None:
    rng, rates, words = np.random.default_rng(2), Rates(), WordWeights()
    for number in range(50):
        rates.count(rates.lineage([rates.group(f"group {number}")]), float(rng.random()))
    rates.refresh()
    words.weights[:1000], words.leans[:1000] = rng.normal(size=(2, 1000))
    links, weights = random_links(301, len(rates)), FIRST_WEIGHTS

    def promises(some: LinkFeatures) -> list[float]:
        odds = weighted_sum(feature_matrix(some, rates, words, some.urls), weights)
        found: list[float] = sigmoid(odds + doubt_of(some, rates)).tolist()
        return found

    together = promises(links)
    assert together == [promise for one in range(301) for promise in promises(links.at([one]))]
    parts = [links.between(start, start + 43) for start in range(0, 301, 43)]
    assert together == [promise for part in parts for promise in promises(part)]


def visit(url: int, *links: Link) -> Visit:
    content = MemoryContent(Document(), links)
    choice = Choice(url, 0)
    page = Page(choice, Status.OK, "", url, 0.0, 0.0, url, content.columns(), content)
    return Visit(page, 0.0, False)


def link(url: int) -> Link:
    return Link(url, 0, f"http://a.test/{url % 7}/{url}.html", f"tea {url % 5}", path="ul a")


def crawl_of(strategy: Auto, downloads: int, links: int) -> list[tuple[int, float]]:
    """Return what is chosen of a web where each page has links that no other has."""
    strategy.tell([seed_visit([link(0)], 0.0)])
    order: list[tuple[int, float]] = []
    while len(order) < downloads and (chosen := strategy.ask(1, frozenset())):
        new = range(links * len(order) + 1, links * (len(order) + 1) + 1)
        order.append((chosen[0].url, chosen[0].promise))
        strategy.tell([visit(chosen[0].url, *map(link, new))])
    return order


def test_when_links_of_fetched_pages_are_dropped_makes_no_difference() -> None:
    usual = crawl_of(Auto(Keywords("tea pots")), 80, 5)
    for share in (0.0, 1.1):  # never, and at every look
        other = Auto(Keywords("tea pots"), settings=AutoSettings(drop_below=share))
        assert crawl_of(other, 80, 5) == usual


def test_how_many_links_are_judged_at_a_time_makes_no_difference() -> None:
    usual = crawl_of(Auto(NoTopic()), 80, 5)
    assert crawl_of(Auto(NoTopic(), settings=AutoSettings(block=3)), 80, 5) == usual


def test_of_too_many_links_the_least_promising_are_dropped_and_the_crawl_goes_on() -> None:
    strategy = Auto(NoTopic(), settings=AutoSettings(most_pending=40))
    assert len(crawl_of(strategy, 120, 5)) == 120
    strategy._look()
    assert len(strategy._pending) <= 40


def test_what_waits_is_judged_ever_more_seldom() -> None:
    """A page costs the same however many wait: looks grow, and become fewer."""
    shares = []
    for downloads in (400, 800):
        with mock.patch.object(
            Learners, "promises", autospec=True, side_effect=Learners.promises
        ) as counted:
            crawl_of(Auto(NoTopic()), downloads, 4)
        judged = sum(len(call.args[1].urls) for call in counted.call_args_list)
        assert judged > downloads
        shares.append(judged / downloads)
    assert shares[1] < 1.5 * shares[0]
