"""Reward rates of groups of links, worked out by hand."""

from __future__ import annotations

import pickle
from math import exp, log

import numpy as np
import pytest

from foragers.strategies.auto import group_rates
from foragers.strategies.auto.group_rates import ROOT, Rates, SeedRate
from foragers.strategies.auto.settings import AutoSettings


def worth(rates: Rates, group: int) -> float:
    return 1 / (1 + exp(-rates.odds[group] - rates.usual))


def answers(rates: Rates, group: int) -> float:
    return exp(rates.doubts[group])


def test_rates_are_shrunk_from_coarse_to_fine() -> None:
    rates = Rates(AutoSettings(shrinkage=3))
    host = rates.group("host")
    page = rates.group("page", host)
    for brought in (1.0, 0.0):
        rates.count(rates.lineage([page]), brought)
        rates.answer([page], True)
    rates.count(rates.lineage([host]), 0.0)
    rates.answer([host], False)
    rates.refresh()
    root = (1 + 3 * 0.02) / (3 + 3)
    at_host = (1 + 3 * root) / (3 + 3)
    assert worth(rates, ROOT) == pytest.approx(root)
    assert worth(rates, host) == pytest.approx(at_host)
    assert worth(rates, page) == pytest.approx((1 + 3 * at_host) / (2 + 3))
    assert answers(rates, host) == pytest.approx((2 + 3 * (2 + 3 * 0.9) / 6) / 6)


def test_a_new_group_is_believed_to_be_like_the_one_around_it() -> None:
    rates = Rates()
    host = rates.group("host")
    assert worth(rates, host) == pytest.approx(0.02)
    rates.count(rates.lineage([host]), 1.0)
    rates.refresh()
    assert rates.odds[rates.group("new", host)] == rates.odds[host]
    assert rates.group("new", host) == rates.group("new", host)


def test_groups_that_did_not_come_up_of_late_are_known_all_the_same() -> None:
    rates = Rates(AutoSettings(recent_names=3))
    names = [f"group {number}" for number in range(50)]
    numbers = [rates.group(name) for name in names]
    assert numbers == list(range(1, 51))
    assert [pickle.loads(pickle.dumps(rates)).group(name) for name in names] == numbers
    assert [rates.group(name) for name in names] == numbers
    assert len(rates._recent) <= 3


def test_beyond_a_number_of_groups_links_belong_to_the_one_around() -> None:
    rates = Rates(AutoSettings(most_groups=3))
    host, page = rates.group("host"), rates.group("page")
    assert [rates.group("more", page), rates.group("page"), len(rates)] == [page, page, 3]
    assert rates.group("host") == host


def test_a_host_that_answers_always_says_little_of_new_hosts() -> None:
    rates = Rates(AutoSettings(shrinkage=3))
    good, dead = rates.group("good"), rates.group("dead")
    for _ in range(100):
        rates.answer([good], True)
    for _ in range(3):
        rates.answer([dead], False)
    rates.refresh()
    new = (3 + 3 * 0.9) / (6 + 3)
    assert answers(rates, ROOT) == pytest.approx(new)
    assert answers(rates, good) == pytest.approx((100 + 3 * new) / 103)
    assert answers(rates, rates.group("new")) == pytest.approx(new)


def test_a_group_with_cases_may_stand_in_one_without() -> None:
    # As after earlier crawls that knew the inner group alone: p = (s + m·p(around)) / (n + m).
    rates = Rates()
    around = rates.group("around")
    inner = rates.group("inner", around)
    empty = rates.group("empty", inner)
    rates.followed[inner], rates.earned[inner] = 5, 4.0
    rates.refresh()
    usual = 0.02
    expected = (4 + 3 * usual) / (5 + 3)
    odds = np.log([usual / (1 - usual), expected / (1 - expected)])
    assert rates.usual == pytest.approx(odds[0])
    assert rates.odds[around] == pytest.approx(0.0, abs=1e-6)
    assert rates.odds[inner] == pytest.approx(odds[1] - odds[0], rel=1e-6)
    assert rates.odds[empty] == rates.odds[inner]


def test_relevant_seeds_speak_for_seeds() -> None:
    seeds, usual = SeedRate(shrinkage=3), log(0.2 / 0.8)
    seeds.count(relevant=True)
    seeds.count(relevant=False)
    rate = (1 + 3 * 0.2) / (2 + 3)
    assert seeds.gain(usual) == pytest.approx(log(rate / (1 - rate)) - usual)


def test_seeds_that_are_not_relevant_speak_against_none() -> None:
    seeds = SeedRate(shrinkage=3)
    for _ in range(5):
        seeds.count(relevant=False)
    assert seeds.gain(0.0) == 0.0


@pytest.mark.parametrize("compiled", [True, False])
def test_a_given_host_that_was_hardly_tried_gains(
    compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not compiled:
        monkeypatch.setattr(group_rates, "LIBRARY", None)
    rates = Rates(AutoSettings(untried_host=1.5))
    rates.give(["tried", "new"])
    tried, new, other = map(rates.group, ("tried", "new", "other"))
    inside, deeper = rates.group("in tried", tried), rates.group("in new", new)
    for _ in range(8):
        rates.count(rates.lineage([inside]), 0.0)
    rates.refresh()
    usual = log(0.9)
    assert rates.doubts[tried] == pytest.approx(usual + 1.5 * log(1 + 4 / 9))
    assert rates.doubts[inside] == rates.doubts[tried]
    assert rates.doubts[deeper] == pytest.approx(usual + 1.5 * log(1 + 4))
    assert rates.doubts[rates.group("later", new)] == rates.doubts[deeper]
    assert rates.doubts[other] == rates.doubts[ROOT] == pytest.approx(usual)


def test_a_single_given_host_gains_nothing() -> None:
    rates = Rates()
    rates.give(["host", "host"])
    rates.count(rates.lineage([rates.group("host")]), 1.0)
    rates.refresh()
    assert answers(rates, rates.group("host")) == pytest.approx(0.9)


def test_a_given_host_for_which_there_is_no_room_is_no_group() -> None:
    rates = Rates(AutoSettings(most_groups=3))
    rates.give(["a", "b", "c", "d"])
    rates.refresh()
    assert answers(rates, ROOT) == pytest.approx(0.9)
