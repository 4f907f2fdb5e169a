"""Where and when a page refreshes itself."""

from __future__ import annotations

from foragers.parsing.html.head import parse_refresh
from support.shared_suites import suite


def test_every_refresh_of_the_standards_tests_is_read_right() -> None:
    passed, cases, bad = suite("html").run_refresh(parse_refresh)
    assert passed == cases == 73, bad
