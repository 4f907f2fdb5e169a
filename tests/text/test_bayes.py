"""Naive Bayes of the spider paper against scikit-learn and against sums done by hand."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from sklearn.naive_bayes import MultinomialNB

from foragers.text.bayes import log_likelihoods, log_priors, posteriors, weighted_log_odds


def test_equations_4_and_5_by_hand() -> None:
    # Two classes with 3 and 1 documents; words a, b, c stand 2, 1, 0 and 0, 1, 4 times in them.
    assert log_priors(np.array([3, 1])) == pytest.approx([log(4 / 6), log(2 / 6)])
    found = log_likelihoods(np.array([[2, 1, 0], [0, 1, 4]]))
    by_hand = [[log(3 / 6), log(2 / 6), log(1 / 6)], [log(1 / 8), log(2 / 8), log(5 / 8)]]
    assert found.tolist() == pytest.approx(np.array(by_hand))


def test_one_bag_is_the_multinomial_classifier_of_scikit_learn() -> None:
    rng = np.random.default_rng(1)
    texts, classes = rng.poisson(0.4, (200, 30)), rng.integers(0, 4, 200)
    texts[:, 7] += classes
    held = np.bincount(classes, minlength=4)
    priors = np.exp(log_priors(held))
    theirs = MultinomialNB(alpha=1.0, class_prior=priors).fit(texts, classes)
    counts = np.array([texts[classes == place].sum(axis=0) for place in range(4)])
    fresh = rng.poisson(0.6, (50, 30))
    ours = posteriors(log_priors(held) + fresh @ log_likelihoods(counts).T)
    assert ours == pytest.approx(theirs.predict_proba(fresh), abs=1e-9)


def test_posteriors_of_long_texts_do_not_overflow() -> None:
    found = posteriors(np.array([[-5000.0, -5001.0], [0.0, -3000.0]]))
    assert found == pytest.approx(np.array([[0.7310586, 0.2689414], [1.0, 0.0]]))


def test_weighted_log_odds_by_hand() -> None:
    found = weighted_log_odds(np.array([[2, 1, 0], [0, 1, 4]]))
    assert found[0, 0] == pytest.approx(3 / 6 * log((3 / 6) / (1 / 8)))
    assert found[1, 2] == pytest.approx(5 / 8 * log((5 / 8) / (1 / 6)))
