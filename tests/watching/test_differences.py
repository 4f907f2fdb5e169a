"""Differences of main texts: corrections are shown, counters are not."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from foragers.core.content import MemoryContent
from foragers.core.types import Choice, Document, Link, Page, Status
from foragers.watching.differences import MainTexts, difference, without_lists


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


def test_a_page_that_comes_to_link_to_itself_has_not_changed() -> None:
    def page(anchors: list[str]) -> Page:
        text = "Ferry sails again\nThe ferry sailed today, for the first time this year."
        links = (
            Link(1, 0, "http://a.test/1"),
            *(Link(2, 0, "http://a.test/2", a) for a in anchors),
        )
        content = MemoryContent(Document("Ferry sails again", (), text), links)
        return Page(Choice(1, 0), Status.OK, "", 1, 0.0, 0.0, 1, content.columns(), content)

    texts = MainTexts()
    assert not difference(texts.of(page([])), texts.of(page(["Ferry sails again"])))
