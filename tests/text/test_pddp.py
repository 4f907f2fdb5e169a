"""Boley's clustering, against direct computation and by hand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_array, random_array
from sklearn.utils.estimator_checks import parametrize_with_checks

from foragers.text.pddp import PDDP, iterated, principal_direction

every_check: pytest.MarkDecorator = parametrize_with_checks([PDDP(n_clusters=3)])


@every_check
def test_it_passes_scikit_learns_own_checks(estimator: PDDP, check: Callable[[PDDP], None]) -> None:
    check(estimator)


def direct(rows: np.ndarray, clusters: int) -> list[frozenset[int]]:
    """Cluster with dense centred matrices and full decompositions."""
    units = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-300)
    leaves = [list(range(len(rows)))]
    while len(leaves) < clusters:
        norms = [np.linalg.norm(units[leaf] - units[leaf].mean(axis=0)) for leaf in leaves]
        leaf = leaves.pop(int(np.argmax(norms)))
        centred = units[leaf] - units[leaf].mean(axis=0)
        side = centred @ np.linalg.svd(centred)[2][0] > 0
        leaves += [[leaf[at] for at in np.flatnonzero(side == which)] for which in (True, False)]
    return [frozenset(leaf) for leaf in leaves]


@pytest.mark.parametrize("shape", [(40, 12), (30, 80), (200, 150)])
@pytest.mark.parametrize("seed", range(3))
def test_clusters_are_those_of_dense_decompositions(shape: tuple[int, int], seed: int) -> None:
    rows = csr_array(random_array(shape, density=0.2, rng=np.random.default_rng(seed)))
    labels = PDDP(n_clusters=9).fit_predict(rows)
    found = {frozenset(np.flatnonzero(labels == label).tolist()) for label in range(9)}
    assert found == set(direct(rows.toarray(), 9))


def test_two_pairs_of_texts_are_two_clusters() -> None:
    # Unit vectors: (1,0,0), (.8,.6,0), (0,0,1), (0,.6,.8): the first cut is between the pairs.
    rows = csr_array(np.array([[5.0, 0, 0], [4, 3, 0], [0, 0, 2], [0, 3, 4]]))
    labels = PDDP(n_clusters=2).fit_predict(rows)
    assert labels[0] == labels[1] != labels[2] == labels[3]


def test_the_cluster_of_the_largest_scatter_is_cut_next() -> None:
    # Three like texts and three unlike ones: the second cut must fall among the unlike ones.
    rows = np.array([[9, 1, 0, 0, 0], [9, 0, 1, 0, 0], [9, 0, 0, 0, 1]] + [[0, 0, 3, 4, 0]] * 2)
    rows = np.vstack([rows, [[0, 0, 4, 3, 0]]]).astype(float)
    rows[4] = [0, 5, 0, 0, 1]
    labels = PDDP(n_clusters=3).fit_predict(csr_array(rows))
    assert len(set(labels[:3])) == 1
    assert len(set(labels[3:])) == 2


def test_texts_that_are_all_alike_stay_together() -> None:
    model = PDDP(n_clusters=5).fit(csr_array(np.array([[1.0, 2], [2, 4], [3, 6]])))
    assert model.n_clusters_ == 1
    assert model.labels_.tolist() == [0, 0, 0]


def test_length_does_not_matter_and_empty_texts_are_legal() -> None:
    rows = np.array([[1.0, 0], [100, 0], [0, 1], [0, 0.01], [0, 0]])
    labels = PDDP(n_clusters=3).fit_predict(csr_array(rows))
    assert labels[0] == labels[1]
    assert labels[2] == labels[3]
    assert len(set(labels.tolist())) == 3


def test_prediction_repeats_what_was_fitted() -> None:
    rows = random_array((300, 90), density=0.1, rng=np.random.default_rng(5), format="csr")
    model = PDDP(n_clusters=20).fit(rows)
    assert model.n_clusters_ == 20
    np.testing.assert_array_equal(model.predict(rows), model.labels_)
    np.testing.assert_array_equal(PDDP(n_clusters=20).fit(rows).labels_, model.labels_)


def test_the_direction_is_found_without_centring_and_its_sign_is_fixed() -> None:
    rows = csr_array(random_array((120, 70), density=0.2, rng=np.random.default_rng(1)))
    dense = rows.toarray()
    exact = np.linalg.svd(dense - dense.mean(axis=0))[2][0]
    exact *= np.sign(exact[np.abs(exact).argmax()])
    np.testing.assert_allclose(principal_direction(rows), exact, atol=1e-5)
    mean: NDArray[np.float64] = np.asarray(rows.mean(axis=0)).ravel()
    np.testing.assert_allclose(np.abs(iterated(rows, mean)), np.abs(exact), atol=1e-5)


def test_fewer_than_one_cluster_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        PDDP(n_clusters=0).fit(np.eye(3))
