"""Which boxes of a page are lists of news."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from foragers.core.content import MemoryContent
from foragers.core.types import Choice, Document, Link, Page, Status
from foragers.strategies.watch.boxes import Boxes, Met, box_of
from foragers.strategies.watch.outcomes import Outcomes

HOME = "http://a.test/"
NEWS, READ = "html body ul li a", "html body aside li a"


def home(news: Sequence[int], read: Sequence[int], time: float) -> Page:
    links = tuple(
        Link(n, 0, f"{HOME}{n}", f"The bridge {n} is open", path=path)
        for path, numbers in ((NEWS, news), (READ, read))
        for n in numbers
    )
    content = MemoryContent(Document("Home", (), "Home"), links)
    return Page(Choice(1, 0), Status.OK, "", 1, time, time, 1, content.columns(), content)


def came(first: Page, then: Page, met: Met) -> list[tuple[str, bool]]:
    boxes = Boxes()
    boxes.keep(0, first)
    met.add(first.links.targets, first.time)
    names = {box_of(then.links.addresses.href(1), path): path for path in (NEWS, READ)}
    return [(names[box], good) for box, good in boxes.came(0, then, first.time, met)]


def test_a_list_of_news_shows_new_links_at_its_top() -> None:
    found = came(home([3, 2], [], 100.0), home([5, 4, 3, 2], [], 200.0), Met())
    assert found == [(NEWS, True), (NEWS, True)]


def test_a_box_in_which_links_come_in_between_is_none() -> None:
    first, then = home([3, 2], [10, 11, 12], 100.0), home([4, 3, 2], [10, 20, 12, 21], 200.0)
    assert came(first, then, Met()) == [(NEWS, True), (READ, False), (READ, False)]


def test_a_link_met_before_the_last_look_is_old_and_one_met_since_says_nothing() -> None:
    met = Met()
    met.add(np.array([20], np.int32), 50.0)
    met.add(np.array([21], np.int32), 150.0)
    first, then = home([3, 2], [10, 11], 100.0), home([3, 2], [20, 21, 10], 200.0)
    assert came(first, then, met) == [(READ, False)]


def test_a_box_of_which_nothing_is_left_says_nothing() -> None:
    assert came(home([3], [10, 11], 100.0), home([3], [20, 21], 200.0), Met()) == []


def test_titles_of_a_box_tell_by_what_it_led_to_and_else_by_how_links_come() -> None:
    outcomes, news, read = Outcomes(dated=(9.0, 9.0)), box_of(HOME, NEWS), box_of(HOME, READ)
    for _ in range(3):
        outcomes.fetched("a", True, True, has_title=True, box=news)
        outcomes.fetched("a", False, False, has_title=True, box=read)
    assert outcomes.titles == (3.0, 6.0), "of the whole site, they do not tell"
    assert outcomes.titles_tell(news)
    assert not outcomes.titles_tell(read)
    assert outcomes.chance("a", 0, news) > 0.7 > 0.3 > outcomes.chance("a", 0, read)
    outcomes.titles, other = (9.0, 9.0), box_of(HOME, "html body ol li a")
    assert not outcomes.titles_tell(other), "nothing speaks for it"
    outcomes.came(other, True)
    assert outcomes.titles_tell(other)
    outcomes.came(other, False)
    assert not outcomes.titles_tell(other)


def test_without_dates_what_links_led_to_says_nothing() -> None:
    outcomes, read = Outcomes(dated=(9.0, 9.0)), box_of(HOME, READ)
    for _ in range(5):
        outcomes.fetched("a", True, True, has_title=True, box=read)
    assert outcomes.titles_tell(read)
    for dated in ((1.0, 9.0), (0.0, 0.0)):
        outcomes.dated = dated
        assert not outcomes.titles_tell(read)


def test_what_came_long_ago_fades() -> None:
    outcomes = Outcomes()
    for _ in range(90):
        outcomes.came(7, False)
    for _ in range(400):
        outcomes.came(7, True)
    assert outcomes.is_believed(7)


def test_a_url_is_met_once() -> None:
    met = Met()
    met.add(np.array([500], np.int32), 100.9)
    met.add(np.array([500, 501], np.int32), 200.0)
    assert met.of(np.array([499, 500, 501], np.int32)).tolist() == [0, 100, 200]
    assert 500 in met
    assert 499 not in met
    assert 10_000 not in met
