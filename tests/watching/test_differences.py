"""Differences of main texts: corrections are shown, counters are not."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from foragers.watching.differences import difference, without_lists


def test_a_difference_shows_the_sentences_that_changed() -> None:
    before = "The bridge is open. It was built last year. Boats pass below it."
    after = "The bridge is closed. It was built last year. Boats pass below it."
    assert difference(before, after) == "- The bridge is open.\n+ The bridge is closed."


def test_counters_and_ages_are_no_change() -> None:
    assert difference("A long text stays. 12 views.", "A long text stays. 13 views.") == ""
    line = "Written by our own reporter in the old town hall by the river, {} minutes ago, {} likes"
    assert difference(line.format(5, 10), line.format(6, 12)) == ""


def test_a_corrected_number_in_a_sentence_is_a_change() -> None:
    line = "The mayor said that {} people were hurt when the old bridge fell into the river."
    assert "+ The mayor said that 14 people" in difference(line.format(12), line.format(14))


@given(st.text())
def test_equal_texts_do_not_differ(text: str) -> None:
    assert difference(text, text) == ""


@given(st.text(), st.text())
def test_any_two_texts_can_be_compared(before: str, after: str) -> None:
    assert len(difference(before, after)) <= 4000


def test_lines_that_are_links_to_other_articles_are_no_text() -> None:
    text = "The mayor resigned.\n- Ferry sails again\nFerry sails again, said the mayor."
    kept = "The mayor resigned.\nFerry sails again, said the mayor."
    assert without_lists(text, ["Ferry sails again", "Home"]) == kept
