import pickle
from collections import Counter
from math import isclose, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foragers.core.types import Status
from foragers.judges.keywords import Keywords, is_disguised
from foragers.text.words import words
from support.judged_pages import page

TOPIC = Keywords("green tea leaves")


def test_two_of_three_words_one_of_them_twice() -> None:
    # tf (2, 1, 0), divided by the largest (1, .5, 0), against (1, 1, 1).
    assert isclose(TOPIC.likeness("green tea, green"), 1.5 / (sqrt(1.25) * sqrt(3)))
    assert TOPIC.likeness("green tea, green") == pytest.approx(0.7746, abs=1e-4)


def test_all_words_alike_score_one_and_other_words_do_not_matter() -> None:
    assert TOPIC.likeness("Leaves of green TEA, and much else besides.") == 1.0


def test_no_word_scores_nothing() -> None:
    assert TOPIC.likeness("black coffee") == 0.0
    assert TOPIC.likeness("") == 0.0


def test_title_and_text_are_counted_together() -> None:
    assert TOPIC.relevance(page("green leaves", "tea")) == pytest.approx(1.0)
    assert TOPIC.relevance(page("green green", "tea")) == TOPIC.likeness("green tea, green")


def test_a_repeated_word_weighs_more() -> None:
    # (1, 1) against (2, 1).
    assert isclose(Keywords("tea tea green").likeness("green tea"), 3 / (sqrt(2) * sqrt(5)))


def test_phrases_are_split_into_words() -> None:
    given = Keywords(("Green tea", "leaves"))
    assert given.weights == {"green": 1, "tea": 1, "leaves": 1}


def test_a_topic_in_a_script_without_spaces_is_found() -> None:
    assert Keywords("東京").likeness("私は東京都にいます") == 1.0


def test_a_topic_without_words_likes_nothing() -> None:
    assert Keywords("?!").likeness("green tea ?!") == 0.0


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.OK])
def test_only_good_answers_are_relevant(status: Status) -> None:
    assert TOPIC.relevance(page("green tea leaves", status=status)) == 0.0


@given(st.lists(st.sampled_from(["green", "tea", "leaves", "coffee"])), st.text())
def test_relevance_is_from_zero_to_one(text: list[str], title: str) -> None:
    assert 0.0 <= TOPIC.relevance(page(" ".join(text), title)) <= 1.0


LETTERS = st.sampled_from(
    [
        *"teagrn TE'’ .",
        "\u00ad",
        "\u200d",
        "ﬁ",
        "ｔ",
        "Ｔ",
        "ſ",
        "K",
        "²",
        "é",
        "e\u0301",
        "İ",
        "¶",
        "東",
        "ß",
    ]
)


@given(st.lists(LETTERS).map("".join) | st.text(), st.sampled_from(["tea", "fi tea 2", "kar", "é"]))
def test_a_text_that_is_seen_to_have_no_word_has_none(text: str, topic: str) -> None:
    hits = Counter(word for word in words(text) if word in topic.split())
    assert (Keywords(topic).likeness(text) > 0) == bool(hits)


@pytest.mark.parametrize("text", ["te\u00ada", "ｔｅａ", "Ｔea", "“tea”", "tea’s", "tea²tea"])
def test_a_word_is_found_however_it_is_disguised(text: str) -> None:
    assert (Keywords("tea").likeness(text) > 0) == ("tea" in words(text))


def test_signs_and_letters_of_other_scripts_are_no_disguise() -> None:
    assert not is_disguised("§ Überblick — naïve “quotes” … 東京")
    assert is_disguised("ﬁne")
    assert is_disguised("te\u00ada")


def test_keywords_survive_pickling_and_show_how_they_were_made() -> None:
    TOPIC.likeness("tea")
    assert pickle.loads(pickle.dumps(TOPIC)) == TOPIC
    assert repr(TOPIC) == "Keywords(words='green tea leaves', threshold=0.75)"
