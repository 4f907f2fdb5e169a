import pickle
from math import isclose, log, sqrt

from hypothesis import given
from hypothesis import strategies as st

from foragers.core.types import Status
from foragers.judges.keywords import Tfidf
from foragers.text.tfidf import DocumentFrequencies
from support.judged_pages import page


def test_other_words_of_the_page_lower_the_cosine() -> None:
    judge = Tfidf("green tea")
    assert judge.likeness("green tea") > judge.likeness("green tea and coffee") > 0


def test_a_fixed_idf_does_not_grow() -> None:
    judge = Tfidf("tea", frequencies=DocumentFrequencies.of(["tea", "house"]), growing=False)
    first = judge.relevance(page("tea house"))
    judge.relevance(page("house", version=1))
    assert judge.relevance(page("tea house")) == first
    assert isclose(first, 1 / sqrt(2))


def test_a_growing_idf_counts_a_page_and_then_judges_it() -> None:
    judge = Tfidf("tea")
    assert isclose(judge.relevance(page("tea house", version=1)), 1 / sqrt(2))
    # Now of two pages both hold house and one holds tea.
    tea, house = log(3 / 2) + 1, 1.0
    judge.relevance(page("house", version=2))
    assert isclose(judge.likeness("tea house"), tea / sqrt(tea**2 + house**2))


def test_a_version_is_counted_once() -> None:
    judge = Tfidf("tea")
    for _ in range(3):
        judge.relevance(page("tea house", version=7))
    assert judge.frequencies.documents == 1


def test_asking_for_likeness_counts_nothing() -> None:
    judge = Tfidf("tea")
    judge.likeness("tea house")
    assert judge.frequencies.documents == 0


def test_failures_are_neither_relevant_nor_counted() -> None:
    judge = Tfidf("tea")
    assert judge.relevance(page("tea", status=Status.FAILED)) == 0.0
    assert judge.frequencies.documents == 0


def test_two_judges_share_no_counts() -> None:
    first, second = Tfidf("tea"), Tfidf("tea")
    first.relevance(page("tea"))
    assert second.frequencies.documents == 0


@given(st.lists(st.lists(st.sampled_from(["green", "tea", "the"])), max_size=6))
def test_relevance_is_from_zero_to_one(texts: list[list[str]]) -> None:
    judge = Tfidf("green tea")
    for version, text in enumerate(texts):
        assert 0.0 <= judge.relevance(page(" ".join(text), version=version)) <= 1.0


def test_a_judge_survives_pickling_with_what_it_counted() -> None:
    judge = Tfidf("tea")
    judge.relevance(page("tea house"))
    assert pickle.loads(pickle.dumps(judge)) == judge
