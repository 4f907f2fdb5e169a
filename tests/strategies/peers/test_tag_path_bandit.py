"""SB-CLASSIFIER's bandit over tag paths, with the numbers worked out by hand."""

from __future__ import annotations

from math import exp, log, sqrt

import numpy as np
import pytest

from foragers.core.loop import seed_visit
from foragers.core.types import Choice, Link, Purpose, Status
from foragers.errors import UsageError
from foragers.judges.topic import NoTopic
from foragers.strategies.peers.tag_path_bandit import (
    PathArms,
    TagPathBandit,
    TargetClassifier,
    character_pairs,
    pairs,
)
from foragers.strategies.registry import StrategyInputs, build
from foragers.testing.ledgers import sample

OPEN: frozenset[int] = frozenset()
MENU, LIST = "html body nav a", "html body ul li a"


def bandit(seed: int = 1, *, classify: bool = False) -> TagPathBandit:
    return TagPathBandit(np.random.default_rng(seed), classify=classify)


def found_at(strategy: TagPathBandit, parent: int, path: str, *urls: int, host: int = 0) -> None:
    """Tell a page that was fetched, with links at a place."""
    links = tuple(Link(url, host, f"http://a.test/{url}", path=path) for url in urls)
    strategy.tell([sample(Choice(parent, 0, depth=0), links=links)])


def begun() -> TagPathBandit:
    """Return a strategy that has fetched its seed, which has no arm but that of seeds."""
    strategy = bandit()
    strategy.tell([seed_visit([Link(0, 0, "http://a.test/")], 0.0)])
    assert [choice.url for choice in strategy.ask(1, OPEN)] == [0]
    return strategy


def test_a_path_is_a_bag_of_neighbours_with_a_beginning_and_an_end() -> None:
    assert pairs("div div a") == {
        ("^", "div"): 1,
        ("div", "div"): 1,
        ("div", "a"): 1,
        ("a", "$"): 1,
    }
    assert pairs("") == {("^", "$"): 1}


def test_paths_join_the_nearest_arm_that_is_near_enough() -> None:
    arms = PathArms()
    assert arms.arm("html body ul li a", 0.75) == 0
    assert arms.arm("html body ol li a", 0.6) == 0, "they share four of six pairs"
    # Of the sum, four pairs count 2 and four 1; the third path shares three of the former.
    assert 6 / (sqrt(5) * sqrt(20)) < 0.75
    assert arms.arm("html body nav a", 0.75) == 1
    assert len(arms) == 2


def test_similarity_is_the_cosine_to_the_sum_of_an_arm_s_paths() -> None:
    # "a b" has three pairs, "a c" three, of which they share ^a: 1/3.
    assert PathArms().arm("a b", 1 / 3) == 0
    near, far = PathArms(), PathArms()
    for arms, threshold, expected in ((near, 0.3333, 0), (far, 0.3334, 1)):
        arms.arm("a b", threshold)
        assert arms.arm("a c", threshold) == expected
    # The sum of both is ^a: 2, ab, b$, ac, c$: 1 each, of length √8.  "a d" has 2 / (√3 · √8).
    cosine = 2 / (sqrt(3) * sqrt(8))
    assert near.arm("a d", cosine + 1e-6) == 1
    assert near.arm("a e", cosine - 1e-6) == 0


def test_score_is_the_mean_reward_and_more_for_arms_that_were_seldom_tried() -> None:
    arms = PathArms()
    arm = arms.arm(MENU, 0.75)
    arms.fetched[arm], arms.rewards[arm] = 4, 6.0
    bonus = 2 * sqrt(2) * sqrt(log(10) / (4 + 1e-6))
    assert arms.mean(arm) == 1.5
    assert arms.score(arm, 2 * sqrt(2), log(10)) == pytest.approx(1.5 + bonus)
    arms.fetched[arm], arms.rewards[arm] = 0, 0.0
    assert arms.score(arm, 1.0, log(10)) == pytest.approx(sqrt(log(10) / 1e-6))
    assert arms.score(arm, 0.0, log(10)) == 0.0


def test_a_relevant_page_rewards_its_arm_and_the_arm_of_the_page_it_was_found_on() -> None:
    strategy = begun()
    found_at(strategy, 0, MENU, 1)
    (menu,) = strategy.ask(1, OPEN)
    strategy.tell([sample(menu, links=(Link(2, 0, "http://a.test/2", path=LIST),))])
    (item,) = strategy.ask(1, OPEN)
    strategy.tell([sample(item, relevance=1.0)])
    arms = strategy.arms
    seed, above, own = (arms.arm(path, 0.75) for path in ("", MENU, LIST))
    assert [arms.fetched[arm] for arm in (seed, above, own)] == [1, 1, 1]
    assert [arms.rewards[arm] for arm in (seed, above, own)] == [0.0, 1.0, 1.0]


