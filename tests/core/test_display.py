"""Lengths of time and openings of texts as people read them."""

from __future__ import annotations

import pytest

from foragers.core.display import opening, sentence, spelled


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (60 * (10 / 60), "10 seconds"),  # as `watch --for 10s` keeps it, in minutes
        (60.0, "60 seconds"),
        (90.0, "90 seconds"),
        (0.5, "0.5 seconds"),
        (300.0, "5 minutes"),
        (7200.0, "2 hours"),
        (86_400.0, "24 hours"),
        (604_800.0, "7 days"),
    ],
)
def test_a_length_of_time_is_given_in_whole_units(seconds: float, said: str) -> None:
    assert spelled(seconds) == said


def test_an_opening_ends_between_two_words() -> None:
    assert opening("one two three", 20) == "one two three"
    assert opening("one two three four", 12) == "one two …"
    assert opening("W" * 30, 12) == "W" * 11 + "…"
    assert opening("one\n\ttwo\u202e", 20) == "one two"


def test_a_sentence_has_a_capital_and_one_full_stop() -> None:
    assert sentence("it was old, mainly because it rained") == (
        "It was old, mainly because it rained."
    )
    assert sentence("It ends (in brackets.)") == "It ends (in brackets.)"
    assert sentence("“adds” is a sum.") == "“adds” is a sum."
