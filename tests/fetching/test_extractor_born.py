"""When a page appeared, by the clock of its server where that is far off."""

from __future__ import annotations

from email.utils import formatdate

import pytest

from foragers.core.types import Document
from foragers.fetching.extractor import born
from foragers.http.messages import Request, Response

NOW, HOUR, DAY = 1_790_000_000.0, 3600.0, 86_400.0


def reply(**told: float) -> Response:
    names = {"date": "Date", "modified": "Last-Modified"}
    headers = tuple((names[name], formatdate(time, usegmt=True)) for name, time in told.items())
    return Response(Request("http://a.test/"), NOW, 0.1, headers=headers)


@pytest.mark.parametrize("off", [0.0, HOUR, -800 * DAY, 3 * DAY])
def test_a_page_is_as_old_as_its_server_says_by_its_own_clock(off: float) -> None:
    answer = reply(date=NOW + off, modified=NOW + off - 2 * DAY)
    right = off if abs(off) <= DAY else 0.0  # a little off is not corrected
    assert born(answer, Document()) == pytest.approx(NOW - 2 * DAY + right)


def test_without_a_date_an_old_page_is_old() -> None:
    assert born(reply(modified=NOW - 800 * DAY), Document()) == NOW - 800 * DAY


def test_the_date_in_the_page_goes_by_the_same_clock() -> None:
    then = NOW - 800 * DAY
    assert born(reply(date=then), Document(published=then - HOUR)) == NOW - HOUR


def test_a_date_after_the_page_was_seen_is_not_believed() -> None:
    assert born(reply(date=NOW, modified=NOW + HOUR), Document()) == NOW
