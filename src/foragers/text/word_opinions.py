"""The classes of a text as the mean of its words' opinions, on plain arrays.

This is the arithmetic of PrTFIDF without scikit-learn, which takes a second to import.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from foragers.core.exact import by_row, row_sums

Floats: TypeAlias = NDArray[np.float64]
Rows: TypeAlias = "csr_array[np.float64]"


def proportions(counts: Rows) -> Rows:
    """Return P(w|d): each row divided by its sum."""
    totals = row_sums(counts, np.ones(counts.shape[1]))
    scaled = counts.copy()
    scaled.data /= np.repeat(totals, np.diff(counts.indptr))
    return scaled


def probabilities(counts: Rows, class_given_word: Floats, prior: Floats) -> Floats:
    """Return P(C|d), with a row a document, given P(C|w) with a row a word and P(C)."""
    votes = by_row(counts, class_given_word)
    # Every word that is known has opinions that sum to 1: the others add nothing.
    known = votes.sum(axis=1, keepdims=True)
    shares = np.divide(votes, known, out=np.tile(prior, (len(votes), 1)), where=known > 0)
    return np.asarray(shares)
