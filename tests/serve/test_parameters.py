"""What the query of a URL asks for, and what it cannot ask for."""

from __future__ import annotations

import time
from collections.abc import Iterator
from importlib.util import find_spec
from urllib.parse import urlencode

import pytest

if find_spec("starlette") is None:
    pytest.skip("Starlette is not installed", allow_module_level=True)

from starlette.requests import Request

from foragers.errors import UsageError
from foragers.serve.page_index import Wishes
from foragers.serve.parameters import wishes_in

DAY_2026 = 1767225600.0
"""2026-01-01 in UTC, in seconds since 1970."""


@pytest.fixture
def tokyo() -> Iterator[None]:
    """Let the test run where it is nine hours later than in UTC."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "JST-9")
        time.tzset()
        yield
    time.tzset()


def asked(**given: str) -> Wishes:
    query = urlencode(given).encode()
    return wishes_in(Request({"type": "http", "query_string": query, "headers": []}))


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({}, Wishes()),
        ({"least": "1", "every": "1", "order": "time"}, Wishes(least=1, every=True, order="time")),
        ({"least": "0", "every": "0", "order": "relevance", "page": "1"}, Wishes()),
        ({"since": "2026-01-01"}, Wishes(since=DAY_2026)),
        ({"since": "2026-01-01T01:00"}, Wishes(since=DAY_2026 + 3600)),
        ({"since": "2026-01-01T01:00:00+01:00"}, Wishes(since=DAY_2026)),
        ({"until": "2026-01-01"}, Wishes(until=DAY_2026 + 86_400)),
        ({"until": "2026-01-01T00:00"}, Wishes(until=DAY_2026)),
        ({"until": "17.5"}, Wishes(until=17.5)),
        ({"page": "1000000000"}, Wishes(page=10**9)),
        ({"host": "a.example.org", "language": "de"}, Wishes(host="a.example.org", language="de")),
        ({"q": "x" * 501, "host": "y" * 501}, Wishes(words="x" * 500, host="y" * 500)),
    ],
)
@pytest.mark.usefixtures("tokyo")
def test_wishes_are_read_and_times_without_a_zone_are_utc(
    given: dict[str, str], wanted: Wishes
) -> None:
    assert asked(**given) == wanted


@pytest.mark.parametrize(
    "given",
    [
        {"least": "-0.1"},
        {"least": "1.01"},
        {"since": "1969-12-31"},
        {"since": "0001-01-01T00:00:00+23:59"},
        {"until": "1e12"},
        {"until": "inf"},
        {"page": "٣"},
        {"page": "1000000001"},
        {"page": "9" * 5000},
        {"page": "1.0"},
    ],
)
def test_what_is_out_of_bounds_is_refused_by_name(given: dict[str, str]) -> None:
    ((name, _),) = given.items()
    with pytest.raises(UsageError, match=rf"^{name}=.+ is not "):
        asked(**given)


def test_a_refusal_shows_little_of_what_was_asked_and_no_control_characters() -> None:
    with pytest.raises(UsageError) as refusal:
        asked(order="\x1b[31m\n" + "x" * 500)
    assert len(str(refusal.value)) < 120
    assert str(refusal.value).isprintable()
