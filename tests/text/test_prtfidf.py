"""Joachims' classifier, by hand and against sums written out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.utils.estimator_checks import parametrize_with_checks

from foragers.text.prtfidf import PrTFIDF

every_check: pytest.MarkDecorator = parametrize_with_checks([PrTFIDF()])


@every_check
def test_it_passes_scikit_learns_own_checks(
    estimator: PrTFIDF, check: Callable[[PrTFIDF], None]
) -> None:
    check(estimator)


def test_probabilities_worked_out_by_hand() -> None:
    # Class a: documents (2,0,2) and (0,0,1); class b: document (0,3,1).
    # P(w|a) = mean of (.5,0,.5) and (0,0,1) = (.25,0,.75); P(w|b) = (0,.75,.25).
    # P(a) = 2/3, P(b) = 1/3; for the third word P(a|w) = .5 / (.5 + .25/3) = 6/7.
    counts = csr_array(np.array([[2.0, 0, 2], [0, 0, 1], [0, 3, 1]]))
    model = PrTFIDF().fit(counts, ["a", "a", "b"])
    np.testing.assert_allclose(model.word_given_class_, [[0.25, 0, 0.75], [0, 0.75, 0.25]])
    np.testing.assert_allclose(model.class_given_word_, [[1.0, 0.0], [0.0, 1.0], [6 / 7, 1 / 7]])
    found = model.predict_proba(np.array([[1.0, 1, 2], [0, 4, 0]]))
    np.testing.assert_allclose(found[0], [0.25 + 0.5 * 6 / 7, 0.25 + 0.5 / 7])
    np.testing.assert_allclose(found[1], [0, 1])
    assert model.predict(np.array([[0.0, 9, 1], [0, 0, 1]])).tolist() == ["b", "a"]


def test_words_that_nobody_knows_add_nothing() -> None:
    counts = np.array([[1.0, 1, 0], [0, 1, 0]])
    model = PrTFIDF().fit(counts, [0, 1])
    # Half of the text is the unknown third word; the rest speaks for all of it.
    np.testing.assert_allclose(
        model.predict_proba(np.array([[1.0, 1, 2]])), model.predict_proba(np.array([[1.0, 1, 0]]))
    )
    np.testing.assert_allclose(model.predict_proba(np.array([[0.0, 0, 5]])), [[0.5, 0.5]])


def test_classes_can_be_equally_likely_beforehand() -> None:
    counts = np.array([[1.0, 0], [1, 0], [1, 0], [1, 1]])
    model = PrTFIDF(fit_prior=False).fit(counts, [0, 0, 0, 1])
    np.testing.assert_allclose(model.predict_proba(np.array([[1.0, 0]])), [[2 / 3, 1 / 3]])


@given(st.integers(0, 10_000))
def test_sums_written_out_give_the_same(seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.poisson(0.7, (12, 6)).astype(float)
    labels = np.arange(12) % 3
    model = PrTFIDF().fit(csr_array(counts), labels)
    text = rng.poisson(1.0, 6).astype(float)
    found = model.predict_proba(text[None])[0]
    assert found.sum() == pytest.approx(1)
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-300)
    known = [word for word in range(6) if counts[:, word].any() and text[word]]
    expected = np.zeros(3)
    for word in known:
        joint = [share[labels == c, word].mean() * (labels == c).mean() for c in range(3)]
        expected += text[word] / sum(text[known]) * np.array(joint) / sum(joint)
    np.testing.assert_allclose(found, expected if known else [1 / 3] * 3, atol=1e-12)
