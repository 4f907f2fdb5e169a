"""What a page, and the way to it, is worth."""

from __future__ import annotations

import tracemalloc
from array import array
from math import exp

import pytest

from foragers.core.types import NO_PARENT
from foragers.strategies.auto.group_rates import Rates
from foragers.strategies.auto.reward import Credit, Followed, packed, unpacked
from foragers.strategies.auto.settings import AutoSettings

NOBODY = packed(Rates().lineage([]), ())


def test_what_was_found_through_a_page_is_passed_back() -> None:
    credit = Credit()
    credit.add(1, Followed(NO_PARENT, NOBODY, 0, 0.0))
    credit.add(2, Followed(1, NOBODY, 1, 1.0))
    raised = list(credit.pass_back(2, 1.0))
    # The parent was relevant itself: it cannot be worth more.  Its own parent gains half a page.
    assert [one.place for one in raised] == [0]
    assert raised[0].more == pytest.approx(0.7 * (1 - exp(-0.5)))
    again = list(credit.pass_back(1, 1.0))
    assert again[0].worth == pytest.approx(0.7 * (1 - exp(-1.5)))


def test_an_unknown_parent_gets_no_credit() -> None:
    assert list(Credit().pass_back(7, 1.0)) == []


def test_a_followed_link_comes_back_as_it_was() -> None:
    credit, groups = Credit(), array("i", [0, 5, 299_999])
    words = ((3, 131_071), (), (7,))
    credit.add(1, Followed(NO_PARENT, packed(groups, words), 12, 0.25))
    (raised,) = credit.pass_back(1, 1.0)
    assert unpacked(raised.taught) == (groups, words)
    assert raised.place == 12
    assert raised.more == pytest.approx(0.7 * (1 - exp(-1.0)) - 0.25)


def test_the_page_that_was_found_first_is_forgotten_first() -> None:
    credit = Credit(AutoSettings(most_followed=3))
    for page in (1, 2, 3, 1, 4, 5, 6, 7):  # finding a page again does not make it younger
        credit.add(page, Followed(NO_PARENT, NOBODY, page, 0.0))
        known = [one for one in range(8) if list(credit.pass_back(one, 1e-9))]
        assert known == {4: [2, 3, 4], 5: [3, 4, 5], 6: [4, 5, 6], 7: [5, 6, 7]}.get(page, known)
    assert [one.place for one in credit.pass_back(6, 1.0)] == [6]


def test_a_followed_link_takes_few_bytes() -> None:
    credit = Credit()
    tracemalloc.start()
    for page in range(2000):
        words = tuple(tuple(range(page + n, page + n + 8)) for n in range(3))
        taught = packed(array("i", range(page, page + 15)), words)
        credit.add(page, Followed(page, taught, page, 0.1))
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert held / 2000 < 500  # some 400, and as objects it would take 1,300
