"""What is learned from the outcomes of links."""

from __future__ import annotations

import pytest

from foragers.strategies.watch.outcomes import Outcomes
from foragers.strategies.watch.settings import DEFAULT_WATCH


def test_a_shape_never_tried_is_as_good_as_its_host() -> None:
    outcomes = Outcomes()
    assert outcomes.chance("a/0", 1) == pytest.approx(1 / 1.5)
    for _ in range(10):
        outcomes.answered(1, False)
    assert outcomes.chance("a/0", 1) == pytest.approx(1 / 11.5)
    assert outcomes.chance("a/0", 2) == pytest.approx(1 / 1.5)


def test_a_new_page_that_is_no_article_is_worth_a_request_all_the_same() -> None:
    outcomes = Outcomes()
    for _ in range(20):
        outcomes.fetched("papers/a0/a", is_new=True, is_report=False)
    assert outcomes.chance("papers/a0/a", 1) < 0.1
    assert outcomes.chance_of_page("papers/a0/a", 1) > 0.9


def test_missing_pages_are_tried_again_while_others_turned_up_and_doubts_fade() -> None:
    outcomes = Outcomes()
    assert outcomes.is_worth_retrying(1, 0.6)
    for _ in range(20):
        outcomes.retried(1, False)
    waived = 0
    while not outcomes.is_worth_retrying(1, 0.6):
        waived += 1
    assert 20 < waived < 60
    outcomes.retried(2, True)
    assert outcomes.is_worth_retrying(2, 0.6)


def test_links_that_are_not_worth_a_request_are_tried_again_after_a_while() -> None:
    outcomes = Outcomes()
    for _ in range(12):
        outcomes.fetched("/a/", False, False)
    low = outcomes.chance_of_page("/a/", 0)
    assert low < DEFAULT_WATCH.least_chance  # (0 + 2/3) / 13
    for _ in range(40):
        outcomes.waive("/a/")
    # 12 · 0.98⁴⁰ = 5.35 are left: (0 + 2/3) / 6.35.
    assert outcomes.chance_of_page("/a/", 0) == pytest.approx(2 / 3 / 6.35, rel=0.01)