def test_a_page_that_cannot_be_had_counts_without_reward() -> None:
    strategy = begun()
    found_at(strategy, 0, MENU, 1)
    (menu,) = strategy.ask(1, OPEN)
    strategy.tell([sample(menu, status=Status.MISSING)])
    arm = strategy.arms.arm(MENU, 0.75)
    assert (strategy.arms.fetched[arm], strategy.arms.rewards[arm]) == (1, 0.0)


def test_links_of_an_arm_that_was_never_tried_go_first_then_those_of_the_better_one() -> None:
    strategy = begun()
    found_at(strategy, 0, MENU, 1, 2, 3)
    strategy.tell([sample(strategy.ask(1, OPEN)[0], relevance=1.0)])
    found_at(strategy, 0, LIST, 11, 12, 13)
    (untried,) = strategy.ask(1, OPEN)
    assert untried.url in {11, 12, 13}
    strategy.tell([sample(untried)])
    assert strategy.ask(1, OPEN)[0].url in {1, 2, 3}, "as often tried, and it paid off"


def test_an_arm_without_links_on_open_hosts_sleeps() -> None:
    strategy = begun()
    found_at(strategy, 0, MENU, 1, 2, host=7)
    strategy.tell([sample(strategy.ask(1, OPEN)[0], relevance=1.0)])
    found_at(strategy, 0, LIST, 11, 12, host=8)
    assert [choice.host for choice in strategy.ask(9, {8})] == [7]
    assert sorted(choice.url for choice in strategy.ask(9, OPEN)) == [11, 12]
    assert not strategy.ask(1, OPEN)


def test_links_of_an_arm_are_drawn_by_lot() -> None:
    orders = set()
    for seed in range(5):
        strategy = bandit(seed)
        found_at(strategy, 0, MENU, *range(1, 9))
        orders.add(tuple(choice.url for choice in strategy.ask(9, OPEN)))
    assert {tuple(sorted(order)) for order in orders} == {tuple(range(1, 9))}
    assert len(orders) == 5


def test_classifier_counts_pairs_of_characters() -> None:
    places, counts = character_pairs("abab")
    assert dict(zip(places.tolist(), counts.tolist(), strict=True)) == {
        97 * 128 + 98: 2,
        98 * 128 + 97: 1,
        128 * 128: 1,
    }
    assert character_pairs("")[0].tolist() == [128 * 128]
    assert character_pairs("\u00e9\u00e9")[0].tolist() == [63 * 128 + 63, 128 * 128]


def test_classifier_learns_when_ten_urls_have_come_together() -> None:
    classifier = TargetClassifier()
    for number in range(9):
        classifier.learn("aa", number == 0)
    assert classifier.probability("aa") == 0.5
    classifier.learn("aa", False)
    # The first step has the length 10: the error is 0.5, and aa and what all have move by 5.
    # Then nine steps go down from 1 / (1 + exp(−10)), each 10 · 1000 / (1000 + t) long.
    pair = always = 5.0
    for step in range(1, 10):
        rate = 1e4 / (1000 + step)
        error = -1 / (1 + exp(-(pair + always)))
        pair = pair * (1 - rate * 1e-4) + rate * error
        always += rate * error
    assert classifier.probability("aa") == pytest.approx(1 / (1 + exp(-(pair + always))))


def test_likely_targets_go_first() -> None:
    strategy = bandit(classify=True)
    for number in range(20):
        kind = "reef" if number % 2 else "sand"
        strategy.classifier.learn(f"http://a.test/{kind}/{number}", kind == "reef")
    links = [
        Link(number, 0, f"http://a.test/{kind}/{number}", path=MENU)
        for number, kind in enumerate(["sand"] * 20 + ["reef"] * 3, 30)
    ]
    strategy.tell([sample(Choice(0, 0, depth=0), links=tuple(links))])
    assert {choice.url for choice in strategy.ask(3, OPEN)} == {50, 51, 52}
    assert len(strategy.frontier) == 20
    assert len(strategy.ask(100, OPEN)) == 20


def test_what_the_crawl_asks_for_itself_is_not_rewarded() -> None:
    strategy = begun()
    found_at(strategy, 0, MENU, 1)
    strategy.tell([sample(Choice(1, 0, 0.0, "", 0, 1, Purpose.SITEMAP), relevance=1.0)])
    assert strategy.arms.rewards == [0.0, 0.0]


@pytest.mark.parametrize("wrong", ["alpha=-1", "similarity=1.5"])
def test_numbers_that_make_no_sense_are_refused(wrong: str) -> None:
    inputs = StrategyInputs(NoTopic(), np.random.default_rng(1))
    with pytest.raises(UsageError, match=f"tag-path-bandit: {wrong}: must be"):
        build(f"tag-path-bandit({wrong})", inputs)
