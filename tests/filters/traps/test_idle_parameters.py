"""Parameters of a URL that make no difference."""

from __future__ import annotations

from foragers.filters.traps.idle_parameters import IdleParameters
from foragers.filters.traps.reputation import PatternRecords


def test_a_part_that_makes_no_difference_is_found_and_one_that_does_is_not() -> None:
    idle = IdleParameters(PatternRecords())
    for i in range(40):
        idle.record(f"http://a.test/x?id={i // 2}&zz={i}", bag=i // 2)
    assert idle.refusing("http://a.test/x?id=3&zz=99") == "http://a.test/?zz="
    assert idle.refusing("http://a.test/x?id=999&zz=99") is None
    assert idle.refusing("http://b.test/x?id=3&zz=99") is None
