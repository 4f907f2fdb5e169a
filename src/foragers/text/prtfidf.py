"""PrTFIDF (Joachims 1997): the probability of a class as a mean over the words of a text.

    P(w|d) = TF(w, d) / |d|
    P(w|C) = the mean of P(w|d) over the documents of C
    P(C)   = |C| / |D|
    P(C|d) = Σ_w P(w|d) · P(w|C)·P(C) / Σ_C' P(w|C')·P(C')

So a text gets the mean of P(C|w) over its words.  Words that occur in no class are ignored, and the
probabilities are scaled up to sum to 1.  A text without any known word gets those of the classes,
P(C).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from foragers.core.exact import grouped
from foragers.text.word_opinions import Floats, Rows, probabilities, proportions


class PrTFIDF(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier of texts, given as counts of words in a sparse or dense matrix.

    After `fit`, `class_prior_` has P(C), `word_given_class_` P(w|C) with one row per class, and
    `class_given_word_` P(C|w) with one row per word (zeros for unseen words).  With
    `fit_prior=False` all classes have the same prior.
    """

    classes_: NDArray[np.generic]
    class_prior_: Floats
    word_given_class_: Floats
    class_given_word_: Floats

    def __init__(self, fit_prior: bool = True) -> None:
        self.fit_prior = fit_prior

    def fit(self, X: object, y: object) -> PrTFIDF:  # noqa: N803 (scikit-learn's names)
        """Learn the words of each class from its documents."""
        checked, labels = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        check_classification_targets(labels)
        counts = positive(checked, type(self).__name__)
        self.classes_, numbers = np.unique(labels, return_inverse=True)
        sizes = np.bincount(numbers)
        share = sizes / sizes.sum()
        self.class_prior_ = share if self.fit_prior else np.full(len(sizes), 1 / len(sizes))
        shares, weights = proportions(counts), 1 / sizes[numbers]
        self.word_given_class_ = grouped(shares, numbers, len(sizes), weights)
        joint = (self.word_given_class_ * self.class_prior_[:, None]).T
        total = joint.sum(axis=1, keepdims=True)
        self.class_given_word_ = np.divide(joint, total, out=np.zeros_like(joint), where=total > 0)
        return self

    def predict_proba(self, X: object) -> Floats:  # noqa: N803
        """Return P(C|d), with one row per document and one column per class."""
        check_is_fitted(self)
        checked = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        counts = positive(checked, type(self).__name__)
        return probabilities(counts, self.class_given_word_, self.class_prior_)

    def predict(self, X: object) -> NDArray[np.generic]:  # noqa: N803
        """Return the most probable class of each document."""
        likeliest = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[likeliest])

    def __sklearn_tags__(self) -> object:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        # As with naive Bayes: it separates measurements badly that are not word counts.
        tags.classifier_tags.poor_score = True
        return tags


def positive(counts: Rows | Floats, name: str) -> Rows:
    """Return counts as a sparse matrix, if none is below zero."""
    found: Rows = csr_array(counts)
    if found.nnz and found.data.min() < 0:
        raise ValueError(f"Negative values in data passed to {name}")
    return found
