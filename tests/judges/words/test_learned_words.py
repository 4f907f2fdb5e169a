"""Words learned from the best pages, against numbers worked out by hand."""

from __future__ import annotations

from math import log

import pytest

from foragers.core.types import Document
from foragers.judges.words import Words
from foragers.judges.words.learned_words import LearnedWords, LearningSettings
from foragers.judges.words.page_words import PageWords
from foragers.judges.words.query import stemmed


def page(text: str) -> PageWords:
    """Return a page with some words."""
    return PageWords.of(Document(text=text), "", stemmed("faculty", "en"))


def taught(pages: int) -> LearnedWords:
    """Return what was learned where every tenth page is good and has a word of its own."""
    learned = LearnedWords()
    for number in range(pages):
        good = number % 10 == 0
        learned.add(1.0 if good else 0.0, page("faculty professor home" if good else "home page"))
    return learned


def test_nothing_is_learned_before_fifty_pages() -> None:
    assert not taught(49).weights
    assert taught(50).weights


def test_words_of_the_best_pages_are_weighed_by_how_rare_they_are_elsewhere() -> None:
    # All five best pages have the words, and so do 5 of all 50: ln((5.5/6) / (5.5/51)) each.
    weights = taught(50).weights
    assert set(weights) == {b"faculty", b"professor"}
    assert weights[b"professor"] == pytest.approx(0.5)
    assert log((5.5 / 6) / (5.5 / 51)) > 0


def test_support_is_the_share_of_the_weights_and_less_for_long_pages() -> None:
    learned = taught(50)
    # A page of three words: 0.5 / (1 + 3/400).
    assert learned.support(page("professor of history")) == pytest.approx(0.5 / (1 + 3 / 400))
    long = page("professor " + "word " * 399)
    assert learned.support(long) == pytest.approx(0.5 / 2)
    assert learned.support(page("home page")) == 0


def test_numbers_and_single_letters_are_not_learned() -> None:
    learned = LearnedWords()
    for number in range(50):
        good = number < 5
        learned.add(1.0 if good else 0.0, page("x 1996 professor" if good else "home"))
    assert set(learned.weights) == {b"professor"}


def test_words_are_learned_again_when_there_are_twice_as_many_pages() -> None:
    learned = taught(50)
    first = dict(learned.weights)
    for number in range(50):
        learned.add(2.0 if number < 5 else 0.0, page("dean faculty" if number < 5 else "home"))
        assert (b"dean" in learned.weights) == (number == 49)
    assert learned.weights != first


def test_memory_is_bounded() -> None:
    learned = LearnedWords(LearningSettings(most_known=100, most_best=10))
    for number in range(300):
        learned.add(number, page(f"home word{number} other{number}"))
    assert len(learned.pages_with) <= 100
    assert learned.pages_with[b"home"] > 100
    assert [evidence for evidence, _, _ in learned.best] == list(range(290, 300))


def test_pages_that_say_what_good_pages_say_come_before_others() -> None:
    judge = Words("faculty")
    for number in range(100):
        text = "faculty professor office hours" if number % 10 == 0 else "home page of a student"
        judge.judge(Document(text=text))
    typical = judge.judge(Document(text="professor, office hours"), is_new=False)
    other = judge.judge(Document(text="home page"), is_new=False)
    assert other < typical < judge.threshold


def test_from_two_examples_on_words_are_learned_from_them_alone() -> None:
    learned = taught(40)
    for _ in range(2):
        learned.teach(page("guitar concert"), wanted=True)
    # Both words are on both examples and on no other page, so they weigh the same.
    assert learned.weights == {b"concert": 0.5, b"guitar": 0.5}


def test_one_wanted_page_counts_as_three_of_the_best() -> None:
    learned = taught(40)
    assert not learned.weights
    learned.teach(page("guitar concert"), wanted=True)
    # Three of seven pages have guitar, and none of the other forty: ln((3.5 / 8) / (0.5 / 41)).
    assert set(learned.weights) == {b"guitar", b"concert", b"professor", b"faculty"}
    guitar, professor = log((3.5 / 8) / (0.5 / 41)), log((4.5 / 8) / (4.5 / 41))
    ratio = learned.weights[b"guitar"] / learned.weights[b"professor"]
    assert ratio == pytest.approx(guitar / professor)


def test_a_page_that_is_not_wanted_counts_as_ten_others() -> None:
    learned = LearnedWords()
    for _ in range(30):
        learned.add(0.0, page("home"))
    for _ in range(3):
        learned.teach(page("guitar concert"), wanted=True)
    learned.teach(page("concert ticket"), wanted=False)
    # Guitar: ln((3.5/4) / (0.5/41)); concert is on ten of forty pages: ln((3.5/4) / (10.5/41)).
    guitar, concert = log((3.5 / 4) / (0.5 / 41)), log((3.5 / 4) / (10.5 / 41))
    assert learned.weights[b"guitar"] == pytest.approx(guitar / (guitar + concert))
