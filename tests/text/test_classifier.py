import pickle
from math import exp

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.pipeline import Pipeline, make_pipeline

from foragers.errors import UsageError
from foragers.text.classifier import (
    CentroidClassifier,
    EstimatorClassifier,
    LinearClassifier,
    unlike,
)
from foragers.text.words import words

TEA = ["green tea from japan", "black tea with milk", "a pot of tea and cups of tea"]
OTHER = ["football results", "stock market falls", "the weather in japan", "milk prices rise"]
UNSEEN = ["tea tea green", "football in japan", "milk"]


def test_the_table_of_words_gives_what_scikit_learn_gives() -> None:
    model = make_pipeline(
        TfidfVectorizer(analyzer=words, sublinear_tf=True),
        LogisticRegression(C=3.0, class_weight="balanced", solver="newton-cholesky", tol=1e-12),
    ).fit(TEA + OTHER, [1] * 3 + [0] * 4)
    classifier = LinearClassifier.fit(TEA, OTHER)
    for text in UNSEEN:
        expected = model.predict_proba([text])[0, 1]
        assert classifier.probability(text) == pytest.approx(expected, abs=1e-9)


def test_a_text_without_a_known_word_has_no_probability() -> None:
    assert LinearClassifier.fit(TEA, OTHER).probability("quantum chromodynamics") == 0.0
    assert CentroidClassifier.fit(TEA).probability("quantum chromodynamics") == 0.0
    assert CentroidClassifier.fit(TEA).probability("") == 0.0


def test_examples_without_words_are_refused() -> None:
    with pytest.raises(UsageError, match="no words"):
        LinearClassifier.fit(["…"], ["!"])


def test_examples_alone_make_their_own_kind_likely() -> None:
    classifier = CentroidClassifier.fit(TEA)
    assert all(classifier.probability(text) > 0.5 for text in TEA)
    assert classifier.probability("football results") == 0.0


def test_a_single_example_is_fully_like_itself() -> None:
    assert CentroidClassifier.fit(["green tea"]).probability("green tea") == 1.0


def test_of_two_like_examples_each_is_as_like_the_other_as_can_be() -> None:
    assert CentroidClassifier.fit(["green tea", "tea green"]).typical == pytest.approx(1.0)


def test_the_quarter_most_like_the_examples_is_no_counterexample() -> None:
    assert sorted(unlike(["green tea"], [*OTHER[:3], "green tea leaves"])) == sorted(OTHER[:3])
    assert unlike(["green tea"], []) == []


def test_an_estimator_that_only_decides_is_squashed() -> None:
    estimator = make_pipeline(TfidfVectorizer(), RidgeClassifier())
    classifier = EstimatorClassifier.fit(estimator, TEA, OTHER)
    assert isinstance(classifier.estimator, Pipeline)
    decision = classifier.estimator.decision_function(["green tea"])[0]
    assert classifier.probability("green tea") == pytest.approx(1 / (1 + exp(-decision)))
    assert not hasattr(estimator[-1], "coef_"), "the user's own estimator is left alone"


def test_an_estimator_that_does_neither_is_refused() -> None:
    class Mute:
        def fit(self, texts: object, wanted: object) -> None: ...

    with pytest.raises(UsageError, match="Mute needs predict_proba or decision_function"):
        EstimatorClassifier.fit(Mute(), TEA, OTHER).probability("tea")


def test_an_estimator_with_predict_proba_is_asked_for_it() -> None:
    class Sure:
        def fit(self, texts: object, wanted: object) -> None: ...

        def predict_proba(self, texts: list[str]) -> object:
            return np.array([[0.25, 0.75]])

    assert EstimatorClassifier.fit(Sure(), TEA, OTHER).probability("tea") == 0.75


@pytest.mark.parametrize(
    "classifier", [LinearClassifier.fit(TEA, OTHER), CentroidClassifier.fit(TEA)]
)
def test_what_was_learned_survives_pickling(classifier: LinearClassifier) -> None:
    again = pickle.loads(pickle.dumps(classifier))
    assert again.probability("green tea") == classifier.probability("green tea")
