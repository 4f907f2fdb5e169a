"""Anthelion's bandit over hosts, with the numbers worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from foragers.core.loop import seed_visit
from foragers.core.types import Choice, Link
from foragers.errors import UsageError
from foragers.judges.topic import NoTopic
from foragers.strategies.peers.host_bandit import (
    ALWAYS,
    HostBandit,
    UrlBayes,
    features,
    found_by_of,
)
from foragers.strategies.registry import StrategyInputs, build
from foragers.testing.ledgers import sample

OPEN: frozenset[int] = frozenset()


def row(*places: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.array([*places, ALWAYS], np.int32)


def bandit(explore: float = 0.0, decay: int = 0, rescore: int = 0) -> HostBandit:
    return HostBandit(np.random.default_rng(1), explore, decay, rescore)


def begun(strategy: HostBandit, *links: Link) -> HostBandit:
    strategy.tell([seed_visit(links, 0.0)])
    return strategy


def fetch(strategy: HostBandit, url: int, host: int, relevant: bool, *links: Link) -> None:
    strategy.tell([sample(Choice(url, host, depth=0), links=links, relevance=float(relevant))])


def test_classifier_that_learned_nothing_leaves_everything_open() -> None:
    assert UrlBayes().scores([row(), row(1, 2)]).tolist() == [0.5, 0.5]


def test_classifier_counts_features_by_class_with_laplace_s_correction() -> None:
    bayes = UrlBayes()
    bayes.learn(row(1, 2), True)
    bayes.learn(row(3), False)
    bayes.learn(row(3), False)
    # Pages: (1 + 1) / (2 + 3) to (1 + 2) / (2 + 3); two features among the relevant, two among
    # the others, so that a word nobody knows says nothing.
    prior = 2 / 3
    expected = [prior, prior * 2, prior / 3, prior * 2 / 3, prior]
    found = bayes.scores([row(), row(1), row(3), row(2, 3), row(9)])
    assert found.tolist() == pytest.approx([odds / (1 + odds) for odds in expected])


def test_a_class_with_more_features_makes_a_new_word_rarer() -> None:
    bayes = UrlBayes()
    bayes.learn(row(1, 2, 3), True)
    bayes.learn(row(4), False)
    odds = 10_001 / 10_003
    assert bayes.scores([row(9)]).item() == pytest.approx(odds / (1 + odds))


def test_features_are_words_of_path_and_query_where_all_numbers_are_one() -> None:
    some = features("http://robots.test/Robots/2014/ab/x9y/p%61ge-12345.html?q=robots", [])
    assert some.tolist() == features("http://a.test/robots/page/999/html", []).tolist()
    assert len(some) == 5, "robots, page, [number], html, and the one that all have"
    assert features("http://a.test", []).tolist() == [ALWAYS]


def test_where_a_link_was_found_is_a_feature() -> None:
    assert found_by_of({1}, {0}) == ["above 1"]
    assert found_by_of({2}, {0, 1, 2}) == ["above 2", "beside 1", "beside 2"]
    assert len(features("http://a.test/", ["above 1"])) == 2


def test_host_is_worth_its_best_url_times_its_success() -> None:
    strategy = begun(bandit(), Link(0, 0, "http://a.test/"), Link(1, 1, "http://b.test/"))
    assert [choice.url for choice in strategy.ask(2, OPEN)] == [0, 1]
    fetch(strategy, 0, 0, True, Link(2, 0, "http://a.test/2"), Link(3, 1, "http://b.test/3"))
    # One page, relevant: P = 2/3 where a URL has no words, and "above 1" is new.
    best = 2 / 3
    assert strategy.values(np.array([0, 1])).tolist() == pytest.approx([best * 2, best])
    fetch(strategy, 1, 1, False)
    assert strategy.values(np.array([0, 1])).tolist() == pytest.approx([best * 2, best / 2])
    assert [choice.host for choice in strategy.ask(2, OPEN)] == [0, 1]


def test_success_can_outweigh_a_better_url() -> None:
    strategy = begun(bandit(), Link(0, 0, "http://a.test/good"), Link(1, 1, "http://b.test/bad"))
    strategy.ask(2, OPEN)
    fetch(strategy, 0, 0, True)
    fetch(strategy, 1, 1, False)
    begun(strategy, Link(2, 0, "http://a.test/bad"), Link(3, 1, "http://b.test/good"))
    # P(good) = 2/3 and P(bad) = 1/3; times 2 and 1/2 it is 2/3 for the first, 1/3 for the second.
    assert strategy.values(np.array([0, 1])).tolist() == pytest.approx([2 / 3, 1 / 3])
    assert [choice.url for choice in strategy.ask(2, OPEN)] == [2, 3]


def test_closed_hosts_are_left_out_also_at_random() -> None:
    for explore in (0.0, 1.0):
        links = [Link(url, url % 3, f"http://{url % 3}.test/{url}") for url in range(12)]
        strategy = begun(bandit(explore), *links)
        chosen = strategy.ask(100, {0, 2, 7})
        assert [choice.host for choice in chosen] == [1, 1, 1, 1]
        assert len(strategy.ask(100, OPEN)) == 8
        assert not strategy.ask(1, OPEN)


@pytest.mark.parametrize(("explore", "least", "most"), [(0.0, 400, 400), (1.0, 160, 240)])
def test_hosts_are_drawn_at_random_as_often_as_told(explore: float, least: int, most: int) -> None:
    links = [Link(url, url % 2, f"http://{url % 2}.test/") for url in range(1000)]
    hosts = [choice.host for choice in begun(bandit(explore), *links).ask(400, OPEN)]
    assert least <= hosts.count(0) <= most, "the first of two equal hosts, or each about as often"


def test_share_of_random_hosts_decays() -> None:
    strategy = bandit(0.5, decay=2)
    shares = []
    for url in range(5):
        shares.append(strategy.share_at_random())
        fetch(strategy, url, 0, False)
    assert shares == [0.5, 0.5, 0.25, 0.25, 0.5 / 3]
    assert bandit(0.5).share_at_random() == 0.5


@pytest.mark.parametrize(("rescore", "first"), [(0, 1), (1, 2)])
def test_urls_that_wait_are_scored_anew(rescore: int, first: int) -> None:
    strategy = begun(
        bandit(rescore=rescore),
        *(Link(0, 0, "http://a.test/reef"), Link(1, 0, "http://a.test/sand")),
        *(Link(2, 0, "http://a.test/reef/tide"), Link(3, 1, "http://b.test/x")),
    )
    assert [choice.url for choice in strategy.ask(1, OPEN)] == [0]
    fetch(strategy, 0, 0, True)
    assert [choice.url for choice in strategy.ask(1, OPEN)] == [first]


def test_url_that_a_redirect_led_to_is_not_chosen() -> None:
    strategy = begun(bandit(), Link(0, 0, "http://a.test/"), Link(1, 1, "http://b.test/"))
    begun(strategy, Link(2, 1, "http://b.test/x"))
    assert [choice.url for choice in strategy.ask(1, OPEN)] == [0]
    strategy.tell([sample(Choice(0, 0, depth=0), final=1)])
    assert [choice.url for choice in strategy.ask(5, OPEN)] == [2]


@pytest.mark.parametrize("wrong", ["explore=1.5", "decay=-1", "rescore=-1"])
def test_numbers_that_make_no_sense_are_refused(wrong: str) -> None:
    inputs = StrategyInputs(NoTopic(), np.random.default_rng(1))
    with pytest.raises(UsageError, match=f"host-bandit: {wrong}: must be"):
        build(f"host-bandit({wrong})", inputs)
