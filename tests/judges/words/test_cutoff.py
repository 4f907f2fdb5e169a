"""The threshold that follows the best pages, against numbers worked out by hand."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foragers.judges.words.cutoff import Cutoff


def filled(*evidence: float) -> Cutoff:
    """Return a cutoff that has seen some evidence."""
    cutoff = Cutoff()
    for one in evidence:
        cutoff.add(one)
    return cutoff


def test_a_crawl_begins_with_a_cut_that_five_imagined_pages_make() -> None:
    # 0.42 · 1.2, and a relevance of 1/4 there: q² / (q² + 3) with q = 1.
    assert Cutoff().cut == pytest.approx(0.504)
    assert Cutoff().relevance(0.504) == pytest.approx(1 / 4)
    assert Cutoff().relevance(2 * 0.504) == pytest.approx(4 / (4 + 3))
    assert Cutoff().relevance(0) == 0


def test_the_cut_follows_the_mean_of_the_best_five_more_slowly_than_it_grows() -> None:
    # One page of 2.2 takes the place of one of 1.2: their mean is 1.4, to a step in a thousand.
    assert filled(2.2).cut == pytest.approx(0.504 * (1.4 / 1.2) ** (7 / 8), rel=0.01)
    # Pages that are 1.5⁸ times as good as imagined make the cut 1.5⁷ times as high.
    assert filled(*[1.2 * 1.5**8] * 5).cut == pytest.approx(0.504 * 1.5**7, rel=0.02)


def test_a_twentieth_of_the_pages_that_passed_are_the_best() -> None:
    # Of 160 pages the last has 159 that passed before it: the best seven count.
    assert len(filled(*[2.0] * 160).best) == 7
    # It does not matter how many pages do not pass.
    few, many = filled(*[2.0] * 40, *[0.0] * 10), filled(*[2.0] * 40, *[0.0] * 500)
    assert few.cut == many.cut == pytest.approx(0.504 * (2 / 1.2) ** (7 / 8), rel=0.01)
    assert (many.passed, many.pages) == (40, 540)


def test_where_nothing_would_pass_the_best_pages_do() -> None:
    weak = [0.2] * 3 + [0.0] * 300
    cutoff = filled(*weak)
    # Three of 303 are more than the least share of 0.5 %, which 1.5 pages are.
    assert cutoff.passing(0.25) == 3
    assert cutoff.relevance(0.2) >= 0.25
    assert filled(*[0.05] * 3, *[0.0] * 300).passing(0.25) == 0


def test_a_crawl_that_finds_only_good_pages_lets_them_pass() -> None:
    cutoff = filled(*(1.0 + number / 1000 for number in range(500)))
    assert cutoff.passing(0.25) == 500


def test_passing_counts_those_that_would_reach_another_threshold_too() -> None:
    cutoff = filled(*[0.1] * 50, *[2.0] * 10, *[1.1] * 10)
    assert cutoff.passing(0.25) == 20
    # The cut is 0.79: a relevance of 0.5 is at q² = 3, so at 1.37, which 2.0 has and 1.1 has not.
    assert cutoff.passing(0.5) == 10
    assert cutoff.passing(1.0) == 0


@given(st.lists(st.floats(0, 10), max_size=300))
def test_what_passes_is_what_reaches_the_threshold(evidence: list[float]) -> None:
    cutoff = filled(*evidence)
    passing = sum(cutoff.relevance(one) >= 0.25 for one in evidence)
    # What lies within one part in a thousand of the cut may be counted either way.
    near = sum(abs(one - cutoff.cut) <= 0.01 * cutoff.cut for one in evidence)
    assert abs(cutoff.passing(0.25) - passing) <= near


@pytest.mark.parametrize("seed", range(12))
def test_the_cut_is_lowered_to_the_first_step_from_which_enough_pages_pass(seed: int) -> None:
    chance, cutoff = random.Random(seed), Cutoff()
    usual, good = chance.choice([0.01, 0.1, 1.0]), chance.choice([0.003, 0.05, 0.3])
    for _ in range(800):
        cutoff.add(chance.expovariate(0.5) if chance.random() < good else chance.random() * usual)
        fewest = cutoff.settings.fewest_passing * cutoff.pages
        lowest = 166  # of evidence 0.1: 1000 * 0.1 / (0.1 + 0.504), rounded up
        if cutoff.pages >= 100:
            enough = [
                step
                for step in range(lowest, cutoff._above[0] + 1 if cutoff._above else 0)
                if sum(cutoff.bins[step:]) >= fewest
            ]
            assert cutoff.step == max(enough, default=lowest)
