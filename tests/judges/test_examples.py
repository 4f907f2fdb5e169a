import pickle

import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from foragers.core.types import Status
from foragers.errors import UsageError
from foragers.judges.examples import LAST, Examples
from foragers.text.classifier import CentroidClassifier, LinearClassifier
from support.judged_pages import page

TEA = ("green tea from japan", "black tea with milk", "a pot of tea and cups of tea")
OTHER = ("football results", "stock market falls", "the weather in spain", "milk prices rise")


def test_pages_like_the_examples_are_relevant() -> None:
    judge = Examples(TEA, OTHER)
    assert judge.relevance(page("cups of green tea")) >= judge.threshold
    assert judge.relevance(page("football results in spain")) < judge.threshold
    assert judge.relevance(page("of tea", "green")) == judge.likeness("green\nof tea")


def test_nothing_is_learned_before_it_is_asked() -> None:
    assert "classifier" not in Examples(TEA, OTHER).__dict__


def test_an_estimator_of_the_users_is_fitted() -> None:
    judge = Examples(TEA, OTHER, estimator=make_pipeline(CountVectorizer(), MultinomialNB()))
    assert judge.likeness("tea") > 0.5 > judge.likeness("football")


def test_background_stands_in_for_counterexamples() -> None:
    judge = Examples(TEA, background=(*OTHER, "green tea"))
    assert judge.relevance(page("cups of green tea")) >= judge.threshold
    assert judge.relevance(page("football results in spain")) < judge.threshold
    assert judge.seen == {}


def test_the_crawl_itself_becomes_the_background() -> None:
    judge = Examples(TEA)
    for version in range(19):
        judge.relevance(page(OTHER[version % 4], version=version))
    first = judge.classifier
    assert isinstance(first, CentroidClassifier)
    judge.relevance(page("football", version=19))
    learned = judge.classifier
    assert isinstance(learned, LinearClassifier)
    judge.relevance(page("football", version=20))
    assert judge.classifier is learned, "it is learned anew at 40 pages only"
    assert judge.likeness("cups of tea") >= judge.threshold > judge.likeness("football results")


def test_only_the_first_pages_are_kept() -> None:
    judge = Examples(TEA)
    judge.seen = dict.fromkeys(range(LAST), "football")
    judge.relevance(page("one more", version=LAST))
    assert len(judge.seen) == LAST


def test_a_judge_taken_up_again_goes_on_alike() -> None:
    judge = Examples(TEA)
    for version in range(25):
        judge.relevance(page(OTHER[version % 4], version=version))
    learned_now = judge.likeness("cups of tea")
    del judge.classifier
    assert judge.likeness("cups of tea") == learned_now, "it depends on the moment of learning only"
    again = pickle.loads(pickle.dumps(judge))
    assert again == judge
    assert again.likeness("cups of tea") == learned_now


def test_failures_are_neither_relevant_nor_learned_from() -> None:
    judge = Examples(TEA)
    assert judge.relevance(page(TEA[0], status=Status.FAILED)) == 0.0
    assert judge.seen == {}


def test_no_example_is_an_error() -> None:
    with pytest.raises(UsageError, match="no positive text"):
        Examples(()).likeness("tea")


def test_it_is_learned_anew_each_time_twice_as_many_pages_were_seen() -> None:
    judge = Examples(("green tea leaves", "black tea leaves"))
    learned: list[tuple[int, object]] = []
    for number in range(90):
        judge._see(number, f"text about number {number} and tax")
        if not learned or judge.classifier is not learned[-1][1]:
            learned.append((number + 1, judge.classifier))
    assert [pages for pages, _ in learned] == [1, 20, 40, 80]
