"""Multinomial naive Bayes with Laplace smoothing: equations 3 to 5 of the spider paper.

    P(c|d) ∝ P(c) Π P(w|c)                                     over the words w of d    (3)
    P(w|c) = (1 + count of w in c) / (|V| + count of all words in c)                    (4)
    P(c)   = (1 + documents in c) / (|C| + all documents)                               (5)

A text of several bags with separate vocabularies has a P(w|c) for each bag, and the product
goes over the words of all bags.  With one bag this is scikit-learn's `MultinomialNB` with
the class priors of equation 5.  A word outside the vocabulary is ignored.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from foragers.core.exact import exp, log

Floats = NDArray[np.float64]
Counts = NDArray[np.int64] | Floats


def log_priors(documents: Counts) -> Floats:
    """Return log P(c) from the number of documents in each class (equation 5)."""
    return log((1 + documents) / (len(documents) + documents.sum()))


def log_likelihoods(counts: Counts) -> Floats:
    """Return log P(w|c), one row per class, from the counts of its words (equation 4)."""
    totals = counts.shape[1] + counts.sum(axis=1, keepdims=True)
    return log((1 + counts) / totals)


def posteriors(scores: Floats) -> Floats:
    """Return P(c|d), one row per text, from log P(c) + Σ log P(w|c) (equation 3)."""
    shares = exp(scores - scores.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    return shares


def weighted_log_odds(counts: Counts) -> Floats:
    """Return P(w|c) log(P(w|c) / P(w|not c)), one row per class: the evidence of a word for it."""
    rest = counts.sum(axis=0, keepdims=True) - counts
    own = log_likelihoods(counts)
    odds: Floats = exp(own) * (own - log_likelihoods(rest))
    return odds
