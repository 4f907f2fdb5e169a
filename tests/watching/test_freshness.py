"""Freshness and age of the pages that a watch looks at."""

from __future__ import annotations

import pytest

from foragers.core.content import MemoryContent
from foragers.core.types import Choice, Document, Page, Status, Visit
from foragers.watching.freshness import SiteFreshness


def look(time: float, status: Status = Status.OK, born: float | None = None, url: int = 1) -> Visit:
    content = MemoryContent(Document("Home", (), "Home"), ())
    moment = time if born is None else born
    page = Page(
        Choice(url, 0), status, "", url, time, moment, 1, content.columns(), content
    )  # fmt: skip
    return Visit(page, 1.0, True)


def seen(*visits: Visit) -> SiteFreshness:
    looks = SiteFreshness()
    for one in visits:
        looks.see("a.test", one)
    return looks


def test_a_page_that_did_not_change_was_fresh() -> None:
    whole = seen(look(0.0), look(600.0, Status.UNCHANGED)).whole
    assert (whole.freshness, whole.age) == (1.0, 0.0)


def test_a_page_that_tells_when_it_changed_was_fresh_until_then() -> None:
    whole = seen(look(0.0), look(600.0, born=200.0)).whole
    assert whole.freshness == pytest.approx(1 / 3)
    assert whole.age == pytest.approx(400.0 * 200.0 / 600.0)  # 0 to 400 in two thirds of the time


def test_a_page_that_does_not_tell_changed_at_any_moment_since_the_last_look() -> None:
    older = look(600.0, born=-900.0)  # its date is that of another version
    for changed in (look(600.0), older):
        whole = seen(look(0.0), changed).whole
        assert (whole.freshness, whole.age) == (0.5, 100.0)


def test_sites_are_counted_apart_and_first_looks_and_failures_not_at_all() -> None:
    looks = seen(look(0.0), look(300.0, Status.FAILED), look(600.0, Status.UNCHANGED))
    looks.see("b.test", look(0.0, url=2))
    looks.see("b.test", look(600.0, url=2))
    assert looks.sites["a.test"].freshness == 1.0
    assert looks.sites["b.test"].freshness == 0.5
    assert looks.whole.freshness == 0.75
    assert seen(look(0.0)).whole.freshness is None
