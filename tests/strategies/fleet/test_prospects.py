"""What pages promise: numbers worked out by hand, and what those that watch do with them."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foragers.strategies.fleet.page_memory import PageMemory
from foragers.strategies.fleet.prospects import Prospects

DAY = 86_400.0
NONE = np.empty(0, np.intp)


def ids(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int32)


def begun() -> Prospects:
    prospects = Prospects(PageMemory(), DAY)
    prospects.begin(ids(0), 0.0)
    return prospects


def fetch(
    prospects: Prospects,
    url: int,
    page: int,
    time: float,
    links: Sequence[int] = (),
    news: bool = False,
) -> None:
    """Tell of one download."""
    if links:
        prospects.sight(url, ids(*links), time)
    urls, pages, times = ids(url), ids(page), np.array([time])
    prospects.note(urls, pages, times, np.array([0]) if news else NONE)
    prospects.memory.note(urls, pages, ids(0), times, np.array([bool(links)]))


def test_links_of_a_page_seen_for_the_first_time_are_stock_and_later_ones_fresh() -> None:
    prospects = begun()
    fetch(prospects, 0, 10, 0.0, links=(1, 2))
    fetch(prospects, 0, 11, 100.0, links=(1, 2, 3))
    assert prospects.kinds[[1, 2, 3]].tolist() == [0, 0, 1]
    assert prospects.parents[[1, 2, 3]].tolist() == [0, 0, 0]
    assert prospects.sighted[[1, 3]].tolist() == [0.0, 100.0]


def test_a_page_promises_its_chance_to_have_changed_by_hand() -> None:
    prospects = begun()
    fetch(prospects, 0, 10, 0.0)
    fetch(prospects, 0, 11, 3600.0)
    # One check with a change in an hour, of a seed without links that was sighted lately: the
    # class has half a change in half an hour and this one, so λ₀ = 1.5 changes in 1.5 hours.
    events = -log(0.5 / 1.5)
    rate = (events + 0.5) / (3600.0 + 0.5 * 3600.0)
    # It brought nothing: (0 + 1) / (1 + 1).
    expected = 0.5 * (1 - exp(-rate * 1800.0))
    assert prospects.worth(ids(0), 5400.0) == pytest.approx([expected])


def test_waiting_longer_than_news_may_be_old_promises_nothing_more() -> None:
    prospects = begun()
    fetch(prospects, 0, 10, 0.0)
    prospects.sighted[0] = -9 * DAY  # no longer of the class of pages that turned up lately
    one, other = (prospects.worth(ids(0), days * DAY).item() for days in (1, 3))
    assert one == other


def test_a_list_is_paid_for_new_pages_less_their_price() -> None:
    prospects = begun()
    prospects.price = 0.25
    fetch(prospects, 0, 10, 0.0, links=(1,))
    fetch(prospects, 0, 11, 60.0, links=(1, 2, 3), news=True)
    fetch(prospects, 2, 12, 61.0, news=True)
    fetch(prospects, 3, 13, 62.0)
    # Itself 1, the page that was news 1 - 0.25, the other 0 - 0.25; the stock pays nobody.
    assert prospects.earned[0] == pytest.approx(1 + 0.75 - 0.25)
    fetch(prospects, 1, 14, 63.0, news=True)
    assert prospects.earned[0] == pytest.approx(1.5)


def test_an_untried_page_promises_what_its_kind_and_its_parent_brought() -> None:
    prospects = begun()
    fetch(prospects, 0, 10, 0.0, links=(1, 2, 3))
    for url in (1, 2):
        fetch(prospects, url, 10 + url, 1.0 * url, news=url == 1)
    # Of the stock two were tried and one was news, besides the two and one counted at first;
    # of this parent's the same: (1 + 3 · 2/4) / (2 + 3); half a day later a quarter less.
    expected = (1 + 3 * 0.5) / 5
    assert prospects.worth(ids(3), 0.0).item() == pytest.approx(expected)
    assert prospects.worth(ids(3), DAY / 2).item() == pytest.approx(expected * 0.75)


def test_the_most_promising_of_many_pages_is_found_though_few_are_compared() -> None:
    prospects = begun()
    fetch(prospects, 0, 10, 0.0, links=tuple(range(1, 300)))
    for time in (1.0, 3600.0):
        for url in range(1, 300):
            fetch(prospects, url, 1000 + url, time)
    fetch(prospects, 200, 5000, 7200.0, news=True)
    fetch(prospects, 200, 5001, 9000.0, news=True)
    fetch(prospects, 0, 10, 19_999.0)
    assert prospects.choose(20_000.0, np.random.default_rng(1))[0] == 200
    # It was chosen: it promises nothing now, and another comes next.
    assert prospects.choose(20_000.0, np.random.default_rng(1))[0] != 200


def test_an_answer_that_does_not_come_is_asked_for_again_later() -> None:
    prospects = begun()
    first, _ = prospects.choose(0.0, np.random.default_rng(1))
    assert first == 0
    assert prospects.worth(ids(0), 1.0).item() < 0.01
    assert prospects.worth(ids(0), 6 * 3600.0).item() > 0.5


@given(
    steps=st.lists(
        st.tuples(
            st.integers(0, 3),
            st.integers(0, 2),
            st.floats(0, 2 * DAY),
            st.booleans(),
            st.booleans(),
        ),
        max_size=30,
    )
)
def test_downloads_recorded_alone_and_beside_another_leave_the_same_numbers(
    steps: list[tuple[int, int, float, bool, bool]],
) -> None:
    alone, beside = begun(), begun()
    for prospects in (alone, beside):
        prospects.sight(0, ids(1, 2, 3), 0.0)
        prospects.reach(900)
    now = 0.0
    for count, (url, page, wait, news, leads) in enumerate(steps):
        now += wait
        won = np.array([0]) if news else NONE
        alone.note(ids(url), ids(page), np.array([now]), won)
        alone.memory.note(ids(url), ids(page), ids(1), np.array([now]), np.array([leads]))
        # A page that nobody links to and that nothing was known of: it counts for its class only.
        urls, pages, times = ids(url, 100 + count), ids(page, -1), np.array([now, now])
        beside.note(urls, pages, times, won)
        beside.memory.note(urls, pages, ids(1, 0), times, np.array([leads, False]))
        beside.all_tries[0] -= 1.0
    for name in ("checks", "changes", "watched", "_rates", "seen", "pages", "states", "leads"):
        one, other = (getattr(of.memory, name)[:4].tolist() for of in (alone, beside))
        assert one == other, name
    for name in ("changes", "watched", "all_tries", "all_wins"):
        assert getattr(alone, name).tolist() == getattr(beside, name).tolist(), name
    for name in ("earned", "tries", "wins", "asked"):
        assert getattr(alone, name)[:4].tolist() == getattr(beside, name)[:4].tolist(), name


def test_a_page_fetched_by_the_way_is_not_chosen_before_it_is_scored_again() -> None:
    prospects, rng = begun(), np.random.default_rng(1)
    fetch(prospects, 0, 10, 0.0, links=(1, 2, 3))
    first, _ = prospects.choose(1.0, rng)
    left = {1, 2, 3} - {first}
    by_the_way, last = sorted(left)
    fetch(prospects, by_the_way, 20, 2.0)
    assert prospects.choose(3.0, rng)[0] == last


def test_scores_are_computed_again_after_a_minute() -> None:
    prospects, rng = begun(), np.random.default_rng(1)
    fetch(prospects, 0, 10, 0.0, links=(1, 2, 3))
    for time in (100.0, 200.0, 300.0):
        fetch(prospects, 0, int(time), time, links=(1, 2, 3), news=True)
    for url in (1, 2, 3):
        fetch(prospects, url, 20 + url, 301.0 + url)
    # The list that changes each time is chosen at once, and again when a minute has passed.
    assert [prospects.choose(now, rng)[0] for now in (400.0, 401.0, 500.0)][::2] == [0, 0]
