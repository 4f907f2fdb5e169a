"""What is scarce decides: downloads, or time."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from pathlib import Path

import pytest

from foragers.core.pace import TAKE_ANY, WaitRule
from foragers.crawling.session import Session
from foragers.worlds.budget import Budget
from support.crawling import LIMITS, order_of, serving
from support.hostile_server import page


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with serving({"/a": page("/b"), "/b": page()}) as server:
        session = Session.open(order_of(server.url("/"), budget=1000, minutes=10), tmp_path, LIMITS)
        yield session
        session.close()


def rule_after(
    session: Session, monkeypatch: pytest.MonkeyPatch, *, downloads: int, minutes: float
) -> WaitRule:
    """Return how choosy a crawl of ten minutes and 1,000 downloads is after some of both."""
    session._left_at_start = 1000
    assert isinstance(session.crawl.world, Budget)
    session.crawl.world.started = downloads
    monkeypatch.setattr("foragers.crawling.session.steady", lambda: 60 * minutes)
    return session._wait_rule(600.0)


def test_without_a_time_limit_downloads_are_scarce(session: Session) -> None:
    assert session._wait_rule(inf) == WaitRule()


def test_time_is_scarce_until_the_pace_is_known(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert rule_after(session, monkeypatch, downloads=0, minutes=0) == TAKE_ANY


def test_time_is_scarce_while_the_budget_would_not_be_spent_in_time(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    # 90 in the first minute are 810 in nine more, and 910 are left.
    assert rule_after(session, monkeypatch, downloads=90, minutes=1) == TAKE_ANY
    assert rule_after(session, monkeypatch, downloads=110, minutes=1) == WaitRule()
