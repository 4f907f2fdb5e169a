"""When a server wants to be asked again."""

from __future__ import annotations

from email.utils import formatdate

import pytest

from foragers.http.messages import Request, Response, retry_after

NOW = 1_700_000_000.0


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 7 ", 7.0),
        ("0", 0.0),
        ("-5", 0.0),
        ("soon", 0.0),
        ("", 0.0),
        (formatdate(NOW + 90, usegmt=True), 90.0),
        (formatdate(NOW - 90, usegmt=True), 0.0),
    ],
)
def test_a_time_to_come_back_at_is_so_many_seconds_from_now(value: str, seconds: float) -> None:
    reply = Response(Request("http://a.test/"), NOW, 0.1, headers=(("Retry-After", value),))
    assert retry_after(reply) == seconds
