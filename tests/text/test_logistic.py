"""The fit of the logistic regression, against scikit-learn's taken to its end."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array
from sklearn.linear_model import LogisticRegression

from foragers.text.logistic import Fit, fitted


def some_texts(count: int, words: int, seed: int) -> tuple[csr_array, np.ndarray]:
    rng = np.random.default_rng(seed)
    rows = random_array((count, words), density=0.2, rng=rng).tocsr()
    wanted = (rng.random(count) < 0.3).astype(float)
    wanted[:2] = 0.0, 1.0
    return csr_array(rows), wanted


@pytest.mark.parametrize(("count", "words"), [(12, 40), (60, 15), (80, 300)])
@pytest.mark.parametrize("strength", [0.1, 3.0, 100.0])
def test_weights_are_those_of_scikit_learn(count: int, words: int, strength: float) -> None:
    texts, wanted = some_texts(count, words, count)
    model = LogisticRegression(
        C=strength, class_weight="balanced", solver="newton-cholesky", tol=1e-12
    ).fit(texts, wanted)
    found = fitted(texts, wanted, strength)
    assert found.words == pytest.approx(model.coef_[0], abs=1e-7)
    assert found.all_texts == pytest.approx(model.intercept_[0], abs=1e-7)


def test_no_step_away_from_the_minimum_is_better() -> None:
    texts, wanted = some_texts(30, 20, 1)
    fit = Fit(texts, wanted, np.full(30, 2.0))
    best = fit.minimum()
    for place in range(20):
        aside = best.words.copy()
        aside[place] += 1e-3
        assert fit.loss(best._replace(words=aside)) > fit.loss(best)
    assert fit.loss(best._replace(all_texts=best.all_texts + 1e-3)) > fit.loss(best)


def test_texts_that_words_tell_apart_for_certain_are_no_trouble() -> None:
    texts = csr_array(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    found = fitted(texts, np.array([1.0, 1.0, 0.0]), 1e6)
    assert found.words[0] > 1 > -1 > found.words[1]
