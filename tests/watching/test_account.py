"""The account counts a page whose delay is not known neither as kept nor as late."""

from __future__ import annotations

from foragers.watching.account import account_of, today
from foragers.watching.events import Event, EventKind


def new(
    found: float, since: float | None = None, published: float | None = None, late: bool = False
) -> Event:
    return Event(
        event=EventKind.NEW,
        url="u",
        site="s",
        found=found,
        visit=1,
        since=since,
        published=published,
        late=late,
    )


def test_pages_are_in_time_late_or_unsure() -> None:
    account = account_of(
        [
            new(10_000.0, since=9_000.0),
            new(10_000.0, since=1_000.0),
            new(10_000.0, since=1_000.0, published=2_000.0),
            new(10_000.0, since=9_900.0, late=True),
        ]
    )
    assert (account.pages, account.in_time, account.unsure, account.late) == (4, 1, 1, 2)
    assert (account.kept_low, account.kept_high) == (0.25, 0.5)
    assert account.missed == 1
    assert str(account) == (
        "25% to 50% of 4 new pages were seen within 1 h; 1 later, by looking at old pages again"
    )


def test_a_page_found_by_exploring_is_in_time_if_its_date_says_so() -> None:
    account = account_of([new(10_000.0, published=9_990.0, late=True), new(10_000.0, late=True)])
    assert (account.in_time, account.late, account.missed) == (1, 1, 1)


def test_an_empty_account_says_so() -> None:
    assert str(account_of([])) == "no new page yet"


def test_today_is_the_last_day() -> None:
    assert [one.found for one in today([new(0.0), new(90_000.0)], 100_000.0)] == [90_000.0]
