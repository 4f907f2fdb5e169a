"""Q of links, with the numbers worked out by hand."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from foragers.strategies.peers.link_values import ALWAYS, SAME, LinkActions, n_grams


def test_n_grams_have_three_to_five_characters_and_count_once() -> None:
    assert len(n_grams("abcd")) == 3, "abc, bcd, abcd"
    assert len(n_grams("abcde")) == 6, "abc, bcd, cde, abcd, bcde, abcde"
    assert len(n_grams("aaaa")) == 2, "aaa, aaaa"
    assert n_grams("ab") == []
    assert n_grams("") == []


def test_case_and_spaces_do_not_matter() -> None:
    assert n_grams(" New \n  Reefs ") == n_grams("new reefs")


def test_an_anchor_is_read_two_hundred_characters_far() -> None:
    assert n_grams("reef " * 1000) == n_grams("reef " * 40)


def test_links_with_the_same_words_are_one_action() -> None:
    actions = LinkActions()
    numbers = [actions.number(*link) for link in (("a", True), ("b", True), ("a", True))]
    assert numbers == [0, 1, 0]
    assert actions.number("a", False) == 2
    assert len(actions) == 3


def test_value_is_the_mean_weight_of_the_n_grams_times_the_root_of_their_number() -> None:
    actions, weights = LinkActions(), np.zeros(ALWAYS + 1)
    near, far, empty = (
        actions.number(*link) for link in (("abcd", True), ("abcd", False), ("", True))
    )
    weights[n_grams("abcd")] = [0.1, 0.2, 0.3]
    weights[SAME], weights[ALWAYS] = 0.5, 0.25
    found = actions.values(weights, np.array([far, near, empty], np.int32))
    words = 0.6 / sqrt(3)
    assert found.tolist() == pytest.approx([words + 0.25, words + 0.75, 0.75])
    assert actions.values(weights, np.array([], np.int32)).tolist() == []


def test_a_step_goes_the_told_share_of_the_way_along_each_feature() -> None:
    actions, weights = LinkActions(), np.zeros(ALWAYS + 1)
    number = actions.number("abcd", True)
    actions.step(weights, number, goal=1.0, rate=0.1)
    # The error is 1: each n-gram moves by 0.1 / √3, the other two features by 0.1.
    assert weights[n_grams("abcd")].tolist() == pytest.approx([0.1 / sqrt(3)] * 3)
    assert (weights[SAME], weights[ALWAYS]) == pytest.approx((0.1, 0.1))
    # Q = 3 · (0.1 / √3) / √3 + 0.1 + 0.1; the next error is 0.7.
    assert actions.values(weights, np.array([number], np.int32)).item() == pytest.approx(0.3)
    actions.step(weights, number, goal=1.0, rate=0.1)
    assert weights[ALWAYS] == pytest.approx(0.17)


def test_a_link_to_another_host_teaches_nothing_of_staying() -> None:
    actions, weights = LinkActions(), np.zeros(ALWAYS + 1)
    actions.step(weights, actions.number("", False), goal=1.0, rate=0.5)
    assert (weights[SAME], weights[ALWAYS]) == (0.0, 0.5)


def test_many_actions_keep_their_features_apart() -> None:
    actions, weights = LinkActions(), np.zeros(ALWAYS + 1)
    anchors = [f"link number {place}" for place in range(500)]
    numbers = np.array([actions.number(anchor, False) for anchor in anchors], np.int32)
    weights[n_grams(anchors[321])] = 1.0
    found = actions.values(weights, numbers)
    assert int(found.argmax()) == 321
    assert found[321] == pytest.approx(sqrt(len(n_grams(anchors[321]))))
