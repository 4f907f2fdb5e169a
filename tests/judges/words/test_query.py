"""How a topic is taken apart."""

from __future__ import annotations

import pytest

from foragers.errors import UsageError
from foragers.judges.words.query import parse_query, stemmed


def test_commas_end_phrases_and_neighbours_are_pairs() -> None:
    query = parse_query("solar panel roof, inverter")
    assert query.terms == ((("solar",),), (("panel",),), (("roof",),), (("inverter",),))
    assert query.phrases == (("solar", "panel"), ("panel", "roof"))


def test_words_that_say_nothing_are_passed_over_but_stand_in_phrases() -> None:
    query = parse_query("the board of directors")
    assert query.terms == ((("board",),), (("directors",),))
    assert query.phrases == (("board", "of", "directors"),)


def test_a_topic_of_such_words_alone_keeps_them() -> None:
    assert parse_query("The Who").terms == ((("the",),), (("who",),))


def test_two_forms_of_a_word_are_one_term() -> None:
    assert parse_query("robot, robots, robotics, moon").terms == ((("robot",),), (("moon",),))


def test_a_hyphen_separates_words_side_by_side() -> None:
    query = parse_query("D-branes")
    assert query.terms == ((("d",),), (("branes",),))
    assert query.phrases == (("d", "branes"),)


def test_quotes_alternatives_and_exclusions() -> None:
    query = parse_query('"type theory" car|automobile -jobs -"press release"')
    assert query.terms == ((("type", "theory"),), (("car",), ("automobile",)))
    assert query.phrases == ()
    assert query.excluded == (("jobs",), ("press", "release"))


@pytest.mark.parametrize("topic", ["", " , ", "-solar", '""', "|"])
def test_a_topic_without_words_is_refused(topic: str) -> None:
    with pytest.raises(UsageError, match="no words to look for"):
        parse_query(topic)


def test_stems_are_those_of_the_language_and_terms_keep_their_places() -> None:
    english, german = (stemmed("Häuser, panels", code) for code in ("en", "de"))
    assert english.terms == ((("häuser",),), (("panel",),))
    assert german.terms == ((("haus",),), (("panel",),))
    assert german.wanted == {"haus", "panel"}
