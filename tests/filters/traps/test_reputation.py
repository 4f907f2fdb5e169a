"""URL patterns that yield nothing new are throttled, and freed again."""

from __future__ import annotations

from foragers.filters.traps.reputation import PatternOutcome, PatternRecord, PatternRecords
from foragers.urls.shapes import shape_of


def test_a_throttled_kind_lets_through_the_logarithm_of_what_it_offers() -> None:
    kind = PatternRecord()
    passed = 0
    for _ in range(100_000):
        if kind.admit():
            passed += 1
            kind.record(new=False, exact=False)
    assert 16 <= passed <= 16 + 17


def test_exact_copies_are_throttled_sooner() -> None:
    kind = PatternRecord()
    while kind.admit():
        kind.record(new=False, exact=True)
    assert kind.pages == 10


def test_a_kind_with_a_fifth_of_new_pages_is_never_throttled() -> None:
    kind = PatternRecord()
    for i in range(10_000):
        assert kind.admit()
        kind.record(new=i % 5 == 0, exact=True)


def test_something_new_loosens_the_throttle() -> None:
    kind = PatternRecord()
    for _ in range(22):
        kind.record(new=False, exact=False)
    asked = 0
    while kind.exhausted:
        asked += 1
        if kind.admit():
            kind.record(new=True, exact=False)
    assert asked < 200


def test_links_of_a_seed_are_throttled_only_where_next_to_nothing_is_new() -> None:
    shape, standings = shape_of("http://a.test/entry/1"), PatternRecords()
    for number in range(200):
        outcome = PatternOutcome.WORDS if number in (150, 170) else PatternOutcome.NOTHING
        standings.record(shape, False, outcome, exact=True)
    # Two of the last 64 brought something new.
    assert [standings.refusing_near(shape, False) for _ in range(50)] == [None] * 50
    for _ in range(64):
        standings.record(shape, False, PatternOutcome.NOTHING, exact=True)
    refused = [standings.refusing_near(shape, False) for _ in range(50)]
    assert refused.count("a.test/entry/{n}") >= 45
    assert standings.refusing_near(shape_of("http://a.test/other"), False) is None
