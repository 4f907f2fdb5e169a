"""Dates in the spellings of the web."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foragers.parsing.dates import read_date


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2024-01-05", 1704412800),
        ("2024-01-05T10:00:00Z", 1704448800),
        ("2024-01-05T10:00:00.123+02:00", 1704441600),
        ("2024-01-05 10:00", 1704448800),
        ("20240105", 1704412800),
        ("2024/01/05", 1704412800),
        ("2024-01", 1704067200),
        ("Fri, 05 Jan 2024 10:00:00 GMT", 1704448800),
        ("5 January 2024", 1704412800),
        ("January 5, 2024", 1704412800),
        ("2024-13-45", None),
        ("1899-01-01", None),
        ("0001-01-01T00:00:00", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_dates_are_read_in_the_spellings_of_the_web(text: str, seconds: float | None) -> None:
    assert read_date(text) == seconds


@given(st.text(max_size=40))
def test_no_date_raises(text: str) -> None:
    seconds = read_date(text)
    assert seconds is None or 600_000_000 < seconds < 4_200_000_000
